package diff

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// stacksOf makes stacks of texts such as "main:a.c:1;parse:b.c:7", root first; stack i is text i.
func stacksOf(texts ...string) *model.Stacks {
	s := model.NewStacks()
	functions, files := map[string]model.FuncID{"": 0}, map[string]model.FileID{"": 0}
	for i, text := range texts {
		leaf := model.NodeID(0)
		for _, frame := range strings.Split(text, ";") {
			if frame == "" {
				continue
			}
			part := append(strings.Split(frame, "|"), "", "")
			line := model.NoLine
			if part[2] != "" {
				line = int64(part[2][0] - '0')
			}
			s.FrameFunc = append(s.FrameFunc, intern(functions, &s.Functions, part[0]))
			s.FrameFile = append(s.FrameFile, intern(files, &s.Files, part[1]))
			s.FrameLine = append(s.FrameLine, line)
			s.Parent, s.Frame = append(s.Parent, leaf), append(s.Frame, model.FrameID(len(s.FrameFunc)-1))
			s.Depth = append(s.Depth, s.Depth[leaf]+1)
			leaf = model.NodeID(len(s.Parent) - 1)
		}
		s.Leaf[model.StackID(i)] = leaf
	}
	return s
}

// sideOf makes a side of stacks that weigh what is given; the count is a tenth.
func sideOf(file string, s *model.Stacks, bytes ...uint64) *Side {
	var sites []analysis.Site
	for i, n := range bytes {
		sites = append(sites, analysis.Site{Stack: model.StackID(i), LiveBytes: n, LiveCount: n / 10})
	}
	side := sitesSide(analysis.ByStack, s, sites, FigureOf(analysis.CostLive))
	side.Label, side.File = file, file
	return side
}

// changes lists rows as "name before→after status".
func changes(c *Comparison) []string {
	var out []string
	for i := range c.Rows {
		r := &c.Rows[i]
		name := r.Key
		if r.Node != 0 {
			var names []string
			for _, f := range c.Joined.Stacks.Frames(nil, r.Node, -1) {
				names = append(names, f.Function)
			}
			slices.Reverse(names)
			name = strings.Join(names, ";")
		}
		out = append(out, name+" "+fmt.Sprint(r.BeforeBytes)+"→"+fmt.Sprint(r.AfterBytes)+" "+r.Status.String())
	}
	return out
}

