package suspects

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// The kinds of the heaps that are made up here.
const (
	root model.HeapKind = iota
	object
	frame
	descriptor
)

var testSchema = model.HeapSchema{
	Kinds: []model.HeapKindInfo{
		root:       {Name: "root", Title: "Root", Virtual: true},
		object:     {Name: "object", Title: "object", Naming: model.NamedByType},
		frame:      {Name: "frame", Title: "frame", Naming: model.NamedByFrame},
		descriptor: {Name: "class", Title: "class", Naming: model.NamedByType, Marked: true, Meta: true, About: true},
	},
	Sets:     []model.HeapSet{{Key: "objects", One: "object", Many: "objects", Kinds: model.KindsOf(object), Naming: model.NamedByType, Column: true}},
	Axes:     []model.HeapAxis{{Key: "type", One: "type", Many: "types", Word: "type", Containers: []string{"Array", "Hash*", "*[]"}}, {Key: "package", One: "package", Many: "packages", Word: "package", Runtime: []string{"vm"}}},
	Edges:    []model.HeapEdgeInfo{{Name: "reference"}},
	Policies: []model.HeapPolicy{{Name: "all"}},
	Fields:   "__dict__",
}

// maker makes a heap row by row. Types are named "package.Type".
type maker struct {
	h     *model.Heap
	types map[string]uint32
	words map[string]uint32
	refs  [][]model.Row
	names [][]string
}

func newMaker() *maker {
	m := &maker{types: map[string]uint32{}, words: map[string]uint32{}, h: &model.Heap{
		Schema: &testSchema, Complete: true, Tables: &model.HeapTables{Axes: make([][]uint32, 2)}}}
	m.row(root, 0, 0)
	return m
}

func (m *maker) word(s string) uint32 {
	i, ok := m.words[s]
	if !ok {
		i = uint32(len(m.h.Tables.Strings))
		m.words[s] = i
		m.h.Tables.Strings = append(m.h.Tables.Strings, s)
	}
	return i
}

func (m *maker) row(k model.HeapKind, entity uint32, bytes uint64) model.Row {
	r := model.Row(len(m.h.Kinds))
	m.h.Kinds, m.h.Entity, m.h.Size = append(m.h.Kinds, k), append(m.h.Entity, entity), append(m.h.Size, 0)
	m.h.SetSize(r, bytes)
	m.refs, m.names = append(m.refs, nil), append(m.names, nil)
	return r
}

// add adds an object of a type that from refers to by name.
func (m *maker) add(from model.Row, name, typ string, bytes uint64) model.Row {
	return m.addKind(object, from, name, typ, bytes)
}

func (m *maker) addKind(k model.HeapKind, from model.Row, name, typ string, bytes uint64) model.Row {
	id, ok := m.types[typ]
	if !ok {
		id = uint32(len(m.h.Tables.Types))
		m.types[typ] = id
		pkg, bare, found := strings.Cut(typ, ".")
		if !found {
			pkg, bare = "", typ
		}
		m.h.Tables.Types = append(m.h.Tables.Types, model.HeapType{Name: m.word(bare)})
		m.h.Tables.Axes[1] = append(m.h.Tables.Axes[1], m.word(pkg))
	}
	r := m.row(k, id, bytes)
	m.link(from, name, r)
	return r
}

func (m *maker) link(from model.Row, name string, to model.Row) {
	m.refs[from], m.names[from] = append(m.refs[from], to), append(m.names[from], name)
}

func (m *maker) heap() *model.Heap {
	h := m.h
	h.Start, h.To, h.Label = modeltest.ColumnOf[model.Ref](0), model.Column[model.Row]{}, nil
	for r := range m.refs {
		for i, to := range m.refs[r] {
			l := model.LabelUnknown
			if n := m.names[r][i]; n != "" {
				l, _ = h.Schema.Label(0, model.LabelString, uint64(m.word(n)))
			}
			h.To.Append(to)
			h.Label = append(h.Label, l)
		}
		h.Start.Append(model.Ref(h.To.Len()))
	}
	return h
}

// noise adds what every program has: tables and texts of about so many bytes, of which no place has many.
func (m *maker) noise(rng *rand.Rand, bytes int) {
	for ; bytes > 0; bytes -= 40 * (96 + 48) {
		t := m.add(0, "", fmt.Sprintf("app.Part%d", rng.IntN(40)), 96)
		for range 40 {
			table := m.add(t, "items", "lang.Table", 96)
			m.add(table, "", "lang.Text", 48)
		}
	}
}

