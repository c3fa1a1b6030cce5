package trace

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// groupPane is what Sites and Leaks share: screens whose rows are groups of blocks.
type groupPane struct {
	ui.TablePane
	Blocks  ui.BlockPane // of the row that was opened, in place of the table
	labels  *ui.SiteLabels
	adopted state.Selection                                       // what the list has selected last on behalf of the state
	row     func() (by analysis.Group, s *analysis.Site, ok bool) // the selected one

	membersOf membersKey
	memberIDs []model.StackID // of membersOf
}

func newGroupPane(e *ui.Env) groupPane {
	return groupPane{TablePane: ui.NewTablePane(e), Blocks: ui.NewBlockPane(e), labels: ui.NewSiteLabels(e.Libraries)}
}

// FocusedList implements [ui.Lister].
func (p *groupPane) FocusedList() *widget.List {
	if p.Blocks.Open {
		return p.Blocks.FocusedList()
	}
	return p.TablePane.FocusedList()
}

// Hides implements [ui.Maximizer].
func (p *groupPane) Hides() string {
	if p.Blocks.Open {
		return p.Blocks.Hides()
	}
	return p.TablePane.Hides()
}

// Click implements [ui.Clicker].
func (p *groupPane) Click(x, y int, double bool) {
	if p.Blocks.Open {
		p.Blocks.Click(x, y)
		return
	}
	p.TablePane.Click(x, y, double)
}

// Wheel implements [ui.Clicker].
func (p *groupPane) Wheel(x, y, rows int) {
	if p.Blocks.Open {
		p.Blocks.Wheel(x, y, rows)
		return
	}
	p.TablePane.Wheel(x, y, rows)
}

func (p *groupPane) Needs() model.Facet { return model.FacetAllocations }

func (p *groupPane) Narrows() bool { return true }

func (p *groupPane) Follows() string { return "" }

// Function implements [ui.Functioner].
func (p *groupPane) Function() string {
	by, s, ok := p.row()
	if !ok {
		return ""
	}
	return p.labels.FilterName(p.State.Stacks(), by, s)
}

// Place implements [ui.Placer].
func (p *groupPane) Place() (lines.Place, bool) {
	by, s, ok := p.row()
	if !ok {
		return lines.Place{}, false
	}
	return p.labels.Place(p.State.Stacks(), by, s.Stack, p.State.FullName)
}

// named returns how the state wants groups to be named.
func (p *groupPane) named(s *state.State) naming {
	return naming{p.labels, s.Stacks(), s.FullName, s.Sampled(), s.Sampling()}
}

// groupID returns an id that distinguishes groups of all kinds.
func groupID(by analysis.Group, k analysis.Key) uint64 { return uint64(by)<<32 | uint64(k) }

// adopt selects the row that was selected on another screen, once the rows are up to date.
func (p *groupPane) adopt(by analysis.Group, fresh bool) {
	want := p.State.Selected
	if !want.Set || want == p.adopted || want.By != by || !fresh {
		return
	}
	p.adopted = want
	p.Blocks.Open = false
	p.List.SelectID(groupID(want.By, want.Key))
}

// publishSelection publishes the selected row as the program's selection.
func (p *groupPane) publishSelection() {
	if by, s, ok := p.row(); ok {
		p.adopted = state.Selection{By: by, Key: s.Key, Stack: s.Stack, Set: true, Evidence: p.State.Selected.Evidence}
		p.Emit(state.SelectKey{Sel: p.adopted})
	}
}

// openBlocks lists the blocks of the selected row in an order; empty is shown if there are none.
func (p *groupPane) openBlocks(order analysis.BlockOrder, empty ...string) {
	by, s, ok := p.row()
	if !ok {
		return
	}
	p.publishSelection()
	p.Blocks.Empty = empty
	p.Blocks.Start(p.named(&p.State).label(by, s).Name, analysis.BlockQuery{By: by, Key: s.Key, Sort: order})
}

// fields returns the figures that filters can compare: of blocks while they are listed, else of the table.
func (p *groupPane) fields(table []analysis.Field) []analysis.Field {
	if p.Blocks.Open {
		return p.Blocks.Fields()
	}
	return table
}

// SearchText and Search implement [ui.Searcher]: the blocks of a group have a filter of their own, as long as they are
// listed.
func (p *groupPane) SearchText() string {
	if p.Blocks.Open {
		return p.Blocks.Filter
	}
	return p.State.Filter
}

func (p *groupPane) Search(text string) {
	if p.Blocks.Open {
		p.Blocks.SetFilter(text)
		return
	}
	p.Emit(state.SetFilter{Text: text})
}

// Unprinted implements [ui.Unprinted].
func (p *groupPane) Unprinted() string {
	if p.Blocks.Open && p.blocksCommand() == nil {
		return p.Hint("{back} goes back to the table, which report prints; {blocks} lists the blocks of all sites")
	}
	return ""
}

