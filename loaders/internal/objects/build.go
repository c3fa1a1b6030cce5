package objects

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/cores"
	"github.com/memtui/memtui/loaders/internal/rowindex"
	"github.com/memtui/memtui/model"
)

// The most bytes that a row and a reference take while a heap is built, in addition to its units.
const (
	buildRowBytes = 40
	buildRefBytes = 12
)

// Kinds are the kinds of rows of roots.
type Kinds struct {
	Group, Root, Call model.HeapKind
	Lines             bool // every line of roots gets a row
}

// Build is a heap under construction.
type Build struct {
	Heap    *model.Heap
	Units   []*Unit
	Strings *Strings
	Types   *Types
	Dump    *Dump // stored in addition to the heap

	room       *model.Room // of the heap's columns; nil: memory
	scratch    *model.Room // of temporary data
	ctx        context.Context
	src        *loaders.Source
	names      []*Names
	kinds      Kinds
	index      *rowindex.Index
	first      uint32   // row of the first object
	groups     []string // texts of groups in the order of the file
	roots      []*Root
	group      []int // by root: its group
	frames     map[model.HeapFrame]uint32
	extraRoots []uint32 // rows that are roots without a line of roots
	dangling   int64
	problems   []model.Problem
}

// AddRoot makes a row a root that no line of roots names.
func (b *Build) AddRoot(r model.Row) { b.extraRoots = append(b.extraRoots, uint32(r)) }

// Referenced reports, by row, which ones other objects of the dump refer to.
func (b *Build) Referenced() []bool {
	held := make([]bool, b.Heap.Len())
	for _, u := range b.Units {
		from := uint32(0)
		for i, end := range u.refEnd {
			for _, to := range u.to[from:end] {
				held[to] = held[to] || int(to) != int(u.first)+i
			}
			from = end
		}
	}
	return held
}

// Rooted reports whether the dump states its roots.
func (b *Build) Rooted() bool { return len(b.roots) > 0 }

// Row returns the row of an identity; ok is false if no object has it.
func (b *Build) Row(id uint64) (r model.Row, ok bool) {
	if id == 0 {
		return 0, false
	}
	at := b.index.Find(id)
	if at == rowindex.None {
		return 0, false
	}
	return model.Row(at + b.first - 1), true
}

// rows builds the columns of rows.
func (b *Build) rows(schema *model.HeapSchema) error {
	b.collectRoots()
	all := int64(1 + len(b.groups))
	if b.kinds.Lines {
		all += int64(len(b.roots))
	}
	b.first = uint32(min(all, math.MaxUint32))
	for _, u := range b.Units {
		u.first = uint32(min(all, math.MaxUint32))
		all += int64(u.Len())
	}
	if all > math.MaxUint32-1 {
		return fmt.Errorf("the dump has %d objects: more than %d cannot be shown", all-1, uint32(math.MaxUint32-2))
	}
	if m := b.src.Budget(); !b.room.Fits(m, all*buildRowBytes) {
		return m.Error("the objects of the dump")
	}
	h := &model.Heap{Schema: schema, Kinds: Column[model.HeapKind](b, int(all)), Size: Column[uint16](b, int(all)),
		Entity: Column[uint32](b, int(all)), IDs: Column[uint64](b, int(all))}
	b.Heap, h.Tables = h, &model.HeapTables{}
	for _, u := range b.Units {
		copy(h.IDs[u.first:], u.IDs)
		copy(h.Kinds[u.first:], u.Kind)
		for i, n := range u.Size {
			h.SetSize(model.Row(u.first)+model.Row(i), n)
		}
		u.IDs, u.Size = nil, nil
	}
	b.index = rowindex.New(h.IDs[b.first-1:], b.scratch)
	return b.ctx.Err()
}

// Column returns n zeros for a column of the heap.
func Column[T any](b *Build, n int) []T { return model.MakeColumn[T](b.room, n) }