// cache adds sessions in a table that a cache holds, each with a text and a list of its own.
func (m *maker) cache(sessions int) {
	owner := m.add(0, "sessions", "shop.SessionCache", 64)
	table := m.add(owner, "$cache", "lang.Table", 4096)
	for range sessions {
		entry := m.add(table, "", "lang.Entry", 48)
		s := m.add(entry, "value", "shop.Session", 120)
		m.add(s, "name", "lang.Text", 400)
		m.add(m.add(s, "items", "lang.Table", 96), "", "lang.Text", 1200)
	}
}

// entries adds entries of tables elsewhere, so that entries tell nothing.
func (m *maker) entries(n int) {
	for range n {
		m.add(m.add(0, "", "lang.Table", 96), "", "lang.Entry", 48)
	}
}

// found finds the suspects of the last of some heaps.
func found(t *testing.T, at int, heaps ...*maker) []Suspect {
	t.Helper()
	var others []Census
	for i, m := range heaps {
		if i != at {
			others = append(others, Count(m.heap(), i, 0))
		}
	}
	find := func(h *model.Heap) (*heapgraph.Graph, []Suspect) {
		g, err := heapgraph.NewGraph(context.Background(), h, 0)
		if err != nil {
			t.Fatal(err)
		}
		list, err := Find(context.Background(), g, at, others, 0)
		if err != nil {
			t.Fatal(err)
		}
		return g, list
	}
	h := heaps[at].heap()
	g, list := find(h)
	if _, wide := find(modeltest.Widen(h)); !reflect.DeepEqual(wide, list) {
		t.Errorf("of a snapshot with wide columns:\n%s\nnot\n%s", evidence(wide), evidence(list))
	}
	sum := uint64(0)
	for i := range list {
		sum += list[i].Retained
	}
	if sum > g.Retained[0] {
		t.Errorf("suspects retain %d of %d bytes: some memory is suspected twice", sum, g.Retained[0])
	}
	return list
}

func program(sessions int) *maker {
	m := newMaker()
	m.noise(rand.New(rand.NewPCG(1, 2)), 2<<20)
	m.entries(6000)
	m.cache(sessions)
	return m
}

func evidence(list []Suspect) string {
	var out []string
	for i := range list {
		out = append(out, list[i].Verdict.String()+": "+list[i].Evidence())
	}
	return strings.Join(out, "\n")
}

func wantFirst(t *testing.T, list []Suspect, want string) {
	t.Helper()
	if got, _, _ := strings.Cut(evidence(list), "\n"); got != want {
		t.Errorf("the first suspect is\n%s\nwant\n%s\nof\n%s", got, want, evidence(list))
	}
}

func TestGrowingCache(t *testing.T) {
	list := found(t, 1, program(404), program(1500))
	wantFirst(t, list, "grows: 1,500 Session (2.60 MiB, 47.0 % of the heap) are held by one SessionCache through `$cache`; grew by 1,096 since #0")
	s := list[0]
	if len(list) != 1 || s.Growth != 1096 || s.Count != 1500 || s.Bytes != 1500*120 || s.Row == s.OwnerRow || s.Owner != "SessionCache" {
		t.Errorf("%+v\n%s", s, evidence(list))
	}
	list = found(t, 3, program(400), program(800), program(1200), program(1600))
	wantFirst(t, list, "grows: 1,600 Session (2.77 MiB, 48.5 % of the heap) are held by one SessionCache through `$cache`; grew by 1,200 since #0, in every snapshot")
	// The verdict is about the whole file, growth about the snapshot.
	list = found(t, 1, program(400), program(800), program(1200), program(1600))
	wantFirst(t, list, "grows: 800 Session (1.39 MiB, 32.3 % of the heap) are held by one SessionCache through `$cache`; grew by 400 since #0, in every snapshot")
}

