package v8heap

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/internal/memtest/graphs"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// result is everything that opening, decoding and validating a file gives.
type result struct {
	err        error // of load
	profile    *model.Profile
	heap       *model.Heap
	source     *file
	violations []loaders.Violation
}

func open1(t testing.TB, src *loaders.Source) *result {
	t.Helper()
	ctx, store := context.Background(), &model.Store{}
	r := &result{}
	r.err = src.Guard(func() error { return load(ctx, src, loaders.Options{}, store) })
	if err := validate(ctx, src, func(v loaders.Violation) { r.violations = append(r.violations, v) }); err != nil {
		t.Fatal(err)
	}
	if model.Internal(r.err) {
		t.Fatal(r.err)
	}
	if r.profile = store.Current(); r.profile == nil {
		return r
	}
	r.source = r.profile.Heaps.(*file)
	h, err := graphs.Counted(t, r.source, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range modeltest.CheckHeap(h) {
		t.Error(err)
	}
	r.heap, r.profile = h, store.Current()
	return r
}

// openBytes runs everything over b as it comes through a pipe.
func openBytes(t testing.TB, b []byte) *result {
	t.Helper()
	src, err := loaders.OpenSource(context.Background(), "-", bytes.NewReader(b))
	if err != nil {
		return &result{err: err}
	}
	defer src.Close()
	return open1(t, src)
}

func (r *result) problem(code string) *model.Problem {
	for i := range r.profile.Problems {
		if r.profile.Problems[i].Code == code {
			return &r.profile.Problems[i]
		}
	}
	return nil
}

func graphOf(t testing.TB, h *model.Heap, policy string) *heapgraph.Graph {
	t.Helper()
	p, ok := schema.PolicyNamed(policy)
	if !ok {
		t.Fatal(policy)
	}
	g, err := heapgraph.NewGraph(context.Background(), h, heapgraph.Policy(p))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// wantedRow is a row of the answers.
type wantedRow struct {
	ID, Retained uint64
	Rows         uint64 `json:"retained_rows"`
	Idom         uint64
}

// TestChromium compares a snapshot of a browser with what independent programs and the engine of Chrome DevTools say.
func TestChromium(t *testing.T) {
	var want struct {
		Nodes, Edges int
		Classes      []struct {
			Name        string
			Count, Self uint64
		} `json:"classes_raw"`
		Plain    []wantedRow `json:"top_retained_plain"`
		DevTools []wantedRow `json:"top_retained_devtools"`
	}
	b, err := os.ReadFile("testdata/chrome1.expected.json")
	if err == nil {
		err = json.Unmarshal(b, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	src, err := loaders.OpenSource(t.Context(), "testdata/chrome1.heapsnapshot.zst", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := open1(t, src)
	if r.err != nil || !r.profile.Complete || len(r.violations) > 0 || r.heap.Len() != want.Nodes || r.heap.To.Len() != want.Edges {
		t.Fatalf("%v, %+v", r.err, r.violations)
	}
	got := map[string][2]uint64{}
	for _, g := range heapgraph.Types(r.heap) {
		got[g.Name] = [2]uint64{got[g.Name][0] + g.Count, got[g.Name][1] + g.Bytes()}
	}
	for _, c := range want.Classes {
		if got[c.Name] != [2]uint64{c.Count, c.Self} {
			t.Errorf("%s: %v, want %d and %d bytes", c.Name, got[c.Name], c.Count, c.Self)
		}
	}
	for policy, list := range map[string][]wantedRow{"plain": want.Plain, "devtools": want.DevTools} {
		g := graphOf(t, r.heap, policy)
		for _, x := range list {
			row, ok := r.heap.RowOf(fmt.Sprint("@", x.ID))
			if got := (wantedRow{x.ID, g.Retained[row], g.RetainedCount(row), r.heap.IDs[g.Idom(row)]}); !ok || got != x {
				t.Errorf("%s: %+v, want %+v", policy, got, x)
			}
		}
	}
	detached := map[string]int{}
	for row := range r.heap.Kinds {
		if r.heap.OnAxis(axisDetached, model.Row(row)) == "detached" {
			detached[r.heap.OnAxis(0, model.Row(row))]++
		}
	}
	if detached["<section>"] != 30 || detached["<ul>"] != 30 || detached["<li>"] != 300 {
		t.Errorf("detached: %v", detached)
	}
}

// TestPolicies finds who holds what in a small program.
func TestPolicies(t *testing.T) {
	r := openBytes(t, shop().bytes())
	if r.err != nil || !r.profile.Complete || len(r.violations) > 0 {
		t.Fatalf("%v, %+v", r.err, r.violations)
	}
	for _, x := range []struct {
		policy         string
		row, idom      model.Row
		own, retained  uint64
		unreachable    int
		unreachableSum uint64
	}{
		{"plain", 3, 0, 32, 32 + 152 + 40, 2, 56},
		{"devtools", 3, 2, 32 + 152 + 40, 32 + 152 + 40, 2, 56},
		{"plain", 13, 2, 70_000, 70_000, 2, 56},
		{"devtools", 13, 14, 70_000, 70_000, 2, 56},
		{"devtools", 8, 7, 32 + 96, 32 + 96, 2, 56},
	} {
		g := graphOf(t, r.heap, x.policy)
		if g.Idom(x.row) != x.idom || g.Heap.Bytes(x.row) != x.own || g.Retained[x.row] != x.retained || g.Unreachable != x.unreachable || g.UnreachableBytes != x.unreachableSum {
			t.Errorf("%s: row %d of %d bytes below %d retains %d; %d rows of %d bytes are unreachable; want %+v", x.policy, x.row, g.Heap.Bytes(x.row),
				g.Idom(x.row), g.Retained[x.row], g.Unreachable, g.UnreachableBytes, x)
		}
	}
	if r.heap.Bytes(3) != 32 {
		t.Error("the snapshot's own sizes changed")
	}
}

// TestContents reads what objects state.
func TestContents(t *testing.T) {
	r := openBytes(t, shop().bytes())
	ctx, h := t.Context(), r.heap
	if text, whole, ok, err := r.source.Text(ctx, 0, h, 9, 100); text != "Größe 日本" || !whole || !ok || err != nil {
		t.Errorf("%q, %v, %v, %v", text, whole, ok, err)
	}
	if text, whole, _, _ := r.source.Text(ctx, 0, h, 9, 3); text != "Gr" || whole {
		t.Errorf("%q, %v", text, whole)
	}
	if _, whole, ok, _ := r.source.Text(ctx, 0, h, 16, 4000); whole || !ok {
		t.Error("a text of 1,024 characters may go on")
	}
	if _, _, ok, _ := r.source.Text(ctx, 0, h, 3, 10); ok {
		t.Error("a Map says something")
	}
	fields, total, err := r.source.Fields(ctx, 0, h, 7, 0, 10)
	if err != nil || total != 1 || fields[0].Name != "captured" || fields[0].Of != "captured" || fields[0].Row != 8 {
		t.Errorf("%+v, %d, %v", fields, total, err)
	}
	if fields, total, _ := r.source.Fields(ctx, 0, h, 2, 6, 1); total != 8 || len(fields) != 1 || fields[0].Name != "same" {
		t.Errorf("%+v of %d", fields, total)
	}
	cut := 0
	r.source.Texts(ctx, 0, h, func(x *model.HeapText) error {
		if x.Cut {
			cut++
		}
		return nil
	})
	var found []model.HeapCollection
	r.source.Collections(ctx, 0, h, func(c *model.HeapCollection) error { found = append(found, *c); return nil })
	want := []model.HeapCollection{
		{Row: 3, Storage: 4, Form: model.CollectionTable, Len: 1, Capacity: 4, Wasted: 72},
		{Row: 8, Storage: 19, Form: model.CollectionList, Len: 4, Capacity: 10, Wasted: 48},
	}
	if cut != 2 || !slices.Equal(found, want) {
		t.Errorf("%d cut texts; %+v", cut, found)
	}
}

// TestArrangements reads the same objects in every order of columns and layout of lines that writers use.
func TestArrangements(t *testing.T) {
	want := sumOf(t, openBytes(t, shop().bytes()))
	for name, change := range map[string]func(m *made){
		"lines":  func(m *made) { m.lines = true },
		"blanks": func(m *made) { m.between = strings.Repeat(" \r\n\t", 40) },
		"columns": func(m *made) {
			m.fields = []string{"id", "detachedness", "new", "self_size", "type", "edge_count", "name", "name"}
		},
		"types": func(m *made) { m.types = append([]string{"brand new"}, madeTypes...) },
	} {
		m := shop()
		change(m)
		r := openBytes(t, m.bytes())
		if r.err != nil || len(r.violations) > 0 || sumOf(t, r) != want {
			t.Errorf("%s: %v, %+v", name, r.err, r.violations)
		}
	}
	pretty := &bytes.Buffer{}
	if err := json.Indent(pretty, shop().bytes(), "", "    "); err != nil {
		t.Fatal(err)
	}
	if r := openBytes(t, pretty.Bytes()); r.err != nil || len(r.violations) > 0 || sumOf(t, r) != want {
		t.Errorf("indented: %v, %+v", r.err, r.violations)
	}
	if c := sniff(pretty.Bytes()[:200]); c != loaders.Sure {
		t.Errorf("indented: %v", c)
	}
}

// sumOf hashes ids, dominators, retained sizes and classes of all rows under both policies.
func sumOf(t *testing.T, r *result) string {
	t.Helper()
	if r.heap == nil {
		t.Fatal(r.err)
	}
	var lines []string
	for _, policy := range []string{"plain", "devtools"} {
		g := graphOf(t, r.heap, policy)
		for _, x := range byID(r.heap) {
			lines = append(lines, fmt.Sprint(r.heap.IDs[x], r.heap.IDs[g.Idom(x)], g.Retained[x], r.heap.OnAxis(0, x), heapgraph.Label(r.heap, x)))
		}
	}
	return hashOf(lines)
}

// byID lists rows by their ids.
func byID(h *model.Heap) []model.Row {
	rows := make([]model.Row, h.Len())
	for i := range rows {
		rows[i] = model.Row(i)
	}
	slices.SortFunc(rows, func(a, b model.Row) int { return cmp.Compare(h.IDs[a], h.IDs[b]) })
	return rows
}

func hashOf(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

// TestTimeline finds where and when objects were allocated.
func TestTimeline(t *testing.T) {
	m := shop()
	m.text("inner")
	name, script := m.text("outer"), m.text("/app/shop.js")
	m.nodes[5].trace, m.nodes[3].trace = 3, 2
	m.more = fmt.Sprintf(`"trace_function_infos":[0,%d,0,0,0,0,1,%d,%d,1,7,3,2,%d,%d,1,9,3],"trace_tree":[1,0,0,0,[2,1,1,8,[3,2,5,99,[]]]],"samples":[1000,5,250000,12],`,
		m.text("(root)"), name, script, m.text("inner"), script)
	r := openBytes(t, m.bytes())
	if r.err != nil || len(r.violations) > 0 {
		t.Fatal(r.err, r.violations)
	}
	got := []string{r.heap.OnAxis(axisSite, 5), r.heap.OnAxis(axisStack, 5), r.heap.OnAxis(axisStack, 3), r.heap.OnAxis(axisSite, 2), r.heap.OnAxis(axisTime, 5), r.heap.OnAxis(axisTime, 20)}
	if want := []string{"inner (/app/shop.js:9)", "inner < outer", "outer", "", "up to 250 ms", ""}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestCuts reads what stands before a cut, and says that something is missing.
func TestCuts(t *testing.T) {
	for _, m := range []*made{shop(), {nodes: random(rand.New(rand.NewPCG(7, 7)), 30).nodes, lines: true}} {
		b := m.bytes()
		for i := range 200 {
			n := i * len(b) / 200
			if r := openBytes(t, b[:n]); r.err == nil && (r.profile.Complete || len(r.violations) == 0) {
				t.Errorf("cut at %d of %d: nothing is said", n, len(b))
			}
		}
	}
}

// TestChangedBytes decodes, links and validates files of which bytes are others.
func TestChangedBytes(t *testing.T) {
	b := shop().bytes()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		bad := slices.Clone(b)
		bad[rng.IntN(len(bad))] ^= byte(1 + rng.IntN(255))
		r := openBytes(t, bad)
		if r.heap != nil && r.heap.Complete {
			graphOf(t, r.heap, "devtools")
			for row := range r.heap.Kinds {
				r.source.Text(t.Context(), 0, r.heap, model.Row(row), 50)
			}
			r.source.Collections(t.Context(), 0, r.heap, func(*model.HeapCollection) error { return nil })
		}
	}
}

// TestDamage says what is wrong, with its offset, and reads the rest.
func TestDamage(t *testing.T) {
	good := string(shop().bytes())
	nodes := int64(strings.Index(good, `"nodes":[`) + len(`"nodes":[`))
	edges := int64(strings.Index(good, `"edges":[`) + len(`"edges":[`))
	for name, x := range map[string]struct {
		old, new, code string
		at             int64
	}{
		"a number that is none": {`"nodes":[9,0,1,`, `"nodes":[9,x,1,`, "numbers", nodes + 2},
		"claims of counts":      {`"node_count":22`, `"node_count":99999999999`, "node-count", -1},
		"an edge to nowhere":    {`"edges":[3,0,`, `"edges":[3,0,9`, "dangling-reference", edges},
		"too many edges":        {`"nodes":[9,0,1,0,2,`, `"nodes":[9,0,1,0,4000000000,`, "edge-count", edges + 9},
		"no strings":            {`"strings":`, `"things":`, "strings", -1},
		"no edges":              {`"edges":[`, `"wedges":[`, "edges", -1},
		"a record too short":    {`"nodes":[9,`, `"nodes":[`, "numbers", -2},
		"another snapshot":      {`{"snapshot":`, good + ` {"snapshot":`, "trailing", int64(len(good)) + 1},
		"zero bytes":            {`{"snapshot":`, good + "\n\x00" + `{"snapshot":`, "trailing", int64(len(good)) + 1},
	} {
		bad := strings.Replace(good, x.old, x.new, 1)
		if bad == good && name != "an edge to nowhere" {
			t.Fatal(name)
		}
		if name == "an edge to nowhere" {
			end := strings.Index(good[edges:], "]") + int(edges)
			bad = good[:end] + "3" + good[end:]
		}
		r := openBytes(t, []byte(bad))
		if r.err != nil || r.problem(x.code) == nil {
			t.Errorf("%s: %v, %+v", name, r.err, r.violations)
			continue
		}
		if p := r.problem(x.code); x.at >= 0 && p.Offset != x.at {
			t.Errorf("%s: at %d, want %d", name, p.Offset, x.at)
		}
	}
	for _, text := range []string{`{"snapshot":{"meta":{}},"nodes":[]}`, `{"nodes":[1,2]}`, `[]`, `{"snapshot":7}`, "{\"snapshot\":{\"meta\":{\"node_fields\":[", `{"snapshot":{"meta":{"node_fields":["type"]}}}`} {
		if r := openBytes(t, []byte(text)); r.err == nil || len(r.violations) == 0 {
			t.Errorf("%s: nothing is said", text)
		}
	}
}

// TestShapes decodes snapshots of any shape: cycles, rows without references, parts of strings that are their own
// parts.
func TestShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		m := random(rng, 1+rng.IntN(60))
		r := openBytes(t, m.bytes())
		if r.err != nil || len(r.violations) > 0 {
			t.Fatal(r.err, r.violations)
		}
		for _, policy := range []string{"plain", "devtools"} {
			g, sum := graphOf(t, r.heap, policy), uint64(0)
			for row := range m.nodes {
				sum += g.Heap.Bytes(model.Row(row))
			}
			want := uint64(0)
			for _, n := range m.nodes {
				want += uint64(n.size)
			}
			if sum != want || g.Retained[0] != want {
				t.Errorf("%s: %d bytes, the root retains %d, want %d", policy, sum, g.Retained[0], want)
			}
			reached := slowReach(m, policy)
			if g.Unreachable != len(m.nodes)-reached {
				t.Errorf("%s: %d rows are unreachable of %d, %d are reached", policy, g.Unreachable, len(m.nodes), reached)
			}
		}
		for row := range m.nodes {
			r.source.Text(t.Context(), 0, r.heap, model.Row(row), 100)
		}
	}
}

// slowReach counts the rows that a policy reaches, by its definition.
func slowReach(m *made, policy string) int {
	flood := func(from []int, holds func(r int, e madeEdge) bool) map[int]bool {
		seen := map[int]bool{}
		for len(from) > 0 {
			r := from[0]
			if from = from[1:]; seen[r] {
				continue
			}
			seen[r] = true
			for _, e := range m.nodes[r].edges {
				if holds(r, e) {
					from = append(from, e.to)
				}
			}
		}
		return seen
	}
	plain := func(r int, e madeEdge) bool { return e.kind != "weak" && (e.kind != "shortcut" || r == 0) }
	if policy == "plain" {
		return len(flood([]int{0}, plain))
	}
	var globals []int
	for _, e := range m.nodes[0].edges {
		if e.kind == "shortcut" {
			globals = append(globals, e.to)
		}
	}
	page := flood(globals, func(_ int, e madeEdge) bool { return e.kind != "weak" })
	return len(flood([]int{0}, func(r int, e madeEdge) bool { return plain(r, e) && (r == 0 || page[r] || !page[e.to]) }))
}

// TestChunks reads arrays that several goroutines share.
func TestChunks(t *testing.T) {
	m := random(rand.New(rand.NewPCG(3, 3)), 1000)
	m.between = strings.Repeat(" ", 300)
	r := openBytes(t, m.bytes())
	m.between = ""
	if want := openBytes(t, m.bytes()); r.err != nil || len(r.violations) > 0 || sumOf(t, r) != sumOf(t, want) {
		t.Error(r.err, r.violations)
	}
	s := &section{numbers: 3*7 + 1, chunks: []chunk{{0, 0}, {10, 6}, {20, 7}, {30, 20}}}
	next := int64(0)
	for i := range s.chunks {
		first, last, skip := s.part(i, 7)
		if first != next || last < first || skip != first*7-s.chunks[i].commas {
			t.Errorf("chunk %d: records %d to %d after %d commas", i, first, last, skip)
		}
		next = last
	}
	if next != 3 {
		t.Errorf("%d records", next)
	}
}

// TestSniff tells snapshots from other files of V8.
func TestSniff(t *testing.T) {
	for text, want := range map[string]loaders.Confidence{
		`{"snapshot":{"meta":{"node_fields":[`: loaders.Sure, "\xef\xbb\xbf { \"snapshot\" : {\"meta\"": loaders.Sure, `{"snapshot":{"node_count":3`: loaders.Maybe,
		`{"head":{"callFrame":{},"selfSize":1}}`: loaders.No, `{"snapshot":1}`: loaders.No, "": loaders.No, "[": loaders.No, "{": loaders.No,
	} {
		if got := sniff([]byte(text)); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestCanceled ends with the context.
func TestCanceled(t *testing.T) {
	src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(shop().bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	f, err := open(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Open(ctx, 0, nil); err == nil {
		t.Error("it went on")
	}
}

// FuzzOpenV8 opens, decodes and validates any bytes.
func FuzzOpenV8(f *testing.F) {
	f.Add(shop().bytes())
	f.Add((&made{nodes: shop().nodes, lines: true, fields: []string{"type", "name", "id", "self_size", "edge_count"}}).bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 1<<15 {
			openBytes(t, b)
		}
	})
}

// BenchmarkOpen decodes a snapshot of 12 MB and finds its dominators.
func BenchmarkOpen(b *testing.B) {
	text := random(rand.New(rand.NewPCG(1, 1)), 300_000).bytes()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		src, err := loaders.OpenSource(b.Context(), "-", bytes.NewReader(text))
		if err != nil {
			b.Fatal(err)
		}
		f, err := open(b.Context(), src)
		if err != nil {
			b.Fatal(err)
		}
		h, err := f.Open(b.Context(), 0, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := heapgraph.NewGraph(b.Context(), h, 0); err != nil {
			b.Fatal(err)
		}
		src.Close()
	}
}

// TestSuspects names what the program holds, and no root of the runtime.
func TestSuspects(t *testing.T) {
	src, err := loaders.OpenSource(t.Context(), "testdata/chrome1.heapsnapshot.zst", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	g := graphOf(t, open1(t, src).heap, "plain")
	list, err := suspects.Find(t.Context(), g, 0, nil, 10)
	if err != nil || len(list) == 0 {
		t.Fatal(err, list)
	}
	for _, s := range list {
		if s.Name == "(synthetic)" {
			t.Errorf("%s of %d", s.Name, s.Count)
		}
	}
}
