package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/internal/demo"
	"github.com/memtui/memtui/internal/memory"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/all"
)

// Every flag that a table names is one, and every command has its flags.
func TestUsesNameFlags(t *testing.T) {
	a := parserOf([]string{"version"}, nil)
	_, parser, err := a.parseBy(&grammar{})
	if err != nil {
		t.Fatal(err)
	}
	a.parser = parser
	commands := map[string]bool{}
	for _, c := range uses.Leaves(parser.Model) {
		path := uses.Path(c)
		commands[path] = true
		for _, u := range uses.Table()[path] {
			own := slices.ContainsFunc(c.Flags, func(f *kong.Flag) bool { return f.Name == u.Flag })
			shared := slices.ContainsFunc(parser.Model.Flags, func(f *kong.Flag) bool { return f.Name == u.Flag })
			if own == shared || u.Of == 0 {
				t.Errorf("%s: --%s is no flag of it", path, u.Flag)
			}
		}
	}
	for path := range uses.Table() {
		if !commands[path] {
			t.Errorf("there is no command %q", path)
		}
	}
}

// The kind that a format is said to have is that of its files, and every format has one.
func TestKindsOfFormats(t *testing.T) {
	for _, f := range all.Formats() {
		if kind.OfFormat(f) == kind.None {
			t.Errorf("nobody knows what %s records", f.Name)
		}
	}
	for _, sample := range demo.Samples() {
		a := parserOf([]string{"report", sample.Name}, nil)
		if _, err := a.parse(); err != nil {
			t.Fatal(err)
		}
		path := sampleFile(t, sample.Name)
		src, format, err := a.source(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		a.collector = &memory.Collector{}
		s := a.start(t.Context(), src, format)
		p, err := s.profile(t.Context())
		if err != nil || kind.Of(p) != kind.OfFormat(format) || kind.Of(p) == kind.None {
			t.Errorf("%s: %v, %q, not %q", sample.Name, err, kind.Of(p), kind.OfFormat(format))
		}
		s.close()
	}
}

// What means nothing to a command is refused although there is no file to read, and so is what means nothing for the
// format of a file of which nothing but the head can be read.
func TestMeaninglessFlagsAreRefusedBeforeReading(t *testing.T) {
	head, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.mlyze")
	if err := os.WriteFile(cut, head[:24], 0o600); err != nil {
		t.Fatal(err)
	}
	heap, pages, stacks := sampleFile(t, "heap"), sampleFile(t, "pages"), sampleFile(t, "stacks")
	for line, want := range map[string]string{
		"validate --at 5s nowhere":                     "--at: does not apply to validate; see memtui validate --help",
		"info --limit 5 nowhere":                       "--limit: does not apply to info",
		"--by count info nowhere":                      "--by: does not apply to info",
		"keys --snapshot 1":                            "--snapshot: does not apply to keys",
		"heap types --from 1s nowhere":                 "--from: does not apply to heap types; see memtui heap types --help",
		"heap snapshots --limit 3 nowhere":             "--limit: does not apply to heap snapshots",
		"convert --limit 3 nowhere --to folded":        "--limit: does not apply to convert",
		"diff --min-age 1s nowhere nowhere":            "--min-age: does not apply to diff",
		"report --edges all " + cut:                    "--edges: does not apply to a trace (cut.mlyze)",
		"report --event x " + cut:                      "--event: does not apply to a trace (cut.mlyze)",
		"report --window 1 " + cut:                     "--window: cut.mlyze has no windows",
		"--series 0 " + cut:                            "--series: does not apply to a trace (cut.mlyze)",
		"report --snapshot 1 " + cut:                   "--snapshot: cut.mlyze holds no heap snapshots",
		"heap types --snapshot 1 " + cut:               "cut.mlyze holds no heap snapshots: its format is mlyze",
		"report --group thread HEAP":                   "--group: records.mvmheap is neither a trace nor a stack profile",
		"report --group dso " + cut:                    `unknown group "dso" for a trace (cut.mlyze); available: stack, function,`,
		"report --group file PAGES":                    "--group: real_proc_python.mb is neither a trace nor a stack profile",
		"diff --depth 3 HEAP HEAP":                     "--depth: records.mvmheap is neither a trace nor a stack profile",
		"diff --match files PAGES PAGES":               "--match: real_proc_python.mb is neither",
		"diff --at 5s HEAP#0 HEAP#1":                   "FILE#N and --at cannot be combined: each chooses the snapshot",
		"diff --a 3 no#0 no#1":                         "FILE#N and --a each choose the place",
		"diff --a 3 --b 4 --from 1s no":                "--a and --b choose for each side",
		"report --at 5s HEAP#1":                        "FILE#N and --at cannot be combined: each chooses the snapshot",
		"heap types --at 5s no#1":                      "FILE#N and --at cannot be combined: each chooses the snapshot",
		"heap types --snapshot 0 no#2":                 "--snapshot: FILE#N means the same",
		"report --point 0 --snapshot 3 no":             "--snapshot and --point cannot be combined: each chooses the page layout",
		"report --point 0 --edges all no":              "--point is for memory dumps, --edges for heap snapshots: they do not apply to one file",
		"report --min-age 1s --window w no":            "--min-age is for traces, --window for stack profiles",
		"pages --per-cell 3 no":                        "--per-cell works only with --map",
		"pages --map --table holes no":                 "--map and --table cannot be combined: the map has no tables",
		"check --by live_bytes no":                     "--by works only with --base",
		"check --max-peak 1 --at 5s no":                "--at works only with --base",
		"check --max-peak 1 --limit 3 no":              "--limit works only with --base",
		"check --max-peak 1 --min-age 3s no":           "--min-age works only with --max-leak or --base",
		"diff --edges all no no":                       "--edges works only with --by retained_bytes",
		"evidence --names x no":                        "--names works only with --redact",
		"convert --by live_bytes --to mlyze " + sample: "--by: .mlyze holds blocks",
		"report --table groups no":                     "--table groups needs --group",
		"report --table groups -f csv " + cut:          "--table groups needs --group",
		"report --table groups --group stack " + cut:   "--table groups needs --group",
		"demo stacks --at 5s --to 6s":                  "each chooses a part of the time",
		"report --at 5s --window w STACKS":             "each chooses a part of the time",
		"demo stacks --cell 64,1ms":                    "unknown flag --cell",
		"demo heap --from 1s":                          "--from: heap tables show one snapshot",
		"demo pages --by live_bytes":                   "--by: only report --table and pages sort tables of memory dumps",
	} {
		line = strings.NewReplacer("HEAP", heap, "PAGES", pages, "STACKS", stacks).Replace(line)
		status, out, errs := run(t, Env{}, strings.Fields(line)...)
		if status != fail.StatusUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %q, %q", line, status, out, errs)
		}
	}
	for _, line := range []string{"validate --max-memory 1G --color never --ascii --no-mouse --theme dark --index none " + sample, "keys --color never", "version --index none",
		"report --table groups --group function " + sample} {
		if status, _, errs := run(t, Env{}, strings.Fields(line)...); status != 0 {
			t.Errorf("%s: status %d, %q", line, status, errs)
		}
	}
}

