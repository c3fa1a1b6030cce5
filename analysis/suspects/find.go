package suspects

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// Thresholds for suspects.
const (
	// 1/part of the heap must be retained by a suspect for its size alone: one tenth, as in Eclipse MAT, which users
	// know.
	part = 10
	// 1/grownPart of the heap must have been added by a suspect for its growth: a leak should be visible long before it
	// is large.
	grownPart = 100
	// branches is the maximum number of places over which the objects of a class may be spread to be reported.
	branches = 8
	// spread is the part of what a class retains that is in one of its places at least: else it is all over the heap.
	spread = 4
	// crowd is how many objects are many: with fewer, each may be looked at by itself.
	crowd = 8
	// mostPicked is the number of classes that are examined closely: more cannot each retain much of a heap, except by
	// retaining each other.
	mostPicked = 64
	// 1/overlap of a suspect must not be the same memory as that of a suspect before it: else it is the same thing.
	overlap = 2
	// everything is the part of the heap, in quarters, that hangs below a row of the whole program, such as the global
	// object of JavaScript: that objects are somewhere below it is no news.
	everything = 3
)

// Usual is the number of suspects on a screen.
const Usual = 8

// Suspect is objects of one type, or of one package, that retain much of a heap or become more.
type Suspect struct {
	Schema                 *model.HeapSchema
	Axis                   int    // axis of the schema: 0 for a type
	Name, sub              string // of the type or package; not cleaned
	Count, Bytes, Retained uint64 // of all its objects; Retained counts no row twice
	Total                  uint64 // bytes of the heap

	HasRow    bool
	Row       model.Row // the accumulation point; if there are several, the one with most
	heldCount uint64    // number of objects below rows of the owner's kind
	heldBytes uint64    // bytes retained by those
	OwnerRow  model.Row
	Owner     string // label of the owner; not cleaned; "" if none has a large part
	owners    int    // number of such owners
	ownerOne  bool   // the owner is one object of a type, not a frame or root with a name of its own
	Through   string // name of the owner's reference, "" if it has none or there are several
	Crowd     bool   // many of them are dominated by Row itself
	linked    bool   // they refer to each other: a list or a tree
	top       string // label of the object at the top; not cleaned
	runtime   bool   // owned by the runtime: code, or descriptions of types

	of          uint64 // number of all objects of the type, if only a few of them retain so much; else Count
	Verdict     Verdict
	first       int // the snapshot from which growth is counted
	HasGrowth   bool
	Growth      int64  // change of the number of objects since then
	GrowthBytes int64  // change of own bytes since then
	HasSame     bool   // the format identifies objects, so Same is meaningful
	Same        uint64 // objects that are in the first snapshot as well
	exact       bool   // Same is not an estimate
	course      []moment
	grown       uint64 // estimated growth in retained bytes
}

// moment is the figures in one snapshot.
type moment struct {
	snapshot int
	figures
}

// Find returns the suspects of snapshot at, whose graph is g, most important first: growing ones by growth, others by
// retained size. others are the figures of other snapshots of the file, in any order. It returns at most limit
// suspects; 0 is all. The errors are those of ctx and of the budget.
func Find(ctx context.Context, g *heapgraph.Graph, at int, others []Census, limit int) ([]Suspect, error) {
	others = slices.Clone(others)
	slices.SortFunc(others, func(a, b Census) int { return cmp.Compare(a.snapshot, b.snapshot) })
	if g.Heap.Kept == nil {
		return find(ctx, g, at, others, limit)
	}
	name := fileOf(g, at, others, limit)
	if list, ok := restore(ctx, g.Heap, name); ok {
		return list, nil
	}
	list, err := find(ctx, g, at, others, limit)
	if err == nil {
		keep(g.Heap, name, list)
	}
	return list, err
}

// find is Find without the cache, for snapshots in their order.
func find(ctx context.Context, g *heapgraph.Graph, at int, others []Census, limit int) ([]Suspect, error) {
	order, err := g.Preorder(ctx)
	if err != nil {
		return nil, err
	}
	w := &finder{at: at, others: others}
	layout, err := newPlaces(ctx, g.Heap, order, w.firstObjects(g.Heap))
	if err != nil {
		return nil, err
	}
	g.Heap.From.Forget() // what is needed of it now is little
	for _, axis := range axes(g.Heap.Schema) {
		s := newSurvey(ctx, g, layout, axis)
		if w.survey = s; axis == 0 {
			w.types = s
		}
		if err := w.look(); err != nil {
			return nil, err
		}
	}
	w.accept()
	return w.describeAll(limit), ctx.Err()
}

// finder holds what the steps of one Find share.
type finder struct {
	*survey         // of the current axis
	types   *survey // of axis 0
	at      int
	others  []Census
	list    []*candidate
	taken   []*candidate // in the order in which they were accepted
}

// candidate is a class that may be suspect.
type candidate struct {
	*class
	course  []moment
	verdict Verdict
	growth  int64  // change of the number of objects since the first snapshot
	grown   uint64 // retained bytes added since then
	points  []point
	value   float64 // how well the class describes the memory, 0 … 1
}

