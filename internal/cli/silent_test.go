package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// tries are values of flags that are to change something for files of some kind, for those flags that have no
// enumeration. A flag without a value has "".
var tries = map[string][]string{
	"limit": {"1"}, "at": {"50%"}, "from": {"50%", "95%"}, "to": {"50%"}, "by": {"count", "live_count", "retained_bytes", "alloc_count", "empty_pages", "pages", "bytes", "free_bytes"},
	"event": {"malloc", "heap", "allocations", "page-faults", "allocation"}, "min-age": {"100ms", "50%"}, "snapshot": {"0"}, "series": {"1", "0"}, "point": {"2", "0"},
	"focus": {"handle"}, "ignore": {"/./"}, "show-from": {"/o/"}, "hide": {"/o/"}, "pivot": {"/o/"}, "window": {"#1"}, "cell": {"64,1ms", "any,never"},
	"a": {"0", "20%"}, "b": {"1", "50%"}, "mask": {".+=x"}, "depth": {"1"}, "only": {"new"}, "without": {"1", "2", "3", "4", "5", "6", "8", "10"},
	"unit": {"bytes"}, "group": {"function", "frame", "series"}, "function": {"/./"}, "file": {"x"}, "module": {"x"}, "through": {"x"}, "min-size": {"100"}, "max-size": {"100"}, "min-lifetime": {"1ms"}, "max-lifetime": {"1ms"}, "thread": {"9"},
	"type": {"Str"}, "repr": {"P6opaque"}, "where": {"repr=P6opaque"}, "name": {"zzz"}, "per-cell": {"9"},
	"stacked": {"2"}, "peek": {"/./"}, "lines": {"/./"}, "source": {"."}, "map-path": {"/a=."}, "baseline": {"missing/b.json"}, "write-baseline": {"missing/b.json"}, "suppressions": {"missing/s.supp"},
	"symbols": {"."}, "sysroot": {"."}, "debuginfod": {"http://127.0.0.1:1"}, "filter": {"zzz"}, "text": {"zzz"}, "per": {"type"}, "every": {"10s"}, "save": {"missing/kept"}, "for": {"1min"},
	"below": {"1", "0"}, "fleet": {"http://127.0.0.1:1"}, "max-regression": {"5%"}, "service": {"x"}, "before": {"1"}, "after": {"2"}, "timeout": {"1s"}, "ca": {"missing/ca.pem"},
	"max-peak": {"1"}, "max-leak": {"1"}, "max-growth": {"1/s"}, "max-type-growth": {"1"}, "max-type-objects": {"1"}, "max-live-at": {"end=1"},
}

// alike are command lines whose flag changes nothing of these samples: there is one page type that changed, and a file
// that is compared with itself has the same names on both sides.
var alike = []*regexp.Regexp{regexp.MustCompile(`^diff .*\.mb.* --limit$`), regexp.MustCompile(`^(diff|check) .*(--a|#1|mlyze.*mlyze) .*--match$`)}

// quiet are flags that may change nothing: those that only ask for less, those of terminals, those that write
// elsewhere, and what only matters with figures, names or addresses of servers that the samples do not have.
func quiet(flag string) bool {
	return slices.Contains(uses.Harmless(), "--"+flag) || slices.Contains([]string{"help", "mouse", "output", "exact", "base", "names", "redact", "list", "write-baseline", "insecure", "debuginfod", "values", "source", "map-path"}, flag)
}

