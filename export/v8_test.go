package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/loaders/v8heap"
	"github.com/memtui/memtui/loaders/v8profile"
	"github.com/memtui/memtui/model"
)

// heapSamples are snapshots of each language.
var heapSamples = []string{
	"../internal/demo/samples/records.mvmheap", "../loaders/hprof/testdata/shop1.hprof.zst", "../loaders/rubyheap/testdata/shop1.json.zst",
	"../loaders/pyheap/testdata/shop1.pydump.zst", "../loaders/v8heap/testdata/chrome1.heapsnapshot.zst",
}

// lastHeap returns the last snapshot of a file, with the references that keep memory alive.
func lastHeap(t *testing.T, path string) (*model.Profile, *model.Heap, heapgraph.Holding) {
	t.Helper()
	store, _, err := opened.File(t, path)
	if err != nil {
		t.Fatal(err)
	}
	p := store.Current()
	h, err := p.Heaps.Open(t.Context(), p.Heaps.Len()-1, nil)
	if err != nil {
		t.Fatal(err)
	}
	held, err := heapgraph.NewHolding(t.Context(), h, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p, h, held
}

// asV8 writes a snapshot as one of V8, and reads that.
func asV8(t *testing.T, h *model.Heap, held heapgraph.Holding) *model.Heap {
	t.Helper()
	var out bytes.Buffer
	if _, err := WriteHeapSnapshot(t.Context(), &out, h, held); err != nil {
		t.Fatal(err)
	}
	p := load(t, v8heap.Format(), out.Bytes())
	if len(p.Problems) > 0 {
		t.Errorf("the file has the problem %v", p.Problems[0])
	}
	back, err := p.Heaps.Open(t.Context(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

func graphWith(t *testing.T, h *model.Heap) *heapgraph.Graph {
	t.Helper()
	g, err := heapgraph.NewGraph(t.Context(), h, 0)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// countsByName returns how many rows have a type, and their bytes: of rows that do not describe types.
func countsByName(h *model.Heap, of func(model.Row) bool) map[string][2]uint64 {
	all := map[string][2]uint64{}
	for r := range model.Row(h.Len()) {
		if of(r) {
			name := model.Clean(h.OnAxis(0, r))
			sum := all[name]
			all[name] = [2]uint64{sum[0] + 1, sum[1] + h.Bytes(r)}
		}
	}
	return all
}

func TestSnapshotsOfV8SayWhatTheirSourcesSay(t *testing.T) {
	for _, path := range heapSamples {
		_, h, held := lastHeap(t, path)
		back := asV8(t, h, held)
		if back.Len() != h.Len() || back.To.Len() != h.To.Len() {
			t.Fatalf("%s: %d rows and %d references, want %d and %d", path, back.Len(), back.To.Len(), h.Len(), h.To.Len())
		}
		want, got := graphWith(t, h), graphWith(t, back)
		for r := range model.Row(h.Len()) {
			if got.Retained[r] != want.Retained[r] || got.Idom(r) != want.Idom(r) || back.Bytes(r) != h.Bytes(r) {
				t.Fatalf("%s: row %d (%s) has %d bytes, retains %d, below %d; want %d, %d, %d", path, r, heapgraph.Label(h, r),
					back.Bytes(r), got.Retained[r], got.Idom(r), h.Bytes(r), want.Retained[r], want.Idom(r))
			}
		}
		plain := func(r model.Row) bool {
			k := h.Kind(r)
			return k.Naming == model.NamedByType && !k.Marked && !k.Virtual
		}
		types := countsByName(h, plain)
		for name, sums := range countsByName(back, plain) {
			if cut := []rune(name); types[name] != sums && len(cut) < 120 {
				t.Errorf("%s: %v of type %s, want %v", path, sums, name, types[name])
			}
		}
	}
}

// Rows that describe types keep the names of these, references theirs.
func TestSnapshotsOfV8HaveNames(t *testing.T) {
	_, h, held := lastHeap(t, heapSamples[1])
	back := asV8(t, h, held)
	class := slices.IndexFunc(h.Kinds, func(k model.HeapKind) bool { return h.Schema.Kind(k).Name == "class" })
	name, ok := back.NameOf(model.Row(class))
	if want := heapgraph.Label(h, model.Row(class)) + " (class)"; !ok || name != want || back.Kind(model.Row(class)).Name != "object-shape" {
		t.Errorf("a class is a %s, %q, want %q", back.Kind(model.Row(class)).Name, name, want)
	}
	for e := range h.Label {
		got, want := back.EdgeText(model.Ref(e)), model.Clean(h.EdgeText(model.Ref(e)))
		if back.EdgeKind(model.Ref(e)).Name == "weak" && strings.HasPrefix(want, "[") {
			want = "[]"
		}
		if got != want {
			t.Fatalf("reference %d is %q, want %q", e, got, want)
		}
	}
	if back.Kind(0).Name != "synthetic" || back.Kind(back.To.At(0)).Name == "" {
		t.Errorf("row 0 is %s", back.Kind(0).Name)
	}
}

// oneString is a snapshot with a string of the program.
const oneString = `{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],
"node_types":[["hidden","array","string","object","synthetic"],"string","number","number","number"],
"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property"],"string_or_number","node"]},
"node_count":3,"edge_count":2,"trace_function_count":0},
"nodes":[4,0,1,0,1, 3,1,3,16,1, 2,2,5,32,0],
"edges":[1,1,5, 2,3,10],
"strings":["","Session","hunter2","password"]}`

func TestContentsOfStringsStay(t *testing.T) {
	p := load(t, v8heap.Format(), []byte(oneString))
	h, err := p.Heaps.Open(t.Context(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	held, err := heapgraph.NewHolding(t.Context(), h, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range heapWriters(p, h, held) {
		var out bytes.Buffer
		if _, err := write(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		for text, wanted := range map[string]bool{"hunter2": false, "password": true, "Session": true, "(string)": true} {
			if strings.Contains(out.String(), text) != wanted {
				t.Errorf("%s: %q is there: %v", name, text, !wanted)
			}
		}
	}
}

func heapWriters(p *model.Profile, h *model.Heap, held heapgraph.Holding) map[string]func(context.Context, io.Writer) ([]Loss, error) {
	return map[string]func(context.Context, io.Writer) ([]Loss, error){
		"heapsnapshot": func(ctx context.Context, w io.Writer) ([]Loss, error) { return WriteHeapSnapshot(ctx, w, h, held) },
		"perfetto":     func(ctx context.Context, w io.Writer) ([]Loss, error) { return PerfettoHeap(ctx, w, p, h, held, 0) },
	}
}

func TestWritersOfSnapshotsStop(t *testing.T) {
	for name, write := range heapWriters(lastHeap(t, heapSamples[1])) {
		if _, err := write(t.Context(), full{}); !errors.Is(err, errFull) {
			t.Errorf("%s: a full disk gives %v", name, err)
		}
		ctx := &memtest.AskedContext{Context: t.Context(), Most: 1 << 30}
		if _, err := write(ctx, io.Discard); err != nil || ctx.N < 20 {
			t.Errorf("%s: %v, asked %d times", name, err, ctx.N)
		}
		for _, most := range []int{0, ctx.N / 2, ctx.N - 1} {
			if _, err := write(&memtest.AskedContext{Context: t.Context(), Most: most}, io.Discard); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v when the context is done after %d of %d times", name, err, most, ctx.N)
			}
		}
	}
}

// A tree of calls has each call once, and lines that count from 0.
func TestHeapProfilesOfV8AreTrees(t *testing.T) {
	s := traceStacks(t, kvleak(t), "alloc_bytes")
	var out bytes.Buffer
	if _, err := WriteHeapProfile(t.Context(), &out, s); err != nil {
		t.Fatal(err)
	}
	type node struct {
		CallFrame struct {
			FunctionName, URL        string
			LineNumber, ColumnNumber int64
		}
		SelfSize uint64
		ID       int
		Children []node
	}
	var file struct{ Head node }
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	sum, ids, lines := uint64(0), map[int]bool{}, 0
	var walk func(n *node)
	walk = func(n *node) {
		if ids[n.ID] || n.ID == 0 {
			t.Errorf("two nodes have the id %d", n.ID)
		}
		ids[n.ID] = true
		sum += n.SelfSize
		if n.CallFrame.FunctionName == "open_session(int)" && n.CallFrame.LineNumber == 15 {
			lines++
		}
		known := map[any]bool{}
		for i := range n.Children {
			if known[n.Children[i].CallFrame] {
				t.Errorf("%v is twice below %v", n.Children[i].CallFrame, n.CallFrame)
			}
			known[n.Children[i].CallFrame] = true
			walk(&n.Children[i])
		}
	}
	walk(&file.Head)
	if file.Head.CallFrame.FunctionName != "(root)" || sum != 3296735 || lines == 0 {
		t.Errorf("begins with %s, sums up to %d, has line 16 of open_session %d times", file.Head.CallFrame.FunctionName, sum, lines)
	}
	back := load(t, v8profile.Heap(), out.Bytes())
	if total := back.Weights.Records.Weights; total.Rows() == 0 || len(back.Problems) > 1 { // one says that sizes are estimates
		t.Errorf("%d records, %v", total.Rows(), back.Problems)
	}
}

// A snapshot in blocks is decoded after it was opened: damage found then is a problem, too.
func TestSnapshotsWithADamagedBlockSaySo(t *testing.T) {
	_, h, held := lastHeap(t, heapSamples[1])
	var out bytes.Buffer
	if _, err := WriteHeapSnapshot(t.Context(), &out, h, held); err != nil {
		t.Fatal(err)
	}
	stored := inBlocks(t, out.Bytes(), false)
	at := len(inBlocks(t, out.Bytes()[:6*blockBytes], false))
	for i := range 50 {
		stored[at+i] ^= 0x5a
	}
	store, _, err := opened.Bytes(t, "damaged.heapsnapshot", stored)
	if err != nil {
		t.Fatal(err)
	}
	p := store.Current()
	if _, err := p.Heaps.Open(t.Context(), 0, nil); err != nil {
		t.Fatal(err)
	}
	p = store.Current()
	if !slices.ContainsFunc(p.Problems, func(p model.Problem) bool { return p.Code == "compression" && p.Offset == 6*blockBytes }) || p.Complete {
		t.Errorf("complete: %v, problems %v", p.Complete, p.Problems)
	}
}
