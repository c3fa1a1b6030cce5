package dump

import (
	"encoding/binary"
	"testing"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// onePage is a type with one page of so many bytes and runs, in bits, the first occupied.
func onePage(size uint64, runs ...uint64) *model.PageType {
	var data []byte
	for _, n := range runs {
		data = binary.AppendUvarint(data, n)
	}
	return &model.PageType{Name: "Heap", Uniform: size, Runs: data, Start: []uint32{0, uint32(len(data))}}
}

// Parts say what counting bit by bit says.
func TestPartsAgainstBits(t *testing.T) {
	was, is := onePage(8*200, 10, 30, 60, 100), onePage(8*200, 0, 25, 90, 5, 80)
	bit := func(p *model.PageType, i uint64) bool {
		at, on := uint64(0), true
		for data := p.Runs; len(data) > 0; on = !on {
			n, used := binary.Uvarint(data)
			if at += n; i < at {
				return on
			}
			data = data[used:]
		}
		return true
	}
	for _, diff := range []bool{false, true} {
		g := gridPages{is: is}
		if diff {
			g.diff = &ui.TypeDiff{Was: was, Is: is, Changes: make([]ui.PageChange, 1)}
		}
		runs := newPageRuns(&g, 0)
		for parts := 1; parts <= 256; parts++ {
			for part := range parts {
				var want partFigures
				for i := partStart(200, part, parts); i < partStart(200, part+1, parts); i++ {
					want.all++
					switch b, a := bit(is, i), bit(was, i); {
					case !diff && b, diff && b && !a:
						want.occupied++
					case diff && a && !b:
						want.freed++
					}
				}
				if got := runs.part(200, part, parts); got != want {
					t.Fatalf("part %d of %d, difference %v: %+v, want %+v", part, parts, diff, got, want)
				}
			}
		}
	}
}

// Even a page of gigabytes can be looked at bit by bit, without memory for its parts.
func TestZoomToBitsOfHugePages(t *testing.T) {
	const half = 4 << 30 / 8 / 2
	g := pageGrid{Types: []gridPages{{is: onePage(4<<30, half, half), fills: make([]pages.Fill, 1)}}, Area: widget.Rect{W: 80, H: 20}}
	if !g.zoom(-64) || g.level != -29 {
		t.Fatalf("level %d", g.level)
	}
	for cell, want := range map[int]partFigures{0: {all: 1, occupied: 1}, g.count(0) / 2: {all: 1}, g.count(0)/2 - 1: {all: 1, occupied: 1}, g.count(0) - 1: {all: 1}} {
		if got := g.partAt(g.spot(0, cell)); got != want {
			t.Errorf("cell %d: %+v, want %+v", cell, got, want)
		}
	}
	if g.kept != 2 {
		t.Errorf("%d runs are kept", g.kept)
	}
}

// Where pages have no power of two of bits, there is still one cell for each bit, and none besides.
func TestOneCellForEachBit(t *testing.T) {
	g := pageGrid{Types: []gridPages{{is: onePage(6000, 750), fills: make([]pages.Fill, 1)}}, Area: widget.Rect{W: 80, H: 20}}
	for g.zoom(-1) {
		if g.count(0) > 750 {
			t.Fatalf("%d cells for 750 bits", g.count(0))
		}
		g.cursor.Part = g.parts(0) - 1
	}
	if g.count(0) != 750 || g.cursor.Part != 749 {
		t.Errorf("%d cells, the cursor on %d", g.count(0), g.cursor.Part)
	}
	if g.zoom(1); g.cursor.Part != 511 {
		t.Errorf("half as close the cursor is on %d of %d", g.cursor.Part, g.parts(0))
	}
}
