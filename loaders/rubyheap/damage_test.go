package rubyheap

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest/graphs"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/objects"
	"github.com/memtui/memtui/model"
)

const small = `{"type":"ROOT", "root":"vm", "references":["0x10", "0x20", "0x20"]}
{"type":"ROOT", "root":"global_tbl", "references":["0x50"]}
{"address":"0xf0", "type":"SHAPE", "id":1, "depth":1, "shape_type":"ROOT", "edges":1, "memsize":64}
{"address":"0xf1", "type":"SHAPE", "id":2, "parent_id":1, "depth":2, "shape_type":"IVAR","edge_name":"@user", "edges":1, "memsize":64}
{"address":"0xf2", "type":"SHAPE", "id":3, "parent_id":2, "depth":3, "shape_type":"IVAR","edge_name":"@token", "edges":0, "memsize":64}
{"address":"0x10", "type":"CLASS", "class":"0x10", "name":"Class", "references":[], "memsize":500, "flags":{"old":true}}
{"address":"0x20", "type":"CLASS", "class":"0x10", "name":"Shop::Session", "superclass":"0x30", "references":["0x30"], "memsize":500}
{"address":"0x30", "type":"CLASS", "class":"0x10", "name":"Shop::Entity", "references":["0x10"], "memsize":400}
{"address":"0x40", "type":"CLASS", "class":"0x10", "name":"String", "memsize":400}
{"address":"0x50", "type":"OBJECT", "shape_id":3, "slot_size":40, "class":"0x20", "ivars":2, "references":["0x60", "0x70"], "file":"a.rb", "line":7, "method":"new", "generation":3, "memsize":40}
{"address":"0x60", "type":"OBJECT", "shape_id":3, "class":"0x20", "ivars":2, "references":["0x70"], "memsize":40}
{"address":"0x70", "type":"STRING", "class":"0x40", "embedded":true, "bytesize":2, "value":"a\"", "memsize":40}
{"address":"0x80", "type":"ARRAY", "class":"0x90", "length":2, "references":["0x70", "0x60"], "memsize":70000}
{"address":"0xa0", "type":"NONE", "slot_size":40}
`

