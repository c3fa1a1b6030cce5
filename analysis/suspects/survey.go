package suspects

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// pauseEvery is the number of rows between two checks of the context: a few milliseconds.
const pauseEvery = 1 << 16

// class is the objects of one type, or of one package.
type class struct {
	key
	same                   uint64 // of count, objects that the first snapshot has, too; an estimate where there are very many
	count, bytes, retained uint64 // retained by those that hang below no other of the class
	until                  uint64 // where the rows below the last such one end
	outermost              int    // how many such ones there are
	picked                 bool

	rows model.Column[uint64] // of picked ones: positions of all of them in the order, ascending
	tops model.Column[uint64] // those of rows that are not below another one
	sums model.Column[uint64] // sums of what the tops before each retain
}

// survey is the types, or the packages, of one snapshot, with an order in which each row is followed by all that it
// dominates.
type survey struct {
	*places
	ctx  context.Context
	g    *heapgraph.Graph
	axis int
	real model.HeapKinds

	of   []int32 // by number of a type: its class
	list []class
}

// newSurvey puts the types of a snapshot together to classes of an axis.
func newSurvey(ctx context.Context, g *heapgraph.Graph, x *places, axis int) *survey {
	s := &survey{places: x, ctx: ctx, g: g, axis: axis, real: x.h.Schema.Real()}
	byKey, second := map[key]int32{}, x.h.Schema.Distinct()
	for i := range x.types {
		t := &x.types[i]
		k := key{axis: axis, name: x.h.Tables.OnAxis(axis, t.id)}
		if axis == 0 && second > 0 {
			k.sub = x.h.Tables.OnAxis(second, t.id)
		}
		n, ok := byKey[k]
		if !ok {
			n = int32(len(s.list))
			byKey[k] = n
			s.list = append(s.list, class{key: k})
		}
		c := &s.list[n]
		c.count, c.same = c.count+t.count, c.same+t.same
		c.bytes, _ = model.SaturatingAdd(c.bytes, t.bytes)
		s.of = append(s.of, n)
	}
	return s
}

// total returns the retained size of the heap.
func (s *survey) total() uint64 { return s.g.Retained[model.RootRow] }

// classOf returns the class of a row, -1 if the row is not an object.
func (s *survey) classOf(r model.Row) int32 {
	if n := s.typeOf(r); n != noType {
		return s.of[n]
	}
	return -1
}

// sum computes the number of objects of each class, and what they retain.
func (s *survey) sum() error {
	for p, n := range s.typeAt {
		if p%pauseEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if n == noType {
			continue
		}
		if c := &s.list[s.of[n]]; uint64(p) >= c.until { // at first 0
			c.until, c.outermost = s.end(uint64(p)), c.outermost+1
			c.retained, _ = model.SaturatingAdd(c.retained, s.g.Retained[s.row(uint64(p))])
		}
	}
	return nil
}

// pick records the positions of the objects of some classes.
func (s *survey) pick(picked []*class) error {
	for _, c := range picked {
		c.picked, c.rows = true, model.Column[uint64]{}
		if c.rows.Grow(int(c.count)); s.Rows.Wide != nil {
			c.rows.Widen()
		}
	}
	for p, n := range s.typeAt {
		if p%pauseEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if n == noType {
			continue
		}
		if c := &s.list[s.of[n]]; c.picked {
			c.rows.Append(uint64(p))
		}
	}
	for _, c := range picked {
		s.listTops(c)
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
	}
	return nil
}

// listTops lists those rows of a class that are not below another one: often all.
func (s *survey) listTops(c *class) {
	all := c.outermost == c.rows.Len()
	if c.tops = c.rows; !all {
		c.tops = model.Column[uint64]{}
		c.tops.Grow(c.outermost)
	}
	if c.sums = (model.Column[uint64]{}); c.retained > math.MaxUint32 {
		c.sums.Widen()
	}
	c.sums.Grow(c.outermost + 1)
	end, sum := uint64(0), uint64(0)
	for i, p := range c.rows.All() {
		if i > 0 && p < end {
			continue
		}
		end = s.end(p)
		if !all {
			c.tops.Append(p)
		}
		c.sums.Append(sum)
		sum, _ = model.SaturatingAdd(sum, s.g.Retained[s.row(p)])
	}
	c.sums.Append(sum)
}

// weight returns what the objects of a class retain that stand from place p on and before end.
func (c *class) weight(p, end uint64) uint64 {
	i, _ := c.tops.Search(p)
	j, _ := c.tops.Search(end)
	return c.sums.At(j) - c.sums.At(i)
}

// within returns the number of objects of a class at positions [p, end).
func (c *class) within(p, end uint64) uint64 {
	i, _ := c.rows.Search(p)
	j, _ := c.rows.Search(end)
	return uint64(j - i)
}