func compareIn(t *testing.T, before, after *Side, opt Options) *Comparison {
	t.Helper()
	c, err := Compare(t.Context(), before, after, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompareMatchesStacksByFrames(t *testing.T) {
	before := sideOf("old", stacksOf("main|a.c|1;parse|b.c|7", "main|a.c|1", "main|a.c|1;gone", "", "main|a.c|1"), 100, 50, 10, 5, 20)
	after := sideOf("new", stacksOf("", "fresh", "main|a.c|1", "main|a.c|1;parse|b.c|7"), 5, 40, 70, 60)
	c := compareIn(t, before, after, Options{})
	want := []string{"main;parse 100→60 shrunk", "fresh 0→40 new", "main;gone 10→0 gone", "main 70→70 same", "<no name> 5→5 same"}
	if got := changes(c); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if c.Totals != (Figures{185, 175, 18, 17}) {
		t.Errorf("totals are %+v", c.Totals)
	}
	if c.Merged != [2]int{1, 0} || c.Unmatched != [2]Sum{{Rows: 1, Bytes: 10, Count: 1}, {Rows: 1, Bytes: 40, Count: 4}} || c.Counts != [ChangeCount]int{2, 1, 1, 0, 1, 0} {
		t.Errorf("merged %v, unmatched %v, counts %v", c.Merged, c.Unmatched, c.Counts)
	}
	swapped := compareIn(t, before, after, Options{Swap: true})
	want = []string{"main;parse 60→100 grown", "fresh 40→0 gone", "main;gone 0→10 new", "main 70→70 same", "<no name> 5→5 same"}
	if got := changes(swapped); !slices.Equal(got, want) || swapped.Before != after || swapped.Merged != [2]int{0, 1} {
		t.Errorf("swapped: got %q\nwant %q", got, want)
	}
	if only := c.Only(ChangeNew, ChangeGone); len(only) != 2 || only[0].Status != ChangeNew {
		t.Errorf("only new and gone are %v", only)
	}
}

func TestCompareNeverMatchesIDs(t *testing.T) {
	s := stacksOf("main")
	sites := []analysis.Site{{Stack: 77, LiveBytes: 9, LiveCount: 1}}
	side := func(file string) *Side {
		out := sitesSide(analysis.ByStack, s, sites, FigureOf(analysis.CostLive))
		out.File = file
		return out
	}
	c := compareIn(t, side("a"), side("b"), Options{})
	if len(c.Rows) != 2 || c.Nameless != [2]Sum{{Rows: 1, Bytes: 9, Count: 1}, {Rows: 1, Bytes: 9, Count: 1}} {
		t.Errorf("the stack 77 of two files is matched: %q, %v", changes(c), c.Nameless)
	}
	if c = compareIn(t, side("a"), side("a"), Options{}); len(c.Rows) != 1 || c.Rows[0].Status != ChangeSame {
		t.Errorf("the stack 77 of one file is not matched: %q", changes(c))
	}
}

func TestCompareMatchAndMasks(t *testing.T) {
	before := stacksOf("main|/build/1/a.c|1", "vec<int, alloc<int>>::push|x.h|2", "main|/build/1/a.c|3")
	after := stacksOf("main|/build/22/a.c|1", "vec<char>::push|x.h|2", "main|/build/22/a.c|4")
	masks := func(texts ...string) (out []Mask) {
		for _, text := range texts {
			m, err := ParseMask(text)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, m)
		}
		return out
	}
	tests := []struct {
		name   string
		opt    Options
		rows   int
		merged [2]int
	}{
		{"frames", Options{}, 6, [2]int{}},
		{"paths", Options{Masks: masks("paths")}, 5, [2]int{}},
		{"paths and templates", Options{Masks: masks("paths", "templates")}, 4, [2]int{}},
		{"own", Options{Masks: masks(`/build/\d+=`, `<.*>=<>`)}, 4, [2]int{}},
		{"files", Options{Match: matchFiles}, 3, [2]int{1, 1}},
		{"functions", Options{Match: MatchFunctions, Masks: masks("templates")}, 2, [2]int{1, 1}},
	}
	for _, tt := range tests {
		c := compareIn(t, sideOf("a", before, 1, 2, 3), sideOf("b", after, 1, 2, 3), tt.opt)
		if len(c.Rows) != tt.rows || c.Merged != tt.merged {
			t.Errorf("%s: %d rows %q, merged %v; want %d, %v", tt.name, len(c.Rows), changes(c), c.Merged, tt.rows, tt.merged)
		}
	}
}

func TestMaskPresets(t *testing.T) {
	tests := []struct{ mask, in, want string }{
		{"paths", "/home/me/build-7/src/a.c", "a.c"},
		{"paths", `C:\work\x\a.c`, "a.c"},
		{"paths", "../../src/a.c", "a.c"},
		{"paths", "github.com/foo/bar.Fn", "github.com/foo/bar.Fn"},
		{"paths", "{closure /x/y/z.rs:3}", "{closure z.rs:3}"},
		{"paths", "operator/(A, B)", "operator/(A, B)"},
		{"templates", "std::map<int, vec<int>>::at<X>(int)", "std::map<>::at<>(int)"},
		{"templates", "operator<<(A<int>)", "operator<<(A<>)"},
		{"templates", "operator<(A<int>)", "operator<(A<>)"},
		{"templates", "<T as Trait>::f", "<T as Trait>::f"},
		{"templates", "Fn<dyn F() -> u8>::call", "Fn<>::call"},
		{"templates", "a < b", "a < b"},
		{"templates", "broken<int", "broken<int"},
		{"addresses", "0x7fff12ab in 0xABC", "0x? in 0x?"},
		{"hashes", "core::ptr::drop::h0123456789abcdef", "core::ptr::drop"},
		{"hashes", "f.constprop.0.isra.1", "f"},
		{"hashes", "lib-deadbeef0123.so", "lib-#.so"},
		{"a=b", "banana", "bbnbnb"},
		{`(\d+)-\d+=$1`, "x12-34", "x12"},
		{`k\=v=z`, "k=v", "z"},
		{"na", "banana", "ba"},
	}
	for _, tt := range tests {
		m, err := ParseMask(tt.mask)
		if err != nil {
			t.Errorf("%s: %v", tt.mask, err)
			continue
		}
		if got := m.Apply(tt.in); got != tt.want {
			t.Errorf("%s makes %q of %q, want %q", tt.mask, got, tt.in, tt.want)
		}
	}
	for _, bad := range []string{"", "(", "=x"} {
		if _, err := ParseMask(bad); err == nil {
			t.Errorf("mask %q is taken", bad)
		}
	}
	for _, p := range MaskPresets() {
		if m, err := ParseMask(p.Name); err != nil || m.String() != p.Name {
			t.Errorf("preset %s: %v", p.Name, err)
		}
	}
}

func TestCompareNormalized(t *testing.T) {
	s := stacksOf("a", "b")
	before, after := sideOf("x", s, 100, 300), sideOf("x", s, 100, 100)
	before.Bases, after.Bases = Bases{10, 4, model.NoCount, 0}, Bases{5, 8, model.NoCount, 0}
	tests := []struct {
		per  Normal
		want []string
		fail bool
	}{
		{NormalNone, []string{"b 300→100 shrunk", "a 100→100 same"}, false},
		{NormalTotal, []string{"b 150→100 shrunk", "a 50→100 grown"}, false},
		{NormalDuration, []string{"b 150→100 shrunk", "a 50→100 grown"}, false},
		{NormalAllocations, []string{"b 600→100 shrunk", "a 200→100 shrunk"}, false},
		{NormalGCs, nil, true},
		{NormalMarkers, nil, true},
	}
	for _, tt := range tests {
		c, err := Compare(t.Context(), before, after, Options{Per: tt.per})
		if tt.fail {
			var none *NoBaseError
			if !errors.As(err, &none) || none.per != tt.per {
				t.Errorf("%s: %v", tt.per, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := changes(c); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.per, got, tt.want)
		}
	}
	c := Comparison{Bases: [2]uint64{3, math.MaxUint64}}
	for n, want := range map[uint64]uint64{0: 0, 1: math.MaxUint64 / 3, 3: math.MaxUint64, 4: math.MaxUint64} {
		if got := c.scale(n); got != want {
			t.Errorf("%d is scaled to %d, want %d", n, got, want)
		}
	}
}

// Both sides made equal in their total have the same one, whatever the rounded rows add up to.
func TestRoundingIsNoGrowth(t *testing.T) {
	s := stacksOf("a", "b", "c")
	c, err := Compare(t.Context(), sideOf("x", s, 1, 1, 1), sideOf("x", s, 100, 0, 0), Options{Per: NormalTotal})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Sentence(Words{}); c.Totals.BeforeBytes != 100 || !strings.Contains(got, " stayed at 100") {
		t.Errorf("%+v: %s", c.Totals, got)
	}
}

func TestCompareTree(t *testing.T) {
	before := sideOf("x", stacksOf("main;a", "main;b", "main"), 100, 50, 7)
	after := sideOf("y", stacksOf("main;b", "main;c", "main"), 60, 90, 7)
	after.Rows = append(after.Rows, SideRow{Key: "<stack 9?>", own: true, Bytes: 3, Count: 1})
	c := compareIn(t, before, after, Options{})
	for _, invert := range []bool{false, true} {
		tree := compareTree(t, c, calltree.TreeOptions{Invert: invert})
		if tree.Sides[0].Total[0] != 157 || tree.Sides[1].Total[0] != 160 || tree.Total[0] != 100+10+90+3 {
			t.Errorf("invert %v: root is %d and %d, changed by %d", invert, tree.Sides[0].Total[0], tree.Sides[1].Total[0], tree.Total[0])
		}
		var got []string
		var walk func(n int32, indent string)
		walk = func(n int32, indent string) {
			for _, k := range tree.Children(n) {
				got = append(got, indent+tree.Name(k)+" "+fmt.Sprint(tree.Sides[0].Total[k])+"→"+fmt.Sprint(tree.Sides[1].Total[k])+" "+fmt.Sprint(tree.Total[k]))
				walk(k, indent+" ")
			}
		}
		walk(0, "")
		want := []string{"main 157→157 200", " a 100→0 100", " c 0→90 90", " b 50→60 10", "<stack 9?> 0→3 3"}
		if invert {
			want = []string{"a 100→0 100", " main 100→0 100", "c 0→90 90", " main 0→90 90", "b 50→60 10", " main 50→60 10", "<stack 9?> 0→3 3", "main 7→7 0"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("invert %v:\n got %q\nwant %q", invert, got, want)
		}
	}
}

func compareTree(t *testing.T, c *Comparison, opt calltree.TreeOptions) *Tree {
	t.Helper()
	shape, err := NewCompareShape(t.Context(), c, ShapeOptions{TreeOptions: opt}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return shape.Weigh(c)
}

// A tree that has all stacks of another comparison of the same files is weighed again; one that must grow keeps its
// numbers.
func TestCompareShapesStay(t *testing.T) {
	stacks := stacksOf("main;a", "main;b", "main;c")
	joined, err := JoinStacks(t.Context(), stacks, stacks, nil, MatchFrames)
	if err != nil {
		t.Fatal(err)
	}
	of := func(before, after []uint64, text string) *Comparison {
		b, a := sideOf("x", stacks, before...), sideOf("x", stacks, after...)
		if text != "" {
			a.Rows = append(a.Rows, SideRow{Key: text, own: true, Bytes: 7})
		}
		c, err := Compare(t.Context(), b, a, Options{Joined: joined})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := of([]uint64{1, 2, 0}, []uint64{5, 0, 0}, "")
	shape, err := NewCompareShape(t.Context(), first, ShapeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := NewCompareShape(t.Context(), of([]uint64{0, 0, 9}, []uint64{0, 1, 0}, ""), ShapeOptions{}, shape)
	if err != nil || again != shape {
		t.Errorf("the shape is made anew: %v", err)
	}
	grown, err := NewCompareShape(t.Context(), of([]uint64{1}, []uint64{2}, "<stack 9?>"), ShapeOptions{}, shape)
	if err != nil || grown == shape || grown.Len() != shape.Len()+1 {
		t.Fatalf("a stack is missing: %v", err)
	}
	for n := range int32(shape.Len()) {
		if shape.Name(n) != grown.Name(n) || shape.Parent(n) != grown.Parent(n) {
			t.Errorf("node %d was %q and is %q", n, shape.Name(n), grown.Name(n))
		}
	}
	tree := grown.Weigh(first)
	if tree.Total[0] != 4+2 || tree.Sides[0].Total[0] != 3 || tree.Sides[1].Total[0] != 5 {
		t.Errorf("the first comparison weighs %d, %d and %d in the grown tree", tree.Total[0], tree.Sides[0].Total[0], tree.Sides[1].Total[0])
	}
	for i, name := range []string{"a", "b", "c"} {
		n, ok := shape.NodeOf(joined.node[0][sideOf("x", stacks, 1, 1, 1).Rows[i].Node])
		if !ok || shape.Name(n) != name {
			t.Errorf("the stack of %s ends at %q", name, shape.Name(n))
		}
	}
}

// About a pivot the tree of a difference has the stacks that pass it, and calls a change of one function what is around
// it.
func TestCompareShapeAroundAFunction(t *testing.T) {
	before := sideOf("x", stacksOf("main;f;a", "main;b", "g;f;b"), 100, 50, 7)
	after := sideOf("y", stacksOf("main;f;a", "main;b", "h;f;b"), 60, 90, 9)
	c := compareIn(t, before, after, Options{})
	view, err := calltree.FilterStacks(t.Context(), c.Joined.Stacks, calltree.NewFilter(calltree.Step{Kind: calltree.PivotAt, Name: "f"}), calltree.Callees)
	if err != nil {
		t.Fatal(err)
	}
	shape, err := NewCompareShape(t.Context(), c, ShapeOptions{View: view}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tree := shape.Weigh(c)
	if tree.Sides[0].Total[0] != 107 || tree.Sides[1].Total[0] != 69 || tree.Total[0] != 40+2 {
		t.Errorf("f weighs %d and %d, changed by %d", tree.Sides[0].Total[0], tree.Sides[1].Total[0], tree.Total[0])
	}
	whole := compareTree(t, c, calltree.TreeOptions{})
	for n := range int32(whole.Len()) {
		if whole.Name(n) != "f" {
			continue
		}
		got := whole.Around(n, false)
		if got.Total != [2]uint64{107, 69} || fmt.Sprint(got.Callers) != "[{main [100 60]} {h [0 9]} {g [7 0]}]" || fmt.Sprint(got.Callees) != "[{a [100 60]} {b [7 9]}]" {
			t.Errorf("around f: %+v", got)
		}
		return
	}
	t.Error("f is not in the tree")
}

func TestTimeMap(t *testing.T) {
	before, after := TimeSpan{0, 100}, TimeSpan{20, 270}
	tests := []struct {
		align    Align
		at, want model.Time
		axis     TimeSpan
	}{
		{AlignStart, 30, 50, TimeSpan{0, 250}},
		{AlignMarker, 30, 0, TimeSpan{0, 300}},
		{AlignShare, 50, 145, TimeSpan{0, 100}},
		{AlignShare, -10, -5, TimeSpan{0, 100}},
		{AlignShare, 101, 272, TimeSpan{0, 100}},
	}
	for _, tt := range tests {
		m := NewTimeMap(tt.align, before, after, 60, 30)
		if got := m.After(tt.at); got != tt.want {
			t.Errorf("%s: %d is %d, want %d", tt.align, tt.at, got, tt.want)
		}
		if got := m.Axis(); got != tt.axis {
			t.Errorf("%s: the axis is %v, want %v", tt.align, got, tt.axis)
		}
	}
	var none TimeMap
	if none.After(5) != 5 || none.Before(5) != 5 {
		t.Error("the zero map changes times")
	}
}

func TestCompareSentence(t *testing.T) {
	s := stacksOf("a", "b", "c")
	words := Words{Measure: "live memory", Counted: "blocks", Thing: "stack"}
	tests := []struct {
		before, after *Side
		want          string
	}{
		{sideOf("x", s, 1024, 0), sideOf("y", s, 2048, 1024), "From before to after live memory grew by 2.00 KiB (+200.0 %), from 1.00 KiB to 3.00 KiB (+204 blocks); a grew by 1.00 KiB, 50.0 % of the growth."},
		{sideOf("x", s, 100, 0), sideOf("y", s, 50, 10), "From before to after live memory shrank by 40 B (-40.0 %), from 100 B to 60 B (-4 blocks); a shrank by 50 B, others grew."},
		{sideOf("x", s, 100, 10), sideOf("y", s, 50, 60), "From before to after live memory stayed at 110 B in total; a shrank by 50 B."},
		{sideOf("x", s, 10, 40), sideOf("y", s, 110, 10), "From before to after live memory grew by 70 B (+140.0 %), from 50 B to 120 B (+7 blocks); a grew by 100 B, others shrank."},
		{sideOf("x", s, 10, 5), sideOf("y", s, 110, 4), "From before to after live memory grew by 99 B (+660.0 %), from 15 B to 114 B (+10 blocks); a grew by 100 B, others shrank."},
		{sideOf("x", s, 10, 40, 5), sideOf("y", s, 90, 100, 1), "From before to after live memory grew by 136 B (+247.3 %), from 55 B to 191 B (+14 blocks); a grew by 80 B, 58.8 % of the net growth."},
		{sideOf("x", s, 100, 300), sideOf("y", s, 0, 500), "From before to after live memory grew by 100 B (+25.0 %), from 400 B to 500 B (+10 blocks); b grew by 200 B, others shrank."},
		{sideOf("x", s, 100, 300), sideOf("y", s, 99, 300), "From before to after live memory shrank by 1 B (-0.3 %), from 400 B to 399 B (-1 block); a shrank by 1 B, 100 % of the shrinkage."},
		{sideOf("x", s, 100), sideOf("y", s, 100), "Nothing changed: live memory is 100 B on both sides."},
	}
	for _, tt := range tests {
		if got := compareIn(t, tt.before, tt.after, Options{}).Sentence(words); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
	c := compareIn(t, sideOf("x", s, 1, 2), sideOf("y", s, 1), Options{Swap: true})
	if got := c.Direction(); !strings.HasPrefix(got, "before (A): y · after (B): x · + is growth from A to B") || !strings.Contains(got, "swapped") {
		t.Errorf("the direction is %q", got)
	}
	if got := c.Losses(words); len(got) != 1 || got[0] != "Only in B: 1 stack (2 B)." {
		t.Errorf("losses are %q", got)
	}
}

// Counts of samples are not called blocks, and those of samples and of blocks are not compared.
func TestBlocks(t *testing.T) {
	const every = "sampled every 4.00 KiB"
	for sampled, want := range map[[2]string]string{{}: "blocks", {every, every}: "samples", {every, "sampled every 64.0 KiB"}: "", {every, ""}: "", {"", every}: ""} {
		if got := Blocks(sampled); got != want {
			t.Errorf("%q: %q, want %q", sampled, got, want)
		}
	}
}