// TestSmall names variables by shapes, elements by their places, and takes no empty slot for an object.
func TestSmall(t *testing.T) {
	r := graphs.OpenText(t, Format(), []byte(small))
	h := r.Heap
	if r.Err != nil || h.Len() != 3+8 {
		t.Fatal(r.Err, h.Len())
	}
	texts := func(id string) (all []string) {
		row, _ := h.RowOf(id)
		to, first := h.Out(row)
		for i, x := range to.All() {
			all = append(all, h.EdgeText(first+model.Ref(i))+" "+h.IDText(x))
		}
		return all
	}
	for id, want := range map[string][]string{
		"0x50": {"<class> 0x20", "@user 0x60", "@token 0x70"}, "0x60": {"<class> 0x20", "Unknown 0x70"},
		"0x80": {"[0] 0x70", "[1] 0x60"}, "0x20": {"<class> 0x10", "<superclass> 0x30"},
	} {
		if got := texts(id); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	row, _ := h.RowOf("0x50")
	if a, b, c := h.OnAxis(axisSuper, row), h.OnAxis(axisModule, row), h.OnAxis(axisSite, row); a != "Shop::Entity" || b != "Shop" || c != "a.rb:7 new" {
		t.Errorf("%q %q %q", a, b, c)
	}
	row, _ = h.RowOf("0x20")
	if got := heapgraph.Label(h, row); got != "Shop::Session" {
		t.Errorf("the row of a class is called %q", got)
	}
	if row, _ = h.RowOf("0x80"); h.Bytes(row) != 70000 || h.OnAxis(0, row) != "(array)" {
		t.Errorf("%d bytes of %s", h.Bytes(row), h.OnAxis(0, row))
	}
	if p := r.Problem("empty-slots"); p == nil || p.Count != 1 {
		t.Errorf("%+v", r.Profile.Problems)
	}
	if p := r.Problem("dangling-reference"); p == nil || p.Count != 1 {
		t.Errorf("%+v", r.Profile.Problems)
	}
}

// TestSuperclassBehindModules finds the class that a class inherits from behind the modules that it includes.
func TestSuperclassBehindModules(t *testing.T) {
	text := `{"address":"0x10", "type":"CLASS", "class":"0x10", "name":"Class", "superclass":"0x40", "memsize":500}
{"address":"0x20", "type":"CLASS", "class":"0x10", "name":"String", "superclass":"0x30", "references":["0x30"], "memsize":500}
{"address":"0x30", "type":"ICLASS", "class":"0x50", "superclass":"0x31", "references":["0x31"], "memsize":40}
{"address":"0x31", "type":"ICLASS", "class":"0x50", "superclass":"0x40", "references":["0x40"], "memsize":40}
{"address":"0x40", "type":"CLASS", "class":"0x10", "name":"Object", "memsize":400}
{"address":"0x50", "type":"MODULE", "class":"0x10", "name":"Comparable", "memsize":400}
{"address":"0x60", "type":"STRING", "class":"0x20", "value":"a", "memsize":40}
`
	h := graphs.OpenText(t, Format(), []byte(text)).Heap
	row, _ := h.RowOf("0x60")
	if got := h.OnAxis(axisSuper, row); got != "Object" {
		t.Errorf("a String inherits from %q, not from Object", got)
	}
}

// TestSalvage reads what stands around names that are not escaped, and past what the program printed.
func TestSalvage(t *testing.T) {
	text := "ready\n" + `{"level":"info"}` + "\nworking … " + small +
		`{"address":"0x100", "type":"CLASS", "class":"0x10", "name":"odd "name"", "superclass":"0x30", "references":["0x30"], "memsize":77}` + "\n" +
		`{"address":"0x110", "type":"ARRAY", "class":"0x90", "length":1, "references":["0x70"], "file":"a"b.rb", "line":12, "method":"x\u00ff` + "\x01\"y" +
		`", "generation":9, "memsize":44, "flags":{}}` + "\n" + `{"address":"0x120", "ty` + "\n"
	r := graphs.OpenText(t, Format(), []byte(text))
	h := r.Heap
	if got := graphs.Types(h)["Class"]; got != [2]uint64{5, 1877} {
		t.Errorf("classes: %v", got)
	}
	row, ok := h.RowOf("0x110")
	if !ok || h.Bytes(row) != 44 || h.OnAxis(axisGeneration, row) != "9" || h.OnAxis(axisSite, row) != `a"b.rb:12 x…` {
		t.Errorf("%d bytes, generation %q, %q", h.Bytes(row), h.OnAxis(axisGeneration, row), h.OnAxis(axisSite, row))
	}
	for code, n := range map[string]int64{"salvaged-line": 2, "foreign-line": 3, "line": 1} {
		if p := r.Problem(code); p == nil || p.Count != n {
			t.Errorf("%s: %+v", code, r.Profile.Problems)
		}
	}
	if p := r.Problem("line"); p != nil && p.Offset != int64(strings.Index(text, `{"address":"0x120"`)) {
		t.Errorf("offset %d", p.Offset)
	}
}

// TestCut reads what stands before the cut, and says where that is.
func TestCut(t *testing.T) {
	b := []byte(strings.Repeat(small, 3))
	for i := range 200 {
		n := len(b) * (i + 1) / 201
		r := graphs.OpenText(t, Format(), b[:n])
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		at := bytes.LastIndexByte(b[:n], '\n') + 1
		whole := at == n || b[n-1] == '}' && b[n] == '\n'
		if p := r.Problem("truncated"); (p == nil) != whole || p != nil && p.Offset != int64(at) {
			t.Errorf("cut at %d: %+v", n, p)
		}
	}
}

// TestChangedBytes decodes and validates files of which bytes are others.
func TestChangedBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		bad := []byte(small)
		bad[rng.IntN(len(bad))] ^= byte(1 + rng.IntN(255))
		r := graphs.OpenText(t, Format(), bad)
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		if r.Heap.Complete {
			graphs.Graph(t, r.Heap)
		}
	}
}