// firstObjects returns the objects of the first snapshot. It returns nil if that is the current one, or objects are not
// identified.
func (w *finder) firstObjects(h *model.Heap) *heapgraph.IdentitiesIn {
	if len(w.others) == 0 || w.others[0].snapshot >= w.at {
		return nil
	}
	return w.others[0].objects.In(h)
}

// look adds the candidates of one axis.
func (w *finder) look() error {
	if err := w.sum(); err != nil {
		return err
	}
	var list []*candidate
	var picked []*class
	for i := range w.survey.list {
		c := &candidate{class: &w.survey.list[i]}
		w.judge(c)
		if c.name != "" && w.large(c, c.retained) || c.name != "" && c.verdict == Grows {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.verdict/Grows, a.verdict/Grows), cmp.Compare(b.retained, a.retained), compareKeys(a.key, b.key))
	})
	list = list[:min(len(list), mostPicked)]
	for _, c := range list {
		picked = append(picked, c.class)
	}
	if err := w.pick(picked); err != nil {
		return err
	}
	for _, c := range list {
		var err error
		if c.points, err = w.survey.points(c.class); err != nil {
			return err
		}
		c.value = w.worth(c)
	}
	w.list = append(w.list, list...)
	return w.ctx.Err()
}

func compareKeys(a, b key) int {
	return cmp.Or(cmp.Compare(a.axis, b.axis), cmp.Compare(a.name, b.name), cmp.Compare(a.sub, b.sub))
}

// large reports whether so many bytes suffice for a candidate of that verdict.
func (w *finder) large(c *candidate, bytes uint64) bool {
	least := w.total() / part
	if c.verdict == Grows {
		least = w.total() / grownPart
	}
	return bytes > 0 && bytes >= least
}

// judge computes the verdict of a class over the snapshots.
func (w *finder) judge(c *candidate) {
	own := moment{w.at, figures{c.count, c.bytes}}
	for _, o := range w.others {
		if o.snapshot > w.at && own.snapshot == w.at && !hasSnapshot(c.course, w.at) {
			c.course = append(c.course, own)
		}
		if o.snapshot != w.at {
			c.course = append(c.course, moment{o.snapshot, o.of[c.key]})
		}
	}
	if !hasSnapshot(c.course, w.at) {
		c.course = append(c.course, own)
	}
	var counts, bytes course
	for _, p := range c.course {
		counts, bytes = append(counts, p.count), append(bytes, p.bytes)
	}
	c.growth = int64(c.count) - int64(counts[0])
	c.verdict = counts.verdict()
	rise := float64(counts.rise()) * float64(c.retained) / float64(max(c.count, 1))
	byCount := float64(counts.rise()) * float64(bytes[len(bytes)-1]) / float64(max(counts[len(counts)-1], 1))
	if b := bytes.verdict(); c.verdict != Grows && b == Grows && float64(bytes.rise()) >= 2*byCount && bytes.rise() >= w.total()/grownPart {
		c.verdict, rise = b, float64(bytes.rise()) // as many, but larger: arrays replaced by larger ones
	} else if c.verdict == Grows && bytes.rise() == 0 {
		c.verdict = Bounded
	}
	if c.grown = uint64(math.Min(rise, float64(w.total()))); c.verdict == Grows && c.grown < w.total()/grownPart {
		c.verdict = Bounded
	}
	if c.verdict == Grows && len(c.course) == 2 && w.replaced(c) {
		c.verdict = once // between two snapshots a difference may be chance
	}
}

// replaced reports whether most objects that a class had in the first snapshot are gone: then the current ones are not
// growth of the same thing.
func (w *finder) replaced(c *candidate) bool {
	before := c.course[0].count
	return w.known && before >= crowd && min(c.same, before) < before/overlap
}

func hasSnapshot(list []moment, i int) bool {
	return slices.ContainsFunc(list, func(p moment) bool { return p.snapshot == i })
}

// worth returns how well a class describes memory. Best are many objects in one place and nowhere else that are most of
// that place. Texts and arrays describe less than what they belong to, packages less than types.
func (w *finder) worth(c *candidate) float64 {
	if len(c.points) == 0 {
		return 0
	}
	p := c.points[0]
	covered := math.Min(1, float64(p.weight)/float64(max(1, w.g.Retained[p.row])))
	held, weight := uint64(0), uint64(0)
	for _, p := range c.points {
		held += p.held
		weight += p.weight
	}
	value := covered * float64(held) / float64(c.count)
	if c.objectsRetaining(weight/2) < crowd {
		value *= 0.3
	}
	switch {
	case c.axis > 0:
		value *= 0.6
	case c.isLeaf():
		value *= 0.5
	}
	return value
}

// objectsRetaining returns the number of objects in the places that retain at least that many bytes, taking the places
// with the most objects first.
func (c *candidate) objectsRetaining(bytes uint64) (held uint64) {
	weight := uint64(0)
	for _, p := range c.points {
		if held, weight = held+p.held, weight+p.weight; weight >= bytes {
			break
		}
	}
	return held
}

