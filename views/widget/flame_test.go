package widget

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// forest is a flame graph's tree in three slices; node 0 is the root.
type forest struct {
	parent []int
	kids   [][]uint64
	value  []uint64
	name   []string
}

func (f *forest) add(parent int, name string, value uint64) int {
	id := len(f.parent)
	f.parent, f.kids = append(f.parent, parent), append(f.kids, nil)
	f.value, f.name = append(f.value, value), append(f.name, name)
	if parent >= 0 {
		f.kids[parent] = append(f.kids[parent], uint64(id))
	}
	return id
}
func (f *forest) Root() uint64 { return 0 }
func (f *forest) Parent(id uint64) (uint64, bool) {
	return uint64(max(0, f.parent[id])), f.parent[id] >= 0
}
func (f *forest) Children(id uint64) []uint64 { return f.kids[id] }
func (f *forest) Value(id uint64) uint64      { return f.value[id] }
func (f *forest) Label(id uint64) string      { return f.name[id] }
func (f *forest) Note(id uint64) string       { return shortBytes(f.value[id]) }

func demoForest() *forest {
	f := &forest{}
	all := f.add(-1, "all", 1160)
	main := f.add(all, "main", 1030)
	load := f.add(main, "load_snapshot", 1000)
	read := f.add(load, "read_file", 620)
	f.add(read, "operator new(unsigned long)", 620)
	parse := f.add(load, "parse_table", 370)
	vec := f.add(parse, "std::vector::reserve", 300)
	f.add(vec, "operator new(unsigned long)", 300)
	f.add(parse, "push", 60)
	start := f.add(all, "_start", 80)
	f.add(start, "__libc_start_main", 60)
	for i := range 9 {
		f.add(start, fmt.Sprint("tiny", i), 2)
	}
	worker := f.add(all, "worker_reader", 50)
	f.add(worker, "close\x1b[31m\nsession", 50)
	return f
}

func TestFlameGolden(t *testing.T) {
	f := &Flame{Focused: true}
	f.Reset(demoForest())
	r := Rect{0, 0, 80, 8}
	s := newScreen(t, 80, 8)
	draw := func(name string, k *Look) {
		t.Helper()
		s.Clear()
		f.Draw(s, r, k)
		golden(t, name, s)
	}
	draw("flame", testLook())
	draw("flame-ascii", asciiLook())
	f.Down()
	f.Down()
	f.Down()
	f.Side(1)
	f.ZoomIn()
	f.Match = func(id uint64) bool { return id == 8 }
	draw("flame-zoomed", testLook())
	if id, _ := f.Selected(); id != 5 {
		t.Errorf("selected %d", id)
	}
}

// TestFlameCells lays out random trees and checks that frames are disjoint, inside of their parents, in order, and as
// wide as their share to within a cell.
func TestFlameCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 2000 {
		f := randomForest(rng)
		var l flameLayout
		w := 1 + rng.IntN(200)
		l.start(f, uint64(rng.IntN(len(f.parent))), w)
		l.extend(f, 50)
		for level := range l.starts {
			x := int32(0)
			for _, c := range l.level(level) {
				if c.x < x || c.w < 1 || int(c.x+c.w) > w {
					t.Fatalf("level %d: cell %+v after %d of %d", level, c, x, w)
				}
				x = c.x + c.w
				if level == 0 {
					continue
				}
				p := l.level(level - 1)[c.parent]
				if c.x < p.x || c.x+c.w > p.x+p.w || p.more > 0 {
					t.Fatalf("level %d: %+v is not in its parent %+v", level, c, p)
				}
				if level > l.first && c.more == 0 && f.value[p.id] > 0 {
					share := float64(f.value[c.id]) / float64(f.value[p.id]) * float64(p.w)
					if math.Abs(share-float64(c.w)) > 1.001 {
						t.Fatalf("level %d: %+v has a share of %f cells", level, c, share)
					}
				}
			}
		}
	}
}

// randomForest is a tree of up to 300 nodes, children heaviest first, values up to 2^64-1.
func randomForest(rng *rand.Rand) *forest {
	f := &forest{}
	top := uint64(1) << rng.IntN(64)
	if rng.IntN(5) == 0 {
		top = math.MaxUint64
	}
	f.add(-1, "root", top)
	for i := 0; i < len(f.parent) && len(f.parent) < 300; i++ {
		left, last := f.value[i], uint64(math.MaxUint64)
		for range rng.IntN(12) {
			v := min(last, left, uint64(rng.Float64()*float64(left)))
			f.add(i, fmt.Sprint("n", len(f.parent)), v)
			left, last = left-v, v
		}
	}
	return f
}

