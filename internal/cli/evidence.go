package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/export/evidence"
	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/export/redact"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/manual"
	"github.com/memtui/memtui/internal/cli/settings"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views"
)

type evidenceCmd struct {
	File   []string `arg:"" help:"A file, or - for standard input. FILE#3 is a snapshot or layout in it. Several heap snapshots or stack profiles, or a folder of them, are read as one recording."`
	Out    string   `name:"output" short:"o" placeholder:"PLACE" help:"The folder to write, or an archive: a name that ends in .tar, .tar.gz or .tgz (NAME-evidence)."`
	Redact bool     `help:"Replace names and paths of the file with placeholders such as function-12, the same everywhere."`
	Names  string   `placeholder:"FILE" help:"With --redact: also write a table of placeholders and names to this file, outside of the evidence."`
}

// Run writes what is known about a file into a folder or an archive.
func (c *evidenceCmd) Run(ctx context.Context, a *app) error {
	if err := a.formats("evidence", "text", "json"); err != nil {
		return err
	}
	s, err := a.recording(ctx, c.File)
	if err != nil {
		return err
	}
	defer s.close()
	m, err := a.evidence(ctx, s, *c, a.viewFlags(), nil)
	if err != nil {
		return err
	}
	if a.flags.Format == "json" {
		return report.WriteJSON(a.out, m)
	}
	fmt.Fprintln(a.out, model.Clean(m.Place))
	return nil
}

// written is the manifest of evidence, and where it is.
type written struct {
	evidence.Manifest
	Place string `json:"place"` // the folder or archive
}

// evidence waits for a session and writes everything about it; it returns what was written. flags make commands give
// the same view again, and diff is the command that prints the comparison to include; nil for none.
func (a *app) evidence(ctx context.Context, s *session, c evidenceCmd, flags, diff []string) (*written, error) {
	p, err := s.profile(ctx)
	if err != nil {
		return nil, err
	}
	files := []string{a.target(c.File[0]).path}
	out := cmp.Or(c.Out, cmp.Or(strings.TrimLeft(filepath.Base(files[0]), "-"), "input")+"-evidence")
	if s.joined != nil {
		files = s.joined
	}
	var r *redact.Redactor
	if c.Redact {
		r = redact.New()
		if s, err = a.redacted(ctx, s, p, r); err != nil {
			return nil, err
		}
		if flags, files = a.redactFlags(r, p, flags), []string{"FILE"}; c.Out == "" {
			out = "redacted-evidence"
		}
	}
	src, err := a.pageSource(ctx, s, reportCmd{})
	if err != nil {
		return nil, err
	}
	src.Command = slices.Concat([]string{"memtui", "report", "-f", "html"}, flags, files)
	head := &src.Report.Header
	m := &written{Place: out, Manifest: evidence.Manifest{
		Program: src.Program, File: head.File, Complete: head.Complete, Lost: head.LostBytes, Redacted: c.Redact, Time: head.Time, Problems: head.Problems,
	}}
	parts := a.parts(s, src, flags, files)
	if diff != nil && !c.Redact { // names of the other file would be left
		compared, err := a.diffParts(ctx, diff)
		if err != nil {
			return nil, err
		}
		parts = append(parts, compared...)
	}
	err = s.src.Guard(func() error { return evidence.Write(ctx, out, &m.Manifest, parts) })
	if errors.Is(err, fs.ErrExist) {
		err = usageError(err)
	}
	if err == nil && c.Names != "" {
		err = a.writeFile(c.Names, func(w io.Writer) error { return writeNames(w, r) })
	}
	return m, inputFailure(err)
}

// writeNames writes the table from stand-ins back to names.
func writeNames(w io.Writer, r *redact.Redactor) error {
	for _, p := range r.Pairs() {
		if _, err := fmt.Fprintf(w, "%s\t%s\n", p.StandIn, model.Clean(p.Name)); err != nil {
			return err
		}
	}
	return nil
}