func TestBoundedCache(t *testing.T) {
	for _, sizes := range [][]int{{1500, 1490, 1500, 1495}, {200, 1400, 1500, 1500}, {900, 1500, 1400, 700, 1500}, {1500, 300}} {
		var heaps []*maker
		for _, n := range sizes {
			heaps = append(heaps, program(n))
		}
		list := found(t, len(sizes)-1, heaps...)
		for _, s := range list {
			if s.Verdict == Grows {
				t.Errorf("%v: %s", sizes, evidence(list))
			}
		}
	}
	wantFirst(t, found(t, 2, program(1500), program(1490), program(1400)),
		"bounded: 1,400 Session (2.42 MiB, 45.3 % of the heap) are held by one SessionCache through `$cache`; 100 fewer than in #0, bounded: at most 1,500, in #0")
	wantFirst(t, found(t, 1, program(1400), program(1500)),
		"bounded: 1,500 Session (2.60 MiB, 47.0 % of the heap) are held by one SessionCache through `$cache`; bounded: 100 more than in #0, too few to count as growth")
	wantFirst(t, found(t, 2, program(1000), program(1400), program(1500)),
		"bounded: 1,500 Session (2.60 MiB, 47.0 % of the heap) are held by one SessionCache through `$cache`; bounded: 500 more than in #0, ever more slowly")
	wantFirst(t, found(t, 2, program(1400), program(1300), program(1500)),
		"bounded: 1,500 Session (2.60 MiB, 47.0 % of the heap) are held by one SessionCache through `$cache`; bounded: 100 more than in #0, and fewer in between")
	wantFirst(t, found(t, 3, program(300), program(1500), program(1500), program(1500)),
		"once: 1,500 Session (2.60 MiB, 47.0 % of the heap) are held by one SessionCache through `$cache`; grew once, by 1,200 from #0 to #1")
}

func TestSingleSnapshot(t *testing.T) {
	list := found(t, 0, program(1500))
	wantFirst(t, list, "once: 1,500 Session (2.60 MiB, 47.0 % of the heap) are held by one SessionCache through `$cache`")
	if list[0].HasGrowth {
		t.Error("growth is told of a single snapshot")
	}
}

// A leak is seen while it is small: long before it leads by size.
func TestGrowthLeadsSize(t *testing.T) {
	heap := func(orders int) *maker {
		m := program(1500)
		list := m.add(m.add(0, "log", "shop.OrderLog", 64), "orders", "lang.Table", 4096)
		for range orders {
			m.add(m.add(list, "", "shop.Order", 200), "note", "lang.Text", 100)
		}
		return m
	}
	list := found(t, 2, heap(200), heap(500), heap(800))
	wantFirst(t, list, "grows: 800 Order (234 KiB, 4.0 % of the heap) are held by one OrderLog through `orders`; grew by 600 since #0, in every snapshot")
	if len(list) != 2 || list[1].Name != "Session" {
		t.Error(evidence(list))
	}
}

func TestNoLeak(t *testing.T) {
	heap := func(seed uint64) *maker {
		m := newMaker()
		rng := rand.New(rand.NewPCG(seed, 7))
		m.noise(rng, 2<<20+rng.IntN(100<<10))
		return m
	}
	for n := 2; n <= 5; n++ {
		var heaps []*maker
		for i := range n {
			heaps = append(heaps, heap(uint64(i)))
		}
		for _, s := range found(t, n-1, heaps...) {
			t.Errorf("of %d snapshots: %s: %s", n, s.Verdict, s.Evidence())
		}
	}
}

func TestLinkedList(t *testing.T) {
	m := program(0)
	at, name := m.add(0, "queue", "shop.Queue", 64), "head"
	for range 5000 {
		at, name = m.add(at, name, "shop.Node", 300), "next"
	}
	wantFirst(t, found(t, 0, m), "once: 5,000 Node (1.43 MiB, 33.3 % of the heap), linked to each other, are held by one Queue through `head`")
}

func TestTree(t *testing.T) {
	m := program(0)
	nodes := []model.Row{m.add(m.add(0, "index", "shop.Index", 64), "top", "shop.Leaf", 300)}
	for i := 0; len(nodes) < 4000; i++ {
		for _, side := range []string{"left", "right"} {
			nodes = append(nodes, m.add(nodes[i], side, "shop.Leaf", 300))
		}
	}
	wantFirst(t, found(t, 0, m), "once: 4,001 Leaf (1.14 MiB, 28.5 % of the heap), linked to each other, are held by one Index through `top`")
}

func TestTwoEqualCaches(t *testing.T) {
	m := program(700)
	m.cache(700)
	list := found(t, 0, m)
	wantFirst(t, list, "once: 1,400 Session (2.42 MiB, 45.2 % of the heap) are held by 2 SessionCache through `$cache`")
	if len(list) != 1 {
		t.Error(evidence(list))
	}
}

