// Package modeltest checks what every loader promises about the profiles that it publishes. It is apart from memtest so that it
// needs the model alone.
package modeltest

import (
	"fmt"
	"math"

	"github.com/memtui/memtui/model"
)

// Check reports every broken invariant of p, at most a hundred; none for a sound profile. Loaders cannot publish a
// profile that fails it: tests and fuzzing run it after every load.
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

// CheckEvents reports what is wrong with a batch of events that follows one ending at time last.
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
	rows, edges := len(h.Kinds), len(h.To)
	c.that(len(h.Size) == rows && len(h.Extra) == rows && len(h.Entity) == rows, "row columns differ in length")
	c.that(len(h.Start) == rows+1 && len(h.Label) == edges, "%d rows and %d references with %d starts and %d labels", rows, edges, len(h.Start), len(h.Label))
	c.that(h.Tables != nil, "no tables")
	if len(c.errs) > 0 {
		return c.errs
	}
	c.that(h.Start[0] == 0 && int(h.Start[rows]) == edges, "references of all rows are [%d, %d) of %d", h.Start[0], h.Start[rows], edges)
	for r := range rows {
		c.that(h.Start[r] <= h.Start[r+1], "row %d: references end before they start", r)
		_, large := h.Large[model.Row(r)]
		c.that(large == (h.Extra[r] == model.LargeExtra), "row %d: a large size is half there", r)
	}
	for e, to := range h.To {
		c.that(int(to) < rows, "reference %d: row %d of %d", e, to, rows)
		_, large := h.LargeIndex[uint32(e)]
		c.that(large == (h.Label[e].Kind() == model.LabelLarge), "reference %d: a large index is half there", e)
	}
	return c.errs
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
