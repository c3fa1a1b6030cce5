package suspects

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// pauseEvery is how many rows are looked at between two looks at the context: a few milliseconds.
const pauseEvery = 1 << 16

// class is the objects of one type, or of one package.
type class struct {
	key
	seen                   bool
	same                   uint64 // of count, objects that the first snapshot has, too; an estimate where there are very many
	count, bytes, retained uint64 // retained by those that hang below no other of the class
	until                  uint64 // where the rows below the last such one end
	shift                  int32  // of picked ones: their place among those, plus one

	rows model.Column[uint64] // of picked ones: where all of them stand in the order, ascending
	tops model.Column[uint64] // those of rows that hang below no other
	sums []uint64             // retained by the tops before each
}

// survey is the types of one snapshot, or its packages, with the order in which what a row dominates follows it.
type survey struct {
	ctx   context.Context
	g     *heapgraph.Graph
	h     *model.Heap
	order model.Column[model.Row]
	place model.Column[uint64]
	axis  int
	real  model.HeapKinds
	kinds model.HeapKinds         // of objects
	first *heapgraph.IdentitiesIn // of the first snapshot, nil where they tell nothing

	byID  []int32 // class of a type
	rest  map[uint32]int32
	byKey map[key]int32
	list  []class
}

// total is what the whole heap retains.
func (s *survey) total() uint64 { return s.g.Retained[model.RootRow] }

// classOf returns the class of a row, -1 for other rows than objects.
func (s *survey) classOf(r model.Row) int32 {
	if !s.kinds.Has(s.h.Kinds[r]) {
		return -1
	}
	id := s.h.Entity[r]
	if int(id) < len(s.byID) {
		if s.byID[id] == 0 {
			s.byID[id] = s.number(id) + 1
		}
		return s.byID[id] - 1
	}
	c, ok := s.rest[id] // beyond the tables of a damaged file
	if !ok {
		c = s.number(id)
		s.rest[id] = c
	}
	return c
}

// number enters a type, or finds another one of the same name.
func (s *survey) number(id uint32) int32 {
	k := key{axis: s.axis, name: s.h.Tables.OnAxis(s.axis, id)}
	if second := s.h.Schema.Distinct(); s.axis == 0 && second > 0 {
		k.sub = s.h.Tables.OnAxis(second, id)
	}
	c, ok := s.byKey[k]
	if !ok {
		c = int32(len(s.list))
		s.byKey[k] = c
		s.list = append(s.list, class{key: k})
	}
	return c
}

// sum finds out how many objects of each class there are, and what those retain.
func (s *survey) sum() error {
	for p, r := range s.order.All() {
		if p%pauseEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		n := s.classOf(r)
		if n < 0 {
			continue
		}
		c := &s.list[n]
		c.count++
		if s.first != nil {
			c.same += s.first.Has(r)
		}
		c.bytes, _ = model.SaturatingAdd(c.bytes, s.h.Bytes(r))
		if !c.seen || uint64(p) >= c.until {
			c.seen, c.until = true, uint64(p)+s.g.RetainedCount(r)
			c.retained, _ = model.SaturatingAdd(c.retained, s.g.Retained[r])
		}
	}
	return nil
}

// pick lists where the objects of some classes stand.
func (s *survey) pick(picked []*class) error {
	for i, c := range picked {
		c.shift, c.rows = int32(i)+1, model.Column[uint64]{}
		if c.rows.Grow(int(c.count)); s.order.Wide != nil {
			c.rows.Widen()
		}
	}
	for p, r := range s.order.All() {
		if p%pauseEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if n := s.classOf(r); n >= 0 && s.list[n].shift > 0 {
			s.list[n].rows.Append(uint64(p))
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

func (s *survey) listTops(c *class) {
	end, sum := uint64(0), uint64(0)
	for i, p := range c.rows.All() {
		if i > 0 && p < end {
			continue
		}
		end = s.end(p)
		c.tops.Append(p)
		c.sums = append(c.sums, sum)
		sum, _ = model.SaturatingAdd(sum, s.g.Retained[s.row(p)])
	}
	c.sums = append(c.sums, sum)
}

// end returns where in the order the row at p and all below it end.
func (s *survey) end(p uint64) uint64 { return p + s.g.RetainedCount(s.row(p)) }

// row returns what stands at place p of the order.
func (s *survey) row(p uint64) model.Row { return s.order.At(int(p)) }

// weight returns what the objects of a class retain that stand from place p on and before end.
func (c *class) weight(p, end uint64) uint64 {
	i, _ := c.tops.Search(p)
	j, _ := c.tops.Search(end)
	return c.sums[j] - c.sums[i]
}

// within returns how many objects of a class stand from place p on and before end.
func (c *class) within(p, end uint64) uint64 {
	i, _ := c.rows.Search(p)
	j, _ := c.rows.Search(end)
	return uint64(j - i)
}

// isLeaf reports whether the objects of a class hold little but themselves: texts, numbers and arrays of bytes.
func (c *class) isLeaf() bool { return c.retained-min(c.bytes, c.retained) <= c.retained/10 }

// point is a row below which objects of a class gather.
type point struct {
	row    model.Row
	weight uint64 // retained by those below it, and by itself where it is one of them
	held   uint64 // how many those are
}

// points finds the rows below which the objects of a class gather: from the root it goes down as long as one row has
// most of them below it. The recorder's roots hold everything: below them it follows each row that has a good part of
// them.
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
			for q := p + 1; q < s.end(p); q = s.end(q) {
				if steps++; steps%pauseEvery == 0 && s.ctx.Err() != nil {
					return nil, s.ctx.Err()
				}
				w := c.weight(q, s.end(q))
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

// isEverything reports whether nearly the whole heap hangs below place p, a good part of which is of other classes: then
// that is no place where objects of this one gather.
func (s *survey) isEverything(c *class, p uint64) bool {
	all := s.g.Retained[s.row(p)]
	return s.isMost(all) && c.weight(p, s.end(p))/everything < all/4
}

// isMost reports whether so many bytes are nearly the whole heap.
func (s *survey) isMost(bytes uint64) bool { return bytes/everything >= s.total()/4 }

// follow adds the rows right below place p that have at least so much of a class below them.
func (s *survey) follow(c *class, p uint64, least uint64, starts []uint64) []uint64 {
	for q := p + 1; q < s.end(p); q = s.end(q) {
		if c.weight(q, s.end(q)) >= least {
			starts = append(starts, q)
		}
	}
	return starts
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

// related returns how many objects of c hang below one of other or hold one.
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

// covers reports whether the row at place p is an object of c or hangs below one. at is the first of its tops that is
// not before p.
func (c *class) covers(s *survey, at int, p uint64) bool {
	return at < c.tops.Len() && c.tops.At(at) == p || at > 0 && s.end(c.tops.At(at-1)) > p
}

// weightFrom is weight from the place of one of the tops on.
func (c *class) weightFrom(at int, end uint64) uint64 {
	return c.sums[c.tops.SearchFrom(at, end)] - c.sums[at]
}