// Two owners of different types are told apart by how many each holds.
func TestTwoOwners(t *testing.T) {
	m := program(1000)
	table := m.add(m.add(0, "audit", "shop.Audit", 64), "seen", "lang.Table", 4096)
	for range 400 {
		m.add(m.add(table, "", "shop.Session", 120), "name", "lang.Text", 1600)
	}
	wantFirst(t, found(t, 0, m), "once: 1,400 Session (2.39 MiB, 45.0 % of the heap), 1,000 of them (1.73 MiB) held by one SessionCache through `$cache`")
}

// Of many arrays one is nearly all: it is the suspect, and what holds it is told.
func TestOneArray(t *testing.T) {
	heap := func(bytes uint64) *maker {
		m := program(0)
		m.add(m.add(0, "log", "shop.Buffer", 64), "data", "lang.Text", bytes)
		return m
	}
	list := found(t, 3, heap(1<<18), heap(1<<20), heap(2<<20), heap(4<<20))
	wantFirst(t, list, "grows: 1 Text (4.00 MiB, 58.3 % of the heap) is held by one Buffer through `data`; of all 14,601: as many, but 3.75 MiB larger since #0, in every snapshot")
}

// What several roots reach is held by nothing alone.
func TestHeldByRoots(t *testing.T) {
	m := program(0)
	a, b := m.add(0, "a", "shop.Pool", 64), m.add(0, "b", "shop.Monitor", 64)
	for range 2000 {
		w := m.add(a, "", "shop.Worker", 500)
		m.link(b, "", w)
	}
	wantFirst(t, found(t, 0, m), "once: 2,000 Worker (977 KiB, 25.0 % of the heap) are held in many places: no single object holds a large part of them")
}

// What hangs below the descriptions of types, or is in a package of the runtime, does not lead.
func TestRuntimeDoesNotLead(t *testing.T) {
	m := program(500)
	meta := m.addKind(descriptor, 0, "grammar", "vm.Grammar", 64)
	methods := m.add(meta, "methods", "lang.Table", 64)
	for range 5000 {
		m.add(m.add(methods, "", "app.Method", 100), "code", "lang.Text", 400)
	}
	list := found(t, 0, m)
	wantFirst(t, list, "once: 500 Session (887 KiB, 14.1 % of the heap) are held by one SessionCache through `$cache`")
	if len(list) != 2 || !list[1].runtime || list[1].Name != "Method" || list[1].Owner != "Grammar (class)" {
		t.Error(evidence(list))
	}
}

// No type of a package holds much, but they do together.
func TestPackage(t *testing.T) {
	m := newMaker()
	m.noise(rand.New(rand.NewPCG(1, 2)), 2<<20)
	engine := m.add(0, "engine", "rules.Engine", 64)
	for i := range 3000 {
		m.add(engine, "rules", fmt.Sprintf("rules.Rule%d", i%30), 300)
	}
	wantFirst(t, found(t, 0, m), "once: 3,001 objects of package rules (879 KiB, 29.6 % of the heap), below one Engine, are held from several roots, with no single dominator")
}

func TestNothingWithoutMemory(t *testing.T) {
	g, err := heapgraph.NewGraph(context.Background(), program(1500).heap(), 0)
	if err != nil {
		t.Fatal(err)
	}
	ctx := model.WithBudget(context.Background(), model.NewBudget(1))
	if _, err := Find(ctx, g, 0, nil, 0); !errors.As(err, new(*model.MemoryError)) {
		t.Errorf("Find without memory: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Find(ctx, g, 0, nil, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Find that was canceled: %v", err)
	}
}

