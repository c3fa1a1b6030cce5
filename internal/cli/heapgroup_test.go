package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// groupRow is a row of the lists of groups and of types.
type groupRow struct {
	Type, Value, Package, Loader string
	Count, Bytes                 uint64
	Retained                     *uint64 `json:"retained_bytes"`
	AtLeast                      *uint64 `json:"retained_at_least"`
}

func heapGroups(t *testing.T, args ...string) (groups, types []groupRow) {
	t.Helper()
	status, out, errs := run(t, Env{}, append([]string{"heap", "types", "-f", "json", "--limit", "0"}, args...)...)
	var got struct {
		Heap struct {
			GroupedBy string `json:"grouped_by"`
			Groups    []groupRow
			Types     []groupRow
			Counts    struct{ Groups int } `json:"row_counts"`
		}
	}
	parseJSON(t, out, &got)
	if status != 0 || len(got.Heap.Groups) != got.Heap.Counts.Groups {
		t.Fatalf("status %d, %d groups, not %d: %s", status, len(got.Heap.Groups), got.Heap.Counts.Groups, errs)
	}
	return got.Heap.Groups, got.Heap.Types
}

// TestTypesByAxis adds up what types say on an axis, and compares it with the groups.
func TestTypesByAxis(t *testing.T) {
	file := filepath.Join("..", "..", "loaders", "hprof", "testdata", "shop1.hprof.zst")
	_, types := heapGroups(t, file)
	for axis, of := range map[string]func(*groupRow) string{
		"package": func(r *groupRow) string { return r.Package },
		"loader":  func(r *groupRow) string { return r.Loader },
		"type":    func(r *groupRow) string { return r.Type + " " + r.Loader },
	} {
		want := map[string][2]uint64{}
		for i := range types {
			sum := want[of(&types[i])]
			want[of(&types[i])] = [2]uint64{sum[0] + types[i].Count, sum[1] + types[i].Bytes}
		}
		groups, _ := heapGroups(t, "--group", axis, file)
		if len(groups) != len(want) || len(groups) < 2 {
			t.Errorf("%s: %d groups, want %d", axis, len(groups), len(want))
		}
		for _, g := range groups {
			if got := [2]uint64{g.Count, g.Bytes}; axis != "type" && want[g.Value] != got {
				t.Errorf("%s %q: %v, want %v", axis, g.Value, got, want[g.Value])
			}
			if g.Retained == nil {
				t.Errorf("%s %q: nothing is retained", axis, g.Value)
			}
		}
	}
	kinds, _ := heapGroups(t, "--group", "kind", file)
	if i := slices.IndexFunc(kinds, func(g groupRow) bool { return g.Value == "primitive-array" }); i < 0 || *kinds[i].Retained > kinds[i].Bytes {
		t.Errorf("%+v", kinds)
	}
	status, out, _ := run(t, Env{}, "heap", "types", "--group", "package", "-f", "csv", "--limit", "2", file)
	if status != 0 || !strings.HasPrefix(out, "value,count,bytes,managed_bytes,unmanaged_bytes,retained_bytes,retained_at_least\n") || strings.Count(out, "\n") != 3 {
		t.Errorf("status %d: %s", status, out)
	}
	for _, format := range []string{"text", "markdown"} {
		if status, out, _ := run(t, Env{}, "heap", "types", "--group", "package", "-f", format, file); status != 0 || !strings.Contains(out, "Packages") || !strings.Contains(out, "java.util") {
			t.Errorf("%s: status %d: %s", format, status, out)
		}
	}
	if status, _, errs := run(t, Env{}, "heap", "types", "--group", "module", file); status != 2 || !strings.Contains(errs, "type, loader, package, superclass, kind") {
		t.Errorf("status %d: %s", status, errs)
	}
}
