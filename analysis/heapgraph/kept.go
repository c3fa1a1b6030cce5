package heapgraph

import (
	"context"
	"strconv"
	"sync"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// graphFormat is the format of files of graphs with dominators.
var graphFormat = sections.Format{Magic: "memtui.graph/1\r\n", Version: 3}

// keptGraph is the stored form of a graph. It has everything that takes time to compute, so that nothing is left to
// compute after reading.
type keptGraph struct {
	numbers  []uint64 // unreachable rows, their bytes
	idom     []uint32
	retained []uint64
	count    []uint32
	first    []uint32 // by row: its first child
	children []uint32 // sorted
	cut      []uint32 // rows with references that are left out
	cutEnds  []uint32 // by cut row: where its references end
	cutTo    []uint32 // their remaining references
}

func (k *keptGraph) sections(f *sections.Codec) {
	sections.Array(f, "numbers", &k.numbers)
	sections.Array(f, "dominators", &k.idom)
	sections.Array(f, "retained bytes", &k.retained)
	sections.Array(f, "retained rows", &k.count)
	sections.Array(f, "first children", &k.first)
	sections.Array(f, "children", &k.children)
	sections.Array(f, "rows with references left out", &k.cut)
	sections.Array(f, "ends of theirs", &k.cutEnds)
	sections.Array(f, "holding ones of theirs", &k.cutTo)
}

var graphLayout = sync.OnceValue(func() []byte { return sections.Layout(new(keptGraph).sections) })

// fileOf returns the name of the file for a snapshot's graph.
func fileOf(h *model.Heap, p Policy) string { return p.Of(h.Schema).Name }

// keep writes a graph for the next run if its snapshot is kept, too. That sorts the lists of children.
func keep(g *Graph) {
	c, ok := g.core.(*core[uint32])
	if g.Heap.Kept == nil || !ok {
		return
	}
	graphFormat.Keep(g.Heap.Kept, fileOf(g.Heap, g.Policy), func(f *sections.Codec) { keptOf(c).sections(f) }) // sorted in the background
}

func keptOf(c *core[uint32]) *keptGraph {
	c.children(0)
	k := &keptGraph{
		numbers: []uint64{uint64(c.unreachable), c.lostBytes}, idom: c.idom, retained: c.retained, count: c.count,
		first: c.tree.start, children: c.tree.rows,
	}
	if c.cut != nil {
		k.cut, k.cutEnds, k.cutTo = c.cut.rows, c.cut.ends, c.cut.to
	}
	return k
}

// restore returns the graph that an earlier run has kept, or nil.
func restore(ctx context.Context, h *model.Heap, p Policy, s *shared) *Graph {
	if h.Kept == nil {
		return nil
	}
	k := &keptGraph{}
	from := graphFormat.Restore(ctx, h.Kept, fileOf(h, p), graphLayout(), k.sections)
	if from == nil || !k.fits(h) {
		return nil
	}
	c := &core[uint32]{heap: h.Under(p.Of(h.Schema)), policy: p.Of(h.Schema), start: h.Start.Narrow, to: h.To.Narrow,
		in: incomingOf[uint32](s)}
	c.unreachable, c.lostBytes = int(k.numbers[0]), k.numbers[1]
	c.idom, c.retained, c.count = k.idom, k.retained, k.count
	c.tree.start, c.tree.rows = k.first, k.children
	c.tree.once.Do(func() {})
	c.tree.sort.Do(func() {})
	if len(k.cut) > 0 {
		c.cut = newCutting(h.Len(), k.cut)
		c.cut.ends, c.cut.to = k.cutEnds, k.cutTo
	}
	g := c.graph(p, s)
	g.from = from
	return g
}

// fits reports whether the columns belong to a snapshot. It checks only lengths, as the file was written by this
// program.
func (k *keptGraph) fits(h *model.Heap) bool {
	n := h.Len()
	return len(k.numbers) == 2 && len(k.idom) == n && len(k.retained) == n && len(k.count) == n && len(k.first) == n+1 &&
		len(k.children) == n-1 && len(k.cutEnds) == len(k.cut)
}

// setsFormat is the format of files with what all types, or all frames, retain.
var setsFormat = sections.Format{Magic: "memtui.sets/1\r\n\x00\x00", Version: 4}

// retainedSet is what the rows of one type retain; Exact is 0 for a lower bound.
type retainedSet struct{ ID, Bytes, Exact uint64 }

// setsOf returns the name of a file. counted says that there was memory to count exactly.
func setsOf(g *Graph, by By, counted bool) string {
	name := fileOf(g.Heap, g.Policy) + "-sets" + strconv.FormatUint(uint64(by.Kinds), 16)
	if by.Axis != 0 {
		name += "-" + strconv.Itoa(by.Axis+1)
	}
	if !counted {
		name += "-least"
	}
	return name
}

// restoreSets returns what types retain, as an earlier run has kept it, or nil.
func (g *Graph) restoreSets(ctx context.Context, by By, counted bool) map[uint32]SetSize {
	var list []retainedSet
	read := func(f *sections.Codec) { sections.Array(f, "sets", &list) }
	if g.Heap.Kept == nil || setsFormat.Restore(ctx, g.Heap.Kept, setsOf(g, by, counted), sections.Layout(read), read) == nil {
		return nil
	}
	sets := make(map[uint32]SetSize, len(list))
	for _, s := range list {
		sets[uint32(s.ID)] = SetSize{s.Bytes, s.Exact != 0}
	}
	return sets
}

// keepSets writes what types retain for the next run if the snapshot is kept, too.
func (g *Graph) keepSets(by By, counted bool, sets map[uint32]SetSize) {
	if g.Heap.Kept == nil {
		return
	}
	list := make([]retainedSet, 0, len(sets))
	for id, n := range sets {
		exact := uint64(0)
		if n.Exact {
			exact = 1
		}
		list = append(list, retainedSet{uint64(id), n.Bytes, exact})
	}
	setsFormat.Keep(g.Heap.Kept, setsOf(g, by, counted), func(f *sections.Codec) { sections.Array(f, "sets", &list) })
}
