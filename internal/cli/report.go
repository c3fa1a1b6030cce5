package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report"
)

type reportCmd struct {
	File  string `arg:"" help:"A file, or - for standard input."`
	Table string `enum:"${tables}," default:"" placeholder:"NAME" help:"The table that csv writes. Of traces: sites (the default), live_sites, peak_sites, leaks, late_freed, functions, groups, threads, markers, sizes, lifetimes, grid, blocks (that live at the instant), born_blocks (allocated in the range) or curve. Of heap snapshots: types (the default), frames, dominators or snapshots. Of memory dumps: series (the default), series_events, page_types, holes, runs or sparse_pages. Of stack profiles: functions (the default), total_functions, top, events, threads or groups."`
	Group string `enum:"stack,function,file,module,thread,size,dso,source,kind" default:"stack" placeholder:"KIND" help:"Also a table of groups: by function, file, module, thread or size; of stack profiles by dso, source, thread or kind."`
	Cell  cell   `placeholder:"SIZE,LIFETIME" help:"Sites, leaks and blocks only of blocks of that size and lifetime, as the Lifetimes screen puts them together: 64,1ms or 4K,never or any,10us."`
	Exact bool   `help:"Bytes as exact numbers."`
	stackFlags
	Out string `name:"output" short:"o" placeholder:"FILE" help:"Write to this file instead of standard output."`
}

// Run prints the report of one file.
func (c *reportCmd) Run(ctx context.Context, a *app) error {
	s, err := a.open(ctx, c.File)
	if err != nil {
		return err
	}
	defer s.close()
	return a.write(ctx, s, *c)
}

// write waits for a session and prints its report.
func (a *app) write(ctx context.Context, s *session, c reportCmd) error {
	if a.flags.Format == "html" {
		return a.writePage(ctx, s, c)
	}
	r, err := a.report(ctx, s, c)
	if err != nil {
		return err
	}
	return a.writeReport(r, c)
}

// writeReport prints a report in the format asked for.
func (a *app) writeReport(r *report.Report, c reportCmd) error {
	if a.flags.Format == "csv" && !r.HasTable(c.Table) {
		return usageError(fmt.Errorf("--table: there is no table %q here: there are %s", c.Table, strings.Join(r.TableNames(), ", ")))
	}
	if a.flags.Format == "csv" && r.LeftOut(c.Table) {
		return inputError(a.budget.Error(strings.TrimSpace("the table " + c.Table)))
	}
	return a.writeFile(cmp.Or(c.Out, "-"), func(w io.Writer) error {
		switch style := a.style(c.Exact); a.flags.Format {
		case "json":
			return report.WriteJSON(w, r)
		case "markdown":
			return report.WriteMarkdown(w, r, style)
		case "csv":
			return report.WriteCSV(w, r, c.Table)
		default:
			return report.WriteText(w, r, style)
		}
	})
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
