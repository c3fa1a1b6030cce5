package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/areas"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/ask"
	"github.com/memtui/memtui/internal/cli/bundle"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/manual"
	"github.com/memtui/memtui/internal/cli/uses"
)

// pageRows is the default number of rows of tables in a page.
const pageRows = 200

// writesHTML reports whether a command can write a page: those that print reports can, and questions about a fleet.
func writesHTML(command string) bool {
	first, rest, _ := strings.Cut(command, " ")
	verb, _, _ := strings.Cut(rest, " ")
	return slices.Contains([]string{"report", "open", "demo", "diff"}, first) ||
		first == "fleet" && slices.Contains(uses.Asks(), "fleet "+verb)
}

// writePage writes the report of a session as a page for browsers.
func (a *app) writePage(ctx context.Context, s *session, c reportCmd) error {
	if err := a.pageFits(c.Out); err != nil {
		return err
	}
	src, err := a.pageSource(ctx, s, c)
	if err != nil {
		return err
	}
	src.Command, src.Terminal = a.sameAgain(c, s), ask.Terminal(a.keys, src.Profile)
	if err := a.addViews(ctx, s, src, &c); err != nil {
		return err
	}
	return a.writeFile(cmp.Or(c.Out, "-"), func(w io.Writer) error {
		return s.src.Guard(func() error { _, err := html.Write(ctx, w, src); return err })
	})
}

// pageFits rejects writing a page to a terminal.
func (a *app) pageFits(out string) error {
	if a.env.IsTerminal && cmp.Or(out, "-") == "-" {
		return fail.Usage(errors.New("the HTML page is for browsers, not for terminals: write it to a file with -o page.html"))
	}
	return nil
}

// limitPage limits the rows of tables unless the user does.
func (a *app) limitPage() {
	if !a.isGiven("limit") {
		a.flags.Limit = pageRows
	}
}

// pageSource waits for a session and computes everything for a page. Its table of groups is by owner, and its curve
// divided by them, unless flags select something else.
func (a *app) pageSource(ctx context.Context, s *session, c reportCmd) (*html.Source, error) {
	a.limitPage()
	c.Table, c.Lines = "", "" // views of their own show these
	p, err := s.profile(ctx)
	if err != nil {
		return nil, err
	}
	c.ages = true
	src := &html.Source{Profile: p, Program: "memtui " + manual.Version().Version}
	if kind.Of(p) == kind.Heap {
		return src, a.heapPage(ctx, s, src)
	}
	if (kind.Of(p) == kind.Trace || kind.Of(p) == kind.Stacks) && groupNamed(string(c.Group)) == analysis.ByStack &&
		!a.isGiven("group") {
		c.Group = grouping(analysis.ByOwner.String())
	}
	if kind.Of(p) == kind.Trace && !a.isGiven("stacked") && c.Stacked == 0 {
		c.Stacked = bundle.CurveParts
	}
	if src.Report, err = a.report(ctx, s, &c); err != nil {
		return nil, err
	}
	switch kind.Of(p) {
	case kind.Stacks:
		var opt report.StackOptions
		opt, err = a.stackOptions(ctx, p, &c)
		src.Selection = opt.Selection
	case kind.Dump:
		err = s.openShown(ctx, src)
	default:
		var opt report.Options
		opt, err = a.options(ctx, s.index)
		src.Trace, src.At, src.Range, src.Cell = s.index, opt.At, opt.Range, c.Cell.Cell
		if err == nil {
			src.Cell.Stacks, err = filterOf(&c.StepFlags)
		}
	}
	return src, err
}

// heapPage returns the report about snapshots, and the graph of the one that it is about.
func (a *app) heapPage(ctx context.Context, s *session, src *html.Source) error {
	a.warn(src.Profile)
	if err := a.checkKey(report.HeapSortKeys()); err != nil {
		return err
	}
	opt, err := a.heapOptions(s, src.Profile)
	if err != nil {
		return err
	}
	opt.Graph = func(g *heapgraph.Graph) { src.Graph = g }
	err = s.src.Guard(func() (err error) {
		src.Report, err = report.BuildHeap(ctx, src.Profile, opt)
		return err
	})
	if err == nil {
		a.warnMemory(src.Profile, &src.Report.Header)
	}
	return err
}

