package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/orders"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// printout is what a command prints of a file, without its content, and the name of the table that orders of rows and
// filters apply to: "" for a complete report.
type printout struct {
	blank *report.Report
	table string
	other bool // --table chooses another table
}

// printer is a command that prints tables. Its values for --by, --filter and --group are checked before a file is read.
type printer interface {
	// prints returns what the command prints of files of a kind. Heap snapshots have a schema.
	prints(k kind.Kind, schema *model.HeapSchema, format string) printout
}

func (c *reportCmd) prints(k kind.Kind, schema *model.HeapSchema, format string) printout {
	p := printout{report.BlankTrace(), string(c.Table), true}
	switch k {
	case kind.Stacks:
		p.blank = report.BlankStacks()
	case kind.Heap:
		p.blank = report.BlankHeap(schema)
	case kind.Dump:
		p.blank = report.BlankDump()
	}
	switch {
	case c.Peek != "":
		p.table = report.AroundTable
	case c.listed():
		p.table = linesTable
	case c.Table == "" && format == "csv":
		p.table = p.blank.MainTable()
	}
	return p
}

func (c *pagesCmd) prints(kind.Kind, *model.HeapSchema, string) printout {
	p := printout{report.BlankPages(), string(c.Table), true}
	if p.table == "" {
		p.table = p.blank.MainTable()
	}
	return p
}

func (c *heapTypesCmd) prints(_ kind.Kind, schema *model.HeapSchema, _ string) printout {
	return printout{blank: report.BlankHeap(schema), table: listTables[c.lists()]}
}

func (c *heapSnapshotsCmd) prints(_ kind.Kind, schema *model.HeapSchema, _ string) printout {
	return printout{blank: report.BlankHeap(schema), table: "snapshots"}
}

func (c *heapFramesCmd) prints(_ kind.Kind, schema *model.HeapSchema, _ string) printout {
	return printout{blank: report.BlankHeap(schema), table: "frames"}
}

func (c *heapDominatorsCmd) prints(_ kind.Kind, schema *model.HeapSchema, _ string) printout {
	return printout{blank: report.BlankHeap(schema), table: "dominators"}
}

func (c *heapSuspectsCmd) prints(_ kind.Kind, schema *model.HeapSchema, _ string) printout {
	return printout{blank: report.BlankHeap(schema), table: "suspects"}
}

func (c *heapThreadsCmd) prints(_ kind.Kind, schema *model.HeapSchema, _ string) printout {
	return printout{blank: report.BlankThreads(schema)}
}

func (c *heapWasteCmd) prints(_ kind.Kind, schema *model.HeapSchema, _ string) printout {
	return printout{blank: report.BlankWaste(schema)}
}

// listTables maps lists about a snapshot to the tables that they are printed as. No other list is made for these.
var listTables = map[report.HeapLists]string{
	report.ListSnapshots: "snapshots", report.ListTypes: "types", report.ListGroups: "groups", report.ListFrames: "frames",
	report.ListDominators: "dominators", report.ListSuspects: "suspects",
}

// listOf returns the list that a table is printed from.
func listOf(table string) report.HeapLists {
	if table == "trends" {
		return report.ListSnapshots
	}
	for list, name := range listTables {
		if name == table {
			return list
		}
	}
	return report.EveryList
}

// rowOrder is the order of printed rows by a column, and their maximum number.
type rowOrder struct {
	by    string
	limit int
}

// order applies --by to what a command prints. If it is an order in which the table is built, --by is that order
// afterwards. If it is a column, the table is built completely, and rows are sorted when they are printed. A setting,
// which is for all commands, is ignored where it means nothing.
func (a *app) order(p printout, c *reportCmd) error {
	order, err := p.order(a.flags.By)
	given := a.isGiven("by")
	if err != nil && given {
		return fail.Usage(fmt.Errorf("--by: %w", err))
	}
	if a.flags.By = order.Built; given && order.Column != "" {
		a.orderRows(order.Column, c)
	}
	return nil
}

// order returns the order that a value of --by means.
func (p printout) order(by string) (report.Order, error) {
	if p.table == "" || !slices.Contains(p.blank.SortColumns(p.table), by) {
		by = state.SortKey(by, p.blank.BuiltOrders(p.table))
	}
	order, err := p.blank.OrderOf(p.table, by)
	if err == nil || !p.other {
		return order, err
	}
	if of := p.blank.SortedBy(by); p.table == "" && len(of) > 0 {
		err = fmt.Errorf("%s is an order of single tables: use it with --table %s", by, strings.Join(of, " or "))
	} else if len(of) > 0 {
		err = fmt.Errorf("%s is an order of other tables: use it with --table %s", by, strings.Join(of, " or "))
	}
	return order, err
}

// orderRows sets the order of printed rows. Tables are then built completely: the limit applies to the sorted rows, or
// to those that pass a filter.
func (a *app) orderRows(column string, c *reportCmd) {
	limit := a.flags.Limit
	if c.filter.Text != "" {
		limit = 0
	}
	c.order = rowOrder{column, limit}
	a.flags.By, a.flags.Limit = "", 0
}

// filterRows returns the filter of printed rows. Tables are then built completely: the limit applies to the rows that
// pass.
func (a *app) filterRows(f arg.RowFlags) report.RowFilter {
	if f.Rows == "" {
		return report.RowFilter{}
	}
	out := report.RowFilter{Text: f.Rows, Limit: a.flags.Limit}
	a.flags.Limit = 0
	return out
}

// chosenRows returns the order and the filter of the tables that a command prints. The limit is for the rows that are
// left.
func (a *app) chosenRows(p printout, f arg.RowFlags) (c reportCmd, err error) {
	c.filter = a.filterRows(f)
	return c, a.order(p, &c)
}

