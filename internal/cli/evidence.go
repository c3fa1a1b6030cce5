package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/export/evidence"
	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/export/redact"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/areas"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/internal/cli/bundle"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/settings"
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
		Program: src.Program, File: head.File, Complete: head.Complete, Lost: head.LostBytes, Redacted: c.Redact,
		Time: head.Time, Problems: head.Problems,
	}}
	parts := bundle.Parts(src, a.flags.Limit, flags, files)
	if diff != nil && !c.Redact { // names of the other file would be left
		compared, err := a.diffParts(ctx, diff)
		if err != nil {
			return nil, err
		}
		parts = append(parts, compared...)
	}
	err = s.src.Guard(func() error { return evidence.Write(ctx, out, &m.Manifest, parts) })
	if errors.Is(err, fs.ErrExist) {
		err = fail.Usage(err)
	}
	if err == nil && c.Names != "" {
		err = a.writeFile(c.Names, func(w io.Writer) error { return bundle.WriteNames(w, r) })
	}
	return m, inputFailure(err)
}

// redacted returns a session about the same file without its names. The events of a trace are read again, as an index
// has names, too.
func (a *app) redacted(ctx context.Context, s *session, p *model.Profile, r *redact.Redactor) (*session, error) {
	out := &session{src: s.src, store: &model.Store{}, index: traceindex.NewKeptIndex(nil), snapshot: s.snapshot,
		stop: func() {}, done: make(chan struct{})}
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
		_, err := quiet.evidence(ctx, seen, evidenceCmd{File: []string{cmp.Or(file, "FILE")}, Out: q.Place,
			Redact: q.Redact}, q.Question.Args(), q.Difference)
		return err
	}
}

// askDiff computes the page of the comparison of a command line, which begins with the program. Open files are not read
// again.
func (a *app) askDiff(ctx context.Context, words []string) (*html.DiffSource, error) {
	b, err := a.within(words[1:])
	if err != nil {
		return nil, err
	}
	c := b.parsed.Selected().Target.Addr().Interface().(*diffCmd)
	var out *html.DiffSource
	err = b.withSides(ctx, c, func(before, after *session) error {
		b.limitPage()
		of, d, err := b.diffThatFits(ctx, before, after, &c.diffFlags)
		if err != nil {
			return err
		}
		out = of.page(d, append(slices.Clone(words), "-f", "html"))
		out.Treemap, out.Dominators = drawnNow(ctx, out.Treemap), drawnNow(ctx, out.Dominators)
		return ctx.Err()
	})
	return out, err
}

// drawnNow computes a treemap, or why there is none, while its files are open; nil for none.
func drawnNow(ctx context.Context, of html.Areas) html.Areas {
	if of == nil {
		return nil
	}
	t, err := of(ctx)
	return func(context.Context) (*areas.Treemap, error) { return t, err }
}

// within returns an app that runs another command line on the open files, and prints nothing.
func (a *app) within(args []string) (*app, error) {
	b := &app{
		env: Env{Args: args, Stderr: io.Discard, Getenv: a.env.Getenv, Formats: a.env.Formats}, out: bufio.NewWriter(io.Discard),
		config: a.config, keys: a.keys, collector: a.collector, ending: a.ending, budget: a.budget, watch: a.watch, lend: a.lend,
		served: a.served,
	}
	parsed, err := b.parse()
	if err == nil && parsed == nil {
		err = fail.Usage(errors.New("this prints help only"))
	}
	if err != nil {
		return nil, err
	}
	b.parsed = parsed
	b.flags.MaxMemory, b.flags.Index = a.flags.MaxMemory, a.flags.Index
	b.flags.Source, b.flags.MapPath = append(b.flags.Source, a.flags.Source...), append(b.flags.MapPath, a.flags.MapPath...)
	return b, nil
}

// diffParts returns the files of evidence about the comparison of a command line.
func (a *app) diffParts(ctx context.Context, words []string) ([]evidence.Part, error) {
	src, err := a.askDiff(ctx, words)
	if err != nil {
		return nil, err
	}
	d := src.Diff
	return []evidence.Part{
		{Name: "difference.html", About: "what changed, for browsers",
			Write: func(ctx context.Context, w io.Writer) ([]string, error) { return html.WriteDiff(ctx, w, src) }},
		{Name: "difference.json", About: "what changed, for programs",
			Write: func(_ context.Context, w io.Writer) ([]string, error) { return nil, report.WriteJSON(w, d) }},
		{Name: "DIFFERENCE.txt", About: "what changed, and the command that reproduces it",
			Write: func(_ context.Context, w io.Writer) ([]string, error) {
				if _, err := io.WriteString(w, strings.TrimSpace(html.CommandLine(words))+"\n\n"); err != nil {
					return nil, err
				}
				return nil, report.WriteDiffText(w, d, cells.Style{})
			}},
	}, nil
}