// blocksCommand returns the arguments of the report that prints the blocks of the row that was opened, nil for none.
func (p *groupPane) blocksCommand() []string {
	by, row, ok := p.row()
	query := &p.Blocks.Query
	if !ok || row.Key != query.Key || by != query.By || query.Leaked && !(p.State.AtEnd() && query.Range.IsFull()) {
		return nil
	}
	q := state.Question{Format: "csv", Table: "blocks", By: p.Blocks.OrderKey()}
	filter := []string{p.Blocks.RowFilter(p.Blocks.Filter)}
	switch {
	case by == analysis.ByStack && row.Node != 0:
		q.Steps = calltree.NewFilter(calltree.Step{Kind: calltree.Focus, Name: calltree.StackStep(row.Stack)})
	case by == analysis.ByThread && p.State.NoThreads():
	case by == analysis.ByThread:
		filter = append(filter, "thread="+strings.TrimPrefix(row.Name, "thread "))
	case by == analysis.BySizeClass:
		lo, hi := analysis.SizeBounds(uint32(row.Key))
		filter = append(filter, "size>="+strconv.FormatUint(lo, 10), "size<="+strconv.FormatUint(hi, 10))
	default:
		ids := p.members(by, row)
		if len(ids) == 0 {
			return nil
		}
		q.Steps = calltree.NewFilter(calltree.Step{Kind: calltree.Focus, Name: calltree.StackStep(ids...)})
	}
	if query.Leaked && query.MinAge > 0 {
		filter = append(filter, fmt.Sprintf("age>=%dus", query.MinAge))
	}
	q.Filter = strings.TrimSpace(strings.Join(filter, " "))
	return q.Args()
}

// mostMembers is the number of stacks that a command line names at most.
const mostMembers = 1000

// membersKey determines the stacks of a group.
type membersKey struct {
	stacks *model.Stacks
	by     analysis.Group
	name   string
	of     int // number of all stacks
}

// members returns the stacks of a group of functions, owners, files or modules. It returns none where they are too many
// for a command line, or filters make other groups.
func (p *groupPane) members(by analysis.Group, row *analysis.Site) []model.StackID {
	if by == analysis.ByStack || by.Divides() || p.State.Filters != "" || p.State.Stacks() == nil {
		return nil
	}
	all := p.Trace.StackIDs()
	if k := (membersKey{p.State.Stacks(), by, row.Name, len(all)}); k != p.membersOf {
		groups := group.NewStackGroups(by, k.stacks, p.Libraries)
		p.membersOf, p.memberIDs = k, nil
		for _, id := range all {
			if groups.Name(id) == k.name {
				p.memberIDs = append(p.memberIDs, id)
			}
		}
	}
	if len(p.memberIDs) > mostMembers {
		return nil
	}
	return p.memberIDs
}

// shownStacks returns the stacks of n rows, which a filter has left; some is false if these are all, or are no stacks.
func (p *groupPane) shownStacks(n int, stack func(i int) model.StackID) (ids []model.StackID, some bool) {
	by, row, ok := p.row()
	switch {
	case ok && p.Blocks.Open && by != analysis.ByStack && !by.Divides():
		ids = p.members(by, row)
		return ids, len(ids) > 0
	case !ok || by != analysis.ByStack:
		return nil, false
	case p.Blocks.Open:
		return []model.StackID{row.Stack}, true
	case p.State.Filter == "":
		return nil, false
	}
	for i := range n {
		ids = append(ids, stack(i))
	}
	return ids, true
}

// groupFurther groups by the next key.
func (p *groupPane) groupFurther() {
	p.Emit(state.SetGroup{By: p.State.Group.Next()})
}

// groupScopes returns those of the screen, or of the list of blocks in its place.
func (p *groupPane) groupScopes(own ...keymap.Scope) []keymap.Scope {
	if p.Blocks.Open {
		own = []keymap.Scope{keymap.ScopeBlocks}
	}
	return append(own, keymap.ScopeTable)
}

// setGroup shows the stack of a group: its own, or the one that allocated most of it.
func setGroup(e *ui.Env, d *ui.Detail, s *state.State, by analysis.Group, row *analysis.Site) {
	d.Title = row.Name
	if !s.FullName {
		d.Title = funcname.ShortenTemplates(row.Name)
	}
	if by != analysis.ByStack {
		d.Title += " · the stack that allocated most of it"
		if row.Sites > 1 {
			d.Title += ", of " + model.Group(row.Sites)
		}
	}
	if by == analysis.ByThread || by == analysis.BySizeClass {
		d.Title = row.Name
		d.SetNoStack(ui.WithArticle(by.String()) + " has no stack of its own: " + e.Hint("{group} groups by stack"))
		return
	}
	d.SetStack(s.Stacks(), row.Stack, row.Node, s.FullName)
}
