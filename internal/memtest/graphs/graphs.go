// Package graphs compares decoded heaps with the results of independent programs. It is for tests of loaders.
package graphs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Result is the result of opening, decoding and validating a file.
type Result struct {
	Err        error // of Load
	Profile    *model.Profile
	Heap       *model.Heap
	Violations []loaders.Violation
}

// Problem returns the first problem of a code, nil for none.
func (r *Result) Problem(code string) *model.Problem {
	for i := range r.Profile.Problems {
		if r.Profile.Problems[i].Code == code {
			return &r.Profile.Problems[i]
		}
	}
	return nil
}

// Open runs all functions of a format on a source.
func Open(t testing.TB, f loaders.Format, src *loaders.Source) *Result {
	t.Helper()
	ctx, store, r := context.Background(), &model.Store{}, &Result{}
	r.Err = src.Guard(func() error { return f.Load(ctx, src, loaders.Options{}, store) })
	if r.Profile = store.Current(); r.Profile == nil {
		return r
	}
	h, err := Counted(t, r.Profile.Heaps, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range modeltest.CheckHeap(h) {
		t.Error(err)
	}
	r.Heap, r.Profile = h, store.Current()
	if err := f.Validate(ctx, src, func(v loaders.Violation) { r.Violations = append(r.Violations, v) }); err != nil {
		t.Fatal(err)
	}
	return r
}

// OpenText runs all functions on bytes from a pipe.
func OpenText(t testing.TB, f loaders.Format, b []byte) *Result {
	t.Helper()
	src, err := loaders.OpenSource(context.Background(), "-", strings.NewReader(string(b)))
	if err != nil {
		return &Result{Err: err}
	}
	defer src.Close()
	return Open(t, f, src)
}

// OpenFile runs all functions on a file, which stays open until the test ends.
func OpenFile(t testing.TB, f loaders.Format, path string) *Result {
	t.Helper()
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return Open(t, f, src)
}

// Graph builds the graph of a heap with the schema's first policy.
func Graph(t testing.TB, h *model.Heap) *heapgraph.Graph {
	t.Helper()
	g, err := heapgraph.NewGraph(context.Background(), h, 0)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Types returns counts and bytes by type name.
func Types(h *model.Heap) map[string][2]uint64 {
	sums := map[string][2]uint64{}
	for _, g := range heapgraph.Types(h) {
		s := sums[g.Name]
		sums[g.Name] = [2]uint64{s[0] + g.Count, s[1] + g.Bytes()}
	}
	return sums
}

// DominatorSum hashes lines of names, dominators' names and retained sizes, ascending by identity, of the objects
// reachable from the root.
func DominatorSum(g *heapgraph.Graph, name func(r model.Row) string) string {
	h := g.Heap
	seen, todo := make([]bool, h.Len()), []model.Row{model.RootRow}
	seen[0] = true
	var rows []model.Row
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if h.IDs[r] != 0 {
			rows = append(rows, r)
		}
		to, _ := h.Out(r)
		for _, x := range to.All() {
			if !seen[x] {
				seen[x] = true
				todo = append(todo, x)
			}
		}
	}
	slices.SortFunc(rows, func(a, b model.Row) int { return cmp.Compare(h.IDs[a], h.IDs[b]) })
	var lines []string
	for _, r := range rows {
		lines = append(lines, fmt.Sprintf("%s %s %d", name(r), name(g.Idom(r)), g.Retained[r]))
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:])
}