// collectRoots finds the groups of roots in the order of the file.
func (b *Build) collectRoots() {
	number := map[string]int{}
	for _, u := range b.Units {
		for i := range u.Roots {
			r := &u.Roots[i]
			name := u.Names.Text(r.Group)
			g, ok := number[name]
			if !ok {
				g = len(b.groups)
				number[name] = g
				b.groups = append(b.groups, name)
			}
			b.roots, b.group = append(b.roots, r), append(b.group, g)
			r.Group, r.Name = b.Strings.Of(u.Names, r.Group), b.Strings.Of(u.Names, r.Name)
			mapLabels(b.Strings, u.Names, r.Labels)
		}
	}
}

// mapLabels converts labels with a goroutine's names to labels with the heap's strings.
func mapLabels(s *Strings, n *Names, labels []model.EdgeLabel) {
	for i, l := range labels {
		if l.Form() == model.LabelString {
			labels[i] = StringLabel(s.Of(n, uint32(l>>2)))
		}
	}
}

// StringLabel returns the label of a string by its index, or an unknown one if that is too large.
func StringLabel(n uint32) model.EdgeLabel { return label(model.LabelString, n) }

// IndexLabel returns the label of an element.
func IndexLabel(n int) model.EdgeLabel {
	return label(model.LabelIndex, uint32(min(n, math.MaxUint32)))
}

// label returns a label of a schema that has one kind of references.
func label(form model.EdgeLabel, n uint32) model.EdgeLabel {
	if n >= 1<<30 {
		return model.LabelUnknown
	}
	return form | model.EdgeLabel(n)<<2
}

// resolve finds the target rows of references, on all cores.
func (b *Build) resolve() error {
	var next atomic.Int64
	err := cores.Run(func() {
		for i := next.Add(1) - 1; i < int64(len(b.Units)) && b.ctx.Err() == nil; i = next.Add(1) - 1 {
			b.resolveUnit(b.Units[i])
		}
	})
	if err == nil {
		err = b.ctx.Err()
	}
	for _, u := range b.Units {
		b.dangling += u.dangling
	}
	return err
}

// resolveUnit leaves out references without a target.
func (b *Build) resolveUnit(u *Unit) {
	u.to = model.MakeColumn[uint32](b.scratch, len(u.refs))[:0]
	from, kept := uint32(0), u.labels[:0]
	for i, end := range u.refEnd {
		for e := from; e < end; e++ {
			if r, ok := b.Row(u.refs[e]); ok {
				u.to, kept = append(u.to, uint32(r)), append(kept, u.labels[e])
			} else if u.refs[e] != 0 {
				u.dangling++
			}
		}
		u.refEnd[i], from = uint32(len(u.to)), end
	}
	u.labels, u.refs = kept, nil
}

// virtual collects the references of rows of roots.
type virtual struct {
	start []uint32
	to    []uint32
	label []model.EdgeLabel
}

func (v *virtual) end() { v.start = append(v.start, uint32(len(v.to))) }

func (v *virtual) add(to uint32, l model.EdgeLabel) {
	v.to, v.label = append(v.to, to), append(v.label, l)
}

// objects adds the targets of a line of roots.
func (b *Build) objects(v *virtual, r *Root) {
	for i, id := range r.Refs {
		if to, ok := b.Row(id); ok {
			l := model.LabelUnknown
			if i < len(r.Labels) {
				l = r.Labels[i]
			}
			v.add(uint32(to), l)
		} else if id != 0 {
			b.dangling++
		}
	}
}

