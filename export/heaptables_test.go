package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

// snapshot is the last one of the sample.
func snapshot(t *testing.T) (*model.Heap, *heapgraph.Graph) {
	t.Helper()
	data, err := os.ReadFile("../internal/demo/samples/records.mvmheap")
	if err != nil {
		t.Fatal(err)
	}
	p := load(t, mvmheap.Format(), data)
	h, err := p.Heaps.Open(t.Context(), p.Heaps.Len()-1, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := heapgraph.NewGraph(t.Context(), h, mvmheap.RootEdges)
	if err != nil {
		t.Fatal(err)
	}
	return h, g
}

// tableOf writes a table both ways, and checks that they say the same.
func tableOf(t *testing.T, h *model.Heap, g *heapgraph.Graph, table string) (rows []map[string]string) {
	t.Helper()
	var text, lines bytes.Buffer
	if _, err := WriteHeapCSV(t.Context(), &text, h, g, table); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteHeapNDJSON(t.Context(), &lines, h, g, table); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&lines)
	d.UseNumber()
	for _, cells := range all[1:] {
		var o map[string]any
		if err := d.Decode(&o); err != nil {
			t.Fatal(err)
		}
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = cells[i]
			if got, ok := o[name]; ok && model.Clean(fmt.Sprint(got)) != cells[i] || !ok && cells[i] != "" {
				t.Fatalf("%s %s: %v, and in CSV %q", table, name, got, cells[i])
			}
		}
		rows = append(rows, row)
	}
	if d.More() {
		t.Errorf("%s: more lines than rows", table)
	}
	return rows
}

func integerOf(t *testing.T, s string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheDominatorTreeIsWhole(t *testing.T) {
	h, g := snapshot(t)
	rows := tableOf(t, h, g, "dominators")
	if len(rows) != h.Len() {
		t.Fatalf("%d rows of %d", len(rows), h.Len())
	}
	depth, rest, sum := map[string]uint64{}, map[string]uint64{}, uint64(0)
	for i, row := range rows {
		bytes, retained := integerOf(t, row["bytes"]), integerOf(t, row["retained_bytes"])
		sum += bytes
		depth[row["row"]], rest[row["row"]] = integerOf(t, row["depth"]), retained-bytes
		if i == 0 {
			if row["row"] != "0" || row["dominator"] != "" || row["depth"] != "0" {
				t.Fatalf("begins with %v", row)
			}
			continue
		}
		above, ok := depth[row["dominator"]]
		if !ok || above+1 != integerOf(t, row["depth"]) {
			t.Fatalf("%v comes before what dominates it", row)
		}
		rest[row["dominator"]] -= retained
	}
	for row, left := range rest {
		if left != 0 {
			t.Fatalf("what row %s retains is not what is below it: %d", row, left)
		}
	}
	if retained := integerOf(t, rows[0]["retained_bytes"]); retained != sum {
		t.Errorf("the root retains %d of %d", retained, sum)
	}
}

func TestTypesAndFramesAreWhole(t *testing.T) {
	h, _ := snapshot(t)
	sums := heapgraph.Sum(h)
	for table, want := range map[string]int64{"types": sums.Counts[0], "frames": sums.Counts[3]} {
		n := uint64(0)
		for _, row := range tableOf(t, h, nil, table) {
			n += integerOf(t, row["count"])
		}
		if n == 0 || int64(n) != want {
			t.Errorf("%s: %d rows in all, want %d", table, n, want)
		}
	}
}

func TestHeapTablesFail(t *testing.T) {
	h, g := snapshot(t)
	for _, table := range HeapTables() {
		if _, err := WriteHeapCSV(t.Context(), full{}, h, g, table); !errors.Is(err, errFull) {
			t.Errorf("%s: a full disk gives %v", table, err)
		}
		if _, err := WriteHeapNDJSON(t.Context(), full{}, h, g, table); !errors.Is(err, errFull) {
			t.Errorf("%s: a full disk gives %v", table, err)
		}
	}
	if _, err := WriteHeapCSV(t.Context(), io.Discard, h, g, "objects"); err == nil || !strings.Contains(err.Error(), "types, frames, dominators") {
		t.Errorf("got %v", err)
	}
}
