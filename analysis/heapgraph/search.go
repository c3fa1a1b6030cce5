package heapgraph

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/model"
)

// Label returns a row's name: its type, "name (file:line)" of a frame, or the kind of root. It has bytes of the file:
// clean it before printing.
func Label(h *model.Heap, r model.Row) string {
	switch k := h.Kind(r); {
	case k.Naming == model.NamedByKind:
		return k.Title
	case uint64(r) >= uint64(len(h.Entity)):
		return "<unknown " + k.Name + ">"
	case k.About && int(r) < len(h.About):
		return h.Tables.Type(h.About[r])
	case k.Naming == model.NamedByFrame:
		return frameLabel(h.Tables.Frame(h.Entity[r]))
	}
	if name, ok := h.NameOf(r); ok {
		return name
	}
	return h.Tables.Type(h.Entity[r])
}

// Through returns the words for a reference by the label of the object that has it: "Session.user", "Object[] [3]", or
// the label alone where the reference has no name.
func Through(label, edge string) string {
	if edge == model.UnnamedEdge {
		return label
	}
	if edge != "" && (edge[0] == '[' || edge[0] == '<') {
		return label + " " + edge
	}
	return label + "." + edge
}

// frameLabel formats a frame as MoarVM's tools do: "name (file:line)" with the base name of the file, "<anon>" for a
// block without a name.
func frameLabel(name, file string, line int64) string {
	if name == "" {
		name = "<anon>"
	}
	file = file[strings.LastIndexByte(file, '/')+1:]
	switch {
	case line == model.NoLine && file == "":
		return name
	case line == model.NoLine:
		return name + " (" + file + ")"
	}
	return name + " (" + file + ":" + strconv.FormatInt(line, 10) + ")"
}

// Query selects the rows that match all of its non-empty fields. Without Exact, part of a name suffices and case is
// ignored.
type Query struct {
	Kinds      model.HeapKinds // 0 for all kinds that are memory of the program
	Type, Name string          // Type selects no frames; Name applies to types and frames
	On         map[int]string  // by axis; selects no frames except on axes of rows
	Exact      bool
}

func (q *Query) holds(text, part string) bool {
	return part == "" || text == part || !q.Exact && strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// chooses reports whether the query selects a type or frame.
func (q *Query) chooses(h *model.Heap, frame bool, id uint32) bool {
	for axis, part := range q.On {
		if !byRow(h, axis) && (frame && part != "" || !frame && !q.holds(h.Tables.OnAxis(axis, id), part)) {
			return false
		}
	}
	if frame {
		name, _, _ := h.Tables.Frame(id)
		return q.Type == "" && (q.holds(name, q.Name) || name == "" && q.holds("<anon>", q.Name))
	}
	name := h.Tables.Type(id)
	return q.holds(name, q.Type) && q.holds(name, q.Name)
}

// keeps reports whether the query selects a row by the axes on which rows of one type differ.
func (q *Query) keeps(h *model.Heap, r model.Row) bool {
	for axis, part := range q.On {
		if byRow(h, axis) && !q.holds(h.OnAxis(axis, r), part) {
			return false
		}
	}
	return true
}

// FindRows returns the rows that q selects in ascending order, at most limit of them (0: all), and their total number.
func FindRows(ctx context.Context, h *model.Heap, q Query, limit int) (rows []model.Row, total int, err error) {
	known := [2]map[uint32]bool{{}, {}} // of types, of frames: whether selected
	kinds := q.Kinds
	if kinds == 0 {
		kinds = h.Schema.Real()
	}
	for r, id := range h.Entity {
		if r%pauseEvery == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		naming := h.Kind(model.Row(r)).Naming
		if !kinds.Has(h.Kinds[r]) || naming == model.NamedByKind {
			continue
		}
		table := known[0]
		if naming == model.NamedByFrame {
			table = known[1]
		}
		yes, ok := table[id]
		if !ok {
			yes = q.chooses(h, naming == model.NamedByFrame, id)
			table[id] = yes
		}
		if !yes || !q.keeps(h, model.Row(r)) {
			continue
		}
		if total++; limit <= 0 || total <= limit {
			rows = append(rows, model.Row(r))
		}
	}
	return rows, total, nil
}

// GroupRows returns the rows of one group of [Groups], most bytes first, then by row.
func GroupRows(ctx context.Context, h *model.Heap, by By, id uint32) ([]model.Row, error) {
	var rows []model.Row
	in := Member(h, by, id)
	for r := range h.Entity {
		if r%pauseEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if by.Kinds.Has(h.Kinds[r]) && in(r) {
			rows = append(rows, model.Row(r))
		}
	}
	bytes := func(r model.Row) uint64 {
		s, _ := model.SaturatingAdd(managed(h, int(r)), unmanaged(h, int(r)))
		return s
	}
	slices.SortFunc(rows, func(a, b model.Row) int {
		return cmp.Or(cmp.Compare(bytes(b), bytes(a)), cmp.Compare(a, b))
	})
	return rows, nil
}

// Member returns a function that reports whether a row, of the right kind, belongs to a group.
func Member(h *model.Heap, by By, id uint32) func(r int) bool {
	switch by.Axis {
	case 0:
		return func(r int) bool { return h.Entity[r] == id }
	case axisKind:
		return func(r int) bool { return uint32(h.Kinds[r]) == id }
	}
	column, text := h.Entity, func(i uint32) string { return h.Tables.OnAxis(by.Axis, i) }
	if byRow(h, by.Axis) {
		if by.Axis >= len(h.Axes) {
			return func(int) bool { return false }
		}
		column, text = h.Axes[by.Axis], h.Tables.String
	}
	want, known := text(id), map[uint32]bool{}
	return func(r int) bool {
		if r >= len(column) {
			return false
		}
		yes, ok := known[column[r]]
		if !ok {
			yes = text(column[r]) == want
			known[column[r]] = yes
		}
		return yes
	}
}
