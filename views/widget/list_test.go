package widget

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gdamore/tcell/v2"
)

// numbers is a table of n rows whose ids are their numbers, or those of order.
type numbers struct {
	n     int
	order []uint64
	asked *int
}

func (t numbers) Len() int { return t.n }
func (t numbers) ID(row int) uint64 {
	if t.order != nil {
		return t.order[row]
	}
	return uint64(row)
}
func (t numbers) Cell(row, col int) Cell {
	if t.asked != nil {
		*t.asked++
	}
	return Cell{Text: "row"}
}

type leak struct {
	site, where, bytes, shape string
	share                     float64
	trend                     []uint64
}

type leaks []leak

func (t leaks) Len() int          { return len(t) }
func (t leaks) ID(row int) uint64 { return uint64(row) }
func (t leaks) Cell(row, col int) Cell {
	l := &t[row]
	switch col {
	case 0:
		return Cell{Text: l.bytes}
	case 1:
		return Cell{Kind: BarCell, Bar: l.share}
	case 2:
		return Cell{Text: l.shape}
	case 3:
		return Cell{Kind: SparkCell, Spark: l.trend}
	case 4:
		return Cell{Text: l.site}
	}
	return Cell{Text: l.where, Style: tcell.StyleDefault.Dim(true)}
}

func leakList() *List {
	return &List{
		Table: leaks{
			{"main", "/home/me/src/kvleak.cpp:23", "390.6 KiB", "once", 0.91, []uint64{1, 8, 8, 8}},
			{"close_session(Session*, bool)", "/home/me/src/kvleak.cpp:17", "32.5 KiB", "linear +442 KiB/s", 0.076, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
			{"std::vector<…>::push_back(std::pair<…>&&)", "/usr/include/c++/12/bits/stl_vector.h:1288", "4.0 KiB", "once", 0.009, []uint64{0, 0, 0, 1}},
			{"evil\x1b[31m\nname\u202e", "日本語.c:1", "960 B", "steps (3)", 0, nil},
		},
		Columns: []Column{
			{Title: "BYTES", Width: 9, Align: Right},
			{Title: "SHARE", Width: 6, Drop: 3},
			{Title: "SHAPE", Width: 17, Drop: 1},
			{Title: "TREND", Width: 10, Drop: 2},
			{Title: "SITE", Width: 12, Grow: 2},
			{Title: "WHERE", Width: 12, Grow: 1, MaxWidth: 30, Cut: CutFolder, Drop: 4},
		},
		Descending: true, Column: 2, Focused: true, Highlight: "session",
	}
}

func TestListGolden(t *testing.T) {
	for _, w := range []int{120, 80, 40, 20} {
		for _, ascii := range []bool{false, true} {
			name, k := fmt.Sprintf("list-%d", w), testLook()
			if ascii {
				name, k = name+"-ascii", asciiLook()
			}
			s := newScreen(t, w, 6)
			l := leakList()
			l.Select(1)
			l.Draw(s, Rect{0, 0, w, 6}, k)
			golden(t, name, s)
		}
	}
}

func TestListScrollBarAndEmpty(t *testing.T) {
	s, k := newScreen(t, 30, 8), testLook()
	l := &List{Table: numbers{n: 100}, Columns: []Column{{Title: "N", Width: 5, Grow: 1}}, SortColumn: -1, Column: -1}
	l.Select(60)
	l.Draw(s, Rect{0, 0, 30, 8}, k)
	golden(t, "list-scroll", s)
	s.Clear()
	l.Table, l.Empty = numbers{}, []string{"Nothing lives here.", "Esc clears the filter."}
	l.Draw(s, Rect{0, 0, 30, 8}, k)
	golden(t, "list-empty", s)
}

// TestListStaysInRange does random things and checks that offset and selection are valid and the selection visible.
func TestListStaysInRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	s, k := newScreen(t, 40, 30), testLook()
	l := &List{Columns: []Column{{Title: "N", Width: 5}}}
	for step := range 20_000 {
		scrolled := false
		switch rng.IntN(9) {
		case 0:
			l.Table = numbers{n: rng.IntN(60)}
			l.Refresh()
		case 1:
			l.Move(rng.IntN(40) - 20)
		case 2:
			l.Page(rng.IntN(5) - 2)
		case 3:
			l.Home()
		case 4:
			l.End()
		case 5:
			l.Scroll(rng.IntN(20) - 10)
			scrolled = true
		case 6:
			l.Select(rng.IntN(200) - 100)
		case 7:
			l.SelectID(uint64(rng.IntN(100)))
		case 8:
			l.NextColumn(rng.IntN(3) - 1)
		}
		h := rng.IntN(30)
		l.Draw(s, Rect{0, 0, 40, h}, k)
		n := l.Len()
		row, ok := l.Selected()
		if ok != (n > 0) || row < 0 || n > 0 && row >= n {
			t.Fatalf("step %d: selected %d of %d", step, row, n)
		}
		if o := l.Offset(); o < 0 || n > 0 && o >= n || n >= l.Height() && o+l.Height() > n {
			t.Fatalf("step %d: offset %d of %d, height %d", step, o, n, l.Height())
		}
		if o := l.Offset(); l.follow && !scrolled && n > 0 && l.Height() > 0 && (row < o || row >= o+l.Height()) {
			t.Fatalf("step %d: selected %d not in view from %d, height %d", step, row, o, l.Height())
		}
	}
}

