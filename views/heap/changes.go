package heap

import (
	"context"
	"strings"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// changeKey identifies the comparison of two snapshots, before and after.
type changeKey struct {
	sides    [2]*ui.HeapLoad
	graphs   [2]*ui.HeapGraph // of retained sizes; nil for other figures
	frames   bool
	groupKey string // the key of what objects are grouped by, "" for their types
	figure   diff.HeapFigure
	masks    string
	per      diff.Normal
}

// changeSet is every group or frame of two snapshots. Read-only once made.
type changeSet struct {
	changeKey
	*diff.Comparison
	rows  [2]diff.HeapRows // of each side; those of two formats may differ in their kinds
	shown *ui.ChangeSet
}

// by returns what the rows of a side are of.
func (s *changeSet) by(side int) heapgraph.By { return s.rows[side].By }

// axis returns what objects are grouped by, nil for types and frames.
func (s *changeSet) axis() *model.HeapAxis {
	if s.groupKey == "" {
		return nil
	}
	i, _ := s.schema(1).AxisNamed(s.groupKey)
	return &s.schema(1).Axes[i]
}

func (k *changeKey) schema(side int) *model.HeapSchema { return k.sides[side].Heap.Schema }

// question returns the question to both sides.
func (k *changeKey) question() diff.HeapQuestion {
	return diff.HeapQuestion{Frames: k.frames, Group: k.groupKey, Figure: k.figure}
}

func compareTypes(ctx context.Context, k changeKey) (*changeSet, error) {
	set := &changeSet{changeKey: k}
	var sides [2]*diff.Side
	var other *heapgraph.Identities // of before
	for i, load := range k.sides {
		q := k.question()
		if k.graphs[i] != nil {
			q.Graph = k.graphs[i].Graph
		}
		q.Other = other
		rows, err := diff.HeapSide(ctx, load.Heap, load.Heaps.Source().Info(load.I), q)
		if err != nil {
			return nil, err
		}
		if i == 0 && !k.frames {
			if ids, ok := heapgraph.AllIdentities(ctx, load.Heap); ok {
				other = &ids
			}
		}
		sides[i], set.rows[i] = rows.Side, rows
		sides[i].Label = [2]string{"before", "after"}[i]
	}
	var err error
	set.Comparison, err = diff.Compare(ctx, sides[0], sides[1], diff.Options{Masks: state.ParseMasks(k.masks), Per: k.per})
	if err != nil {
		return nil, err
	}
	word := map[diff.HeapFigure]string{diff.HeapBytes: titles.Bytes, diff.HeapCount: titles.Count,
		diff.HeapRetained: titles.Retained}[k.figure]
	set.shown = &ui.ChangeSet{Comparison: set.Comparison, Label: set.label, Amount: set.amount,
		Rows: strings.ToUpper(k.schema(1).Axes[0].One), Where: secondTitle(k.schema(1)),
		Delta: deltaOf(word), Count: deltaOf(titles.Count), Narrow: true, Objects: !k.frames && set.Identified()}
	if k.frames {
		set.shown.Rows, set.shown.Where = titles.Frame, ""
	} else if axis := set.axis(); axis != nil {
		set.shown.Rows, set.shown.Where = strings.ToUpper(axis.One), ""
	}
	if k.figure == diff.HeapCount {
		set.shown.Count = ""
	}
	return set, nil
}

// deltaOf returns the title of a column of changes.
func deltaOf(title string) string { return titles.Delta + " " + title }

// group returns the group of a row on one side, the largest if several have the name; nil if the side has none.
func (s *changeSet) group(r *diff.Row, side int) *heapgraph.Group {
	if r.Row[side] < 0 {
		return nil
	}
	return &s.rows[side].Groups[r.Row[side]]
}

// label returns the text of a group or a frame.
func (s *changeSet) label(r *diff.Row, full bool) ui.SiteLabel {
	if axis := s.axis(); axis != nil {
		return ui.SiteLabel{Name: axis.Text(r.Key)}
	}
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

// unstated says which sides do not state what objects are grouped by.
func (s *changeSet) unstated() (parts []string) {
	for i, load := range s.sides {
		if !s.rows[i].Stated(load.Heap) {
			parts = append(parts, s.axis().NotStated([2]string{"before", "after"}[i]))
		}
	}
	return parts
}

// notes returns how the figures were changed, and what is not compared; "" for nothing.
func (s *changeSet) notes() string {
	parts := s.unstated()
	if text := s.Normalized(); text != "" {
		parts = append(parts, text)
	}
	if s.masks != "" {
		parts = append(parts, "names masked by "+model.Clean(strings.ReplaceAll(s.masks, "\n", ", ")))
	}
	if text := s.Bounds(); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}

// grownKey identifies the subtrees that grew.
type grownKey struct {
	graphs [2]*ui.HeapGraph
	masks  string
	arrow  string // between the steps of a path
}

// grownSet is those subtrees, most grown first. Read-only once made.
type grownSet struct {
	grownKey
	*diff.DominatorRows
	note  string
	shown *ui.ChangeSet
}

// findGrown compares two snapshots as diff --group dominators does.
func findGrown(ctx context.Context, k grownKey) (*grownSet, error) {
	masks := state.ParseMasks(k.masks)
	rows, err := diff.DominatorSides(ctx, k.graphs[0].Graph, k.graphs[1].Graph, masks)
	if err != nil {
		return nil, err
	}
	c, err := diff.Compare(ctx, rows.Sides[0], rows.Sides[1], diff.Options{Masks: masks})
	if err != nil {
		return nil, err
	}
	set := &grownSet{k, rows, diff.DominatorNote(k.graphs[0].Heap, k.graphs[1].Heap), nil}
	if c.Unknown > 0 {
		set.note = model.CountedAs(c.Unknown, "place is", "places are") + " left out: " + diff.UnknownPlaces
	}
	set.shown = &ui.ChangeSet{
		Comparison: c, Rows: titles.Where, Delta: deltaOf(titles.Retained), Count: deltaOf(titles.Count), Narrow: true,
		Label:  func(r *diff.Row, _ bool) ui.SiteLabel { return ui.SiteLabel{Name: treeName(set.place(r), k.arrow)} },
		Amount: ui.BytesText,
	}
	return set, nil
}

// place returns the subtree that a row is.
func (s *grownSet) place(r *diff.Row) *heapgraph.GrownSubtree {
	return &s.Places[max(r.Row[0], r.Row[1])]
}