// walked are command lines of all commands that read files, for a file of each kind.
func walked(t *testing.T) map[string][]string {
	trace, stacks, heap, dump := sample, sampleFile(t, "stacks"), sampleFile(t, "heap"), sampleFile(t, "pages")
	other := "../../loaders/mlyze/testdata/edge/baseline_good.mlyze"
	lines := map[string][]string{
		"diff":     {trace + " " + other, "--a 20% --b end " + trace, stacks + "#0 " + stacks + "#1", heap + "#0 " + heap + "#-1", "--b 0 " + heap + " " + heap, dump + "#0 " + dump + "#-1", "--b 0 " + dump + " " + dump},
		"check":    {"--max-peak 1 --max-leak 1 " + trace, "--max-peak 1 --max-leak 1 --base " + other + " " + trace, "--max-live-at end=1G " + stacks, "--max-peak 1G " + heap, "--max-peak 1 --base " + heap + "#0 " + heap, "--max-peak 1T " + dump},
		"convert":  {trace + " --to folded", trace + " --to mlyze", stacks + " --to folded", stacks + " --to spaa", heap + " --to csv", heap + " --to csv --table dominators", dump + " --to json"},
		"pages":    {dump, "--map " + dump, trace},
		"validate": {trace, heap}, "info": {trace, stacks, heap, dump}, "index": {trace},
		"heap find": {"--type Str " + heap, trace}, "heap object": {heap + " 100"}, "heap path": {heap + " 100"},
		"guide": {""}, "keys": {""}, "version": {""},
	}
	lines["report"], lines["open"] = []string{trace, stacks, heap, dump}, []string{stacks, dump}
	for _, verb := range []string{"snapshots", "types", "frames", "dominators"} {
		lines["heap "+verb] = []string{heap}
	}
	return lines
}

// Whatever flag is given to whatever command for whatever kind of file: it changes what is said, or is refused as a
// mistake in usage.
func TestNoFlagDoesNothing(t *testing.T) {
	modeltest.Plain(t)
	a := parserOf([]string{"version"}, nil)
	_, parser, err := a.parseBy(&grammar{})
	if err != nil {
		t.Fatal(err)
	}
	lines := walked(t)
	for _, c := range uses.Leaves(parser.Model) {
		for _, line := range lines[uses.Path(c)] {
			words := append(strings.Fields(uses.Path(c)), strings.Fields(line)...)
			t.Run(uses.Path(c), func(t *testing.T) {
				t.Parallel()
				flagsSay(t, slices.Concat(c.Flags, parser.Model.Flags), words)
			})
		}
	}
}

// flagsSay gives each of some flags to a command line.
func flagsSay(t *testing.T, flags []*kong.Flag, words []string) {
	status, out, errs := saying(t, words...)
	if status == fail.StatusUsage { // which refuses all flags alike
		return
	}
	for _, f := range flags {
		line := strings.Join(append(slices.Clone(words), "--"+f.Name), " ")
		given := slices.ContainsFunc(words, func(w string) bool { return w == "--"+f.Name && f.Name != "to" })
		if !quiet(f.Name) && !given && !slices.ContainsFunc(alike, func(r *regexp.Regexp) bool { return r.MatchString(line) }) {
			flagSays(t, f, words, out+errs)
		}
	}
}

// saying runs a command that keeps no index.
func saying(t *testing.T, words ...string) (status int, out, errs string) {
	t.Helper()
	return run(t, Env{Getenv: func(name string) string { return map[string]string{"MEMTUI_INDEX": "none"}[name] }}, words...)
}

// flagSays gives a flag to a command line that says something without it.
func flagSays(t *testing.T, f *kong.Flag, words []string, without string) {
	t.Helper()
	values, each := tries[f.Name], false
	switch {
	case f.IsBool():
		values = []string{""}
	case f.Enum != "":
		each = words[0] != "convert" && slices.Contains([]string{"table", "group", "format", "color"}, f.Name) // any other may be what it was
		values = slices.DeleteFunc(f.EnumSlice(), func(v string) bool { return v == "" || v == f.Default })
	}
	if len(values) == 0 {
		t.Errorf("--%s: no value to try", f.Name)
	}
	silent, heard := []string{}, false
	for _, v := range values {
		flag := "--" + f.Name
		if v != "" {
			flag += "=" + v
		}
		status, out, errs := saying(t, append(slices.Clone(words), flag)...)
		switch {
		case status == fail.StatusUsage:
			heard = true
		case out+errs == without:
			silent = append(silent, flag)
		default:
			heard = true
		}
	}
	if len(silent) > 0 && (each || !heard) {
		t.Errorf("%s: %s does nothing", strings.Join(words, " "), strings.Join(silent, ", "))
	}
}
