package rubyheap

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest/graphs"
	"github.com/memtui/memtui/model"
)

// answers are what independent programs say of the sample.
type answers struct {
	Objects, Edges int64
	MemsizeTotal   int64 `json:"memsize_total"`
	Unreachable    struct{ Rows, Bytes int64 }
	Types          []struct {
		Name           string
		Count, Memsize uint64
	}
	Generations []struct {
		Generation *int
		Count      uint64
	}
	Sites []struct {
		File, Method string
		Line         int
		Count        int
	} `json:"allocation_sites"`
	Top []struct {
		Address  string
		Retained uint64
	} `json:"top_retained"`
	Dominators string `json:"dominators_sha256"`
}

func answersOf(t *testing.T) (a answers) {
	b, err := os.ReadFile("testdata/shop1.expected.json")
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAnswers compares rows, references, classes, sizes and dominators with what an independent program counted.
func TestAnswers(t *testing.T) {
	want, r := answersOf(t), graphs.OpenFile(t, Format(), "testdata/shop1.json.zst")
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	h, info := r.Heap, r.Profile.Heaps.Info(0)
	if info.Counts[0] != want.Objects || info.References != want.Edges || info.Bytes != want.MemsizeTotal {
		t.Errorf("%+v", info)
	}
	got := graphs.Types(h)
	for _, x := range want.Types {
		if got[x.Name] != [2]uint64{x.Count, x.Memsize} {
			t.Errorf("%s: %v, want %d and %d bytes", x.Name, got[x.Name], x.Count, x.Memsize)
		}
	}
	if len(got) != len(want.Types) {
		t.Errorf("%d classes, want %d", len(got), len(want.Types))
	}
	g := graphs.Graph(t, h)
	if int64(g.Unreachable) != want.Unreachable.Rows || int64(g.UnreachableBytes) != want.Unreachable.Bytes {
		t.Errorf("%d rows of %d bytes are unreachable", g.Unreachable, g.UnreachableBytes)
	}
	for _, x := range want.Top {
		if row, ok := h.RowOf(x.Address); x.Address != "" && (!ok || g.Retained[row] != x.Retained) {
			t.Errorf("%s retains %d, want %d", x.Address, g.Retained[row], x.Retained)
		}
	}
	name := func(r model.Row) string {
		switch {
		case r == model.RootRow:
			return "ROOT"
		case h.IDs[r] == 0:
			return strings.Replace(heapgraph.Label(h, r), "roots: ", "root ", 1)
		}
		return h.IDText(r)
	}
	if got := graphs.DominatorSum(g, name); got != want.Dominators {
		t.Errorf("dominators are others: %s", got)
	}
}

// TestSites compares generations and allocation sites with what an independent program counted, those of salvaged
// lines, too.
func TestSites(t *testing.T) {
	want, r := answersOf(t), graphs.OpenFile(t, Format(), "testdata/shop1.json.zst")
	h, generations, sites := r.Heap, map[string]uint64{}, map[string]int{}
	for row := range h.Kinds {
		if h.IDs[row] != 0 {
			generations[h.OnAxis(axisGeneration, model.Row(row))]++
			sites[h.OnAxis(axisSite, model.Row(row))]++
		}
	}
	for _, x := range want.Generations {
		name := ""
		if x.Generation != nil {
			b, _ := json.Marshal(*x.Generation)
			name = string(b)
		}
		if generations[name] != x.Count {
			t.Errorf("generation %q: %d, want %d", name, generations[name], x.Count)
		}
	}
	for _, x := range want.Sites {
		b, _ := json.Marshal(x.Line)
		if name := strings.TrimSpace(x.File + ":" + string(b) + " " + x.Method); sites[name] != x.Count {
			t.Errorf("%s: %d, want %d", name, sites[name], x.Count)
		}
	}
	p := r.Problem("salvaged-line")
	if p == nil || p.Count != 2 || p.Offset <= 0 {
		t.Errorf("%+v", r.Profile.Problems)
	}
	for id, site := range map[string]string{"0x7f29d8b59bc8": `odd "path"\file.rb:7 new`, "0x7f29d8b5a730": "/srv/webshop/gen/ruby/shop.rb:21 vergr…"} {
		row, ok := h.RowOf(id)
		if got := h.OnAxis(axisSite, row); !ok || got != site {
			t.Errorf("%s: %q, want %q", id, got, site)
		}
	}
}
