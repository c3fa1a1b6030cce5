package treemap

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// randomItems have weights of very different sizes.
func randomItems(r *rand.Rand, n int) []item {
	out := make([]item, n)
	for i := range out {
		out[i] = item{Step{Function, fmt.Sprintf("f%03d", i)}, r.Uint64() >> (r.UintN(20) + 1)}
	}
	return out
}

// covered counts how often each unit is covered; it fails where a rectangle is outside.
func covered(t *testing.T, rects []Rect, w, h int) []int {
	t.Helper()
	cells := make([]int, w*h)
	for _, r := range rects {
		if r.empty() {
			continue
		}
		if r.X < 0 || r.Y < 0 || r.X+r.W > w || r.Y+r.H > h {
			t.Fatalf("%v is outside of %d × %d", r, w, h)
		}
		for y := r.Y; y < r.Y+r.H; y++ {
			for x := r.X; x < r.X+r.W; x++ {
				cells[y*w+x]++
			}
		}
	}
	return cells
}

// TestRectanglesFillTheArea covers every unit once, whatever the weights are.
func TestRectanglesFillTheArea(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		w, h, tall := 1+r.IntN(120), 1+r.IntN(60), 1+r.IntN(2)
		items := randomItems(r, 1+r.IntN(60))
		for _, n := range covered(t, arrange(items, w, h, tall, nil).place(items), w, h) {
			if n != 1 {
				t.Fatalf("%d × %d: a unit is covered %d times", w, h, n)
			}
		}
	}
}

// TestRectanglesAreProportional compares with the same plan in an area a thousand times as wide and high, whose areas are
// the shares of the weights: every edge is where that has it, within a unit.
func TestRectanglesAreProportional(t *testing.T) {
	const fine = 1000
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		w, h := 10+r.IntN(100), 10+r.IntN(40)
		items := randomItems(r, 1+r.IntN(40))
		all := 0.0
		for _, it := range items {
			all += float64(it.weight)
		}
		p := squarify(items, w, h, 1)
		small := p.place(items)
		large := *p
		large.w, large.h = w*fine, h*fine
		for i, big := range large.place(items) {
			share := float64(big.W) * float64(big.H) / float64(w*fine) / float64(h*fine)
			if want := float64(items[i].weight) / all; share-want > 2e-4 || want-share > 2e-4 {
				t.Fatalf("%d of %d: %.6f of the area for %.6f of the weight", i, len(items), share, want)
			}
			got := small[i]
			if got.empty() {
				continue
			}
			for _, edge := range [][2]int{{got.X, big.X}, {got.Y, big.Y}, {got.X + got.W, big.X + big.W}, {got.Y + got.H, big.Y + big.H}} {
				if d := edge[0]*fine - edge[1]; d > fine || d < -fine {
					t.Fatalf("an edge of %v is at %d of %d", got, edge[0]*fine, edge[1])
				}
			}
		}
	}
}

// TestShapesAreLikeSquares looks at equal weights: no rectangle is much longer than wide.
func TestShapesAreLikeSquares(t *testing.T) {
	for n := 1; n < 80; n++ {
		var items []item
		for i := range n {
			items = append(items, item{Step{Function, fmt.Sprint(i)}, 1000})
		}
		p := squarify(items, 1000, 700, 1)
		for i, a := range p.areas(items) {
			if a.aspect(1) > 3*64 {
				t.Errorf("%d of %d equal ones: %d × %d", i, n, a.w/unit, a.h/unit)
			}
		}
	}
}

// TestSmallChangesMoveLittle changes one weight by a hundredth: no edge moves by more than that share of the area, and a
// unit of rounding.
func TestSmallChangesMoveLittle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		w, h := 20+r.IntN(180), 10+r.IntN(80)
		items := randomItems(r, 2+r.IntN(50))
		last := arrange(items, w, h, 1, nil)
		before := last.place(items)
		changed := append([]item(nil), items...)
		k := r.IntN(len(items))
		changed[k].weight -= changed[k].weight / 100
		if r.IntN(2) == 0 {
			changed[k].weight = items[k].weight + items[k].weight/100
		}
		after := arrange(changed, w, h, 1, last).place(changed)
		for i := range before {
			if before[i].empty() != after[i].empty() && before[i].W*before[i].H+after[i].W*after[i].H > 4+w/8+h/8 {
				t.Fatalf("%d of %d: %v became %v", i, len(items), before[i], after[i])
			}
			if before[i].empty() || after[i].empty() {
				continue
			}
			if d := max(abs(before[i].X-after[i].X), abs(before[i].Y-after[i].Y)); d > 2+max(w, h)/50 {
				t.Fatalf("%d of %d in %d × %d: %v became %v", i, len(items), w, h, before[i], after[i])
			}
		}
	}
}

func abs(n int) int { return max(n, -n) }

// TestPlansFollowTheirItems drops what is gone, adds what is new, and is given up once the shapes are bad.
func TestPlansFollowTheirItems(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	p := (*plan)(nil)
	for step := range 200 {
		items := randomItems(r, 2+r.IntN(30))
		r.Shuffle(len(items), func(i, k int) { items[i], items[k] = items[k], items[i] })
		p = arrange(items, 90, 40, 1, p)
		for _, n := range covered(t, p.place(items), 90, 40) {
			if n != 1 {
				t.Fatalf("step %d: a unit is covered %d times", step, n)
			}
		}
		if kept, made := p.cost(items), squarify(items, 90, 40, 1).cost(items); kept > made*2 {
			t.Fatalf("step %d: the shapes cost %d, new ones %d", step, kept, made)
		}
	}
}