// Names of a file never reach a terminal unfiltered.
func TestEvidenceIsClean(t *testing.T) {
	m := program(0)
	owner := m.add(m.add(0, "o", "shop.Own\x1b[2Jer", 64), "ca\x1bche`", "lang.Table", 64)
	for range 1000 {
		m.add(owner, "", "shop.Ses\x1b[31msion\n", 900)
	}
	for _, s := range found(t, 0, m) {
		if text := s.Evidence(); strings.ContainsAny(text, "\x1b\n") || strings.Count(text, "`") != 2 {
			t.Errorf("%q", text)
		}
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		counts course
		want   Verdict
	}{
		{course{7}, once},
		{course{0, 100}, Grows},
		{course{2, 14}, Bounded},
		{course{1, 2, 3, 4, 5}, Bounded},
		{course{1, 2, 3, 4, 5, 6, 7, 8}, Grows},
		{course{100, 105}, Bounded},
		{course{100, 200, 300}, Grows},
		{course{0, 900, 1000}, once},
		{course{0, 0, 1000}, once},
		{course{0, 1000, 1000, 1000, 1000}, once},
		{course{100, 200, 300, 400, 500, 600, 700}, Grows},
		{course{100, 220, 210, 330, 320, 440, 550}, Grows},
		{course{100, 600, 100, 600, 100, 600, 700}, Bounded},
		{course{100, 400, 600, 700, 710, 715, 716}, Bounded},
		{course{700, 600, 500, 400}, Bounded},
		{course{100, 200, 400, 800, 1600}, Grows},
		{course{100, 200, 300, 400, 500, 500, 500, 500, 500}, Bounded},
	} {
		if got := c.counts.verdict(); got != c.want {
			t.Errorf("%v: %v, want %v", c.counts, got, c.want)
		}
	}
}

// Snapshots are decoded once, however often and about which one is asked.
func TestCountsAreKept(t *testing.T) {
	src := &countedSource{n: 4, cut: 2}
	var c Counts
	heaps := heapgraph.NewHeaps(src, 0)
	for _, at := range []int{3, 3, 1, 0} {
		list, err := c.All(t.Context(), heaps, at, 0, func(float64) {})
		if err != nil || len(list) != 2 {
			t.Errorf("beside snapshot %d %d are counted, %v", at, len(list), err)
		}
	}
	if src.opened != 3 {
		t.Errorf("3 whole snapshots were decoded %d times", src.opened)
	}
}

func TestCounted(t *testing.T) {
	src := &countedSource{n: 100, cut: 99}
	list := Counted(src, 37)
	if len(list) != mostCounted+1 || list[0] != 0 || list[len(list)-1] != 98 {
		t.Errorf("of 100 snapshots with a cut one, %v are counted", list)
	}
	if list = Counted(&countedSource{n: 5, cut: -1}, 2); fmt.Sprint(list) != "[0 1 2 3 4]" {
		t.Errorf("of 5 snapshots, %v are counted", list)
	}
}

type countedSource struct {
	model.HeapSource
	n, cut int
	opened int
}

func (s *countedSource) Open(context.Context, int, func(float64)) (*model.Heap, error) {
	s.opened++
	return program(3).heap(), nil
}

func (s *countedSource) Len() int { return s.n }

func (s *countedSource) Info(i int) model.HeapInfo {
	f := model.NoHeapInfo()
	f.Complete = i != s.cut
	return f
}

// identified gives every object of a heap an identity: its type and number; of fresh types one that no heap of another
// base has.
func identified(m *maker, base uint64, fresh func(typ string) bool) *maker {
	schema := testSchema
	schema.IDs = model.HeapIDForm{Prefix: "@", Base: 10}
	h := m.h
	h.Schema, h.IDs = &schema, make([]uint64, len(h.Kinds))
	seen := map[string]uint64{}
	for r := range h.IDs {
		label := heapgraph.Label(h, model.Row(r))
		seen[label]++
		h.IDs[r] = uint64(len(label))<<40 | uint64(label[len(label)-1])<<32 | seen[label]
		if fresh(label) {
			h.IDs[r] += base << 20
		}
	}
	return m
}

// Where the format identifies objects, growth is that of the same things: of two snapshots, what was replaced
// altogether did not grow.
func TestGrowthOfTheSameObjects(t *testing.T) {
	none := func(string) bool { return false }
	all := func(label string) bool { return !strings.HasSuffix(label, "Cache") }
	list := found(t, 1, identified(program(404), 1, none), identified(program(1500), 2, none))
	wantFirst(t, list, "grows: 1,500 Session (2.60 MiB, 47.0 % of the heap) are held by one SessionCache through `$cache`; grew by 1,096 since #0, the 404 of #0 are still there")
	if s := list[0]; !s.HasSame || s.Same != 404 {
		t.Errorf("%+v", s)
	}
	list = found(t, 1, identified(program(404), 1, all), identified(program(1500), 2, all))
	wantFirst(t, list, "once: 1,500 Session (2.60 MiB, 47.0 % of the heap) are held by one SessionCache through `$cache`; grew by 1,096 since #0, none of the 404 of #0 is left")
	list = found(t, 3, identified(program(400), 1, all), identified(program(800), 2, all), identified(program(1200), 3, all), identified(program(1600), 4, all))
	wantFirst(t, list, "grows: 1,600 Session (2.77 MiB, 48.5 % of the heap) are held by one SessionCache through `$cache`; grew by 1,200 since #0, in every snapshot, none of the 400 of #0 is left")
}

