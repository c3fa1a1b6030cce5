package cli

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
)

// javaSeries writes dumps, one a second, with so many notes each.
func javaSeries(t *testing.T, notes ...int) (dir string, paths []string) {
	t.Helper()
	dir = t.TempDir()
	for i, n := range notes {
		b := memtest.Java(memtest.JavaSpec{Notes: n})
		clock := []byte{0, 0, 1, 0x8b, 0xcf, 0xe5, 0x68, 0} // ms
		b[bytes.Index(b, clock)+6] += byte(4 * i)
		paths = append(paths, filepath.Join(dir, string(rune('a'+i))+".hprof"))
		if err := os.WriteFile(paths[i], b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, paths
}

type checkResult struct {
	OK     bool
	Checks []struct {
		Name, Unit   string
		Value, Limit int64
		Types        []struct {
			Type       string
			First      uint64 `json:"first_count"`
			Count      uint64
			GrownCount uint64 `json:"growth_count"`
			GrownBytes uint64 `json:"growth_bytes"`
		}
		TypeCount *int `json:"type_count"`
	}
	Leaks struct {
		Failed []struct{ Evidence string }
	}
}

// TestObjectsOfARecordingOfSeveralFiles asks each question about rows of several files, in any order, as of the file
// whose snapshot is chosen.
func TestObjectsOfARecordingOfSeveralFiles(t *testing.T) {
	_, paths := javaSeries(t, 60, 90, 120)
	answer := func(out string) string { // without the name of the file and the list of its snapshots
		t.Helper()
		_, rest, ok := strings.Cut(out, "\n\n")
		rest, _, _ = strings.Cut(rest, "\n Problems")
		if !ok || rest == "" {
			t.Fatal(out)
		}
		return rest
	}
	for _, ask := range [][]string{{"object", "", "130"}, {"path", "", "130"}, {"peek", "", "byte[]"}, {"find", "", "--name", "Note"}} {
		words := func(files ...string) []string {
			return slices.Concat([]string{"heap", ask[0]}, files, ask[2:])
		}
		all := words(paths[2], paths[0], paths[1])
		for i, path := range paths {
			status, want, errs := run(t, Env{}, words(path)...)
			status2, got, errs2 := run(t, Env{}, append(all, "--snapshot", strconv.Itoa(i))...)
			if status+status2 != 0 {
				t.Errorf("%v of file %d: status %d, %d: %s%s", ask, i, status, status2, errs, errs2)
			} else if answer(got) != answer(want) {
				t.Errorf("%v of file %d: %s\nwant %s", ask, i, got, want)
			}
			named := slices.Clone(all)
			named[slices.Index(named, path)] += "#-1"
			if _, out, errs := run(t, Env{}, named...); out != got {
				t.Errorf("%v: %s%s\nwant %s", named, out, errs, got)
			}
			for at := 2; at <= 2+len(paths); at++ { // flags may stand anywhere
				between := slices.Insert(slices.Clone(all), at, "--snapshot", strconv.Itoa(i), "-f", "text")
				if _, out, errs := run(t, Env{}, between...); out != got {
					t.Errorf("%v: %s%s\nwant %s", between, out, errs, got)
				}
			}
		}
	}
	status, _, errs := run(t, Env{}, "heap", "object", paths[0]+"#0", paths[1]+"#0", "130")
	if status != 2 || !strings.Contains(errs, "in two of the files") {
		t.Errorf("status %d, %s", status, errs)
	}
}

// TestCheckOfARecordingOfSeveralFiles asks for leaks, and for types that grow, of files and of their folder.
func TestCheckOfARecordingOfSeveralFiles(t *testing.T) {
	dir, paths := javaSeries(t, 600, 500, 1500, 2600)
	for _, files := range [][]string{paths, {dir}} {
		status, out, errs := run(t, Env{}, append([]string{"check", "-f", "json", "--no-leaks", "--max-type-objects", "2K", "--max-type-growth", "1G", "--max-growth", "1G/s"}, files...)...)
		var got checkResult
		parseJSON(t, out, &got)
		if status != 1 || got.OK || len(got.Checks) != 4 || len(got.Leaks.Failed) == 0 {
			t.Fatalf("status %d, %+v %s", status, got, errs)
		}
		c := got.Checks[3]
		if c.Name != "max-type-objects" || c.Unit != "objects" || c.Value != 2100 || c.Limit != 2048 || *c.TypeCount != 2 || c.Types[0].First != 600+1 || c.Types[0].GrownCount != 2100 {
			t.Errorf("%+v", c)
		}
		if c := got.Checks[2]; c.Name != "max-type-growth" || c.Unit != "bytes" || *c.TypeCount != 0 || len(c.Types) != 0 || uint64(c.Value) != got.Checks[3].Types[0].GrownBytes && uint64(c.Value) != got.Checks[3].Types[1].GrownBytes {
			t.Errorf("%+v", c)
		}
	}
	for _, format := range []string{"text", "markdown"} {
		if status, out, _ := run(t, Env{}, "check", "-f", format, "--max-type-objects", "2K", dir); status != 1 || !strings.Contains(out, "shop.Note") || !strings.Contains(out, "601 → 2,601 objects, +2,100") {
			t.Errorf("%s: status %d: %s", format, status, out)
		}
	}
	if status, out, errs := run(t, Env{}, "check", "--max-type-objects", "+5%", "--base", dir, dir); status != 0 {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	trace := filepath.Join("..", "..", "testdata", "small_kvleak.mlyze")
	for want, args := range map[string][]string{
		"growth needs two snapshots": {paths[0], "--max-type-growth", "1M"},
		"has one complete snapshot":  {paths[0], "--no-leaks"},
		"it has no types of objects": {trace, "--max-type-growth", "1M"},
		"holds neither heap":         {paths[0], trace, "--no-leaks"},
		"only one of the files":      {"-", "-", "--no-leaks"},
	} {
		if status, _, errs := run(t, Env{}, append([]string{"check"}, args...)...); status != 2 || !strings.Contains(errs, want) {
			t.Errorf("%q: status %d, %s", args, status, errs)
		}
	}
}

// TestDiffOfARecordingOfSeveralFiles compares snapshots of several files, and of a folder.
func TestDiffOfARecordingOfSeveralFiles(t *testing.T) {
	dir, paths := javaSeries(t, 600, 500, 1500)
	_, want, _ := run(t, Env{}, "diff", "-f", "csv", paths[1], paths[2])
	for _, files := range [][]string{paths, {dir}} {
		status, out, errs := run(t, Env{}, append([]string{"diff", "-f", "csv", "--a", "1", "--b", "2"}, files...)...)
		if status != 0 || out != want || !strings.Contains(out, "shop.Note") {
			t.Errorf("status %d: %s%s, want %s", status, out, errs, want)
		}
	}
	_, want, _ = run(t, Env{}, "diff", "-f", "csv", paths[0], paths[2])
	if status, out, errs := run(t, Env{}, append([]string{"diff", "-f", "csv"}, paths...)...); status != 0 || out != want {
		t.Errorf("the first and the last are not compared: status %d, %s%s", status, out, errs)
	}
}

// TestTrendsOfFilesWithoutScores counts the types of each snapshot, and what its root reaches.
func TestTrendsOfFilesWithoutScores(t *testing.T) {
	_, paths := javaSeries(t, 600, 500, 1500)
	status, out, errs := run(t, Env{}, append([]string{"report", "-f", "json", "--limit", "1", "--sizes", "layout"}, paths...)...)
	var got struct {
		Heap struct {
			Snapshots []struct {
				Types       int    `json:"type_count"`
				Bytes       uint64 `json:"bytes"`
				Reachable   uint64 `json:"reachable_bytes"`
				Lost        uint64 `json:"unreachable_bytes"`
				Unreachable int    `json:"unreachable_rows"`
			}
			Trends struct {
				Snapshots []int
				Types     []struct {
					Type         string
					Bytes, Count []uint64
					Grown        uint64 `json:"growth_count"`
				}
				Count int `json:"type_count"`
			}
		}
	}
	parseJSON(t, out, &got)
	if status != 0 || len(got.Heap.Snapshots) != 3 {
		t.Fatalf("status %d: %s", status, errs)
	}
	for i, s := range got.Heap.Snapshots {
		if s.Types < 3 || s.Reachable == 0 || s.Lost == 0 || s.Reachable+s.Lost != s.Bytes || s.Unreachable != 3 { // one note, its text, and a class that nothing uses
			t.Errorf("snapshot %d: %+v", i, s)
		}
	}
	x := got.Heap.Trends
	if len(x.Snapshots) != 3 || len(x.Types) != 1 || x.Count < 3 || x.Types[0].Grown != 1000 || x.Types[0].Count[1] != 501 || x.Types[0].Count[2] != 1501 {
		t.Errorf("%+v", x)
	}
	if _, out, _ := run(t, Env{}, append([]string{"heap", "snapshots"}, paths...)...); !strings.Contains(out, "Trends") || !strings.Contains(out, "shop.Note") {
		t.Error(out)
	}
	if _, out, _ := run(t, Env{}, "report", paths[0]); strings.Contains(out, "Trends") {
		t.Error("one snapshot has trends")
	}
}

// scriptHeap writes a snapshot of V8 in which the root refers to an object of a class for each id.
func scriptHeap(t *testing.T, path string, classes map[string][]int) {
	t.Helper()
	names := slices.Sorted(maps.Keys(classes))
	nodes, edges, strs, n := "", "", `"","root"`, 0
	for i, name := range names {
		for _, id := range classes[name] {
			n++
			nodes += fmt.Sprintf(",3,%d,%d,16,0", i+2, id)
			edges += fmt.Sprintf(",1,%d,%d", n, 5*n)
		}
		strs += `,"` + name + `"`
	}
	text := fmt.Sprintf(`{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count"],`+
		`"node_types":[["hidden","array","string","object","synthetic"],"string","number","number","number"],`+
		`"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element"],"string_or_number","node"]},`+
		`"node_count":%d,"edge_count":%d},"nodes":[4,1,1,0,%d%s],"edges":[%s],"strings":[%s]}`, n+1, n, n, nodes, edges[1:], strs)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestNewObjectsAreFiltered lists the types with objects that only one side of a comparison has. Comparisons of
// snapshots without identities have no such figures.
func TestNewObjectsAreFiltered(t *testing.T) {
	dir := t.TempDir()
	before, after := filepath.Join(dir, "a.heapsnapshot"), filepath.Join(dir, "b.heapsnapshot")
	scriptHeap(t, before, map[string][]int{"Kept": {3, 5, 7}, "Swapped": {9, 11}, "Left": {13, 15, 17}})
	scriptHeap(t, after, map[string][]int{"Kept": {3, 5, 7}, "Swapped": {9, 21}, "Left": {13}, "Came": {23, 25}})
	for filter, want := range map[string]string{
		"new_count>0": "Came Swapped", "new>0": "Came Swapped", "new>1": "Came", "gone_count>0": "Left Swapped",
		"new=0 gone=0": "(synthetic) Kept", "kept_count>1": "Kept",
	} {
		status, out, errs := run(t, Env{}, "diff", "-f", "csv", "--filter", filter, before, after)
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
			got = append(got, strings.Split(line, ",")[1])
		}
		if slices.Sort(got); status != 0 || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s: status %d, %s", filter, got, want, status, errs)
		}
	}
	_, paths := javaSeries(t, 60, 90)
	if status, _, errs := run(t, Env{}, "diff", "--filter", "new_count>0", paths[0], paths[1]); status == 0 || !strings.Contains(errs, "unknown column new_count") {
		t.Errorf("status %d, %s", status, errs)
	}
}
