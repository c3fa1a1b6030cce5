package pyheap

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest/graphs"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/join"
)

// TestAnswers compares rows, references, types, sizes and retained sizes with what an independent program counted.
func TestAnswers(t *testing.T) {
	var want struct {
		Objects, Edges int64
		SizeTotal      int64 `json:"size_total"`
		Types          []struct {
			Name        string
			Count, Size uint64
		}
		Top []struct {
			Address  uint64
			Retained uint64
		} `json:"top_retained"`
	}
	b, err := os.ReadFile("testdata/shop1.expected.json")
	if err == nil {
		err = json.Unmarshal(b, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := graphs.OpenFile(t, Format(), "testdata/shop1.pydump.zst")
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	h, info := r.Heap, r.Profile.Heaps.Info(0)
	if info.Counts[0] != want.Objects || info.References != want.Edges || info.Bytes != want.SizeTotal {
		t.Errorf("%+v", info)
	}
	got := graphs.Types(h)
	for _, x := range want.Types {
		if got[x.Name] != [2]uint64{x.Count, x.Size} {
			t.Errorf("%s: %v, want %d and %d bytes", x.Name, got[x.Name], x.Count, x.Size)
		}
	}
	g := graphs.Graph(t, h)
	for _, x := range want.Top {
		if x.Address == 0 {
			continue
		}
		row, ok := h.RowOf("@" + strconv.FormatUint(x.Address, 10))
		if !ok || g.Retained[row] != x.Retained {
			t.Errorf("%d retains %d, want %d", x.Address, g.Retained[row], x.Retained)
		}
	}
	if at, ok := r.Profile.Heaps.(join.Clock).Clock(); !ok || at/1e6 != 1795319245 {
		t.Errorf("written at %d", at)
	}
}

const small = `{"format":"memtui-pydump","version":1,"python":"3.11.7","implementation":"cpython","pid":7,"time":1795319245.5}
{"root":"module","name":"__main__","refs":[10]}
{"root":"frame","name":"work","refs":[20,30],"thread":99,"depth":0,"file":"/srv/app.py","line":12,"keys":["local","other"],"thread_name":"worker","thread_object":40}
{"address":10,"type":"module","class":50,"size":72,"name":"__main__","refs":[20]}
{"address":20,"type":"app.Session","class":60,"size":48,"refs":[30,60],"keys":["token",null]}
{"address":30,"type":"list","class":70,"size":70000,"len":2,"refs":[20,20],"keys":[0,1]}
{"address":60,"type":"type","class":60,"size":900,"name":"app.Session","refs":[]}
`

// TestSmall names references by keys, classes by their names, and frames by their functions.
func TestSmall(t *testing.T) {
	r := graphs.OpenText(t, Format(), []byte(small))
	h := r.Heap
	if r.Err != nil || h.Len() != 1+2+2+4 {
		t.Fatal(r.Err, h.Len())
	}
	row, _ := h.RowOf("@20")
	to, first := h.Out(row)
	if h.EdgeText(first) != "token" || to.Len() != 2 || h.OnAxis(axisModule, row) != "app" {
		t.Errorf("%q, %d references, module %q", h.EdgeText(first), to.Len(), h.OnAxis(axisModule, row))
	}
	if row, _ = h.RowOf("@60"); heapgraph.Label(h, row) != "app.Session" || h.OnAxis(0, row) != "type" {
		t.Errorf("%q of type %q", heapgraph.Label(h, row), h.OnAxis(0, row))
	}
	if got := heapgraph.Label(h, 4); got != "work (app.py:12)" {
		t.Errorf("the frame is called %q", got)
	}
	_, first = h.Out(4)
	if h.EdgeText(first) != "local" {
		t.Errorf("a local is called %q", h.EdgeText(first))
	}
	if p := r.Problem("dangling-reference"); p == nil || p.Count != 2 {
		t.Errorf("%+v", r.Profile.Problems)
	}
}

// TestMidden takes what nothing holds, and modules, for the roots of dumps that tell none.
func TestMidden(t *testing.T) {
	r := graphs.OpenText(t, Format(), []byte(`{"id": 1, "type": "builtins.module", "references": [2], "size": 72, "value": "module app"}
{"id": 2, "type": "builtins.dict", "references": [1, 3], "size": 64}
{"id": 3, "type": "builtins.list", "references": [4, 4], "size": 88}
{"id": 4, "type": "app.Session", "references": [4], "size": 48}
{"id": 5, "type": "app.Session", "references": [4], "size": 48}
`))
	h := r.Heap
	if r.Err != nil || h.Len() != 6 || !h.Complete {
		t.Fatal(r.Err, h.Len())
	}
	to, _ := h.Out(0)
	if to.Len() != 2 || to.At(0) != 1 || to.At(1) != 5 {
		t.Errorf("roots: %v", to)
	}
	if heapgraph.Label(h, 1) != "app" || h.OnAxis(0, 3) != "list" || r.Problem("guessed-roots") == nil {
		t.Errorf("%q, %q, %+v", heapgraph.Label(h, 1), h.OnAxis(0, 3), r.Profile.Problems)
	}
}

// TestDamage cuts dumps, changes bytes of them, and says what is wrong where.
func TestDamage(t *testing.T) {
	b := []byte(strings.Repeat(small[strings.Index(small, "\n")+1:], 3))
	b = append([]byte(small), b...)
	for i := range 200 {
		n := len(b) * (i + 1) / 201
		r := graphs.OpenText(t, Format(), b[:n])
		whole := b[n-1] == '\n' || b[n] == '\n'
		if r.Err != nil || (r.Problem("truncated") == nil) != whole {
			t.Errorf("cut at %d: %v", n, r.Err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		bad := []byte(small)
		bad[rng.IntN(len(bad))] ^= byte(1 + rng.IntN(255))
		if r := graphs.OpenText(t, Format(), bad); r.Err != nil && !strings.Contains(r.Err.Error(), "version") {
			t.Fatal(r.Err)
		}
	}
	if r := graphs.OpenText(t, Format(), []byte(strings.Replace(small, `"version":1`, `"version":2`, 1))); r.Err == nil {
		t.Error("a later version is read")
	}
}

// TestSniff knows dumps, and no other text with an object on every line.
func TestSniff(t *testing.T) {
	for text, want := range map[string]loaders.Confidence{
		small: loaders.Sure, `{"id": 1, "type": "builtins.dict", "references": [1, 2], "size": 64}` + "\n": loaders.Maybe,
		`{"id": 1, "type": "builtins.dict", "references": [` + strings.Repeat("1234567, ", 500): loaders.Maybe,
		`{"id": 1, "type": "push", "actor": {}}`:                                                loaders.No, `{"format":"json"}`: loaders.No, "": loaders.No,
		`{"id": "1", "type": "x", "references": []}`: loaders.No, "main;f;g 12\n": loaders.No,
	} {
		if got := sniff([]byte(text)[:min(len(text), loaders.SniffLength)]); got != want {
			t.Errorf("%.50q: %d, want %d", text, got, want)
		}
	}
}

// FuzzOpenPython opens, decodes and validates any bytes.
func FuzzOpenPython(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(`{"id": 2, "type": "builtins.dict", "references": [1, 3], "size": 64}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := graphs.OpenText(t, Format(), b)
		if r.Err != nil && strings.Contains(r.Err.Error(), "internal error") {
			t.Fatal(r.Err)
		}
	})
}

// pythons returns the interpreters that are there.
func pythons(t *testing.T) (paths []string) {
	home, _ := os.UserHomeDir()
	paths, _ = filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/bin/python"))
	if path, err := exec.LookPath("python3"); err == nil && len(paths) == 0 {
		paths = append(paths, path)
	}
	if len(paths) == 0 {
		t.Skip("no Python is installed")
	}
	if testing.Short() || underRace {
		paths = paths[len(paths)-1:]
	}
	return paths
}

// TestDumper dumps a program whose classes end it when their code runs, by every Python that is there, and finds what
// it planted.
func TestDumper(t *testing.T) {
	module := filepath.Join(t.TempDir(), "heapdump.py")
	if err := os.WriteFile(module, dumper, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, python := range pythons(t) {
		t.Run(strings.TrimPrefix(python, filepath.Dir(filepath.Dir(filepath.Dir(python)))), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "app.pydump")
			c := exec.Command(python, "testdata/plant.py", filepath.Dir(module), path)
			c.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
			if out, err := c.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "ok" {
				t.Fatalf("%v: %s", err, out)
			}
			text, err := os.ReadFile(path)
			if info, statErr := os.Stat(path); err != nil || statErr != nil || info.Mode().Perm() != 0o600 {
				t.Fatal(err, info.Mode())
			}
			if strings.Contains(string(text), "secret") {
				t.Error("values are in the dump")
			}
			r := graphs.OpenFile(t, Format(), path)
			if r.Err != nil || len(r.Violations) > 0 {
				t.Fatal(r.Err, r.Violations)
			}
			planted(t, r.Heap)
		})
	}
}

// planted looks for what testdata/plant.py leaks.
func planted(t *testing.T, h *model.Heap) {
	types := graphs.Types(h)
	if types["__main__.Token"][0] != 500 || types["__main__.Boom"][0] != 1 {
		t.Errorf("tokens %v, booms %v", types["__main__.Token"], types["__main__.Boom"])
	}
	g := graphs.Graph(t, h)
	locals, calls, slots := false, false, 0
	for r := range h.Kinds {
		row := model.Row(r)
		calls = calls || h.Kinds[r] == kindCall && strings.HasPrefix(heapgraph.Label(h, row), "wait (plant.py:")
		to, first := h.Out(row)
		for i, x := range to.All() {
			text := h.EdgeText(first + model.Ref(i))
			locals = locals || h.Kinds[r] == kindCall && text == "local" && h.Bytes(x) >= 123456
			if h.OnAxis(0, row) == "__main__.Slotted" && (text == "left" || text == "right") {
				slots++
			}
		}
		if h.About != nil && r < len(h.About) && heapgraph.Label(h, row) == "__main__.Cache" && h.Kinds[r] == kindClass && g.Retained[row] < 500*48 {
			t.Errorf("the class that holds the cache retains %d bytes", g.Retained[row])
		}
	}
	if !locals || !calls || slots != 2 {
		t.Errorf("the frame is there: %v, its local: %v, %d slots", calls, locals, slots)
	}
}