// TestFlameWalk moves around at random and checks that the selection is always drawn.
func TestFlameWalk(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	s, k := newScreen(t, 60, 9), testLook()
	for range 40 {
		src := randomForest(rng)
		f := &Flame{Focused: true}
		f.Reset(src)
		f.Draw(s, Rect{0, 0, 60, 9}, k)
		for step := range 300 {
			scrolled := false
			switch rng.IntN(10) {
			case 0, 1, 2:
				f.Down()
			case 3:
				f.Up()
			case 4:
				f.Side(1)
			case 5:
				f.Side(-1)
			case 6:
				f.ZoomIn()
			case 7:
				f.ZoomOut()
			case 8:
				f.Select(uint64(rng.IntN(len(src.parent))))
			case 9:
				f.Scroll(rng.IntN(9) - 4)
				scrolled = true
			}
			h := 1 + rng.IntN(9)
			s.Clear()
			f.Draw(s, Rect{0, 0, 60, h}, k)
			id, _ := f.Selected()
			found := scrolled
			for y := range h {
				for x := range 60 {
					at, ok := f.Hit(x, y)
					found = found || ok && at == id
				}
			}
			if !found && f.src.Value(0) > 0 && !visibleBefore(f, id) {
				t.Fatalf("step %d: %d is not drawn in %d rows (zoom %d, offset %d)", step, id, h, f.zoom, f.offset)
			}
		}
	}
}

// visibleBefore reports whether the selection is laid out but scrolled away, which a change of height may do.
func visibleBefore(f *Flame, id uint64) bool {
	level, _ := f.locate(id)
	return level >= 0 && (level < f.offset || level >= f.offset+f.area.H)
}

func TestFlameDeep(t *testing.T) {
	src := &forest{}
	const depth = 50_000
	at := src.add(-1, "f0", 1000)
	for i := 1; i < depth; i++ {
		at = src.add(at, "f", 1000)
	}
	s, k := newScreen(t, 40, 10), testLook()
	f := &Flame{}
	f.Reset(src)
	f.Draw(s, Rect{0, 0, 40, 10}, k)
	f.Select(depth - 1)
	f.Draw(s, Rect{0, 0, 40, 10}, k)
	if id, ok := f.Hit(5, 9); !ok || id != depth-1 {
		t.Errorf("deepest frame is %d %v", id, ok)
	}
	if !f.ZoomIn() {
		t.Error("cannot zoom")
	}
	f.Draw(s, Rect{0, 0, 40, 10}, k)
	for range 10 {
		f.Up()
	}
	f.Draw(s, Rect{0, 0, 40, 10}, k)
	if id, _ := f.Selected(); id != depth-11 || f.Zoom() != id {
		t.Errorf("selected %d, zoom %d", id, f.Zoom())
	}
	f.Page(-1)
	f.Page(1)
}

func TestFlameReload(t *testing.T) {
	src := demoForest()
	s, k := newScreen(t, 80, 8), testLook()
	f := &Flame{Empty: []string{"Nothing lives here."}}
	f.Draw(s, Rect{0, 0, 80, 8}, k)
	f.Reset(src)
	f.Draw(s, Rect{0, 0, 80, 8}, k)
	f.Select(5)
	f.ZoomIn()
	f.Reload(src, func(id uint64) bool { return true })
	f.Draw(s, Rect{0, 0, 80, 8}, k)
	if id, _ := f.Selected(); id != 5 || f.Zoom() != 5 {
		t.Errorf("selected %d, zoom %d", id, f.Zoom())
	}
	if !f.ZoomOut() || f.Zoom() != 2 || !f.ZoomReset() || f.ZoomReset() || f.ZoomOut() {
		t.Errorf("zoom %d", f.Zoom())
	}
	f.Reload(src, func(id uint64) bool { return id == 0 })
	f.Draw(s, Rect{0, 0, 80, 8}, k)
	if id, _ := f.Selected(); id != 0 || f.Zoom() != 0 {
		t.Errorf("selected %d, zoom %d", id, f.Zoom())
	}
	s.Clear()
	f.Reset(&forest{parent: []int{-1}, kids: [][]uint64{nil}, value: []uint64{0}, name: []string{"all"}})
	f.Draw(s, Rect{0, 0, 80, 8}, k)
	if got := rows(s)[0]; got != " Nothing lives here." {
		t.Errorf("%q", got)
	}
}

func BenchmarkFlame200x50(b *testing.B) {
	src := &forest{}
	rng := rand.New(rand.NewPCG(17, 18))
	src.add(-1, "root", 1<<40)
	for i := 0; i < len(src.parent) && len(src.parent) < 90_000; i++ {
		left, last := src.value[i], uint64(math.MaxUint64)
		for range 1 + rng.IntN(4) {
			v := min(last, left, uint64(rng.Float64()*float64(left)))
			src.add(i, fmt.Sprint("function", len(src.parent)%97), v)
			left, last = left-v, v
		}
	}
	s, k := newScreen(b, 200, 50), testLook()
	f := &Flame{}
	b.ReportAllocs()
	for b.Loop() {
		f.Reset(src)
		f.Draw(s, Rect{0, 0, 200, 50}, k)
	}
}

// Going back undoes zooming step by step, however deep each step went.
func TestFlameZoomBack(t *testing.T) {
	f := &Flame{}
	f.Reset(demoForest())
	f.Draw(newScreen(t, 80, 8), Rect{0, 0, 80, 8}, testLook())
	f.Select(2)
	f.ZoomIn()
	f.Select(5)
	f.ZoomIn()
	for _, want := range []uint64{2, 0} {
		if !f.ZoomBack() || f.Zoom() != want {
			t.Errorf("back to %d, want %d", f.Zoom(), want)
		}
	}
	if f.ZoomBack() {
		t.Error("back from the root")
	}
}