// openShown decodes the layout that a report is about once more, for its grid.
func (s *session) openShown(ctx context.Context, src *html.Source) (err error) {
	if src.Report.Pages != nil {
		src.Layout, err = openLayout(ctx, s, src.Profile, src.Report.Pages.Layout)
	}
	return err
}

// sameAgain returns the command that writes the same page again; nil for a sample, which has no path.
func (a *app) sameAgain(c reportCmd, s *session) []string {
	if p := s.store.Current(); len(c.File) == 0 || p.Meta.Path == "-" {
		return nil
	}
	return append([]string{"memtui"}, a.env.Args...)
}

// addViews adds what commands print about a file: areas, heat maps and sources. The page begins with the one that the
// command line requests, as it requests it.
func (a *app) addViews(ctx context.Context, s *session, src *html.Source, c *reportCmd) error {
	k := kind.Of(src.Profile)
	if k == kind.Heap && src.Graph == nil || k == kind.Dump && src.Layout == nil || k == kind.Stacks && src.Selection == nil {
		return nil
	}
	for _, v := range ask.Views(k) {
		b, own := a.part(cmp.Or(v.By, a.flags.By), v.Limit), *c
		own.Table, own.Lines, own.most = arg.Table(v.Table), "", ask.Parts
		switch requested := c.Table == own.Table; {
		case requested && src.Start == v.ID && a.flags.By != "":
			continue // it has the figure that the command line chooses
		case !requested && own.Depth == 0 && v.Table == areas.TreemapTable:
			own.Depth = ask.Depth
		case requested:
			src.Start = v.ID
			if b.flags.By = cmp.Or(a.flags.By, v.By); a.isGiven("limit") {
				b.flags.Limit = a.flags.Limit
			}
		}
		of := func(ctx context.Context) (*report.Report, error) { return b.report(ctx, s, &own) }
		if src.Graph != nil { // which took long to make
			of = func(ctx context.Context) (*report.Report, error) {
				l, err := b.limits(&own)
				if err != nil {
					return nil, err
				}
				return areas.OfHeap(ctx, src.Profile, *src.Report.Heap.Snapshot, src.Graph, l, areas.Top(string(own.Table)))
			}
		}
		src.Views = append(src.Views, html.View{ID: v.ID, Title: v.Title, Choice: b.flags.By, Of: of})
	}
	return a.addSources(ctx, s, src, c)
}

// part returns the program with other flags for a part of a page, without warnings.
func (a *app) part(by string, limit int) *app {
	b, flags := *a, *a.flags
	b.flags, b.env.Stderr, b.progress = &flags, io.Discard, nil
	flags.By, flags.Limit, flags.Format = by, limit, "json"
	return &b
}

// addSources adds the costliest lines, and what is around them in the costliest files, where the command line says where
// sources are, or requests lines. The error is that of the lines that it requests.
func (a *app) addSources(ctx context.Context, s *session, src *html.Source, c *reportCmd) error {
	known := len(a.flags.Source)+len(a.flags.MapPath) > 0 || c.listed()
	if k := kind.Of(src.Profile); !known || k != kind.Trace && k != kind.Stacks {
		return nil
	}
	lines := func(name string, limit int) func(context.Context) (*report.Report, error) {
		b, own := a.part(a.flags.By, limit), *c
		own.Table, own.Lines = linesTable, name
		return func(ctx context.Context) (*report.Report, error) { return b.report(ctx, s, &own) }
	}
	add := func(name string, of func(context.Context) (*report.Report, error)) {
		src.Views = append(src.Views, html.View{ID: "source", Title: "Source", Choice: name, Of: of})
	}
	if c.listed() {
		src.Start = "source"
	}
	if c.Lines != "" {
		named := lines(c.Lines, ask.Lines)
		if _, err := named(ctx); err != nil {
			return err
		}
		add(c.Lines, named)
	}
	all := lines("", ask.Lines)
	add("", all)
	r, err := all(ctx)
	if err != nil || r.Lines == nil {
		return err
	}
	n := 0
	for i := range r.Lines.Files {
		if f := &r.Lines.Files[i]; f.Missing == nil && n < ask.Files {
			add(f.File, lines(f.File, ask.Lines))
			n++
		}
	}
	return nil
}
