package hprof

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// TestArrangements reads the same objects in every order, width and packing that writers use.
func TestArrangements(t *testing.T) {
	base := openBytes(t, memtest.Java(memtest.JavaSpec{Notes: 40}))
	if base.err != nil || !base.profile.Complete || base.heaps[0].Len() != 1+8+2*41+2 {
		t.Fatalf("%v, %+v", base.err, base.profile)
	}
	want := classesOf(base.heaps[0])
	var packed bytes.Buffer
	for part := range slices.Chunk(memtest.Java(memtest.JavaSpec{Notes: 40}), 1000) {
		z := gzip.NewWriter(&packed)
		z.Write(part)
		z.Close()
	}
	for name, b := range map[string][]byte{
		"late":    memtest.Java(memtest.JavaSpec{Notes: 40, Late: true}),
		"android": memtest.Java(memtest.JavaSpec{Notes: 40, Minor: "3"}),
		"members": packed.Bytes(),
	} {
		r := openBytes(t, b)
		if r.err != nil || !r.profile.Complete || len(r.violations) > 0 {
			t.Fatalf("%s: %v, %+v", name, r.err, r.violations)
		}
		if got := classesOf(r.heaps[0]); len(got) != len(want) || got["shop.Note"] != want["shop.Note"] || got["byte[]"] != want["byte[]"] {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		g, err := heapgraph.NewGraph(context.Background(), r.heaps[0], 0)
		if err != nil || g.Unreachable != 3 { // a note, its text, and java.lang.Class, which no class refers to
			t.Errorf("%s: %d rows are unreachable: %v", name, g.Unreachable, err)
		}
	}
	r := openBytes(t, memtest.Java(memtest.JavaSpec{Notes: 40, IDs: 4, Minor: "1"}))
	if got := classesOf(r.heaps[0]); r.err != nil || got["shop.Note"] != [2]uint64{41, 41 * 16} || got["byte[]"] != [2]uint64{41, 41 * 32} {
		t.Errorf("ids of 4 bytes: %v, %v", r.err, got)
	}
}

// TestSeveralDumps reads the dumps of one file as snapshots in the order of their clocks.
func TestSeveralDumps(t *testing.T) {
	for _, late := range []bool{false, true} {
		r := openBytes(t, memtest.Java(memtest.JavaSpec{Notes: 40, Dumps: 3, Late: late}))
		if r.err != nil || len(r.heaps) != 3 || len(r.violations) > 0 {
			t.Fatalf("late %v: %v, %d dumps, %+v", late, r.err, len(r.heaps), r.violations)
		}
		for i, h := range r.heaps {
			if got, at := classesOf(h)["shop.Note"][0], r.profile.Heaps.Info(i).Time; got != uint64(41+10*i) || at != model.Time(1000*i) {
				t.Errorf("late %v: dump %d at %v has %d notes", late, i, at, got)
			}
		}
	}
}

// TestWeak leaves the weak reference out, except where nothing else reaches its target.
func TestWeak(t *testing.T) {
	r := openBytes(t, memtest.Java(memtest.JavaSpec{Notes: 40}))
	h := r.heaps[0]
	weak := func(policy string) (kinds []string) {
		i, _ := schema.PolicyNamed(policy)
		g, err := heapgraph.NewGraph(context.Background(), h, heapgraph.Policy(i))
		if err != nil {
			t.Fatal(err)
		}
		for row := range h.Kinds {
			if heapgraph.Label(h, model.Row(row)) == "shop.Note" && g.Idom(model.Row(row)) == model.RootRow && h.Kinds[row] == kindInstance && g.RetainedCount(model.Row(row)) == 2 {
				kinds = append(kinds, h.IDText(model.Row(row)))
			}
		}
		return kinds
	}
	strong, all := weak("strong"), weak("all")
	if len(all) != len(strong)+1 {
		t.Errorf("below the root: %q strong, %q over all references", strong, all)
	}
}

// TestLengths reads heap records of which the length is missing, or counts modulo 2^32.
func TestLengths(t *testing.T) {
	b := memtest.Java(memtest.JavaSpec{Notes: 40, Late: true})
	whole := openBytes(t, b)
	cut := slices.Clone(b[:bytes.Index(b, []byte("\x01\x00\x00\x00\x00"+"\x00\x00\x00\x18"))])
	copy(cut[headLength+5:], []byte{0, 0, 0, 0})
	r := openBytes(t, cut)
	if r.err != nil || r.heaps[0].Len() != whole.heaps[0].Len() {
		t.Fatalf("%v: %d rows, want %d", r.err, r.heaps[0].Len(), whole.heaps[0].Len())
	}
	if p := r.problem("record-length"); p == nil || p.Offset != int64(headLength) {
		t.Errorf("%+v", r.profile.Problems)
	}
	f := &file{size: 5<<32 + int64(headLength) + recordHead + 77, ids: 8}
	c := &cursor{ctx: context.Background(), src: nil, end: 0}
	if n := f.heapLength(c, tagDump, int64(headLength), 77); n != 5<<32+77 {
		t.Errorf("a record of more than 4 GiB has %d bytes", n)
	}
}

// TestCut reads what stands before the cut, and says where that is.
func TestCut(t *testing.T) {
	b := memtest.Java(memtest.JavaSpec{Notes: 60, Dumps: 2})
	for i := range 200 {
		n := len(b) * i / 200
		r := openBytes(t, b[:n])
		if r.err != nil {
			if !strings.Contains(r.err.Error(), "hprof") && !strings.Contains(r.err.Error(), "empty") {
				t.Errorf("cut at %d: %v", n, r.err)
			}
			continue
		}
		if !slices.ContainsFunc(r.violations, func(v loaders.Violation) bool { return v.Severity == model.Error }) && n != cutAtRecord(b, n) {
			t.Errorf("cut at %d: nothing is said", n)
		}
	}
}

// cutAtRecord returns the end of the last record that ends up to n.
func cutAtRecord(b []byte, n int) int {
	at := headLength
	for at+recordHead <= n {
		next := at + recordHead + int(binary.BigEndian.Uint32(b[at+5:]))
		if next > n {
			break
		}
		at = next
	}
	return at
}

// TestChangedBytes decodes, links and validates files of which bytes are others.
func TestChangedBytes(t *testing.T) {
	for _, spec := range []memtest.JavaSpec{{Notes: 20}, {Notes: 20, Late: true, IDs: 4}} {
		b := memtest.Java(spec)
		rng := rand.New(rand.NewPCG(1, 2))
		for range 250 {
			bad := slices.Clone(b)
			bad[rng.IntN(len(bad))] ^= byte(1 + rng.IntN(255))
			r := openBytes(t, bad)
			if r.err != nil && strings.Contains(r.err.Error(), "internal error") {
				t.Fatal(r.err)
			}
			for _, h := range r.heaps {
				if h.Len() > len(b)/10 {
					t.Errorf("%d rows of %d bytes", h.Len(), len(b))
				}
				if h.Complete {
					if _, err := heapgraph.NewGraph(context.Background(), h, 0); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}

// TestCycleOfSuperclasses says that classes are their own superclasses, and does not follow them forever.
func TestCycleOfSuperclasses(t *testing.T) {
	r := openBytes(t, memtest.Java(memtest.JavaSpec{Notes: 3, Cycle: true}))
	if r.err != nil || len(r.heaps) != 1 {
		t.Fatal(r.err)
	}
	if p := r.problem("superclass"); p == nil || p.Count != 1 || p.Offset < int64(headLength) {
		t.Errorf("%+v", r.profile.Problems)
	}
	if got := classesOf(r.heaps[0])["shop.Note"]; got != [2]uint64{4, 4 * 24} {
		t.Errorf("notes: %v", got)
	}
}

// TestCollidingIDs leads references to the first of two objects of one id, and says so.
func TestCollidingIDs(t *testing.T) {
	b := memtest.Java(memtest.JavaSpec{Notes: 3})
	first := bytes.Index(b, []byte("\x21\x00\x00\x00\x07"))
	second := first + 1 + bytes.Index(b[first+1:], []byte("\x21\x00\x00\x00\x07"))
	copy(b[second+1:second+9], b[first+1:first+9])
	r := openBytes(t, b)
	if r.err != nil || r.problem("duplicate-id") == nil {
		t.Errorf("%v, %+v", r.err, r.profile.Problems)
	}
}

// TestClaims refuses lengths that the file does not have, at their offset.
func TestClaims(t *testing.T) {
	b := memtest.Java(memtest.JavaSpec{Notes: 3})
	at := bytes.LastIndexByte(b[:len(b)-40], 0x23)
	copy(b[at+13:], []byte{0x7f, 0xff, 0xff, 0xff})
	r := openBytes(t, b)
	if p := r.problem("truncated"); r.err != nil || p == nil || p.Offset != int64(at) {
		t.Errorf("%v: %+v, want an offset of %d", r.err, r.profile.Problems, at)
	}
}

// TestClassNames writes names as Java does, and keeps those that are none.
func TestClassNames(t *testing.T) {
	for name, want := range map[string]string{
		"java/lang/String": "java.lang.String", "[I": "int[]", "[[Ljava/util/Map;": "java.util.Map[][]", "[": "[", "[L": "[L", "": "",
		"int[]": "int[]", "[ ": "[ ",
	} {
		if got := className(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
	if got := decodeName([]byte("a\xC0\x80\xED\xA0\xBD\xED\xB8\x80ß")); got != "a\x00😀ß" {
		t.Errorf("%q", got)
	}
	if got := decodeName([]byte("\xED\xA0\xBD\xC0")); got != "\xED\xA0\xBD\xC0" {
		t.Errorf("%q", got)
	}
}

// FuzzOpenJava opens, decodes and validates any bytes.
func FuzzOpenJava(f *testing.F) {
	f.Add(memtest.Java(memtest.JavaSpec{Notes: 5}))
	f.Add(memtest.Java(memtest.JavaSpec{Notes: 5, Late: true, IDs: 4, Dumps: 2}))
	f.Add(memtest.Java(memtest.JavaSpec{Notes: 5, Cycle: true, Minor: "3"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := openBytes(t, b)
		if r.err != nil && strings.Contains(r.err.Error(), "internal error") {
			t.Fatal(r.err)
		}
	})
}
