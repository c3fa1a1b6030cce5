package widget

import (
	"slices"

	"github.com/gdamore/tcell/v2"
)

// TreeSource is what a [Tree] shows. All methods are called on the event loop.
type TreeSource interface {
	Children(id uint64) []uint64 // in display order; called only when id is opened; owned by the source
	Leaf(id uint64) bool         // no children: shown without a marker
	Cell(id uint64, col int) Cell
}

const (
	maxOpenAll   = 20_000 // rows that one OpenAll adds at most
	maxHotLevels = 100_000
)

type treeRow struct {
	id    uint64
	depth uint32
	open  bool
}

// Tree is a lazy tree over a flat list of its visible rows: neither depth nor the number of nodes matters, only what
// was opened takes memory. It scrolls, selects and draws like the [List] inside, whose Table is the tree itself.
type Tree struct {
	List
	Source     TreeSource
	TreeColumn int // the column that shows the structure

	open   []treeRow       // visible rows in preorder
	was    map[uint64]bool // nodes that were open when the source last had them
	glyphs *Glyphs         // of the frame being drawn
}

// NewTree returns a tree with those columns and no roots.
func NewTree(src TreeSource, cols []Column) *Tree {
	t := &Tree{Source: src}
	t.Columns, t.SortColumn, t.Column = cols, -1, -1
	t.Table = treeTable{t}
	return t
}

// SetRoots shows roots, all closed, and selects the first.
func (t *Tree) SetRoots(roots []uint64) {
	t.open, t.was = t.open[:0], nil
	for _, id := range roots {
		t.open = append(t.open, treeRow{id: id})
	}
	t.selected, t.offset, t.moved = 0, 0, false
	t.List.Refresh()
}

// Reload asks the source again: nodes that were open stay open, even when they were gone in between, and the selected
// node stays selected where it still exists. It must follow every change of the source. It replaces [List.Refresh],
// which only looks at the rows there are.
func (t *Tree) Reload(roots []uint64) {
	if t.was == nil {
		t.was = make(map[uint64]bool)
	}
	for _, r := range t.open {
		if r.open {
			t.was[r.id] = true
		} else {
			delete(t.was, r.id)
		}
	}
	limit := len(t.open) + maxOpenAll
	t.open = t.preorder(t.open[:0:0], roots, 0, limit, func(id uint64) bool { return t.was[id] })
	t.List.Refresh()
}

// SelectedID returns the selected node; ok is false in an empty tree.
func (t *Tree) SelectedID() (id uint64, ok bool) {
	row, ok := t.Selected()
	if !ok {
		return 0, false
	}
	return t.open[row].id, true
}

// Depth returns the number of ancestors of a visible row.
func (t *Tree) Depth(row int) int { return int(t.open[row].depth) }

// IsOpen reports whether the children of a visible row are shown.
func (t *Tree) IsOpen(row int) bool { return t.open[row].open }

// Toggle opens or closes the selected node.
func (t *Tree) Toggle() {
	if row, ok := t.Selected(); ok && t.open[row].open {
		t.closeRow(row)
	} else if ok {
		t.openRow(row)
	}
}

// Open opens the selected node; on one that is open it moves to the first child.
func (t *Tree) Open() {
	row, ok := t.Selected()
	switch {
	case !ok:
	case !t.open[row].open:
		t.openRow(row)
	case row+1 < len(t.open) && t.open[row+1].depth > t.open[row].depth:
		t.Select(row + 1)
	}
}

// Close closes the selected node; on one that is closed it moves to the parent.
func (t *Tree) Close() {
	row, ok := t.Selected()
	if ok && t.open[row].open {
		t.closeRow(row)
	} else if ok {
		t.Select(t.parent(row))
	}
}

// OpenAll opens everything below the selected node, breadth limited to some thousands of rows. whole is false when
// there was more.
func (t *Tree) OpenAll() (whole bool) {
	row, ok := t.Selected()
	if !ok {
		return true
	}
	t.closeRow(row)
	r := t.open[row]
	below := t.preorder(nil, t.Source.Children(r.id), r.depth+1, maxOpenAll, func(uint64) bool { return true })
	t.open[row].open = len(below) > 0
	t.open = slices.Insert(t.open, row+1, below...)
	t.Select(row)
	return len(below) < maxOpenAll
}

// OpenPath opens the path of first children below the selected node and selects its end. keep, asked for a parent and
// its first child, reports whether to go on; nil means down to a leaf.
func (t *Tree) OpenPath(keep func(parent, child uint64) bool) {
	row, ok := t.Selected()
	if !ok {
		return
	}
	start := row
	t.closeRow(row)
	var path, rest []treeRow // rest: siblings after the path, deepest last
	at := t.open[row]
	for range maxHotLevels {
		kids := t.Source.Children(at.id)
		if len(kids) == 0 || keep != nil && !keep(at.id, kids[0]) {
			break
		}
		t.setOpen(path, start)
		for _, id := range slices.Backward(kids[1:]) {
			rest = append(rest, treeRow{id: id, depth: at.depth + 1})
		}
		at = treeRow{id: kids[0], depth: at.depth + 1}
		path = append(path, at)
	}
	slices.Reverse(rest)
	t.open = slices.Insert(t.open, start+1, append(path, rest...)...)
	t.Select(start + len(path))
}

