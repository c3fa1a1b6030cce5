package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/orders"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/settings"
	"github.com/memtui/memtui/model"
)

type reportCmd struct {
	File    []string  `arg:"" help:"A file, or - for standard input. Several heap snapshots or stack profiles, or a folder of them, are read as one recording."`
	Table   arg.Table `enum:"${tables}," default:"" placeholder:"NAME" help:"Print one table only. Without it, csv prints the findings, an empty line, and the default. For traces: sites (the default), live_sites, peak_sites, leaks, late_freed, findings, functions, groups, threads, markers, sizes, lifetimes, grid, blocks (live at the instant), born_blocks (allocated in the range), events (single ones of the range, or around --at, alone), curve, tree (the call tree, alone), treemap (modules, files and functions, alone), heatmap or lifetime_heatmap (sites or lifetimes over time, alone) or lines (the costliest source lines, alone). For heap snapshots: types (the default), frames, dominators, suspects, trends or snapshots; treemap (types and retainers) or dominator_treemap, alone. For memory dumps: series (the default), series_events, page_types, holes, runs or sparse_pages; treemap (alone). For stack profiles: functions (the default), total_functions, top, events, threads, windows, groups, owners (of bytes), treemap or tree (the call tree, alone) or lines (the costliest source lines, alone)."`
	Group   grouping  `enum:"stack,function,owner,file,module,thread,size,dso,source,kind,label:KEY" default:"stack" placeholder:"KIND" help:"Also print a table of groups: by function, owner (the first function outside of allocators and libraries), file, module, thread or size; for stack profiles by owner, dso, source, thread, kind or the values of a label, as in label:tenant."`
	Cell    arg.Cell  `placeholder:"SIZE,LIFETIME" help:"Only blocks of that size and lifetime, in the classes of the Lifetimes screen: 64,1ms or 4K,never or any,10us. Applies to sites, leaks, blocks and the curve."`
	Stacked int       `placeholder:"N" help:"Split the curve of live bytes by the N sites that hold most at its highest point: one column of curve for each."`
	Peek    string    `placeholder:"FUNCTION" help:"Print the callers and callees of the function instead of the report, weighted by --by. Give its name with or without arguments and templates, or /…/ for a regular expression."`
	Lines   string    `placeholder:"NAME" help:"Print the source of a file or a function instead of the report, with what stacks weigh at each line, by --by: app.py, cart.c:42 or parse_header. Lines without a weight are printed next to others, all with --limit 0."`
	Exact   bool      `help:"Print bytes as exact numbers."`
	Order   string    `enum:"line,self,total,text," default:"" placeholder:"COLUMN" help:"With --lines: sort the lines by a column: line (the default), self, total or text."`
	treeFlags
	stackFlags
	arg.RowFlags
	liveFlags
	For arg.Length `placeholder:"TIME" help:"With --every: for how long, such as 1min, before the report is printed."`
	Out string     `name:"output" short:"o" placeholder:"FILE" help:"Write to this file instead of standard output."`

	filter report.RowFilter // of Table
	most   int              // parts of a treemap in all; 0 for no bound
	ages   bool             // of blocks of findings are told, in formats for people, too
	only   []string         // tables of a trace to build; nil for all
	order  rowOrder         // of Table
}

// Run prints the report of one file.
func (c *reportCmd) Run(ctx context.Context, a *app) error {
	if err := a.oneTable(c.Table); err != nil {
		return err
	}
	c.filter = a.filterRows(c.RowFlags)
	s, err := a.reported(ctx, c)
	if err != nil {
		return err
	}
	defer s.close()
	return a.write(ctx, s, *c)
}

// reported opens the input of a report, and polls an address for as long as the user says.
func (a *app) reported(ctx context.Context, c *reportCmd) (*session, error) {
	switch {
	case c.For.Given() != c.Every.Given():
		return nil, fail.Usage(errors.New("--every and --for must be given together: how often to fetch, and for how long"))
	case c.given() && len(c.File) > 1:
		return nil, fail.Usage(errors.New("--every and --save take one URL"))
	case !c.given():
		return a.recording(ctx, c.File)
	}
	polls := 0
	if c.Every.Given() {
		every, err := c.interval()
		if err != nil {
			return nil, fail.Usage(err)
		}
		if polls = int(c.For.Of(0).Duration() / every); polls < 1 {
			return nil, fail.Usage(fmt.Errorf("--for: %s is shorter than --every %s", c.For, c.Every))
		}
	}
	s, err := a.watched(ctx, c.File[0], c.liveFlags, polls)
	if err == nil && s.polled != nil {
		<-s.polled
	}
	return s, err
}

// write waits for a session and prints its report.
func (a *app) write(ctx context.Context, s *session, c reportCmd) error {
	if a.flags.Format == "html" && c.Peek != "" {
		return fail.Usage(errors.New("--peek: only text, json, markdown and csv print callers and callees"))
	}
	if a.flags.Format == "html" {
		return a.writePage(ctx, s, c)
	}
	r, err := a.report(ctx, s, &c)
	if err != nil {
		return err
	}
	return a.writeReport(r, c)
}