// checkKey returns an error for a sort key that a command does not have. If the key is a setting, which applies to all
// commands, it is reset instead.
func (a *app) checkKey(keys []string) error {
	a.flags.By = state.SortKey(a.flags.By, keys)
	err := checkKey(a.flags.By, keys)
	if err != nil && !a.isGiven("by") {
		a.flags.By = ""
		return nil
	}
	return err
}

// checkKey returns an error for a sort key that is not among the known ones.
func checkKey(by string, keys []string) error {
	if by == "" || slices.Contains(keys, by) {
		return nil
	}
	return fail.Usage(fmt.Errorf("--by: unknown sort key %q%s", by, near.Available(by, keys)))
}

// refuseValues rejects values of --by, --filter and --group that no file of these formats has, before the files are
// read. Metrics and labels of stack profiles are known only afterwards.
func (a *app) refuseValues(inputs []uses.Input) error {
	if a.parsed == nil || len(inputs) == 0 || !a.parsed.Selected().Target.CanAddr() {
		return nil
	}
	for i := range inputs {
		if kind.OfFormat(inputs[i].Format) == kind.None {
			return nil
		}
	}
	of := inputs[0].Format
	switch c := a.parsed.Selected().Target.Addr().Interface().(type) {
	case *diffCmd:
		return a.refuseCompared(&c.diffFlags, inputs)
	case *checkCmd:
		if c.Base == "" || len(inputs) != 2 {
			return nil
		}
		return a.refuseCompared(&diffFlags{}, inputs)
	case *convertCmd:
		if a.isGiven("by") && kind.OfFormat(of) == kind.Trace {
			return a.checkKey(export.TraceMetrics())
		}
		return nil
	case *heapOwnersCmd:
		_, err := c.axis(of.Heap)
		return err
	case printer:
		if t, ok := c.(*heapTypesCmd); ok {
			if err := pick.HeapGroup(t.Group, heapgraph.GroupKeys(of.Heap), a.inputs()); err != nil {
				return err
			}
		}
		return a.refusePrinted(c, of)
	case *heapFindCmd:
		return nil // it has checked its only orders
	}
	return a.refusePrinted(&reportCmd{}, of)
}

// refusePrinted rejects orders and filters that the printed tables do not have.
func (a *app) refusePrinted(c printer, of loaders.Format) error {
	k := kind.OfFormat(of)
	p := c.prints(k, of.Heap, a.flags.Format)
	if a.isGiven("by") && k != kind.Stacks {
		if _, err := p.order(a.flags.By); err != nil {
			return fail.Usage(fmt.Errorf("--by: %w", err))
		}
	}
	if text := uses.Text(a.parsed, "filter"); text != "" {
		if err := p.blank.CheckFilter(p.table, text); err != nil {
			return fail.Usage(fmt.Errorf("--filter: %w", err))
		}
	}
	return nil
}

// refuseCompared rejects files of different kinds, and orders, filters and groupings that comparisons of their kind do
// not have.
func (a *app) refuseCompared(c *diffFlags, inputs []uses.Input) error {
	of := [2]kind.Kind{kind.OfFormat(inputs[0].Format), kind.OfFormat(inputs[len(inputs)-1].Format)}
	stacked := func(k kind.Kind) bool { return k == kind.Trace || k == kind.Stacks }
	if of[0] != of[1] && !(stacked(of[0]) && stacked(of[1])) {
		if len(inputs) > 2 {
			return nil // they are one recording, which cannot be joined
		}
		return notOfOneKind(inputs[0].Name, inputs[0].Format.Name, inputs[1].Name, inputs[1].Format.Name)
	}
	traces, profiles := slices.Contains(of[:], kind.Trace), slices.Contains(of[:], kind.Stacks)
	var known, groups []string // orders; what rows are grouped by
	by := a.flags.By
	switch {
	case of[0] == kind.Heap:
		known, groups = diff.HeapFigureWords(), pick.HeapRows(inputs[0].Format.Heap, inputs[len(inputs)-1].Format.Heap)
	case of[0] == kind.Dump:
		known, groups = diff.PageFigureWords(), dumpRowKinds()
	default:
		groups = diff.GroupWords(traces, profiles)
		if traces {
			known = orders.Shared()
			by = state.SortKey(by, known)
		}
	}
	if a.isGiven("by") && known != nil {
		if err := checkKey(by, known); err != nil {
			return err
		}
	}
	if c.Rows != "" {
		if err := report.CheckDiffFilter(c.Rows); err != nil {
			return fail.Usage(fmt.Errorf("--filter: %w", err))
		}
	}
	if profiles && strings.HasPrefix(c.Group, weights.LabelPrefix) || stacked(of[0]) && c.Group == formerLine {
		return nil
	}
	if of[0] == kind.Heap {
		return pick.HeapGroup(c.Group, groups, a.inputs())
	}
	_, err := grouping(c.Group).among(groups)
	return err
}

// notOfOneKind returns the error for files that cannot be compared: their names and formats.
func notOfOneKind(before, beforeFormat, after, afterFormat string) error {
	return fail.Usage(fmt.Errorf("diff compares two files of one kind, but %s is %s and %s is %s", before, beforeFormat, after, afterFormat))
}

// among returns a grouping of the known ones, the first if none is requested.
func (g grouping) among(known []string) (string, error) {
	if g == "" {
		return known[0], nil
	}
	if !slices.Contains(known, string(g)) {
		return "", fail.Usage(fmt.Errorf("--group: these files cannot be grouped by %q%s", string(g), near.Available(string(g), known)))
	}
	return string(g), nil
}
