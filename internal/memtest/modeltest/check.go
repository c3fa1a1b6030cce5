// Package modeltest checks the invariants of the profiles that loaders publish. It is separate from memtest because it
// imports only the model.
package modeltest

import (
	"fmt"
	"math"

	"github.com/memtui/memtui/model"
)

// Check reports every broken invariant of p, at most a hundred; none for a valid profile. Tests and fuzzing of loaders
// run it after every load.
func Check(p *model.Profile) []error {
	c := &checker{}
	c.that(p.Lost >= 0, "lost bytes are negative: %d", p.Lost)
	c.that(!p.Complete || p.Lost == 0, "complete, but %d bytes were lost", p.Lost)
	c.that(p.Meta.Format != "", "no format")
	for i, q := range p.Problems {
		c.that(q.Code != "" && q.Message != "" && q.Count > 0 && q.Offset >= model.NoOffset, "problem %d is malformed: %+v", i, q)
	}
	if p.Stacks != nil {
		checkStacks(c, p.Stacks)
	}
	if p.Weights != nil {
		checkWeights(c, p.Weights, p.Stacks)
	}
	if p.Heaps != nil {
		checkSchema(c, p.Heaps.Schema())
	}
	if p.Timeline != nil {
		checkTimeline(c, p.Timeline)
	}
	return c.errs
}

type checker struct{ errs []error }

func (c *checker) that(ok bool, format string, args ...any) {
	if !ok && len(c.errs) < 100 {
		c.errs = append(c.errs, fmt.Errorf(format, args...))
	}
}

func checkStacks(c *checker, s *model.Stacks) {
	frames, nodes := len(s.FrameFunc), len(s.Parent)
	c.that(len(s.Functions) > 0 && s.Functions[0] == "", "function 0 is not reserved")
	c.that(len(s.Files) > 0 && s.Files[0] == "", "file 0 is not reserved")
	c.that(frames > 0 && len(s.FrameFile) == frames && len(s.FrameLine) == frames, "frame columns differ in length")
	c.that(nodes > 0 && len(s.Frame) == nodes && len(s.Depth) == nodes, "node columns differ in length")
	if len(c.errs) > 0 {
		return
	}
	for i := range frames {
		c.that(int(s.FrameFunc[i]) < len(s.Functions), "frame %d: function %d", i, s.FrameFunc[i])
		c.that(int(s.FrameFile[i]) < len(s.Files), "frame %d: file %d", i, s.FrameFile[i])
	}
	c.that(s.Parent[0] == 0 && s.Depth[0] == 0 && s.Frame[0] == 0, "the root is not node 0")
	for i := 1; i < nodes; i++ {
		c.that(int(s.Parent[i]) < i, "node %d: parent %d", i, s.Parent[i])
		c.that(int(s.Frame[i]) < frames, "node %d: frame %d", i, s.Frame[i])
		c.that(int(s.Parent[i]) >= i || s.Depth[i] == s.Depth[s.Parent[i]]+1, "node %d: depth %d", i, s.Depth[i])
	}
	for id, leaf := range s.Leaf {
		c.that(int(leaf) < nodes, "stack %d: leaf %d of %d nodes", id, leaf, nodes)
	}
}

// CheckEvents reports problems of a batch of events that follows one ending at time last.
func CheckEvents(last model.Time, events []model.Event) []error {
	c := &checker{}
	for i, e := range events {
		c.that(e.Time >= last, "event %d: time falls from %d to %d", i, last, e.Time)
		c.that(e.Kind <= model.Marker, "event %d: kind %d", i, e.Kind)
		last = e.Time
	}
	return c.errs
}

// CheckHeap reports every broken invariant of a decoded snapshot, at most a hundred.
func CheckHeap(h *model.Heap) []error {
	c := &checker{}
	rows, edges := len(h.Kinds), h.To.Len()
	if h.Schema == nil {
		c.that(false, "no schema")
		return c.errs
	}
	checkSchema(c, h.Schema)
	checkColumns(c, h)
	c.that(h.Start.Len() == rows+1 && len(h.Label) == edges, "%d rows and %d references with %d starts and %d labels",
		rows, edges, h.Start.Len(), len(h.Label))
	c.that(h.Tables != nil, "no tables")
	if len(c.errs) > 0 {
		return c.errs
	}
	for i, x := range h.Schema.Axes {
		c.that(!x.ByRow || i < len(h.Axes) && (len(h.Axes[i]) == rows || len(h.Axes[i]) == 0), "axis %s is no column of rows", x.Key)
		c.that(i == 0 || x.ByRow || i < len(h.Tables.Axes) && len(h.Tables.Axes[i]) == len(h.Tables.Types),
			"axis %s is no column of types", x.Key)
	}
	c.that(h.Start.At(0) == 0 && uint64(h.Start.At(rows)) == uint64(edges),
		"references of all rows are [%d, %d) of %d", h.Start.At(0), h.Start.At(rows), edges)
	for r := range rows {
		_, large := h.LargeSizes[model.Row(r)]
		if int(h.Kinds[r]) >= len(h.Schema.Kinds) || large != (h.Size[r] == model.LargeSize) { // arguments take memory
			c.that(false, "row %d: kind %d, or a large size is half there", r, h.Kinds[r])
		}
		c.that(h.Start.At(r) <= h.Start.At(r+1), "row %d: references end before they start", r)
		_, large = h.Large[model.Row(r)]
		c.that(large == (len(h.Extra) > 0 && h.Extra[r] == model.LargeExtra), "row %d: a large unmanaged size is half there", r)
	}
	for e, to := range h.To.All() {
		c.that(h.Has(to), "reference %d: row %d of %d", e, to, rows)
		if k := h.Schema.LabelKind(h.Label[e]); int(k) >= len(h.Schema.Edges) {
			c.that(false, "reference %d: kind %d", e, k)
		}
		_, large := h.LargeIndex[model.Ref(e)]
		c.that(large == (h.Label[e].Form() == model.LabelLarge), "reference %d: a large index is half there", e)
	}
	return c.errs
}