// redacted returns a session about the same file without its names. The events of a trace are read again, as an index
// has names, too.
func (a *app) redacted(ctx context.Context, s *session, p *model.Profile, r *redact.Redactor) (*session, error) {
	out := &session{src: s.src, store: &model.Store{}, index: traceindex.NewKeptIndex(nil), snapshot: s.snapshot, stop: func() {}, done: make(chan struct{})}
	close(out.done)
	out.index.SetBudget(a.memoryLimit())
	out.index.SetLibraries(settings.Libraries(a.config))
	if kind.Of(p) == kind.Trace {
		building := &model.Store{} // takes what reading again finds out again
		building.Publish(r.Profile(p))
		if err := s.src.Guard(func() error { return traceindex.Build(ctx, building, out.index) }); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	out.store.Publish(r.Profile(p))
	return out, nil
}

// viewFlags returns the flags for the current view.
func (a *app) viewFlags() []string {
	q := a.question()
	q.Format = ""
	return append(q.Args(), a.answers()...)
}

// redactFlags replaces names in flags, also in those that are in force.
func (a *app) redactFlags(r *redact.Redactor, p *model.Profile, flags []string) []string {
	if kind.Of(p) != kind.Stacks {
		return flags
	}
	var out []string
	for i := 0; i < len(flags); i++ {
		name, value, whole := strings.Cut(flags[i], "=")
		if !whole && i+1 < len(flags) {
			i++
			value = flags[i]
		}
		switch name {
		case "--event":
			value = r.Name("event", value)
		case "--by":
			value = r.Metric(value)
		}
		out = append(out, name, value)
	}
	a.flags.Event, a.flags.By = r.Name("event", a.flags.Event), r.Metric(a.flags.By)
	return out
}

// without leaves flags and their values out.
func without(flags []string, names ...string) []string {
	return uses.Kept(flags, func(name string) bool { return !slices.Contains(names, "--"+name) })
}

// parts returns the files of the evidence, but for the manifest.
func (a *app) parts(s *session, src *html.Source, flags, files []string) []evidence.Part {
	list := []evidence.Part{
		{Name: "report.html", About: "the whole report as one HTML page", Write: func(ctx context.Context, w io.Writer) ([]string, error) { return html.Write(ctx, w, src) }},
		{Name: "report.json", About: "the report as JSON", Write: func(_ context.Context, w io.Writer) ([]string, error) {
			var cut []string
			if a.flags.Limit > 0 {
				cut = append(cut, fmt.Sprintf("tables have at most %d rows; row_counts says how many there are", a.flags.Limit))
			}
			return cut, report.WriteJSON(w, src.Report)
		}},
	}
	list = append(list, stackParts(src)...)
	return append(list, evidence.Part{Name: "COMMANDS.txt", About: "the commands that reproduce it", Write: func(_ context.Context, w io.Writer) ([]string, error) {
		return nil, writeCommands(w, src, flags, files)
	}})
}

// writeCommands writes the commands that print each view of a file, with a line on each.
func writeCommands(w io.Writer, src *html.Source, flags, files []string) error {
	put := func(about string, words ...string) error {
		_, err := fmt.Fprintf(w, "# %s\n%s\n\n", about, html.CommandLine(words))
		return err
	}
	say := func(about string, words ...string) error {
		return put(about, slices.Concat([]string{"memtui"}, words, uses.Understood(manual.CommandOf(words), flags), files)...)
	}
	var grouped []string
	if src.Trace != nil || src.Selection != nil {
		flags, grouped = without(flags, "group", "stacked"), []string{"--group", analysis.ByOwner.String()}
	}
	divided := grouped
	if src.Trace != nil {
		divided = append(slices.Clip(grouped), "--stacked", strconv.Itoa(pageParts))
	}
	screen, opened := "the full screen", files
	if src.Report.Stacks != nil && len(files) == 2 {
		if dir, whole := folderOf(files); whole {
			opened = []string{dir}
		} else {
			screen = "the full screen, which compares two files (a folder of only these two is opened as one recording)"
		}
	}
	err := errors.Join(
		put(screen, append([]string{"memtui"}, opened...)...), say("everything as text", "report"), say("the page", "report", "-f", "html", "-o", "report.html"),
		say("the report as JSON", append([]string{"report", "-f", "json"}, divided...)...), put("is the file complete and valid?", append([]string{"memtui", "validate"}, files...)...))
	for _, table := range src.Report.TableNames() {
		if src.Report.HasTable(table) && table != "blocks" && table != "born_blocks" &&
			(table != "groups" || grouped != nil) {
			words := []string{"report", "-f", "csv", "--table", table, "--limit", "0"}
			switch table {
			case "groups":
				words = append(words, grouped...)
			case "curve":
				words = append(words, divided...)
			}
			err = errors.Join(err, say("all rows of the table "+strings.ReplaceAll(table, "_", " "), words...))
		}
	}
	for _, f := range stackFiles(src) {
		words := slices.Concat([]string{"memtui", "convert", "--to", "folded"}, without(uses.Understood("convert", flags), "--by"), []string{"--by", f.by, "-o", f.name}, files)
		err = errors.Join(err, put(f.about, words...))
	}
	switch {
	case src.Report.Trace != nil:
		err = errors.Join(err, say("every block live at the instant", "report", "-f", "csv", "--table", "blocks", "--limit", "0"))
	case src.Report.Pages != nil:
		err = errors.Join(err, say("the pages, one character each", "pages", "--map"))
	case src.Report.Heap != nil:
		err = errors.Join(err, say("the objects that retain most memory", "heap", "dominators"),
			say("the objects of a type", "heap", "find", "--type", "NAME", "--kind", "object"))
	}
	return err
}

// folderOf returns the folder of some files, and whether it holds them and nothing else.
func folderOf(files []string) (dir string, whole bool) {
	dir = filepath.Dir(files[0])
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != len(files) {
		return dir, false
	}
	for i, f := range list { // sorted by name
		if !f.Type().IsRegular() || files[i] != filepath.Join(dir, f.Name()) {
			return dir, false
		}
	}
	return dir, true
}

// evidenceOf returns a function that writes evidence about a session, for the full screen; file names the session's
// file, "" for a sample, which commands cannot name. Open files are compared, not newer versions of them.
func (a *app) evidenceOf(s *session, file string, others *openFiles) func(context.Context, views.EvidenceQuery) error {
	lend := a.lends(s, file, others)
	return func(ctx context.Context, q views.EvidenceQuery) error {
		if _, err := s.profile(ctx); err != nil {
			return err
		}
		quiet, flags := *a, *a.flags // nothing may be printed over the screen, and its own flags stay
		quiet.env.Stderr, quiet.flags, quiet.lend = io.Discard, &flags, lend
		flags.Format = "text"
		seen := s.share(s.snapshot)
		flags.ask(&q.Question)
		if q.Question.Snapshot != nil {
			seen.snapshot = q.Question.Snapshot
		}
		_, err := quiet.evidence(ctx, seen, evidenceCmd{File: []string{cmp.Or(file, "FILE")}, Out: q.Place, Redact: q.Redact}, q.Question.Args(), q.Difference)
		return err
	}
}

// askDiff computes the comparison of a command line that begins with "diff" and is not that of the program. Open files
// are not read again.
func (a *app) askDiff(ctx context.Context, args []string) (*report.Diff, error) {
	b, err := a.within(args)
	if err != nil {
		return nil, err
	}
	c := b.parsed.Selected().Target.Addr().Interface().(*diffCmd)
	var out *report.Diff
	err = b.withSides(ctx, c, func(before, after *session) error {
		b.limitPage()
		out, err = b.diffThatFits(ctx, before, after, &c.diffFlags)
		return err
	})
	return out, err
}

// within returns an app that runs another command line on the open files, and prints nothing.
func (a *app) within(args []string) (*app, error) {
	b := &app{
		env: Env{Args: args, Stderr: io.Discard, Getenv: a.env.Getenv, Formats: a.env.Formats}, out: bufio.NewWriter(io.Discard),
		config: a.config, keys: a.keys, collector: a.collector, ending: a.ending, budget: a.budget, watch: a.watch, lend: a.lend,
	}
	parsed, err := b.parse()
	if err == nil && parsed == nil {
		err = usageError(errors.New("this prints help only"))
	}
	if err != nil {
		return nil, err
	}
	b.parsed = parsed
	b.flags.MaxMemory, b.flags.Index = a.flags.MaxMemory, a.flags.Index
	return b, nil
}

// diffParts returns the files of evidence about the comparison of a command line.
func (a *app) diffParts(ctx context.Context, words []string) ([]evidence.Part, error) {
	d, err := a.askDiff(ctx, words[1:])
	if err != nil {
		return nil, err
	}
	src := &html.DiffSource{Diff: d, Program: "memtui " + version().Version, Command: append(append([]string{}, words...), "-f", "html")}
	return []evidence.Part{
		{Name: "difference.html", About: "what changed, for browsers", Write: func(ctx context.Context, w io.Writer) ([]string, error) { return html.WriteDiff(ctx, w, src) }},
		{Name: "difference.json", About: "what changed, for programs", Write: func(_ context.Context, w io.Writer) ([]string, error) { return nil, report.WriteJSON(w, d) }},
		{Name: "DIFFERENCE.txt", About: "what changed, and the command that reproduces it", Write: func(_ context.Context, w io.Writer) ([]string, error) {
			if _, err := io.WriteString(w, strings.TrimSpace(html.CommandLine(words))+"\n\n"); err != nil {
				return nil, err
			}
			return nil, report.WriteDiffText(w, d, cells.Style{})
		}},
	}, nil
}

// stackFile is a file of folded stacks: what weighs them, and how a command says that.
type stackFile struct {
	name, about string
	by          string // as --by takes it
}

// stackFiles returns the files of folded stacks that evidence about src has.
func stackFiles(src *html.Source) []stackFile {
	if src.Selection != nil {
		m := &src.Selection.Profile.Metrics[src.Selection.Metric]
		if m.NoSum() {
			return nil
		}
		metric := m.Name
		return []stackFile{{name: "stacks.folded", about: "stacks by " + model.Clean(metric), by: metric}}
	}
	if src.Trace == nil {
		return nil
	}
	return []stackFile{
		{"stacks-allocated.folded", "bytes allocated, by stack", "alloc_bytes"}, {"stacks-live.folded", "bytes live at the instant, by stack", "live_bytes"},
		{"stacks-leaked.folded", "bytes never freed, by stack", "leaked_bytes"},
	}
}

// stackParts returns the folded stacks of a trace or a stack profile.
func stackParts(src *html.Source) []evidence.Part {
	var out []evidence.Part
	for _, f := range stackFiles(src) {
		out = append(out, evidence.Part{Name: f.name, About: f.about + ", root first", Write: func(ctx context.Context, w io.Writer) ([]string, error) {
			return f.write(ctx, w, src)
		}})
	}
	return out
}

// write writes the stacks, and returns what was left out for lack of memory.
func (f stackFile) write(ctx context.Context, w io.Writer, src *html.Source) (cut []string, err error) {
	err = model.BudgetOf(ctx).Try(ctx, f.about, func(ctx context.Context) error {
		stacks, err := f.stacks(ctx, src)
		if err != nil {
			return err
		}
		lost, err := export.WriteFolded(ctx, w, stacks)
		for _, l := range lost {
			cut = append(cut, l.What)
		}
		return err
	})
	if short := (*model.MemoryError)(nil); errors.As(err, &short) {
		return append(cut, short.Error()), nil
	}
	return cut, err
}

func (f stackFile) stacks(ctx context.Context, src *html.Source) (*export.Stacks, error) {
	if s := src.Selection; s != nil {
		return export.ProfileStacks(ctx, src.Profile, []*weights.Selection{s}, 0, model.NoTime, model.NoTime)
	}
	return export.TraceStacks(ctx, src.Profile, src.Trace, export.TraceOptions{At: src.At, Range: src.Range, By: f.by})
}