// The grammar's groups are those of traces and profiles, which screens take, too.
func TestGroupsAreThoseOfScreens(t *testing.T) {
	a := parserOf([]string{"version"}, nil)
	_, parser, err := a.parseBy(&grammar{})
	if err != nil {
		t.Fatal(err)
	}
	known := slices.Compact(slices.Sorted(slices.Values(append(analysis.GroupNames(), weights.GroupNames("KEY")...))))
	for _, c := range uses.Leaves(parser.Model) {
		for _, f := range c.Flags {
			if uses.Path(c) == "report" && f.Name == "group" && !slices.Equal(slices.Sorted(slices.Values(f.EnumSlice())), known) {
				t.Errorf("report --group takes %q, screens %q", f.EnumSlice(), known)
			}
		}
	}
}

// Settings are for all commands and files: those that one has no use for do it no harm, even where their values are
// wrong.
func TestMeaninglessSettingsDoNoHarm(t *testing.T) {
	env := func(settings string) Env {
		values := map[string]string{}
		for _, s := range strings.Fields(settings) {
			name, value, _ := strings.Cut(s, "=")
			values[name] = value
		}
		return Env{Getenv: func(name string) string { return values[name] }}
	}
	for line, settings := range map[string]string{
		"validate " + sample:            "MEMTUI_LIMIT=many MEMTUI_AT=never MEMTUI_BY=x MEMTUI_SERIES=y",
		"version":                       "MEMTUI_LIMIT=many",
		"demo stacks --limit 1":         "MEMTUI_MIN_AGE=1s MEMTUI_AT=50% MEMTUI_BY=leaked_count MEMTUI_EDGES=all",
		"demo heap --limit 1":           "MEMTUI_MIN_AGE=1s MEMTUI_BY=leaked_count MEMTUI_FROM=1s MEMTUI_EVENT=x",
		"demo pages --limit 1":          "MEMTUI_MIN_AGE=1s MEMTUI_BY=leaked_count MEMTUI_EDGES=all",
		"report --limit 1 " + sample:    "MEMTUI_EDGES=all MEMTUI_BY=retained_bytes MEMTUI_SNAPSHOT=3 MEMTUI_WINDOW=w MEMTUI_EVENT=x",
		"convert --to folded " + sample: "MEMTUI_LIMIT=many MEMTUI_BY=peak_bytes MEMTUI_FORMAT=json",
	} {
		if status, _, errs := run(t, env(settings), strings.Fields(line)...); status != 0 {
			t.Errorf("%s with %s: status %d, %q", line, settings, status, errs)
		}
	}
	if status, _, errs := run(t, env("MEMTUI_LIMIT=many"), "report", sample); status != fail.StatusUsage {
		t.Errorf("a wrong setting that means something: status %d, %q", status, errs)
	}
}