func TestListKeepsSelection(t *testing.T) {
	s, k := newScreen(t, 40, 10), testLook()
	order := make([]uint64, 1000)
	for i := range order {
		order[i] = uint64(i)
	}
	l := &List{Table: numbers{1000, order, nil}, Columns: []Column{{Width: 5}}, HideHeader: true}
	r := Rect{0, 0, 40, 10}
	l.Draw(s, r, k)
	slices.Reverse(order)
	l.Refresh()
	if row, _ := l.Selected(); row != 0 {
		t.Errorf("a selection nobody chose moved to %d", row)
	}
	slices.Reverse(order)
	l.Select(500)
	l.Draw(s, r, k)
	above := 500 - l.Offset()
	slices.Reverse(order)
	l.Refresh()
	l.Draw(s, r, k)
	if row, _ := l.Selected(); row != 499 || row-l.Offset() != above {
		t.Errorf("selected %d, %d below the top; want 499, %d", row, row-l.Offset(), above)
	}
	l.Table = numbers{n: 3}
	l.Refresh()
	if row, _ := l.Selected(); row != 2 {
		t.Errorf("selected %d of 3", row)
	}
}

func TestListHits(t *testing.T) {
	s, k := newScreen(t, 80, 6), testLook()
	l := leakList()
	l.Draw(s, Rect{0, 0, 80, 6}, k)
	if row, ok := l.HitRow(10, 3); !ok || row != 2 {
		t.Errorf("row %d %v", row, ok)
	}
	if _, ok := l.HitRow(10, 5); ok {
		t.Error("hit a row behind the last")
	}
	if col, ok := l.HitHeader(4, 0); !ok || col != 0 {
		t.Errorf("column %d %v", col, ok)
	}
}

func TestListColumnCursor(t *testing.T) {
	l := leakList()
	l.Column, l.SortColumn = -1, 2
	for _, want := range []int{2, 3, 4, 5, 5} {
		if l.NextColumn(1); l.Column != want {
			t.Errorf("column %d, want %d", l.Column, want)
		}
	}
	s, k := newScreen(t, 60, 6), testLook()
	l.Draw(s, Rect{0, 0, 60, 6}, k)
	if l.widths[5] == 0 {
		t.Error("the column under the cursor is not shown")
	}
	l.HideHeader = true
	l.Draw(s, Rect{0, 0, 60, 6}, k)
	if _, ok := l.HitHeader(4, 0); ok {
		t.Error("hit a header that is not there")
	}
}

// TestColumnsFit lays out random columns and checks that they fit and that nothing is given away.
func TestColumnsFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 20_000 {
		cols := make([]Column, 1+rng.IntN(8))
		for i := range cols {
			cols[i] = Column{Width: rng.IntN(20), Grow: rng.IntN(3), Drop: rng.IntN(4)}
		}
		w, keep := rng.IntN(150), rng.IntN(9)-1
		widths := layoutColumns(cols, w, keep, nil)
		sum, shown, growing := -columnGap, 0, false
		for i, cw := range widths {
			if cw > 0 {
				sum += cw + columnGap
				shown++
				growing = growing || cols[i].Grow > 0
			}
			if cw == 0 && (cols[i].Drop == 0 || i == keep) {
				t.Fatalf("column %d of %+v dropped at %d", i, cols, w)
			}
		}
		if sum > w && sum > shown*(1+columnGap)-columnGap {
			t.Fatalf("%v do not fit %d", widths, w)
		}
		if growing && sum < w {
			t.Fatalf("%v of %+v leave %d of %d", widths, cols, w-sum, w)
		}
	}
}

func BenchmarkList10M(b *testing.B) {
	s, k := newScreen(b, 200, 50), testLook()
	l := &List{Table: numbers{n: 10_000_000}, Focused: true}
	for range 8 {
		l.Columns = append(l.Columns, Column{Title: "COLUMN", Width: 10, Grow: 1})
	}
	b.ReportAllocs()
	for b.Loop() {
		l.Move(7919)
		l.Draw(s, Rect{0, 0, 200, 50}, k)
	}
}

func TestHomeFollowsNoRow(t *testing.T) {
	order := []uint64{10, 20, 30, 40}
	l := &List{Table: numbers{4, order, nil}}
	l.Select(2)
	l.Home()
	slices.Reverse(order)
	l.Refresh()
	if row, _ := l.Selected(); row != 0 || l.Offset() != 0 {
		t.Errorf("the selection went to row %d, the view to %d", row, l.Offset())
	}
}

// A list that shows its first row goes on showing it when another order moves the selected row, as long as there is
// room for both.
func TestListKeepsItsTop(t *testing.T) {
	rows := numbers{n: 20, order: make([]uint64, 20)}
	for i := range rows.order {
		rows.order[i] = uint64(i)
	}
	l := List{Table: rows, Columns: []Column{{Width: 5}}, SortColumn: -1, Column: -1, HideHeader: true, height: 8}
	l.Select(1)
	rows.order[1], rows.order[6] = 6, 1
	if l.Refresh(); l.selected != 6 || l.Offset() != 0 {
		t.Errorf("row %d, from %d", l.selected, l.Offset())
	}
	rows.order[6], rows.order[15] = 15, 1
	if l.Refresh(); l.selected != 15 || l.Offset() > 15 || l.Offset()+8 <= 15 {
		t.Errorf("row %d is out of view, from %d", l.selected, l.Offset())
	}
}