// Fill opens nodes, the heaviest first, as long as all rows fit into a height. Nodes that weigh less than least stay
// closed. The selection does not move.
func (t *Tree) Fill(rows int, least uint64, weight func(id uint64) uint64) {
	selected, ok := t.SelectedID()
	tried := map[uint64]bool{}
	for {
		best := -1
		for row, r := range t.open {
			if !r.open && !tried[r.id] && weight(r.id) >= least && (best < 0 || weight(r.id) > weight(t.open[best].id)) {
				best = row
			}
		}
		if best < 0 {
			break
		}
		id := t.open[best].id
		if tried[id] = true; len(t.open)+len(t.Source.Children(id)) <= rows {
			t.openRow(best)
		}
	}
	if ok {
		t.SelectID(selected)
	}
}

// setOpen marks the last row of path, or the row it starts from, as open.
func (t *Tree) setOpen(path []treeRow, start int) {
	if len(path) > 0 {
		path[len(path)-1].open = true
		return
	}
	t.open[start].open = true
}

// Reveal opens the path of ids, which begins with a root, and selects its last; ok is false when there is no such path.
func (t *Tree) Reveal(path []uint64) (ok bool) {
	row, depth := 0, uint32(0)
	for i, id := range path {
		for row < len(t.open) && t.open[row].depth >= depth && t.open[row].id != id {
			row = t.after(row)
		}
		if row >= len(t.open) || t.open[row].depth != depth {
			return false
		}
		if i == len(path)-1 {
			break
		}
		t.openRow(row)
		row, depth = row+1, depth+1
	}
	t.Select(row)
	return len(path) > 0
}

// preorder appends ids and, where opened says so, what is below them, until rows has limit rows.
func (t *Tree) preorder(rows []treeRow, ids []uint64, depth uint32, limit int, opened func(uint64) bool) []treeRow {
	type level struct {
		ids   []uint64
		depth uint32
	}
	stack := []level{{ids, depth}}
	for len(stack) > 0 && len(rows) < limit {
		top := &stack[len(stack)-1]
		if len(top.ids) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		r := treeRow{id: top.ids[0], depth: top.depth}
		top.ids = top.ids[1:]
		if !t.Source.Leaf(r.id) && opened(r.id) {
			r.open = true
			stack = append(stack, level{t.Source.Children(r.id), r.depth + 1})
		}
		rows = append(rows, r)
	}
	return rows
}

func (t *Tree) openRow(row int) {
	r := &t.open[row]
	if r.open || t.Source.Leaf(r.id) {
		return
	}
	ids := t.Source.Children(r.id)
	if len(ids) == 0 {
		return
	}
	r.open = true
	below := make([]treeRow, len(ids))
	for i, id := range ids {
		below[i] = treeRow{id: id, depth: r.depth + 1}
	}
	t.open = slices.Insert(t.open, row+1, below...)
	t.Select(row)
}

func (t *Tree) closeRow(row int) {
	if !t.open[row].open {
		return
	}
	t.open[row].open = false
	t.open = slices.Delete(t.open, row+1, t.after(row))
	t.Select(row)
}

// after returns the first row after row and all that is below it.
func (t *Tree) after(row int) int {
	depth := t.open[row].depth
	for row++; row < len(t.open) && t.open[row].depth > depth; row++ {
	}
	return row
}

// parent returns the row of the parent, or row itself for a root.
func (t *Tree) parent(row int) int {
	for i := row - 1; i >= 0; i-- {
		if t.open[i].depth < t.open[row].depth {
			return i
		}
	}
	return row
}

// HitMarker reports whether (x, y) is on the marker of a row in the last frame: a click there toggles it.
func (t *Tree) HitMarker(x, y int) (row int, ok bool) {
	row, ok = t.HitRow(x, y)
	if !ok || t.Source.Leaf(t.open[row].id) {
		return row, false
	}
	if t.TreeColumn >= len(t.widths) {
		return row, false
	}
	at := t.header.X
	for _, w := range t.widths[:t.TreeColumn] {
		if w > 0 {
			at += w + columnGap
		}
	}
	n, _ := branchIndent(int(t.open[row].depth), t.widths[t.TreeColumn])
	return row, x == at+n
}

// Draw shows the visible part of the tree in r.
func (t *Tree) Draw(s tcell.Screen, r Rect, k *Look) {
	t.glyphs = &k.Glyphs
	t.List.Draw(s, r, k)
}

// treeTable shows a tree's visible rows as a table.
type treeTable struct{ t *Tree }

func (v treeTable) Len() int          { return len(v.t.open) }
func (v treeTable) ID(row int) uint64 { return v.t.open[row].id }

func (v treeTable) Cell(row, col int) Cell {
	r := v.t.open[row]
	c := v.t.Source.Cell(r.id, col)
	if col != v.t.TreeColumn {
		return c
	}
	c.marker, c.depth = " ", int(r.depth)
	if v.t.glyphs != nil && !v.t.Source.Leaf(r.id) {
		c.marker = v.t.glyphs.Closed
		if r.open {
			c.marker = v.t.glyphs.Open
		}
	}
	return c
}
