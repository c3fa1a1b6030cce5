package widget

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// fan is a tree in which node i has fan children up to a depth; ids are paths in base 16 with a leading 1.
type fan struct{ width, depth int }

func (f fan) level(id uint64) (d int) {
	for ; id > 1; id >>= 4 {
		d++
	}
	return d
}
func (f fan) Leaf(id uint64) bool { return f.level(id) >= f.depth }
func (f fan) Children(id uint64) []uint64 {
	if f.Leaf(id) {
		return nil
	}
	ids := make([]uint64, f.width)
	for i := range ids {
		ids[i] = id<<4 | uint64(i)
	}
	return ids
}
func (f fan) Cell(id uint64, col int) Cell {
	if col == 0 {
		return Cell{Text: fmt.Sprint(id & 15)}
	}
	return Cell{Text: fmt.Sprintf("node %x", id)}
}

// chain is one path of that many nodes.
type chain uint64

func (c chain) Leaf(id uint64) bool { return id >= uint64(c) }
func (c chain) Children(id uint64) []uint64 {
	if c.Leaf(id) {
		return nil
	}
	return []uint64{id + 1}
}
func (c chain) Cell(id uint64, col int) Cell { return Cell{Text: "f"} }

func fanTree(f fan) *Tree {
	t := NewTree(f, []Column{{Title: "N", Width: 4, Align: Right}, {Title: "NODE", Width: 10, Grow: 1}})
	t.TreeColumn, t.Focused = 1, true
	t.SetRoots([]uint64{1})
	return t
}

func TestTreeGolden(t *testing.T) {
	tr := fanTree(fan{3, 4})
	tr.Open()
	tr.Move(2)
	tr.OpenPath(nil)
	s := newScreen(t, 40, 14)
	tr.Draw(s, Rect{0, 0, 40, 14}, testLook())
	golden(t, "tree", s)
	s.Clear()
	tr.Draw(s, Rect{0, 0, 40, 14}, asciiLook())
	golden(t, "tree-ascii", s)
}

// invariant checks that the visible rows are a preorder of what is open.
func invariant(t *testing.T, tr *Tree) {
	t.Helper()
	for i, r := range tr.open {
		deeper := i+1 < len(tr.open) && tr.open[i+1].depth > r.depth
		if r.open != deeper {
			t.Fatalf("row %d of %d: open %v, but deeper rows below: %v", i, len(tr.open), r.open, deeper)
		}
		if deeper && (tr.open[i+1].depth != r.depth+1 || tr.open[i+1].id>>4 != r.id) {
			t.Fatalf("row %d: %x is not the parent of %x", i, r.id, tr.open[i+1].id)
		}
	}
	row, ok := tr.Selected()
	if !ok || row >= len(tr.open) {
		t.Fatalf("selected %d of %d", row, len(tr.open))
	}
}

func TestTreeRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	tr := fanTree(fan{4, 6})
	s, k := newScreen(t, 40, 14), testLook()
	for range 3000 {
		switch rng.IntN(9) {
		case 0:
			tr.Open()
		case 1:
			tr.Close()
		case 2:
			tr.Toggle()
		case 3:
			tr.Move(rng.IntN(9) - 4)
		case 4:
			tr.OpenPath(func(_, child uint64) bool { return rng.IntN(4) > 0 })
		case 5:
			if rng.IntN(10) == 0 {
				tr.OpenAll()
			}
		case 6:
			id, _ := tr.SelectedID()
			tr.Reload([]uint64{1})
			if now, _ := tr.SelectedID(); now != id {
				t.Fatalf("reload moved the selection from %x to %x", id, now)
			}
		case 7:
			path := []uint64{1}
			for range rng.IntN(6) {
				path = append(path, path[len(path)-1]<<4|uint64(rng.IntN(4)))
			}
			if id := path[len(path)-1]; !tr.Reveal(path) {
				t.Fatalf("%x not found", id)
			} else if now, _ := tr.SelectedID(); now != id {
				t.Fatalf("reveal selected %x, not %x", now, id)
			}
		case 8:
			tr.Home()
		}
		invariant(t, tr)
		tr.Draw(s, Rect{0, 0, 40, 14}, k)
	}
}

