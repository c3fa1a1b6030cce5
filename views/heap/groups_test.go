package heap

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	choose "github.com/memtui/memtui/analysis/objects"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

// heapFiles are a file of every format of heap snapshots.
var heapFiles = []string{"internal/demo/samples/records.mvmheap", "loaders/hprof/testdata/shop1.hprof.zst",
	"loaders/v8heap/testdata/chrome1.heapsnapshot.zst", "loaders/rubyheap/testdata/shop1.json.zst",
	"loaders/pyheap/testdata/shop1.pydump.zst"}

// openLast decodes the last snapshot of a file, with the sizes of the default policy.
func openLast(t *testing.T, path string) *ui.HeapLoad {
	t.Helper()
	store, _, err := opened.File(t, filepath.Join("..", "..", path))
	if err != nil {
		t.Fatal(err)
	}
	src := store.Current().Heaps
	k := ui.HeapKey{Heaps: heapgraph.NewHeaps(src, 1<<30), I: src.Len() - 1}
	load, err := ui.OpenHeap(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	h := load.Heap.Under(heapgraph.Policy(0).Of(load.Heap.Schema))
	return &ui.HeapLoad{HeapKey: k, Heap: h, Totals: load.Totals}
}

// What Enter lists is what the row counted, in each grouping of each format: the rows of a type, of a place of allocation
// or of a generation, and the types of a superclass, a module or a package, which have its objects between them.
func TestOpenedGroupsAreWhatTheirRowsCount(t *testing.T) {
	for _, path := range heapFiles {
		load := openLast(t, path)
		s := load.Heap.Schema
		by := append(groupings(s), frameGrouping(s))
		for _, g := range by {
			set, err := groupRows(t.Context(), groupKey{load: load, by: g})
			if stated := set.stated(); err != nil || stated != (len(set.groups) > 0) || !stated && g.axis == 0 {
				t.Fatal(path, g, len(set.groups), stated, err)
			}
			const most = 60 // of the many types and places: the largest
			for i := range set.groups[:min(len(set.groups), most)] {
				want := &set.groups[i]
				got := listed(t, load, g, want)
				if got.Count != want.Count || got.Bytes() != want.Bytes() {
					t.Errorf("%s: %s %q has %d objects in %d bytes, Enter lists %d in %d", path, g.title(s), want.Name,
						want.Count, want.Bytes(), got.Count, got.Bytes())
				}
			}
		}
	}
}

// The same holds for waste: equal texts, collections, and classes that several loaders loaded.
func TestOpenedWasteIsWhatItsRowsCount(t *testing.T) {
	const most = 60
	for _, path := range heapFiles[1:] { // the first format has no contents
		load := openLast(t, path)
		set, err := (&Waste{}).fetch(t.Context(), load)
		if err != nil || len(set.rows) == 0 {
			t.Fatal(path, err)
		}
		kinds := map[string]bool{}
		for i := range set.rows {
			w := &set.rows[i]
			if i > most && kinds[w.kind] {
				continue
			}
			kinds[w.kind] = true
			key := objectKey{load: load, from: w}
			rows, err := key.rows(t.Context())
			if err != nil || uint64(len(rows)) != w.count || !slices.Contains(rows, w.row) {
				t.Errorf("%s: %s %q has %d objects, with #%d, Enter lists %d: %v", path, w.kind, w.name(), w.count, w.row, len(rows), err)
			}
			if rows = slices.Compact(slices.Sorted(slices.Values(rows))); uint64(len(rows)) != w.count {
				t.Errorf("%s: %s %q lists an object twice", path, w.kind, w.name())
			}
		}
		if len(kinds) < 2 {
			t.Errorf("%s: only %v", path, kinds)
		}
	}
}

// listed sums up what Enter on a group leads to.
func listed(t *testing.T, load *ui.HeapLoad, by grouping, g *heapgraph.Group) (sum heapgraph.Group) {
	t.Helper()
	s := load.Heap.Schema
	if by.axis > 0 && !s.Axes[by.axis].ByRow {
		types, err := groupRows(t.Context(), groupKey{load: load, in: section{by.axis, g.Name}})
		if err != nil {
			t.Fatal(err)
		}
		return types.sum
	}
	rows, err := heapgraph.GroupRows(t.Context(), load.Heap, by.by(s), g.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		sum.Add(&heapgraph.Group{Count: 1, ManagedBytes: load.Heap.Managed(r), UnmanagedBytes: load.Heap.Unmanaged(r)})
	}
	return sum
}

// The same holds for the objects that Find counts by a property.
func TestFoundGroupsAreWhatTheirRowsCount(t *testing.T) {
	for _, path := range heapFiles {
		load := openLast(t, path)
		src := load.Heaps.Source()
		c := choose.Chooser{Source: src, Snapshot: load.I, Heap: load.Heap}
		found, err := c.Find(t.Context(), choose.Question{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range choose.Keys(src, false) {
			counts, err := c.Count(t.Context(), found.Rows, key, nil)
			if err != nil || len(counts) == 0 {
				t.Fatal(path, key, err)
			}
			if key == load.Heap.Schema.Axes[0].Key {
				comparedWithTypes(t, load, counts)
			}
			for _, want := range counts[:min(len(counts), 8)] {
				got, err := c.Find(t.Context(), choose.Question{In: choose.Group{Key: key, Value: want.Value}}, nil)
				if err != nil || uint64(got.Total) != want.Count {
					t.Errorf("%s: %d objects with %s %q, listed are %d: %v", path, want.Count, key, want.Value, got.Total, err)
				}
			}
		}
	}
}

// comparedWithTypes compares the objects that Find counts by type with those of Types. Find leaves out roots.
func comparedWithTypes(t *testing.T, load *ui.HeapLoad, counts []choose.Count) {
	t.Helper()
	s := load.Heap.Schema
	want, types := map[string]uint64{}, heapgraph.By{Kinds: s.Real()}
	for k := range s.Kinds {
		if s.Kinds[k].Naming != model.NamedByType {
			types.Kinds &^= 1 << k
		}
	}
	for _, g := range heapgraph.Groups(load.Heap, types) {
		want[g.Name] += g.Count // types of one name may differ in their loader
	}
	got := map[string]uint64{}
	for _, c := range counts {
		got[c.Value] = c.Count
	}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%d objects of %q, Find counts %d", n, name, got[name])
		}
	}
}

// Of objects whose place of allocation the file does not state it may state something else: the counts then differ.
func TestUnstatedGroupsSayWhatElseIsStated(t *testing.T) {
	load := openLast(t, "loaders/rubyheap/testdata/shop1.json.zst")
	s := load.Heap.Schema
	said := map[string]string{"site": "The file does not state their allocation site, but the generation of 1.",
		"generation": "The file does not state their generation.", "superclass": ""}
	for key, want := range said {
		axis, _ := s.AxisNamed(key)
		set, err := groupRows(t.Context(), groupKey{load: load, by: grouping{axis: axis}})
		if err != nil || set.unstated() != want {
			t.Errorf("%s: %q, %v", key, set.unstated(), err)
		}
	}
	for key, want := range map[string]string{"site": "<unknown>", "generation": "<unknown>", "superclass": "<none>", "module": "<none>", "type": "<anon>"} {
		axis, _ := s.AxisNamed(key)
		if got := (grouping{axis: axis}).name(s, ""); got != want {
			t.Errorf("%s: %q", key, got)
		}
	}
}

// Java's classes extend java.lang.Object where they state it: only the first, and primitive arrays, have no superclass.
func TestSuperclassOfJava(t *testing.T) {
	load := openLast(t, "loaders/hprof/testdata/shop1.hprof.zst")
	axis, _ := load.Heap.Schema.AxisNamed("superclass")
	sections := map[string]map[string]bool{}
	for _, super := range []string{"", "java.lang.Object"} {
		set, err := groupRows(t.Context(), groupKey{load: load, in: section{axis, super}})
		if err != nil {
			t.Fatal(err)
		}
		names := map[string]bool{}
		for i := range set.groups {
			names[set.groups[i].Name] = true
		}
		sections[super] = names
	}
	if !sections["java.lang.Object"]["java.lang.String"] || sections[""]["java.lang.String"] || !sections[""]["java.lang.Object"] {
		t.Errorf("String extends Object, and Object nothing: %v", sections[""])
	}
}
