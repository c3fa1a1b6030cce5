package model

import (
	"math"
	"testing"
)

// Labels keep what they are made of, whatever the number of kinds, and say what does not fit.
func TestHeapLabels(t *testing.T) {
	for _, kinds := range []int{1, 2, 3, 8, MaxHeapKinds} {
		s := &HeapSchema{Edges: make([]HeapEdgeInfo, kinds)}
		most := uint64(1)<<(30-s.kindBits()) - 1
		for _, k := range []HeapEdgeKind{0, HeapEdgeKind(kinds / 2), HeapEdgeKind(kinds - 1)} {
			for _, form := range []EdgeLabel{LabelIndex, LabelString} {
				for _, value := range []uint64{0, 1, most} {
					l, ok := s.Label(k, form, value)
					if !ok || s.LabelKind(l) != k || l.Form() != form || uint64(s.LabelValue(l)) != value || l.Indexed() != (form == LabelIndex) {
						t.Errorf("%d kinds: kind %d, form %d, value %d: %v, %d, %d, %d", kinds, k, form, value, ok, s.LabelKind(l), l.Form(), s.LabelValue(l))
					}
				}
			}
			if l, ok := s.Label(k, LabelIndex, most+1); ok || s.LabelKind(l) != k || l.Form() != LabelLarge || !l.Indexed() {
				t.Errorf("%d kinds: %d fits", kinds, most+1)
			}
			if l, ok := s.Label(k, LabelUnknown, 77); !ok || s.LabelKind(l) != k || l.Form() != LabelUnknown || s.LabelValue(l) != 0 {
				t.Errorf("%d kinds: an unknown label is %x", kinds, l)
			}
		}
	}
}

func TestHeapSizes(t *testing.T) {
	h := &Heap{Schema: &HeapSchema{}, Size: make([]uint16, 5)}
	for r, n := range []uint64{0, 65534, 65535, 65536, math.MaxInt64} {
		h.SetSize(Row(r), n)
		if got := h.Bytes(Row(r)); got != n {
			t.Errorf("row %d has %d bytes, want %d", r, got, n)
		}
	}
	if len(h.LargeSizes) != 3 {
		t.Errorf("%d sizes are apart", len(h.LargeSizes))
	}
	h.Schema, h.Extra, h.Large = &HeapSchema{Split: true}, []uint32{8, 0, LargeExtra, 0, LargeExtra}, map[Row]uint64{2: 1 << 40, 4: math.MaxUint64}
	if h.Bytes(0) != 8 || h.Bytes(2) != 1<<40+65535 || h.Bytes(4) != math.MaxUint64 || h.Managed(4) != math.MaxInt64 {
		t.Errorf("%d, %d, %d", h.Bytes(0), h.Bytes(2), h.Bytes(4))
	}
}

func TestHeapIdentities(t *testing.T) {
	h := &Heap{Schema: &HeapSchema{IDs: HeapIDForm{Prefix: "0x", Base: 16}}, IDs: []uint64{0, 0x7f00, math.MaxUint64}}
	for r, want := range []string{"", "0x7f00", "0xffffffffffffffff"} {
		if got := h.IDText(Row(r)); got != want {
			t.Errorf("row %d is %q", r, got)
		}
		if found, ok := h.RowOf(want); ok != (want != "") || ok && found != Row(r) {
			t.Errorf("%q is row %d, %v", want, found, ok)
		}
	}
	for _, no := range []string{"7f00", "0x", "0x0", "0x1", "0xno", ""} {
		if r, ok := h.RowOf(no); ok {
			t.Errorf("%q is row %d", no, r)
		}
	}
	h.Schema = &HeapSchema{}
	if r, ok := h.RowOf("7"); ok || h.IDText(1) != "" {
		t.Errorf("row %d, %q without identities", r, h.IDText(1))
	}
}

// What a damaged or foreign snapshot refers to and no table has is told, not reached for.
func TestHeapWithoutNames(t *testing.T) {
	s := &HeapSchema{Kinds: []HeapKindInfo{{Name: "x", Title: "x", Naming: NamedByType}}, Axes: []HeapAxis{{}, {}, {ByRow: true}}}
	h := &Heap{Schema: s, Kinds: []HeapKind{0, 200}, Entity: []uint32{7}, Tables: &HeapTables{}}
	if k := h.Kind(1); k.Name != "unknown" || !k.Virtual || s.Real().Has(200) {
		t.Errorf("%+v", k)
	}
	if a, b, c, d := h.OnAxis(0, 0), h.OnAxis(1, 0), h.OnAxis(2, 0), h.OnAxis(0, 1); a != "<type 7?>" || b+c+d != "" {
		t.Errorf("%q, %q, %q, %q", a, b, c, d)
	}
	if f := (&HeapInfo{Counts: []int64{3}}); f.Count(0) != 3 || f.Count(1) != NoCount || f.Count(-1) != NoCount {
		t.Errorf("%d", f.Count(1))
	}
	if _, file, line := (&HeapTables{Strings: []string{"f"}, Frames: []HeapFrame{{Line: NoHeapLine}}}).Frame(0); file != "f" || line != NoLine {
		t.Errorf("%q, %d", file, line)
	}
}