// Flags about files mean something to commands that read them. A recorder needs those about names, and
// fetches URLs.
func TestFlagsAboutFilesNeedFiles(t *testing.T) {
	about := []string{"insecure", "index", "symbols", "sysroot", "debuginfod", "no-symbols", "allocator-frames", "unit"}
	parser, err := kong.New(new(grammar), grammarVars(all.Formats()), kong.Name("memtui"))
	if err != nil {
		t.Fatal(err)
	}
	readers := 0
	for _, c := range uses.Leaves(parser.Model) {
		path := uses.Path(c)
		if slices.ContainsFunc(c.Positional, func(p *kong.Positional) bool { return p.Name == "file" || p.Name == "before" }) {
			readers++
			continue
		}
		for _, flag := range about {
			if flag == "insecure" && strings.HasPrefix(path, "fleet ") {
				continue // servers have certificates, too
			}
			if uses.Means(path, flag) && (path != "record" || !strings.Contains("symbols sysroot debuginfod no-symbols insecure", flag)) {
				t.Errorf("%s reads no file, but lists --%s", path, flag)
			}
		}
	}
	if readers < 10 {
		t.Errorf("%d commands read files", readers)
	}
}

// Every flag of demo means something to one of the samples.
func TestFlagsOfDemoMeanSomething(t *testing.T) {
	for _, use := range uses.Table()["demo"] {
		if use.Flag == "theme" || use.Flag == "mouse" || use.Flag == "color" || use.Flag == "ascii" || use.Flag == "max-memory" || use.Flag == "series" {
			continue // of the screen and the program, whatever is shown; series chooses the curve on screen
		}
		value, ok := map[string]string{
			"format": "json", "limit": "1", "at": "30%", "from": "30%", "to": "60%", "by": "alloc_count", "event": "cpu-clock", "min-age": "50%",
			"snapshot": "0", "frame-order": "root-first", "point": "0", "edges": "all", "sizes": "layout",
		}[use.Flag]
		changes := false
		for _, sample := range demo.Samples() {
			args := []string{"demo", sample.Name}
			_, plain, _ := run(t, Env{}, args...)
			if status, out, _ := run(t, Env{}, append(args, "--"+use.Flag+"="+value)...); status == 0 && out != plain {
				changes = true
				break
			}
		}
		if !ok || !changes {
			t.Errorf("--%s=%s changes what is shown of no sample", use.Flag, value)
		}
	}
}

// The help of a command names the flags that mean something to it, and no other; completion and guide name the same.
func TestHelpNamesWhatIsMeant(t *testing.T) {
	for line, want := range map[string]struct{ has, lacks string }{
		"validate --help":   {"--format --max-memory", "--at --by --limit --edges --theme --snapshot"},
		"convert --help":    {"--to=FORMAT --from --by --event --function", "--limit --theme --no-mouse --series --format"},
		"heap path --help":  {"--edges --snapshot --without", "--by --limit --from --event"},
		"heap types --help": {"--edges --snapshot --by --limit", "--from --event --series"},
		"pages --help":      {"--series --point --map --by", "--from --edges"},
		"--help":            {"--theme --at --limit", "--table --redact"},
		"report --help":     {"--at --edges --table", "--theme --mouse"},
	} {
		status, out, _ := run(t, Env{}, strings.Fields(line)...)
		for _, flag := range strings.Fields(want.has) {
			if !strings.Contains(out, "  "+flag) && !strings.Contains(out, ", "+flag) {
				t.Errorf("%s: status %d, no %s:\n%s", line, status, flag, out)
			}
		}
		for _, flag := range strings.Fields(want.lacks) {
			if strings.Contains(out, " "+flag+"=") || strings.Contains(out, "  "+flag+" ") {
				t.Errorf("%s has %s", line, flag)
			}
		}
		if i := strings.Index(out, "For convert:"); i >= 0 {
			t.Errorf("%s: %s", line, out[i:i+40])
		}
	}
	_, out, _ := run(t, Env{}, "completion", "bash")
	for line := range strings.Lines(out) {
		if strings.HasPrefix(strings.TrimSpace(line), "validate)") && (strings.Contains(line, "--at") || !strings.Contains(line, "--format")) {
			t.Errorf("completion of %s", line)
		}
	}
}