// accept keeps candidates that differ from those kept before. Growing candidates come first, then the most significant
// ones; of equal ones, objects come before their owners.
func (w *finder) accept() {
	slices.SortStableFunc(w.list, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.verdict/Grows, a.verdict/Grows), cmp.Compare(math.Round(4*b.value), math.Round(4*a.value)),
			cmp.Compare(a.retained, b.retained), compareKeys(a.key, b.key))
	})
	for _, c := range w.list {
		if w.isNew(c) {
			w.taken = append(w.taken, c)
		}
	}
}

// isNew reports whether most of a candidate's memory, or most of its growth, is not that of candidates taken before.
func (w *finder) isNew(c *candidate) bool {
	if c.verdict != Grows && (!w.gathers(c) || w.isAbout(c) || c.axis > 0 && w.isRuntime(c.key)) {
		return false // that a program has types, and objects of the language's own, is no news
	}
	for _, t := range w.taken {
		if len(c.points) > 0 && len(t.points) > 0 && c.points[0].row == t.points[0].row && t.value > 0 {
			return false
		}
		bytes := w.overlap(c.class, t.class, 0, math.MaxUint64)
		left := c.retained - min(bytes, c.retained)
		if (c.verdict != Grows || t.verdict == Grows) && !w.isElsewhere(c, t) {
			return false
		}
		if c.verdict != Grows {
			if !w.large(c, left) || left < c.retained/overlap {
				return false
			}
			continue
		}
		if t.verdict != Grows {
			continue
		}
		if rows := w.related(c.class, t.class); rows >= c.count-c.count/overlap || c.growth > 0 &&
			rows >= uint64(c.growth)-uint64(c.growth)/overlap || left < c.retained/overlap {
			return false
		}
	}
	return true
}

// isElsewhere reports whether most of what is in the places where a candidate gathers is not that of another one, and
// most of what is in the first of them.
func (w *finder) isElsewhere(c, t *candidate) bool {
	weight, left := uint64(0), uint64(0)
	for i, p := range c.points {
		from := w.placeOf(p.row)
		weight += p.weight
		if left += p.weight - min(w.overlap(c.class, t.class, from, w.end(from)), p.weight); i == 0 && left < weight/overlap {
			return false
		}
	}
	return left >= weight/overlap
}

// gathers reports whether a good part of the heap is what objects of a class hold in the places where they gather, or
// right below the roots, where nothing else holds them.
func (w *finder) gathers(c *candidate) bool {
	sum, held := uint64(0), uint64(0)
	for _, p := range c.points {
		sum += p.weight
		held += p.held
	}
	if w.large(c, sum) {
		most := c.points[0]
		if w.isMost(most.weight) && (c.axis > 0 || most.held < crowd && most.weight-min(c.bytes, most.weight) > most.weight/overlap) {
			return false // that the program holds the heap is no news
		}
		return w.large(c, most.weight) || most.weight >= c.retained/spread
	}
	if held > 0 && c.few(held) {
		return false // so few, and the others are too many to say anything
	}
	if c.axis > 0 {
		return false // a program's packages are all over its heap
	}
	sum = 0
	for i, p := range c.tops.All() {
		if r := w.row(p); !w.real.Has(w.h.Kinds[w.g.Idom(r)]) {
			sum += c.sums.At(i+1) - c.sums.At(i)
		}
	}
	return w.large(c, sum) && sum >= c.retained/overlap
}

// isAbout reports whether most objects of a class describe types: classes and modules.
func (w *finder) isAbout(c *candidate) bool {
	about, step := 0, max(c.rows.Len()/sampled, 1)
	for i := 0; i < c.rows.Len(); i += step {
		if w.h.Kind(w.row(c.rows.At(i))).About {
			about++
		} else {
			about--
		}
	}
	return about > 0
}

// few reports whether held objects are a few of many.
func (c *class) few(held uint64) bool { return held < crowd && held < c.count/2 }

// describeAll describes the candidates that were taken, most important first.
func (w *finder) describeAll(limit int) []Suspect {
	out := make([]Suspect, 0, len(w.taken))
	for _, c := range w.taken {
		out = append(out, w.describe(c))
	}
	slices.SortStableFunc(out, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(b.Verdict/Grows, a.Verdict/Grows), falseFirst(a.runtime, b.runtime),
			falseFirst(!a.HasRow, !b.HasRow), cmp.Compare(b.rank(), a.rank()),
			compareKeys(key{a.Axis, a.Name, a.sub}, key{b.Axis, b.Name, b.sub}))
	})
	if limit > 0 && len(out) > limit {
		out = out[:limit]
	}
	return out
}

// falseFirst orders false before true.
func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// rank returns the number by which suspects of one verdict are ordered.
func (s *Suspect) rank() uint64 {
	if s.Verdict == Grows {
		return s.grown
	}
	return s.Retained
}
