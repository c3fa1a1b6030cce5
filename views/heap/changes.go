package heap

import (
	"context"
	"strings"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// changeKey determines what changed between two snapshots, before and after.
type changeKey struct {
	sides  [2]*ui.HeapLoad
	graphs [2]*ui.HeapGraph // of retained sizes; nil for other figures
	frames bool
	figure diff.HeapFigure
	masks  string
	per    diff.Normal
}

// changeSet is every type or frame of two snapshots. Read-only once made.
type changeSet struct {
	changeKey
	*diff.Comparison
	groups [2][]heapgraph.Group // what the rows of each side are
	shown  *ui.ChangeSet
}

// by returns the question that a side answers; sides of two formats may differ.
func (s *changeSet) by(side int) heapgraph.By {
	return heapgraph.By{Kinds: s.question().Set(s.schema(side)).Kinds}
}

func (k *changeKey) schema(side int) *model.HeapSchema { return k.sides[side].Heap.Schema }

// question returns what both sides are asked.
func (k *changeKey) question() diff.HeapQuestion {
	return diff.HeapQuestion{Frames: k.frames, Figure: k.figure}
}

func fetchChanges(ctx context.Context, k changeKey) (*changeSet, error) {
	set := &changeSet{changeKey: k}
	var sides [2]*diff.Side
	for i, load := range k.sides {
		q := k.question()
		if k.graphs[i] != nil {
			q.Graph = k.graphs[i].Graph
		}
		rows, err := diff.HeapSide(ctx, load.Heap, load.Heaps.Source().Info(load.I), q)
		if err != nil {
			return nil, err
		}
		sides[i], set.groups[i] = rows.Side, rows.Groups
		sides[i].Label = [2]string{"before", "after"}[i]
	}
	var err error
	set.Comparison, err = diff.Compare(ctx, sides[0], sides[1], diff.Options{Masks: state.ParseMasks(k.masks), Per: k.per})
	if err != nil {
		return nil, err
	}
	word := map[diff.HeapFigure]string{diff.HeapBytes: ui.TitleBytes, diff.HeapCount: ui.TitleCount, diff.HeapRetained: ui.TitleRetained}[k.figure]
	set.shown = &ui.ChangeSet{Comparison: set.Comparison, Label: set.label, Amount: set.amount, Rows: strings.ToUpper(k.schema(1).Axes[0].One), Where: secondTitle(k.schema(1)),
		Delta: deltaOf(word), Count: deltaOf(ui.TitleCount), Narrow: true}
	if k.frames {
		set.shown.Rows, set.shown.Where = ui.TitleFrame, ""
	}
	if k.figure == diff.HeapCount {
		set.shown.Count = ""
	}
	return set, nil
}

// deltaOf heads the changes of what a column shows.
func deltaOf(title string) string { return ui.TitleDelta + " " + title }

// group returns what a row is on one side: of several of one name the largest; nil where the side has none.
func (s *changeSet) group(r *diff.Row, side int) *heapgraph.Group {
	if r.Row[side] < 0 {
		return nil
	}
	return &s.groups[side][r.Row[side]]
}

// label returns how a type or a frame is written.
func (s *changeSet) label(r *diff.Row, full bool) ui.SiteLabel {
	if !s.frames {
		return ui.SiteLabel{Name: ui.HeapName(r.Key), Where: r.Sub}
	}
	g := s.group(r, 1)
	if g == nil {
		g = s.group(r, 0)
	}
	return ui.SiteLabel{Name: frameText(r.Key, g.File, g.Line, full)}
}

func (s *changeSet) amount(n uint64, exact bool) string {
	if s.figure == diff.HeapCount {
		return model.Group(n)
	}
	return ui.BytesText(n, exact)
}

// notes says what was done to the figures, and what is not compared; "" for nothing.
func (s *changeSet) notes() string {
	var parts []string
	if text := s.Normalized(); text != "" {
		parts = append(parts, text)
	}
	if s.masks != "" {
		parts = append(parts, "names masked by "+model.Clean(strings.ReplaceAll(s.masks, "\n", ", ")))
	}
	if s.Unknown > 0 {
		parts = append(parts, ui.Plural(s.Unknown, "row is", "rows are")+" left out: the retained size is not known on both sides")
	}
	return strings.Join(parts, " · ")
}

// grownKey determines the subtrees that grew.
type grownKey struct {
	graphs [2]*ui.HeapGraph
	arrow  string // between the steps of the way to one
}

// grownSet is those subtrees, most grown first. Read-only once made.
type grownSet struct {
	grownKey
	list  []heapgraph.GrownSubtree
	shown *ui.ChangeSet // the same as a comparison: Row of a row is where it stands in the list
}

func fetchGrown(ctx context.Context, k grownKey) (*grownSet, error) {
	const most = 200
	list, err := heapgraph.GrownSubtrees(ctx, k.graphs[0].Graph, k.graphs[1].Graph, most)
	if err != nil {
		return nil, err
	}
	c := &diff.Comparison{Rows: make([]diff.Row, len(list))}
	for i := range list {
		t, status := &list[i], diff.ChangeGrown
		if t.BeforeRows == 0 {
			status = diff.ChangeNew
		}
		c.Rows[i] = diff.Row{Row: [2]int{i, i}, Status: status, Figures: diff.Figures{
			BeforeBytes: t.BeforeBytes, AfterBytes: t.AfterBytes, BeforeCount: uint64(t.BeforeRows), AfterCount: uint64(t.AfterRows)}}
	}
	c.Totals.BeforeBytes, c.Totals.AfterBytes = k.graphs[0].Retained[model.RootRow], k.graphs[1].Retained[model.RootRow]
	return &grownSet{k, list, &ui.ChangeSet{
		Comparison: c, Rows: ui.TitleWhere, Delta: deltaOf(ui.TitleRetained), Count: deltaOf(ui.TitleRows), Narrow: true,
		Label: func(r *diff.Row, _ bool) ui.SiteLabel {
			return ui.SiteLabel{Name: treeName(&list[r.Row[1]], k.arrow)}
		},
		Amount: ui.BytesText,
	}}, nil
}