// TestHostile reads addresses that collide, rings of superclasses and of shapes, and numbers that nothing holds.
func TestHostile(t *testing.T) {
	text := `{"type":"ROOT", "root":"vm", "references":["0x1"]}
{"address":"0x1", "type":"CLASS", "class":"0x1", "name":"A", "superclass":"0x2", "references":["0x2"], "memsize":18446744073709551615}
{"address":"0x2", "type":"CLASS", "class":"0x1", "name":"B\u001b[31m", "superclass":"0x1", "references":["0x1"], "memsize":1}
{"address":"0x2", "type":"ARRAY", "class":"0x1", "length":99999999999, "references":["0x1"], "memsize":99999999999999999999999}
{"address":"0x3", "type":"SHAPE", "id":5, "parent_id":6, "edge_name":"@a"}
{"address":"0x4", "type":"SHAPE", "id":6, "parent_id":5, "edge_name":"@b"}
{"address":"0x5", "type":"OBJECT", "shape_id":5, "class":"0xffffffffffffffff", "references":["0x1", "0xfffffffffffffffff", "zzz", 7], "generation":99999999999}
`
	r := graphs.OpenText(t, Format(), []byte(text))
	if r.Err != nil || r.Heap.Len() != 2+4 {
		t.Fatal(r.Err, r.Heap.Len())
	}
	for code, n := range map[string]int64{"duplicate-id": 1, "superclass": 1, "dangling-reference": 1} {
		if p := r.Problem(code); p == nil || p.Count != n {
			t.Errorf("%s: %+v", code, r.Profile.Problems)
		}
	}
	if !slices.ContainsFunc(r.Violations, func(v loaders.Violation) bool { return v.Rule == "duplicate-id" && v.Severity == model.Error }) {
		t.Errorf("%+v", r.Violations)
	}
}

// TestSniff knows dumps by their lines, and no other text with an object on every line.
func TestSniff(t *testing.T) {
	for text, want := range map[string]loaders.Confidence{
		small: loaders.Sure, "booting\n" + small: loaders.Maybe, `{"address":"0x7f","type":"STRING"}`: loaders.Sure,
		`{"address":"0x7f29", "type":"request", "class":"x"}`: loaders.No, `{"type":"ROOT"}`: loaders.No, "main;f;g 12\n": loaders.No,
		`{"level":"info","msg":"ok"}` + "\n": loaders.No, `{"address":"0xzz", "type":"STRING"}`: loaders.No, "": loaders.No,
		"To dump, write {\"address\":\"0x1\", \"type\":\"STRING\"}": loaders.No,
	} {
		if got := sniff([]byte(text)); got != want {
			t.Errorf("%.50q: %d, want %d", text, got, want)
		}
	}
}

// FuzzOpenRuby opens, decodes and validates any bytes.
func FuzzOpenRuby(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("print\n" + small[:len(small)-40]))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := graphs.OpenText(t, Format(), b)
		if r.Err != nil && strings.Contains(r.Err.Error(), "internal error") {
			t.Fatal(r.Err)
		}
	})
}

// TestReferencesOfAnyForm reads arrays of addresses as the interpreter writes them, and what else stands in them.
func TestReferencesOfAnyForm(t *testing.T) {
	for text, want := range map[string][]uint64{
		`["0x1", "0xaF"]`: {1, 0xaf}, `["0x1","0x2" ,  "0x3"]`: {1, 2, 3}, `["0x", "0x5"]`: {5}, `["0xg1", "0x6", 7, "8"]`: {6}, `[]`: nil, `["0x1`: nil,
		`["0x1", "0xffffffffffffffff", "0x10000000000000000", "0x2"]`: {1, 1<<64 - 1, 2}, "[\n\"0x4\"\n]": {4}, `[null, "0x9"]`: {9},
	} {
		u := &objects.Unit{}
		(&parser{}).references(u, []byte(text))
		if got, _ := u.Refs(); !slices.Equal(got, want) {
			t.Errorf("%s: %x, want %x", text, got, want)
		}
	}
}
