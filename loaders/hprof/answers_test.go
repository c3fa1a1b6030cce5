package hprof

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

var samples = []string{"shop1", "g1", "id4"}

// TestAnswers compares rows, references, classes and sizes by layout with what an independent program counted.
func TestAnswers(t *testing.T) {
	for _, name := range samples {
		t.Run(name, func(t *testing.T) {
			want, r := answersOf(t, name), openFile(t, sample(name), loaders.SizesLayout)
			if r.err != nil {
				t.Fatal(r.err)
			}
			info := r.profile.Heaps.Info(0)
			counts := []int64{want.ClassObjects + want.Instances + want.ObjectArrays + want.PrimitiveArrays,
				want.ClassObjects, want.Instances, want.ObjectArrays, want.PrimitiveArrays}
			if !slices.Equal(info.Counts, counts) || info.References != want.Edges || info.Bytes != want.ShallowTotal {
				t.Errorf("%+v; want %v, %d references, %d bytes", info, counts, want.Edges, want.ShallowTotal)
			}
			dangling := int64(0)
			if p := r.problem("dangling-reference"); p != nil {
				dangling = p.Count
			}
			if dangling != want.DanglingReferences {
				t.Errorf("%d dangling references, want %d", dangling, want.DanglingReferences)
			}
			got := classesOf(r.heaps[0])
			for _, x := range want.Types {
				if got[x.Name] != [2]uint64{x.Count, x.Shallow} {
					t.Errorf("%s: %v, want %d and %d bytes", x.Name, got[x.Name], x.Count, x.Shallow)
				}
			}
			if len(got) != len(want.Types) {
				t.Errorf("%d classes, want %d", len(got), len(want.Types))
			}
		})
	}
}

// classesOf returns counts and bytes by class.
func classesOf(h *model.Heap) map[string][2]uint64 {
	sums := map[string][2]uint64{}
	for _, g := range heapgraph.Types(h) {
		s := sums[g.Name]
		sums[g.Name] = [2]uint64{s[0] + g.Count, s[1] + g.Bytes()}
	}
	return sums
}

// TestDominators compares the dominator and the retained size of every row with those of an independent program.
func TestDominators(t *testing.T) {
	for _, name := range samples {
		want, r := answersOf(t, name), openFile(t, sample(name), loaders.SizesLayout)
		for policy, sum := range map[string]string{"strong": want.Strong, "all": want.All} {
			p, _ := schema.PolicyNamed(policy)
			g, err := heapgraph.NewGraph(context.Background(), r.heaps[0], heapgraph.Policy(p))
			if err != nil {
				t.Fatal(err)
			}
			if int64(g.Unreachable) != want.Unreachable.Rows || int64(g.UnreachableBytes) != want.Unreachable.Bytes {
				t.Errorf("%s: %d rows of %d bytes are unreachable, want %+v", name, g.Unreachable, g.UnreachableBytes, want.Unreachable)
			}
			if got := dominatorSum(g); got != sum {
				t.Errorf("%s, %s: dominators are others: %s", name, policy, got)
			}
		}
	}
}

// dominatorSum hashes lines of ids, dominators' ids and retained sizes, ascending by id, of the rows that the root
// reaches but for itself.
func dominatorSum(g *heapgraph.Graph) string {
	reached := reachedRows(g.Heap)
	var rows []model.Row
	for r := range g.Heap.Kinds {
		if r > 0 && reached[r] {
			rows = append(rows, model.Row(r))
		}
	}
	slices.SortFunc(rows, func(a, b model.Row) int { return cmp.Compare(g.Heap.IDs[a], g.Heap.IDs[b]) })
	var lines []string
	for _, r := range rows {
		lines = append(lines, fmt.Sprintf("%x %x %d", g.Heap.IDs[r], g.Heap.IDs[g.Idom(r)], g.Retained[r]))
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}

func reachedRows(h *model.Heap) []bool {
	seen, todo := make([]bool, h.Len()), []model.Row{model.RootRow}
	seen[0] = true
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		to, _ := h.Out(r)
		for _, x := range to.All() {
			if !seen[x] {
				seen[x] = true
				todo = append(todo, x)
			}
		}
	}
	return seen
}