// writeReport prints a report in the requested format, or one table of it.
func (a *app) writeReport(r *report.Report, c reportCmd) error {
	if c.Table != "" && !r.HasTable(string(c.Table)) {
		return fail.Usage(fmt.Errorf("--table: unknown table %q%s", string(c.Table), near.Available(string(c.Table), r.TableNames())))
	}
	if (a.flags.Format == "csv" || c.Table != "") && r.LeftOut(string(c.Table)) {
		return fail.Input(a.budget.Error(strings.TrimSpace("the table " + string(c.Table))))
	}
	if c.order.by != "" {
		if err := r.SortRows(string(c.Table), c.order.by, c.order.limit); err != nil {
			return fail.Usage(fmt.Errorf("--by: %w", err))
		}
	}
	if c.filter.Text != "" {
		warned := len(r.NoMatch)
		if _, err := r.Filter(string(c.Table), c.filter); err != nil {
			return fail.Usage(fmt.Errorf("--filter: %w", err))
		}
		a.warnFilters(r.NoMatch[warned:])
	}
	text, markdown := report.WriteText, report.WriteMarkdown
	if c.Table != "" {
		text = func(w io.Writer, r *report.Report, s cells.Style) error {
			return report.WriteTableText(w, r, string(c.Table), s)
		}
		markdown = func(w io.Writer, r *report.Report, s cells.Style) error {
			return report.WriteTableMarkdown(w, r, string(c.Table), s)
		}
	}
	return a.writeFile(cmp.Or(c.Out, "-"), func(w io.Writer) error {
		switch style := a.style(c.Exact); a.flags.Format {
		case "json":
			return report.WriteJSON(w, r)
		case "markdown":
			return markdown(w, r, style)
		case "csv":
			return report.WriteCSV(w, r, string(c.Table))
		default:
			return text(w, r, style)
		}
	})
}

// oneTable rejects selecting a table if the format has all of them. JSON has blocks only if they are requested.
func (a *app) oneTable(table arg.Table) error {
	switch format := a.flags.Format; {
	case table == "", format == "json" && (table == "blocks" || table == "born_blocks" || table == treeTable ||
		table == linesTable || table == eventsTable || drawn(table)):
		return nil
	case format == "html" && (table == linesTable || drawn(table)): // it opens at that view
		return nil
	case format == "html" && table == treeTable:
		return fail.Usage(errors.New("--table: html has flame graphs; text, json, markdown and csv print the tree"))
	case format == "json":
		return hasAll(table)
	case format == "html":
		return fail.Usage(fmt.Errorf("--table: html has all tables: leave out --table %s; text, markdown and csv print one", table))
	}
	return nil
}

// hasAll returns the error of a table that JSON has together with all others.
func hasAll(table arg.Table) error {
	return fail.Usage(fmt.Errorf("--table: json has all tables at once, this one as %s: leave out --table %s; text, markdown and csv print one",
		jsonMember(table), table))
}

// jsonMember returns the member of reports in JSON that has a table.
func jsonMember(table arg.Table) string {
	switch table {
	case "page_types":
		return "pages.types"
	case "total_functions":
		return "functions"
	}
	return string(table)
}

// groupNamed finds a grouping by the name that flags use; unknown ones mean none.
func groupNamed(name string) analysis.Group {
	for g := range analysis.GroupCount {
		if g.String() == name {
			return g
		}
	}
	return analysis.ByStack
}

func heapKeyList() string { return strings.Join(report.HeapSortKeys(), ", ") }

func sortKeyList() string { return strings.Join(orders.Shared(), ", ") }

// options converts the flags about instant, range and tables to values, which takes the complete trace: `50%` and
// `peak` mean nothing without it.
func (a *app) options(ctx context.Context, trace analysis.Trace) (report.Options, error) {
	f := a.flags
	opt := report.Options{
		At: analysis.End, Around: f.At.Given(), Range: analysis.FullRange, From: model.NoTime, To: model.NoTime,
		Libraries: settings.Libraries(a.config), By: f.By, Limit: f.Limit, History: f.Format == "text" || f.Format == "markdown",
	}
	duration := trace.Status().Duration
	peak, _, err := trace.Peak(ctx, analysis.FullRange)
	if err != nil {
		return opt, err
	}
	axis := model.Axis{End: duration, Peak: peak.Time}
	if opt.From, opt.To, err = arg.Span(f.From.Moment, f.To.Moment, axis); err != nil {
		return opt, err
	}
	if opt.From > 0 { // a range from the start includes time 0
		opt.Range.From = opt.From
	}
	opt.AtTime = duration
	if f.To.Given() {
		opt.Range.To = opt.To
		opt.At, opt.AtTime = analysis.At(opt.To), opt.To
	}
	switch {
	case f.At.IsPeak() && peak.Instant != (analysis.Instant{}):
		opt.At, opt.AtTime = peak.Instant, peak.Time
	case f.At.Given():
		if opt.AtTime, err = arg.TimeIn(f.At, axis); err != nil {
			return opt, err
		}
		opt.At = analysis.At(opt.AtTime)
	}
	if f.MinAge.Given() {
		opt.MinAge = f.MinAge.Of(duration)
	}
	return opt, nil
}

// style returns how text is drawn on this output.
func (a *app) style(exact bool) cells.Style {
	color := a.flags.Color == "always" || a.flags.Color == "auto" && a.env.IsTerminal && !a.noColor()
	width := a.env.Width
	if n, err := strconv.Atoi(a.env.Getenv("COLUMNS")); err == nil && n > 0 {
		width = n
	}
	return cells.Style{Width: width, ASCII: a.flags.ASCII, Color: color, Exact: exact}
}

// noColor reports whether the environment or the user disables colors.
func (a *app) noColor() bool {
	return a.flags.Color == "never" || a.flags.Color == "auto" && (a.env.Getenv("NO_COLOR") != "" || a.env.Getenv("TERM") == "dumb")
}