// randomTree has parts within parts.
func randomTree(r *rand.Rand, leaves int) *Tree {
	var b Builder
	for range leaves {
		n := b.below(0, Module, fmt.Sprintf("m%d", r.IntN(6)))
		n = b.below(n, File, fmt.Sprintf("%d.c", r.IntN(5)))
		n = b.below(n, Function, fmt.Sprintf("f%d", r.IntN(9)))
		b.add(n, After, r.Uint64()>>(r.UintN(12)+12), 0)
	}
	return b.Tree()
}

// TestBoxesAreWithinTheirPart checks every box of whole drawings: outer ones hold theirs below a head, which no box
// covers, and boxes of a part do not overlap.
func TestBoxesAreWithinTheirPart(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		tree := randomTree(r, 1+r.IntN(200))
		s := Shape{W: 10 + r.IntN(190), H: 2 * (5 + r.IntN(45)), Tall: 1, Row: 2, MinW: 12, MinH: 8, Min: 10}
		boxes, _ := Layout(tree, 0, s, nil)
		inner := make([]Rect, 0, len(boxes))
		sums := make([]uint64, len(boxes))
		open := []int{}
		for i, b := range boxes {
			open = open[:b.level]
			if b.level > 0 {
				o := boxes[open[b.level-1]]
				sums[open[b.level-1]] += b.Weight
				if !o.Outer || b.X < o.X || b.Y < o.Y+2 || b.X+b.W > o.X+o.W || b.Y+b.H > o.Y+o.H {
					t.Fatalf("%+v is not within %+v", b, o)
				}
			}
			if open = append(open, i); !b.Outer {
				inner = append(inner, b.Rect)
			}
		}
		for _, n := range covered(t, inner, s.W, s.H) {
			if n > 1 {
				t.Fatalf("a unit is covered %d times", n)
			}
		}
		for i, b := range boxes {
			if b.Outer && sums[i] > b.Weight {
				t.Errorf("%d: %d of %d", i, sums[i], b.Weight)
			}
		}
	}
}

// TestTreesAddUp compares the weight of every part with that of its parts, also after cutting.
func TestTreesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 100 {
		tree := randomTree(r, r.IntN(300))
		for _, l := range [][2]int{{}, {1, 0}, {0, 2}, {2, 3}} {
			cut := tree.Cut(l[0], l[1])
			if cut.Nodes[0].Weight != tree.Nodes[0].Weight {
				t.Fatalf("%+v: %d of %d", l, cut.Nodes[0].Weight, tree.Nodes[0].Weight)
			}
			for i := range cut.Nodes {
				first, end := cut.Children(int32(i))
				sum, last := uint64(0), uint64(1<<63)
				for c := first; c < end; c++ {
					n := &cut.Nodes[c]
					if n.Parent != int32(i) || n.Kind != Rest && n.Weight > last {
						t.Fatalf("%+v: %+v after %d below %d", l, n, last, i)
					}
					sum, last = sum+n.Weight, n.Weight
				}
				if end > first && sum != cut.Nodes[i].Weight {
					t.Fatalf("%+v: parts of %+v are %d", l, cut.Nodes[i], sum)
				}
				if at := tree.Find(cut.Steps(int32(i))); cut.Nodes[i].Kind != Rest && tree.Nodes[at].Weight != cut.Nodes[i].Weight {
					t.Fatalf("%+v: %+v is %+v", l, cut.Nodes[i], tree.Nodes[at])
				}
				if d := len(cut.Path(int32(i))); l[0] > 0 && d > l[0] {
					t.Fatalf("%+v: a part at depth %d", l, d)
				}
			}
		}
	}
}

// A tree below a node has its parts, which are found by their names.
func TestBelowANode(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 50 {
		tree := randomTree(r, 1+r.IntN(200))
		at := int32(r.IntN(len(tree.Nodes)))
		sub := tree.Below(at)
		if sub.Nodes[0].Weight != tree.Nodes[at].Weight || sub.Nodes[0].Parent != 0 {
			t.Fatalf("%+v is not %+v", sub.Nodes[0], tree.Nodes[at])
		}
		for i := range sub.Nodes[1:] {
			n, way := int32(i+1), append(tree.Steps(at), sub.Steps(int32(i+1))...)
			if of := tree.Find(way); tree.Nodes[of].Weight != sub.Nodes[n].Weight || tree.Nodes[of].Len != sub.Nodes[n].Len {
				t.Fatalf("%+v is not %+v", sub.Nodes[n], tree.Nodes[of])
			}
		}
		first, end := sub.Children(0)
		for c := first; c < end; c++ {
			if found, _ := sub.Named(sub.Nodes[c].Name); sub.Nodes[found].Name != sub.Nodes[c].Name {
				t.Fatalf("%q is not found", sub.Nodes[c].Name)
			}
		}
		if found, names := sub.Named("no such part"); found != 0 || len(names) != int(end-first) {
			t.Fatalf("found %d, among %q", found, names)
		}
	}
}

// TestSidesOfAComparison weighs parts by the larger side.
func TestSidesOfAComparison(t *testing.T) {
	var b Builder
	m := b.below(0, Module, "m")
	b.add(b.below(m, Function, "grew"), Before, 10, 1)
	b.add(b.below(m, Function, "grew"), After, 30, 2)
	b.add(b.below(m, Function, "gone"), Before, 25, 3)
	tree := b.Tree()
	at := tree.Find([]Step{{Module, "m"}, {Function, "grew"}})
	if n := tree.Nodes[at]; n.Weight != 30 || n.Sides != [2]uint64{10, 30} || n.Ref != 2 {
		t.Errorf("grew: %+v", n)
	}
	if n := tree.Nodes[0]; n.Weight != 55 || n.Sides != [2]uint64{35, 30} {
		t.Errorf("all: %+v", n)
	}
}