// isLeaf reports whether the objects of a class retain little but themselves: texts, numbers and arrays of bytes.
func (c *class) isLeaf() bool { return c.retained-min(c.bytes, c.retained) <= c.retained/10 }

// point is a row below which objects of a class accumulate.
type point struct {
	row    model.Row
	weight uint64 // retained by those below it, and by itself if it is one of them
	held   uint64 // number of those
}

// points returns the rows below which the objects of a class accumulate: from the root it descends as long as one row
// has most of them below it. The recorder's roots refer to everything: below them it follows each row that has a large
// part of them.
func (s *survey) points(c *class) ([]point, error) {
	least := c.retained / branches
	var found []point
	starts := []uint64{0}
	for steps := 0; len(starts) > 0; {
		p := starts[len(starts)-1]
		starts = starts[:len(starts)-1]
		whole := c.weight(p, s.end(p))
		for {
			r := s.row(p)
			if _, own := c.tops.Search(p); own {
				break
			}
			virtual := !s.real.Has(s.h.Kinds[r])
			best, heaviest := p, uint64(0)
			for q, w := range s.below(c, p) {
				if steps++; steps%pauseEvery == 0 && s.ctx.Err() != nil {
					return nil, s.ctx.Err()
				}
				if w > heaviest || w == heaviest && w > 0 && s.row(q) < s.row(best) {
					best, heaviest = q, w
				}
			}
			if heaviest > 0 && heaviest >= whole-whole/5 {
				p = best
				continue
			}
			if virtual || s.isEverything(c, p) {
				starts, p = s.follow(c, p, max(least, 1), starts), 0
			}
			break
		}
		if p > 0 {
			found = append(found, point{s.row(p), c.weight(p, s.end(p)), c.within(p, s.end(p))})
		}
	}
	slices.SortFunc(found, func(a, b point) int { return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.row, b.row)) })
	return found, nil
}

// isEverything reports whether position p dominates nearly the entire heap, a good part of which is of other classes.
// Then objects of this class do not accumulate there.
func (s *survey) isEverything(c *class, p uint64) bool {
	all := s.g.Retained[s.row(p)]
	return s.isMost(all) && c.weight(p, s.end(p))/everything < all/4
}

// isMost reports whether that many bytes are nearly the entire heap.
func (s *survey) isMost(bytes uint64) bool { return bytes/everything >= s.total()/4 }

// follow adds the rows right below place p that have at least so much of a class below them.
func (s *survey) follow(c *class, p uint64, least uint64, starts []uint64) []uint64 {
	for q, w := range s.below(c, p) {
		if w >= least {
			starts = append(starts, q)
		}
	}
	return starts
}

// below iterates over the rows right below place p, with what objects of a class retain from there on down. Those come
// in the order of the tops, of which most rows have none.
func (s *survey) below(c *class, p uint64) iter.Seq2[uint64, uint64] {
	return func(yield func(uint64, uint64) bool) {
		i, _ := c.tops.Search(p + 1)
		for q, end := p+1, s.end(p); q < end; q = s.end(q) {
			next := c.tops.SearchFrom(i, s.end(q))
			if !yield(q, c.sums.At(next)-c.sums.At(i)) {
				return
			}
			i = next
		}
	}
}

// overlap returns how much of what the objects of c from place from on and before end retain is also retained by
// objects of other, or is theirs.
func (s *survey) overlap(c, other *class, from, end uint64) (bytes uint64) {
	at := 0 // in the tops of other, which ascend as those of c do
	first, _ := c.tops.Search(from)
	for i := first; i < c.tops.Len(); i++ {
		p := c.tops.At(i)
		if p >= end {
			break
		}
		at = other.tops.SearchFrom(at, p)
		if other.covers(s, at, p) {
			bytes += s.g.Retained[s.row(p)]
		} else {
			bytes += other.weightFrom(at, s.end(p))
		}
	}
	return bytes
}

// related returns the number of objects of c that are below one of other or retain one.
func (s *survey) related(c, other *class) (rows uint64) {
	at := 0
	for _, p := range c.rows.All() {
		at = other.tops.SearchFrom(at, p)
		if other.covers(s, at, p) || other.weightFrom(at, s.end(p)) > 0 {
			rows++
		}
	}
	return rows
}

// covers reports whether the row at position p is an object of c or below one. at is the index of its first top that is
// not before p.
func (c *class) covers(s *survey, at int, p uint64) bool {
	return at < c.tops.Len() && c.tops.At(at) == p || at > 0 && s.end(c.tops.At(at-1)) > p
}

// weightFrom is weight starting at the position of a top.
func (c *class) weightFrom(at int, end uint64) uint64 {
	return c.sums.At(c.tops.SearchFrom(at, end)) - c.sums.At(at)
}
