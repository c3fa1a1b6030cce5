package compare

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// table is the table of changes, with an explanation of the selected row.
type table struct {
	ui.TablePane
	*ui.Changes
	Sets *ui.Lazy[rowsKey, *Set]
	Set  *Set // newest answer, nil before the first
	of   *Set // the comparison in the list

	series *seriesPart // of the selected row
}

func newTable(e *ui.Env) *table {
	t := &table{TablePane: ui.NewTablePane(e)}
	t.Changes = ui.NewChanges(e, &t.ListPane)
	t.Sets = ui.NewLazy(e, func(ctx context.Context, k rowsKey) (*Set, error) { return compare(e, ctx, k) })
	t.Moved, t.Enter = func() { t.TablePane.Changed() }, t.openRow
	return t
}

// changes returns the comparison in the form of tables.
func (c *Set) changes() *ui.ChangeSet {
	k, words := &c.key.Sides[0], c.words(&state.State{})
	out := &ui.ChangeSet{Comparison: c.Comparison, Label: c.label, Amount: c.amount, Side: c.ofSide, Rows: titles.Site,
		Where: titles.Where, Delta: titles.Delta}
	if k.by != analysis.ByStack || k.what > ui.DiffLeaked {
		out.Rows, out.Where = strings.ToUpper(k.thing()), ""
	}
	if c.hasCounts() && words.Counted != "" {
		out.Count = titles.Delta + " " + strings.ToUpper(words.Counted)
	}
	return out
}

// label returns the label of a row.
func (c *Set) label(r *diff.Row, full bool) ui.SiteLabel {
	if r.Node == 0 {
		name := r.Key
		switch by := c.key.Sides[0].by; {
		case name != "":
		case by == analysis.ByStack || by == analysis.ByFunction || by == analysis.ByOwner:
			name = calltree.NoFunction
		default:
			name = calltree.Unnamed
		}
		if !full && c.key.Sides[0].by == analysis.ByFunction && c.key.Sides[0].what != ui.DiffSizes {
			name = funcname.Bare(name)
		}
		return ui.SiteLabel{Name: name, Where: r.Sub}
	}
	s := c.Joined.Stacks
	n := calltree.SiteNode(s, r.Node)
	site := analysis.Site{Node: r.Node, Name: calltree.FunctionName(s, n), Where: calltree.Where(s.At(s.Frame[n]))}
	return c.labels.Label(s, analysis.ByStack, &site, full)
}

// show requests a comparison and shows the newest one.
func (t *table) show(s *state.State, what ui.DiffRows, by analysis.Group, cost analysis.Cost) {
	t.State = *s
	sides, ok := makeSides(t.TablePane.Pane.Env, s, what, by, cost)
	if !ok {
		return
	}
	t.Sets.Ask(key(&s.Compare, sides))
	set, ok := t.Sets.Get()
	if !ok {
		return
	}
	if t.Set == nil || t.Set.key.Sides[0].by != by || t.Set.key.Sides[0].what != what {
		t.List.Home()
	}
	t.Set = set
	if t.Changes.Show(s, set.shown); t.Changes.Set() == set.shown {
		t.of = set
	}
	t.explain()
}

// Fresh reports whether the comparison shown is that of the newest state.
func (t *table) Fresh() bool { return t.Sets.Fresh() && t.Changes.Fresh() }

func (t *table) selected() (*diff.Row, bool) {
	if t.of == nil {
		return nil, false
	}
	return t.Chosen()
}

// explain fills the detail pane from the selected row.
func (t *table) explain() {
	r, ok := t.selected()
	if !ok {
		t.Detail = ui.Detail{}
		return
	}
	set := t.of
	label := set.label(r, t.State.FullName)
	t.Detail.Title, t.Detail.Answer = label.Name, r.Became()
	t.Detail.Facts = []string{t.amounts(r)}
	if set.key.Sides[0].what == ui.DiffSeries {
		if last := t.series; last == nil || last.of != set || last.row != r {
			t.series = newSeriesPart(t.TablePane.Env, set, r)
		}
		t.Detail.Parts = []ui.DetailPart{t.series}
	}
	if r.Node == 0 {
		t.Detail.SetNoStack(set.key.Sides[0].noStack(t.TablePane.Env))
		return
	}
	t.Detail.SetStack(set.Joined.Stacks, 0, r.Node, t.State.FullName)
}

