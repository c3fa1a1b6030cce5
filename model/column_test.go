package model

import (
	"math"
	"slices"
	"testing"
)

// A column says the same whatever it is as wide as, and widens itself when a number needs it.
func TestColumns(t *testing.T) {
	want := []Row{3, 7, 7, math.MaxUint32}
	narrow := columnOf(want...)
	wide := columnOf(want...)
	wide.Widen()
	if narrow.Wide != nil || wide.Narrow != nil || narrow.Bytes() != 16 || wide.Bytes() != 32 {
		t.Errorf("%+v, %+v", narrow, wide)
	}
	for _, c := range []Column[Row]{narrow, wide} {
		var got []Row
		for i, n := range c.All() {
			if got = append(got, n); c.At(i) != n {
				t.Errorf("%d is %d, not %d", i, c.At(i), n)
			}
		}
		part := c.Slice(1, 3)
		if !slices.Equal(got, want) || c.Len() != 4 || part.Len() != 2 || part.At(1) != 7 {
			t.Errorf("%v, %v", got, part)
		}
		for n, at := range map[Row]int{0: 0, 3: 0, 4: 1, 7: 1, 1 << 31: 3, math.MaxUint32: 3, 1 << 40: 4} {
			if i, ok := c.Search(n); i != at || ok != slices.Contains(want, n) {
				t.Errorf("%d is at %d, %v", n, i, ok)
			}
		}
		if c.Append(1 << 32); c.Len() != 5 || c.At(3) != math.MaxUint32 || c.At(4) != 1<<32 || c.Wide == nil {
			t.Errorf("%+v", c)
		}
	}
	c := Column[Ref]{Narrow: make([]uint32, 2)}
	c.Set(0, 5)
	if c.Set(1, 1<<32); c.At(0) != 5 || c.At(1) != 1<<32 {
		t.Errorf("a number wraps around: %+v", c)
	}
}

// Rows beyond every snapshot are told, not taken for others.
func TestRowsBeyondTheSnapshot(t *testing.T) {
	h := &Heap{Schema: &HeapSchema{Axes: []HeapAxis{{}, {ByRow: true}}}, Kinds: make([]HeapKind, 2), IDs: make([]uint64, 2), Axes: [][]uint32{nil, {0, 0}}, Tables: &HeapTables{}}
	for _, r := range []Row{2, 1 << 32, 1 << 63, math.MaxUint64} {
		if h.Has(r) || h.IDText(r) != "" || h.OnAxis(1, r) != "" {
			t.Errorf("row %d is there", r)
		}
	}
	if !h.Has(1) {
		t.Error("row 1 is not")
	}
}

// columnOf returns a column of some numbers.
func columnOf[N ~uint64](list ...N) (c Column[N]) {
	for _, n := range list {
		c.Append(n)
	}
	return c
}

// SearchFrom finds what a search of the whole column does.
func TestSearchFrom(t *testing.T) {
	var c Column[uint64]
	for i := range 200 {
		c.Append(uint64(i*i/3) + uint64(i))
	}
	for from := range c.Len() + 1 {
		for n := range c.At(c.Len()-1) + 3 {
			want, _ := c.Search(n)
			if got := c.SearchFrom(from, n); got != max(want, from) {
				t.Fatalf("%d from %d on: %d, want %d", n, from, got, want)
			}
		}
	}
}