// An address that an object of another type has got is not the same object.
func TestReusedAddressesAreOtherObjects(t *testing.T) {
	none := func(string) bool { return false }
	a, b := identified(program(404), 1, none), identified(program(1500), 2, none)
	for i, s := range a.h.Tables.Strings {
		if s == "Session" || strings.HasSuffix(s, ".Session") {
			a.h.Tables.Strings = slices.Clone(a.h.Tables.Strings)
			a.h.Tables.Strings[i] = "Gone"
		}
	}
	for _, h := range []*model.Heap{a.h, b.h} {
		ids := heapgraph.IdentitiesOf(a.h)
		in, same, all := ids.In(h), uint64(0), uint64(0)
		for r, id := range h.IDs {
			if strings.HasSuffix(h.OnAxis(0, model.Row(r)), "Session") || strings.HasSuffix(h.OnAxis(0, model.Row(r)), "Gone") {
				same += in.Has(model.Row(r))
				if id != 0 {
					all++
				}
			}
		}
		if want := map[*model.Heap]uint64{a.h: 404}[h]; same != want || all < 404 {
			t.Errorf("%d of %d are the same, want %d", same, all, want)
		}
	}
}

// Objects that moved have other addresses: nothing is told of which are the same.
func TestAddressesThatMoveIdentifyNothing(t *testing.T) {
	moving := testSchema
	moving.IDs = model.HeapIDForm{Prefix: "0x", Base: 16, Moves: true}
	all := func(string) bool { return true }
	a, b := identified(program(404), 1, all), identified(program(1500), 2, all)
	a.h.Schema, b.h.Schema = &moving, &moving
	list := found(t, 1, a, b)
	wantFirst(t, list, "grows: 1,500 Session (2.60 MiB, 47.0 % of the heap) are held by one SessionCache through `$cache`; grew by 1,096 since #0")
	if list[0].HasSame || heapgraph.Identified(a.h, b.h) {
		t.Errorf("%+v", list[0])
	}
}

// A class with static fields has a name of its own, however many classes there are.
func TestClassesHold(t *testing.T) {
	schema := testSchema
	schema.Kinds = append([]model.HeapKindInfo{}, testSchema.Kinds...)
	schema.Kinds[descriptor] = model.HeapKindInfo{Name: "class", Title: "class", Naming: model.NamedByType, Marked: true, About: true}
	schema.Sets = []model.HeapSet{{Key: "objects", One: "object", Many: "objects", Kinds: model.KindsOf(object, descriptor), Naming: model.NamedByType, Column: true}}
	m := newMaker()
	m.h.Schema = &schema
	var classes []model.Row
	for range 3 * everyday {
		classes = append(classes, m.addKind(descriptor, 0, "", "lang.Class", 64))
	}
	loader := m.add(0, "", "vm.Loader", 64)
	for _, c := range classes {
		m.link(loader, "classes", c)
	}
	for range everyday {
		m.add(m.add(0, "", "lang.Map", 48), "", "lang.Table", 64)
	}
	table := m.add(m.add(classes[5], "SESSIONS", "lang.Map", 48), "", "lang.Table", 4096)
	for range 500 {
		m.add(table, "", "shop.Session", 400)
	}
	h := m.heap()
	id := uint32(len(h.Tables.Types))
	for i := range classes {
		h.Tables.Types = append(h.Tables.Types, model.HeapType{Name: m.word(fmt.Sprintf("Cache%d", i))})
		h.Tables.Axes[1] = append(h.Tables.Axes[1], m.word("shop"))
	}
	h.About = append(h.About, 0)
	for i := range classes {
		h.About = append(h.About, id+uint32(i))
	}
	list := found(t, 0, m)
	wantFirst(t, list, "once: 500 Session (195 KiB, 93.5 % of the heap) are held by Cache5 (class) through `SESSIONS`")
}