// amounts returns the figures of a row in a sentence.
func (t *table) amounts(r *diff.Row) string {
	set := t.of
	text := func(n uint64) string { return set.amount(n, t.State.Exact) }
	out := fmt.Sprintf("before %s, after %s: %s", set.ofSide(0, r.BeforeBytes, t.State.Exact),
		set.ofSide(1, r.AfterBytes, t.State.Exact), t.DeltaCell(r.BeforeBytes, r.AfterBytes, text).Text)
	if set.Errors {
		out += " " + diff.ErrorText(text(r.Error))
	}
	if p := ui.PercentChange(t.Look, r.BeforeBytes, r.AfterBytes); strings.Contains(p, "%") {
		out += " (" + p + ")"
	}
	if words := set.words(&t.State); set.hasCounts() && words.Counted != "" {
		out += fmt.Sprintf("; %s %s → %s", words.Counted, model.Group(r.BeforeCount), model.Group(r.AfterCount))
	}
	if share := t.Share(r); share != "" {
		out += "; " + share
	}
	if r.Within() {
		out += "; within the error of sampling"
	}
	return out
}

// Function implements [ui.Functioner].
func (t *table) Function() string {
	r, ok := t.selected()
	switch {
	case !ok:
	case r.Node != 0:
		return t.of.Name(r)
	case t.of.key.Sides[0].by == analysis.ByFunction:
		return r.Key
	}
	return ""
}

// Unopened implements [ui.Unopener].
func (t *table) Unopened() string {
	if r, ok := t.selected(); ok && r.Node == 0 {
		return t.of.key.Sides[0].noStack(t.TablePane.Env)
	}
	return ""
}

// openRow shows the selected stack among the stacks.
func (t *table) openRow() {
	r, ok := t.selected()
	switch {
	case !ok:
	case r.Node == 0:
		t.Say(t.Unopened())
	default:
		t.Visit(keymap.ShowStacks, state.SeekNode{Node: r.Node})
	}
}

// drawTable draws the table and the explanation of the selected row.
func (t *table) drawTable(s tcell.Screen, r widget.Rect) {
	if t.Low = 0; t.Set != nil &&
		(t.Set.key.Sides[0].what > ui.DiffLeaked || t.Set.key.Sides[0].by != analysis.ByStack) {
		t.Low = 6 // there is no stack to show
	}
	if len(t.Detail.Parts) > 0 {
		t.Low = 0
	}
	t.Split(r)
	t.Arrange(t.ListAt.W)
	t.List.Empty = t.emptyText()
	t.DrawPanes(s)
}

// emptyText returns why there are no rows, and what to do.
func (t *table) emptyText() []string {
	if t.Sets.Err != nil && t.Sets.Ready {
		return failedText(t.TablePane.Env, t.Sets.Err)
	}
	return t.Nothing("{mark-a} and {mark-b} mark other moments")
}

// failedText returns why two sides cannot be compared, and what to do.
func failedText(e *ui.Env, err error) []string {
	if unlike := unlikeError(""); errors.As(err, &unlike) {
		return []string{err.Error()}
	}
	if wrong := (*diff.QuestionError)(nil); errors.As(err, &wrong) {
		return []string{model.Capital(err.Error()) + ".", e.Hint("{group} groups differently, {difference.cost} compares another metric.")}
	}
	return []string{model.Capital(err.Error()) + ".", e.Hint("{normalize} changes the normalization.")}
}

// CopyText returns the selected row and its stack.
func (t *table) CopyText() string {
	r, ok := t.selected()
	if !ok {
		return ""
	}
	label := t.of.label(r, true)
	return model.Clean(label.Name) + " " + model.Clean(label.Where) + "\n" + t.amounts(r) + "\n" + t.Detail.Text()
}