// Flags about what files leave open are for the formats that do: elsewhere they are refused, and would change nothing.
func TestFlagsOfReadersAreForTheirFormats(t *testing.T) {
	loader := func(name string) string { return filepath.Join("../../loaders", filepath.FromSlash(name)) }
	heap, stacks := sampleFile(t, "heap"), sampleFile(t, "stacks")
	samples := map[string]string{
		"mlyze": sample, "mvmheap": heap, "spaa": stacks,
		"hprof": loader("hprof/testdata/g1.hprof.zst"), "heapsnapshot": loader("v8heap/testdata/chrome1.heapsnapshot.zst"),
		"ruby-heap": loader("rubyheap/testdata/shop1.json.zst"), "python-heap": loader("pyheap/testdata/shop1.pydump.zst"),
		"memdump-mb": loader("memdump/testdata/small.mb"), "memdump-json": loader("memdump/testdata/small.json"),
		"jemalloc-heap": loader("heaptext/testdata/sampled4096.f.heap"), "tcmalloc-heap": loader("heaptext/testdata/tcmalloc.sample.heap"),
		"go-heap-text": loader("heaptext/testdata/go.debug1.txt"), "massif": loader("valgrind/testdata/massif.default.out"),
		"dhat": loader("valgrind/testdata/dhat.shop.json"), "memcheck": loader("valgrind/testdata/memcheck.xml"),
		"sanitizer": loader("sanitizer/testdata/lsan.txt"), "perf-script": loader("perfscript/testdata/perf.script.txt"),
		"heaptrack": loader("heaptrack/testdata/shop.raw.zst"), "pprof": loader("pprof/testdata/go.heap.pb.gz"),
		"speedscope": loader("speedscope/testdata/shop.speedscope.json"), "v8-heapprofile": loader("v8profile/testdata/shop.heapprofile"),
		"v8-cpuprofile": loader("v8profile/testdata/shop.cpuprofile"), "folded": loader("folded/testdata/edge.folded"),
	}
	flags := []struct {
		name, value string
		applies     func(*loaders.Format) bool
		seen        bool // changes what is shown of a sample
	}{
		{name: "frame-order", value: "leaf-first", applies: func(f *loaders.Format) bool { return f.FrameOrder }},
		{name: "frame-order", value: "root-first", applies: func(f *loaders.Format) bool { return f.FrameOrder }},
		{name: "sizes", value: "layout", applies: func(f *loaders.Format) bool { return f.Sizes != "" }},
		{name: "unit", value: "bytes", applies: func(f *loaders.Format) bool { return f.Unit }},
		{name: "symbols", value: t.TempDir(), applies: func(f *loaders.Format) bool { return f.Addresses }},
		{name: "sysroot", value: t.TempDir(), applies: func(f *loaders.Format) bool { return f.Addresses }},
		{name: "no-symbols", value: "true", applies: func(f *loaders.Format) bool { return f.Addresses }},
		{name: "allocator-frames", value: "true", applies: func(f *loaders.Format) bool { return f.AllocatorFrames }},
	}
	for _, format := range all.Formats() {
		path, ok := samples[format.Name]
		if !ok {
			t.Errorf("%s has no sample", format.Name)
			continue
		}
		report := func(env Env, more ...string) (int, string, string) {
			return run(t, env, append([]string{"report", "-f", "json", "--index", "none", path}, more...)...)
		}
		_, plain, _ := report(Env{})
		for i := range flags {
			f := &flags[i]
			setting := "MEMTUI_" + strings.ReplaceAll(strings.ToUpper(f.name), "-", "_")
			status, out, errs := report(Env{}, "--"+f.name+"="+f.value)
			if applies := f.applies(&format); applies != (status == 0) || !applies && !strings.Contains(errs, "--"+f.name) {
				t.Errorf("--%s of %s: status %d, %s", f.name, format.Name, status, errs)
			} else if applies {
				f.seen = f.seen || out != plain
				continue
			}
			set := Env{Getenv: func(name string) string { return map[string]string{setting: f.value}[name] }}
			if _, out, _ := report(set); out != plain {
				t.Errorf("--%s changes what is shown of %s, and is refused", f.name, format.Name)
			}
		}
	}
	for _, f := range flags {
		if about := []string{"symbols", "sysroot", "no-symbols"}; !f.seen && f.value != "leaf-first" && !slices.Contains(about, f.name) {
			t.Errorf("--%s=%s changes nothing", f.name, f.value)
		}
	}
}