// TestSizesOfTheVirtualMachine compares sizes from distances with HotSpot's own histogram of the same moment: all
// classes are equal, those with fields that no dump has, too, and those before free memory: ZGC leaves it where it is.
func TestSizesOfTheVirtualMachine(t *testing.T) {
	for name, classes := range map[string]int{"shop1": 300, "zgc": 260} {
		t.Run(name, func(t *testing.T) { checkSizes(t, name, classes) })
	}
}

func checkSizes(t *testing.T, name string, classes int) {
	r := openFile(t, sample(name), loaders.SizesAuto)
	got := map[string][2]uint64{}
	for name, s := range classesOf(r.heaps[0]) {
		name, _, _ = strings.Cut(name, "+")
		sum := got[name]
		got[name] = [2]uint64{sum[0] + s[0], sum[1] + s[1]}
	}
	want := histogram(t, filepath.Join("testdata", name+".histo"))
	if len(want) < classes {
		t.Fatalf("%d classes in the histogram", len(want))
	}
	for name, s := range want {
		if got[name] != s {
			t.Errorf("%s: %v, the virtual machine says %v", name, got[name], s)
		}
	}
	if p := r.problem("sizes"); p == nil || !strings.Contains(p.Message, "distances") {
		t.Errorf("nothing says where sizes come from: %+v", r.profile.Problems)
	}
}

// histogram reads counts and bytes by class; the numbers of lambdas' classes are cut.
func histogram(t *testing.T, path string) map[string][2]uint64 {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sums := map[string][2]uint64{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || !strings.HasSuffix(words[0], ":") {
			continue
		}
		count, _ := strconv.ParseUint(words[1], 10, 64)
		bytes, _ := strconv.ParseUint(words[2], 10, 64)
		name, _, _ := strings.Cut(words[3], "/0x")
		name = className(name)
		sum := sums[name]
		sums[name] = [2]uint64{sum[0] + count, sum[1] + bytes}
	}
	return sums
}

// TestNamedReferences follows a leak along names of fields and indexes.
func TestNamedReferences(t *testing.T) {
	r := openFile(t, sample("shop1"), loaders.SizesAuto)
	h := r.heaps[0]
	row, ok := h.RowOf("0x704dfee18")
	if !ok || h.IDText(row) != "0x704dfee18" {
		t.Fatalf("row %d, %v", row, ok)
	}
	g, err := heapgraph.NewGraph(context.Background(), h, 0)
	if err != nil {
		t.Fatal(err)
	}
	steps, ok, err := g.Path(context.Background(), row, nil)
	if err != nil || !ok {
		t.Fatal(err, ok)
	}
	var way []string
	for _, s := range steps[1:] {
		way = append(way, h.EdgeText(s.Edge)+" → "+heapgraph.Label(h, s.Row))
	}
	want := []string{"<jni-global> → jdk.internal.loader.ClassLoaders$AppClassLoader", "classes → java.util.ArrayList",
		"elementData → java.lang.Object[]", "[8] → leak.Shop$SessionCache", "SESSIONS → java.util.concurrent.ConcurrentHashMap"}
	if !slices.Equal(way, want) {
		t.Errorf("%q", way)
	}
	if got := h.OnAxis(axisSuper, row); got != "java.util.AbstractMap" {
		t.Errorf("superclass %q", got)
	}
	if got := h.OnAxis(axisPackage, row); got != "java.util.concurrent" {
		t.Errorf("package %q", got)
	}
	for r := model.RootRow + 1; int(r) < len(h.About); r++ { // a class is in its own package, not in that of java.lang.Class
		if h.Tables.Type(h.About[r]) == "java.util.concurrent.ConcurrentHashMap" {
			if name, in := h.OnAxis(0, r), h.OnAxis(axisPackage, r); name != "java.lang.Class" || in != "java.util.concurrent" {
				t.Errorf("the class is a %s in package %q", name, in)
			}
			return
		}
	}
	t.Error("there is no such class")
}