// checkColumns checks that columns have as many entries as there are rows.
func checkColumns(c *checker, h *model.Heap) {
	rows := len(h.Kinds)
	c.that(len(h.Size) == rows && len(h.Entity) == rows, "row columns differ in length")
	c.that(len(h.Extra) == rows && h.Schema.Split || len(h.Extra) == 0 && !h.Schema.Split, "%d unmanaged sizes", len(h.Extra))
	c.that(len(h.IDs) == 0 || len(h.IDs) == rows && h.Schema.IDs.Prefix != "", "%d identities", len(h.IDs))
	c.that(len(h.Names) == 0 || len(h.Names) == rows, "%d names", len(h.Names))
	c.that(len(h.Moved) == 0 || len(h.Moved) == rows, "%d moved sizes", len(h.Moved))
}

// checkSchema checks what views rely on.
func checkSchema(c *checker, s *model.HeapSchema) {
	c.that(len(s.Kinds) > 0 && len(s.Kinds) <= model.MaxHeapKinds && len(s.Edges) > 0 && len(s.Edges) <= model.MaxHeapKinds,
		"%d kinds of rows, %d of references", len(s.Kinds), len(s.Edges))
	c.that(len(s.Sets) > 0 && len(s.Axes) > 0 && len(s.Policies) > 0, "%d sets, %d axes, %d policies", len(s.Sets),
		len(s.Axes), len(s.Policies))
	if len(c.errs) > 0 {
		return
	}
	c.that(s.Sets[0].Naming == model.NamedByType && !s.Axes[0].Distinct && !s.Axes[0].ByRow, "the first set or axis is not of types")
	names := map[string]bool{}
	named := func(what, name string) {
		c.that(name != "" && model.Clean(name) == name && !names[what+name], "%s %q", what, name)
		names[what+name] = true
	}
	for _, k := range s.Kinds {
		named("kind", k.Name)
		c.that(k.Title != "", "kind %s has no title", k.Name)
	}
	for _, x := range s.Sets {
		named("set", x.Key)
		for k := range s.Kinds {
			c.that(!x.Kinds.Has(model.HeapKind(k)) || s.Kinds[k].Naming == x.Naming,
				"%s of set %s is named otherwise", s.Kinds[k].Name, x.Key)
		}
	}
	for _, x := range s.Axes {
		named("axis", x.Key)
	}
	for _, x := range s.Edges {
		named("reference", x.Name)
	}
	for _, x := range s.Policies {
		named("policy", x.Name)
	}
}

func checkTimeline(c *checker, t *model.Timeline) {
	for i := range t.Series {
		s := &t.Series[i]
		n := len(s.Times)
		c.that(len(s.Values) == n && (s.Point == nil || len(s.Point) == n), "series %d: columns differ in length", i)
		last := model.Time(0)
		for k, at := range s.Times {
			c.that(at >= last, "series %d: time falls at point %d", i, k)
			last = at
		}
		for k, v := range s.Values {
			c.that(!math.IsNaN(v) && !math.IsInf(v, 0), "series %d: value %d is %v", i, k, v)
		}
	}
}

// CheckLayout reports every broken invariant of a page layout, at most a hundred.
func CheckLayout(l *model.Layout) []error {
	c := &checker{}
	for i := range l.Types {
		t := &l.Types[i]
		n := t.Len()
		c.that(len(t.Start) == n+1 && t.Start[0] == 0 && int(t.Start[n]) == len(t.Runs), "type %d: runs of %d pages", i, n)
		c.that((t.Sizes == nil) == (t.Uniform != 0) || n == 0, "type %d: sizes", i)
		c.that(t.Sizes == nil || len(t.Sizes) == n, "type %d: %d sizes of %d pages", i, len(t.Sizes), n)
		c.that(t.Known == nil || len(t.Known) == n, "type %d: known", i)
		c.that(t.Occupancy == nil || len(t.Occupancy) == n, "type %d: occupancy", i)
		for p := range n {
			c.that(t.Start[p] <= t.Start[p+1], "type %d, page %d: runs end before they start", i, p)
		}
	}
	return c.errs
}