func TestTreeDeep(t *testing.T) {
	const depth = 50_000
	tr := NewTree(chain(depth), []Column{{Title: "F", Width: 10, Grow: 1}})
	tr.SetRoots([]uint64{1})
	tr.OpenPath(nil)
	if id, _ := tr.SelectedID(); id != depth {
		t.Fatalf("hot path ends at %d", id)
	}
	s := newScreen(t, 40, 5)
	tr.Draw(s, Rect{0, 0, 40, 5}, testLook())
	golden(t, "tree-deep", s)
	tr.Home()
	tr.Close()
	if tr.Len() != 1 {
		t.Errorf("%d rows", tr.Len())
	}
}

func TestTreeLimits(t *testing.T) {
	tr := fanTree(fan{15, 12})
	if tr.OpenAll() {
		t.Error("opened all of an endless tree")
	}
	if tr.Len() > maxOpenAll+1 {
		t.Errorf("%d rows", tr.Len())
	}
	empty := NewTree(fan{1, 1}, []Column{{Width: 3}})
	empty.Toggle()
	empty.Open()
	empty.Close()
	empty.OpenPath(nil)
	if _, ok := empty.SelectedID(); ok || !empty.OpenAll() || empty.Reveal([]uint64{1}) {
		t.Error("found something in an empty tree")
	}
}

func TestTreeMarkerHit(t *testing.T) {
	tr := fanTree(fan{3, 4})
	tr.Open()
	s := newScreen(t, 40, 14)
	tr.Draw(s, Rect{0, 0, 40, 14}, testLook())
	line := []rune(rows(s)[2])
	for x := range line {
		_, ok := tr.HitMarker(x, 2)
		if ok != (string(line[x]) == UnicodeGlyphs().Closed) || ok && x < 5 {
			t.Errorf("x %d in %q: %v", x, string(line), ok)
		}
	}
}

func BenchmarkTreeMillionRows(b *testing.B) {
	s, k := newScreen(b, 200, 50), testLook()
	tr := NewTree(fan{15, 3}, []Column{{Title: "F", Width: 10, Grow: 1}})
	roots := make([]uint64, 1_000_000)
	for i := range roots {
		roots[i] = 1
	}
	tr.SetRoots(roots)
	b.ReportAllocs()
	for b.Loop() {
		tr.Toggle()
		tr.Move(997)
		tr.Draw(s, Rect{0, 0, 200, 50}, k)
	}
}

// TestTreeFillsFreeRows opens the heaviest nodes that fit, and never what is too light.
func TestTreeFillsFreeRows(t *testing.T) {
	heavy := map[uint64]uint64{1: 100, 0x10: 10, 0x11: 50, 0x12: 40, 0x110: 5, 0x111: 45, 0x112: 0}
	for _, tt := range []struct {
		rows int
		want []uint64 // open nodes
	}{
		{3, nil}, {4, []uint64{1}}, {9, []uint64{1, 0x11}}, {10, []uint64{1, 0x11, 0x111}}, {40, []uint64{1, 0x10, 0x11, 0x111, 0x12}},
	} {
		tr := fanTree(fan{3, 4})
		tr.Fill(tt.rows, 10, func(id uint64) uint64 { return heavy[id] })
		invariant(t, tr)
		var open []uint64
		for _, r := range tr.open {
			if r.open {
				open = append(open, r.id)
			}
		}
		if id, _ := tr.SelectedID(); !slices.Equal(open, tt.want) || len(tr.open) > tt.rows || id != 1 {
			t.Errorf("%d rows: %x are open in %d rows, want %x; %x is selected", tt.rows, open, len(tr.open), tt.want, id)
		}
	}
}