// linkRoots builds the rows of roots and their references.
func (b *Build) linkRoots() *virtual {
	v, h := &virtual{start: []uint32{0}}, b.Heap
	for g := range b.groups {
		v.add(uint32(1+g), model.LabelUnknown)
	}
	for _, r := range b.extraRoots {
		v.add(r, model.LabelUnknown)
	}
	v.end()
	inGroup := make([][]int, len(b.groups))
	for i, g := range b.group {
		inGroup[g] = append(inGroup[g], i)
	}
	lines := uint32(1 + len(b.groups))
	for g, name := range b.groups {
		h.Kinds[1+g], h.Entity[1+g] = b.kinds.Group, b.Types.Named("roots: "+name)
		for _, i := range inGroup[g] {
			if b.kinds.Lines {
				v.add(lines+uint32(i), model.LabelUnknown)
			} else {
				b.objects(v, b.roots[i])
			}
		}
		v.end()
	}
	if !b.kinds.Lines {
		return v
	}
	for i, r := range b.roots {
		row := int(lines) + i
		if h.Kinds[row] = b.kinds.Root; r.Call != nil {
			h.Kinds[row], h.Entity[row] = b.kinds.Call, b.frame(r.Call)
		} else {
			h.Entity[row] = b.Types.Named(b.groups[b.group[i]] + " " + b.Strings.List[r.Name])
		}
		b.objects(v, r)
		v.end()
	}
	return v
}

// frame returns the number of a call's frame.
func (b *Build) frame(c *Call) uint32 {
	line := model.NoHeapLine
	if c.Line >= 0 && c.Line < int64(model.NoHeapLine) {
		line = uint32(c.Line)
	}
	f := model.HeapFrame{Name: b.Strings.Add(c.Function), File: b.Strings.Add(c.File), Line: line}
	f.ID = f.Name
	i, ok := b.frames[f]
	if !ok {
		i = uint32(len(b.frames))
		b.frames[f] = i
		b.Heap.Tables.Frames = append(b.Heap.Tables.Frames, f)
	}
	return i
}

// link builds the references of the heap.
func (b *Build) link() error {
	v, all := b.linkRoots(), int64(0)
	for _, u := range b.Units {
		all += int64(len(u.to))
	}
	all += int64(len(v.to))
	if all > math.MaxUint32-1 {
		return fmt.Errorf("the dump has %d references: more than %d cannot be shown", all, uint32(math.MaxUint32-1))
	}
	if m := b.src.Budget(); !b.room.Fits(m, buildRefBytes*all) {
		return m.Error("the references of the dump")
	}
	start := append(Column[uint32](b, b.Heap.Len()+1)[:0], v.start...)
	to, labels := append(Column[uint32](b, int(all))[:0], v.to...), append(Column[model.EdgeLabel](b, int(all))[:0], v.label...)
	for _, u := range b.Units {
		before := uint32(len(to))
		for _, end := range u.refEnd {
			start = append(start, before+end)
		}
		mapLabels(b.Strings, u.Names, u.labels)
		to, labels = append(to, u.to...), append(labels, u.labels...)
		u.to, u.labels, u.refEnd = nil, nil, nil
	}
	h := b.Heap
	h.Start, h.To, h.Label = model.Column[model.Ref]{Narrow: start}, model.Column[model.Row]{Narrow: to}, labels
	return b.ctx.Err()
}

// Found records a problem of the dump as a whole, or of n of its objects.
func (b *Build) Found(severity model.Severity, code string, at, n int64, format string, args ...any) {
	if n > 0 {
		b.problems = model.AddProblem(b.problems, model.Problem{Severity: severity, Code: code,
			Message: fmt.Sprintf(format, args...), Count: n, Offset: at})
	}
}

// report records the problems of units, and what the dump lacks.
func (b *Build) report() {
	for _, u := range b.Units {
		for _, p := range u.problems {
			if p.Code != CodeTruncated || !b.src.Limited() {
				b.problems = model.AddProblem(b.problems, p)
			}
		}
	}
	b.Found(model.Error, "duplicate-id", model.NoOffset, b.index.Same,
		"objects share the address of another object: references lead to the first")
	b.Found(model.Warning, "dangling-reference", model.NoOffset, b.dangling, "references lead to addresses that no object of the dump has")
	for _, n := range b.names {
		b.Found(model.Warning, "name-length", model.NoOffset, n.cut, model.LongName)
	}
	if !b.Rooted() && len(b.extraRoots) == 0 {
		b.Found(model.Warning, "no-roots", model.NoOffset, 1, "the dump has no roots: what keeps objects alive is unknown")
		b.Heap.Complete = false
	}
}
