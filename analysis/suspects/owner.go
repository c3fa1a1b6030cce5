package suspects

import (
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// Limits for finding the owner.
const (
	// everyday is the number of objects from which naming their type says little: lists, tables and boxes of the
	// language, as do containers. The object that owns them is named instead.
	everyday = 32
	// maxOwnerSteps is the maximum number of everyday objects between the suspects and their owner: the owner has a field, that
	// a table, that its entries.
	maxOwnerSteps = 8
	// sampled is the number of references that are checked for having the same name.
	sampled = 64
	// mostOf percent of them count as all.
	mostOf = 95
)

// describe returns the suspect for a candidate.
func (w *finder) describe(c *candidate) Suspect {
	s := Suspect{Axis: c.axis, Name: c.name, sub: c.sub, Count: c.count, of: c.count, Bytes: c.bytes,
		Retained: c.retained, Total: w.total(),
		Verdict: c.verdict, course: c.course, Schema: w.h.Schema, grown: c.grown}
	if len(c.course) > 1 {
		s.first, s.HasGrowth, s.Growth = c.course[0].snapshot, true, c.growth
		s.GrowthBytes = int64(c.bytes - c.course[0].bytes)
	}
	if w.known && len(c.course) > 1 {
		s.HasSame, s.Same, s.exact = true, min(c.same, c.course[0].count, c.count), w.exact
	}
	s.runtime = w.isRuntime(c.key)
	if len(c.points) == 0 {
		return s
	}
	p := c.points[0]
	s.Row, s.HasRow, s.linked = p.row, true, w.isOf(c, p.row) && p.held >= crowd
	s.Crowd = w.below(c, p.row) >= crowd
	s.top = w.labelOf(p.row)
	s.OwnerRow, s.Through = w.owner(c, p.row)
	s.Owner = w.labelOf(s.OwnerRow)
	s.ownerOne = w.kinds.Has(w.h.Kinds[s.OwnerRow]) && !w.h.Kind(s.OwnerRow).About
	held := uint64(0)
	for _, q := range c.points {
		held += q.held
		if r, _ := w.owner(c, q.row); w.alike(r, s.OwnerRow) {
			s.heldCount += q.held
			s.heldBytes += q.weight
			s.owners++
		}
	}
	if c.few(held) {
		w.onlyThose(&s, c)
	}
	s.runtime = s.runtime || w.describesTypes(s.OwnerRow)
	return s
}

// onlyThose narrows a suspect to the few objects of a type that retain much, if there are many that do not.
func (w *finder) onlyThose(s *Suspect, c *candidate) {
	s.Count, s.Bytes, s.Retained = 0, 0, 0
	for _, q := range c.points {
		s.Count += q.held
		s.Retained += q.weight
		from := w.placeOf(q.row)
		end := w.end(from)
		i, _ := c.rows.Search(from)
		for ; i < c.rows.Len() && c.rows.At(i) < end; i++ {
			s.Bytes += w.h.Bytes(w.row(c.rows.At(i)))
		}
	}
}

// placeOf returns the position of a row in the order.
func (w *finder) placeOf(r model.Row) uint64 { return w.Place.At(int(r)) }

// isOf reports whether a row is an object of a class that is not below another one.
func (w *finder) isOf(c *candidate, r model.Row) bool {
	_, own := c.tops.Search(w.placeOf(r))
	return own
}

// below returns how many objects of a class a row dominates directly, at most crowd.
func (w *finder) below(c *candidate, r model.Row) (n int) {
	from := w.placeOf(r)
	end := w.end(from)
	for i, _ := c.tops.Search(from); i < c.tops.Len() && c.tops.At(i) < end && n < crowd; i++ {
		if w.g.Idom(w.row(c.tops.At(i))) == r {
			n++
		}
	}
	return n
}

// labelOf returns the label of an owner.
func (w *finder) labelOf(r model.Row) string {
	label := heapgraph.Label(w.h, r)
	if k := w.h.Kind(r); k.Marked {
		label += " (" + k.Title + ")"
	}
	return label
}

// alike reports whether two rows have the same type, or are the same row.
func (w *finder) alike(a, b model.Row) bool {
	return a == b || w.kinds.Has(w.h.Kinds[a]) && w.h.Kinds[a] == w.h.Kinds[b] && w.h.Entity[a] == w.h.Entity[b]
}

// owner returns the owner of the place where objects accumulate: the nearest row above them that is not everyday and
// retains little else. through is the name of the reference that leads from there to them.
func (w *finder) owner(c *candidate, at model.Row) (r model.Row, through string) {
	below := at // last row before at: its references count
	if w.isOf(c, at) {
		at = w.g.Idom(at)
	}
	r, way := at, []model.Row{below}
	if at != below {
		way = append(way, at)
	}
	for steps, last := 0, at; steps < maxOwnerSteps && w.isEveryday(r); {
		up := w.g.Idom(r)
		if up == r || !w.real.Has(w.h.Kinds[up]) || w.g.Retained[up]-w.g.Retained[up]/4 > w.g.Retained[below] {
			return w.named(c, at, below) // there is no other owner
		}
		if !w.alike(up, last) { // a step along a list does not count
			steps++
		}
		last, r, way = r, up, append(way, up)
	}
	if w.isEveryday(r) {
		return w.named(c, at, below)
	}
	return r, w.throughAll(c, way)
}

// named returns the row at a place where objects accumulate, or if that is a container the nearest row above it that
// refers to it, or to a container that holds it, by a name. That row may hold much else.
func (w *finder) named(c *candidate, at, below model.Row) (model.Row, string) {
	name := w.through(c, at, below)
	way := []model.Row{at}
	for r, steps := at, 0; steps < maxOwnerSteps && w.isContainer(r); steps++ {
		up := w.g.Idom(r)
		if up == r || !w.real.Has(w.h.Kinds[up]) {
			break
		}
		way = append(way, up)
		if through := w.throughAll(c, way); !w.isContainer(up) && w.describes(through) {
			return up, through
		}
		r = up
	}
	return at, name
}

// describes reports whether the name of a reference is that of a field or a variable: it is not unknown, not an index, and
// does not lead to the dictionary of all fields.
func (w *finder) describes(name string) bool {
	return strings.Trim(name, "0123456789") != "" && name != w.h.Schema.Fields
}

// throughAll returns the name of the reference that leads from the last row of a way, which goes up, towards the first.
// Where the first step has none, as that to the dictionary of an object's fields, it is that of a later one.
func (w *finder) throughAll(c *candidate, way []model.Row) string {
	top := len(way) - 1
	first := w.through(c, way[top], way[max(top-1, 0)])
	for i := top - 1; i > 0 && !w.describes(first) && w.isContainer(way[i]); i-- {
		if name := w.through(c, way[i], way[i-1]); w.describes(name) {
			return name
		}
	}
	return first
}

// isContainer reports whether a row belongs to an array or a collection, or to what those consist of.
func (w *finder) isContainer(r model.Row) bool {
	if w.h.Kind(r).About {
		return false
	}
	n := w.types.classOf(r)
	if n < 0 || w.types.list[n].key.axis != 0 {
		return false
	}
	name := w.types.list[n].key.name
	return slices.ContainsFunc(w.h.Schema.Axes[0].Containers, func(pattern string) bool {
		if end, ok := strings.CutPrefix(pattern, "*"); ok {
			return strings.HasSuffix(name, end)
		}
		begin, ok := strings.CutSuffix(pattern, "*")
		return name == pattern || ok && strings.HasPrefix(name, begin)
	})
}

// isEveryday reports whether a row is one of many objects of its type. A row that describes a type, such as a class
// with its static fields, has a name of its own and is not.
func (w *finder) isEveryday(r model.Row) bool {
	if w.h.Kind(r).About {
		return false
	}
	n := w.types.classOf(r)
	return n >= 0 && w.types.list[n].count >= everyday || w.isContainer(r)
}

// through returns the name of the reference from a row to the one below it, or, if those are the same, to the objects
// of a class.
func (w *finder) through(c *candidate, from, to model.Row) string {
	if from != to {
		if e, ok := w.g.Reference(from, to); ok && w.h.Label[e].Form() == model.LabelString {
			return w.h.EdgeText(e)
		}
		return ""
	}
	name := ""
	rows, first := w.h.Out(from)
	seen := 0
	for i, t := range rows.All() {
		p, e := w.placeOf(t), first+model.Ref(i)
		if w.g.Idom(t) != from || c.weight(p, w.end(p)) == 0 {
			continue
		}
		if w.h.Label[e].Form() != model.LabelString || seen > 0 && w.h.EdgeText(e) != name {
			return ""
		}
		if name, seen = w.h.EdgeText(e), seen+1; seen == sampled {
			break
		}
	}
	return name
}

// isRuntime reports whether objects of a class belong to the format's runtime.
func (w *finder) isRuntime(k key) bool {
	second := w.h.Schema.Distinct()
	if k.axis == 0 && second > 0 {
		return slices.Contains(w.h.Schema.Axes[second].Runtime, k.sub)
	}
	return slices.Contains(w.h.Schema.Axes[k.axis].Runtime, k.name)
}

// describesTypes reports whether a row describes types, belongs to the runtime, or is below a row that does.
func (w *finder) describesTypes(r model.Row) bool {
	for ; r != model.RootRow; r = w.g.Idom(r) {
		if n := w.types.classOf(r); w.h.Kind(r).Meta || n >= 0 && w.isRuntime(w.types.list[n].key) {
			return true
		}
	}
	return false
}
