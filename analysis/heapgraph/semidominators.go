package heapgraph

import (
	"context"
	"math"
	"slices"

	"github.com/memtui/memtui/model"
)

// domWork is one run of the semi-NCA algorithm (Georgiadis 2005). Rows are numbered in the order of a depth-first walk,
// and most columns are indexed by number. A reference from a lower number to a higher one needs no list: until the
// higher one is done, nothing can have been linked above its source. Columns are reused for several purposes to save
// memory.
type domWork[I index] struct {
	ctx    context.Context
	c      *core[I]
	report func(done float64)

	reached rowBits
	live    I        // number of rows that the root reaches: the numbers below it are theirs
	order   []I      // number → row
	number  []I      // row → number; after semiDominators number → immediate dominator's number
	forest  []uint64 // links by number, see link; finally retained bytes
	labels  []I      // by number, of links; nil if forest has them
	semi    []I      // numbers by number; during the walk the number of references followed; finally dominators
	start   []I      // by number: its predecessors are preds[start[i]:start[i+1]]; finally retained rows
	preds   []I      // those with numbers higher than their target's
	stack   []I
	scratch *model.Room // for columns that are freed when the graph is made
	touched I           // meaningless: keeps the touches from being optimized away
}

// link returns a node of the forest of finished rows: an ancestor (at first the parent in the walk), and the least
// semidominator on the way there. If both have 32 bits they are packed into one number, with the ancestor in the upper
// half.
func (w *domWork[I]) link(i I) (ancestor, label I) {
	if isWide[I]() {
		return I(w.forest[i]), w.labels[i]
	}
	f := w.forest[i]
	return I(f >> 32), I(f)
}

func (w *domWork[I]) setLink(i, ancestor, label I) {
	if isWide[I]() {
		w.forest[i], w.labels[i] = uint64(ancestor), label
		return
	}
	w.forest[i] = uint64(ancestor)<<32 | uint64(label)
}

func (w *domWork[I]) ancestor(i I) I {
	a, _ := w.link(i)
	return a
}

func newDomWork[I index](ctx context.Context, c *core[I], report func(done float64)) *domWork[I] {
	n := c.heap.Len()
	w := &domWork[I]{ctx: ctx, c: c, report: report, forest: model.MakeColumn[uint64](c.room, n), semi: model.MakeColumn[I](c.room, n),
		start: model.MakeColumn[I](c.room, n+1)}
	if c.room != nil {
		w.scratch = model.BudgetOf(ctx).Room(math.MaxInt64 / 2)
	}
	w.order, w.number = model.MakeColumn[I](w.scratch, n), model.MakeColumn[I](w.scratch, n)
	if isWide[I]() {
		w.labels = model.MakeColumn[I](w.scratch, n)
	}
	return w
}

// pause reports progress: i of n rows of a part are done, and the part ranges from one fraction of all work to another.
func (w *domWork[I]) pause(i, n int, from, to float64) error {
	w.report(from + (to-from)*float64(i)/float64(n))
	return w.ctx.Err()
}

const pauseEvery = 1 << 16 // rows

// Rows that follow each other in the walk are scattered in memory. The touches read what will be needed soon, many
// places at once, so that the processor prefetches them in parallel; without them a large random graph waits for one
// after the other.
const (
	touchFar  = 16 // rows ahead: where its references start
	touchNear = 8  // rows ahead: the references
	touchSoon = 4  // rows ahead: the numbers of its targets
	touchMost = 8  // references of one row
)

// touchRows prefetches for the targets of a row that the walk enters.
func (w *domWork[I]) touchRows(seen rowBits, out []I) {
	sum := I(0)
	for _, t := range out[:min(len(out), touchMost)] {
		sum += I(seen[t>>6]) + w.c.start[t]
	}
	w.touched += sum
}

// touchOut prefetches the references of the rows that come after number i.
func (w *domWork[I]) touchOut(i int) {
	if i+touchFar >= len(w.order) {
		return
	}
	start := w.c.start
	w.touched += start[w.order[i+touchFar]]
	if to := w.c.to; len(to) > 0 {
		w.touched += to[min(int(start[w.order[i+touchNear]]), len(to)-1)]
	}
	sum, soon := I(0), w.c.out(w.order[i+touchSoon])
	for _, t := range soon[:min(len(soon), touchMost)] {
		sum += w.number[t]
	}
	w.touched += sum
}

// touchPreds prefetches the predecessors of the rows that come before number i.
func (w *domWork[I]) touchPreds(i int) {
	if i < touchNear {
		return
	}
	from, to := w.start[i-touchNear], w.start[i-touchNear+1]
	sum := uint64(0)
	for _, p := range w.preds[from:min(to, from+touchMost)] {
		sum += w.forest[p]
	}
	w.touched += I(sum)
}

// walk numbers the rows that the root reaches, then the others, starting at the rows of [core.orphans].
func (w *domWork[I]) walk() error {
	n := len(w.order)
	w.reached = newRowBits(n)
	w.reached.set(0)
	var err error
	if w.live, err = w.walkFrom(w.reached, w.c.out(0), 1); err != nil || int(w.live) == n {
		return err
	}
	w.c.unreachable = n - int(w.live)
	tops, err := w.c.orphans(w.ctx, w.reached, w.order[w.live:])
	if err != nil {
		return err
	}
	_, err = w.walkFrom(slices.Clone(w.reached), tops, w.live)
	return err
}

// walkFrom numbers the rows that tops and the rows below them lead to, starting at n, and returns the next number.
func (w *domWork[I]) walkFrom(seen rowBits, tops []I, n I) (I, error) {
	var (
		out  = tops
		i    = I(0) // the current row's number
		next = I(0) // its next reference
	)
	for {
		if int(next) == len(out) {
			if i == 0 {
				return n, nil
			}
			i = w.ancestor(i)
			if next = w.semi[i]; i == 0 {
				out = tops
			} else {
				out = w.c.out(w.order[i])
			}
			continue
		}
		t := out[next]
		next++
		if seen.has(uint64(t)) {
			continue
		}
		seen.set(uint64(t))
		w.semi[i] = next
		w.order[n], w.number[t] = t, n
		w.setLink(n, i, 0)
		i, n = n, n+1
		out, next = w.c.out(t), 0
		w.touchRows(seen, out)
		if n%pauseEvery == 0 {
			if err := w.pause(int(n), len(w.order), 0, 0.35); err != nil {
				return n, err
			}
		}
	}
}

// listPreds lists the predecessors of higher number, and takes the least of the others as the first guess of the
// semidominator. References to lower numbers are first recorded in the order of their sources, then distributed to
// their targets: looking numbers up costs more than the list.
func (w *domWork[I]) listPreds() error {
	for i := range w.forest {
		w.semi[i] = w.ancestor(I(i))
	}
	n, first := len(w.order), I(0)
	// Room for all references except those that the walk followed.
	back := model.MakeColumn[I](w.scratch, max(len(w.c.to)-int(w.live-1), 0))[:0]
	for i, r := range w.order {
		if i == int(w.live) && !w.c.policy.Lost {
			first = w.live // an unreachable row keeps nothing reachable
		}
		w.touchOut(i)
		for _, t := range w.c.out(r) {
			j := w.number[t]
			if int(j) < i {
				if j >= first {
					w.start[j]++
					back = append(back, j)
				}
			} else if I(i) < w.semi[j] {
				w.semi[j] = I(i)
			}
		}
		w.setLink(I(i), w.ancestor(I(i)), I(len(back))) // end of the targets of i
		if i%pauseEvery == 0 {
			if err := w.pause(i, n, 0.35, 0.5); err != nil {
				return err
			}
		}
	}
	sum := I(0)
	for j, c := range w.start {
		sum += c
		w.start[j] = sum
	}
	w.preds = model.MakeColumn[I](w.scratch, int(sum))
	first = 0
	for i := range w.order {
		_, end := w.link(I(i))
		for at, j := range back[first:end] {
			if far := int(first) + at + 4*touchFar; far < len(back) {
				w.touched += w.start[back[far]]
			}
			k := w.start[j] - 1
			w.start[j], w.preds[k] = k, I(i)
		}
		first = end
	}
	w.report(0.65)
	return w.ctx.Err()
}

// semiDominators runs backwards through the walk. Finished rows have numbers above i.
func (w *domWork[I]) semiDominators() error {
	n := len(w.order)
	idom := w.number
	for i := n - 1; i > 0; i-- {
		w.touchPreds(i)
		idom[i] = w.ancestor(I(i))
		least := w.semi[i]
		for _, p := range w.preds[w.start[i]:w.start[i+1]] {
			above, label := w.link(p)
			if above > I(i) {
				label = w.compress(p, I(i))
			}
			least = min(least, label)
		}
		w.semi[i] = least
		w.setLink(I(i), idom[i], least)
		if i%pauseEvery == 0 {
			if err := w.pause(n-i, n, 0.65, 0.9); err != nil {
				return err
			}
		}
	}
	idom[0] = 0
	return nil
}

// compress links all of p's ancestors above i directly to the highest one's parent, and returns p's label.
func (w *domWork[I]) compress(p, i I) I {
	stack := w.stack[:0]
	top, label := w.link(p)
	for top > i {
		stack = append(stack, p)
		p = top
		top, label = w.link(p)
	}
	for k := len(stack) - 1; k >= 0; k-- {
		_, own := w.link(stack[k])
		label = min(label, own)
		w.setLink(stack[k], top, label)
	}
	w.stack = stack
	return label
}

// immediate goes up from each parent to the nearest ancestor that is no lower than the semidominator.
func (w *domWork[I]) immediate() {
	idom := w.number[:len(w.order)]
	for i := 1; i < len(idom); i++ {
		d := idom[i]
		for d > w.semi[i] {
			d = idom[d]
		}
		idom[i] = d
	}
}

// retain translates numbers to rows and sums up from the leaves to the root. A dominator has a lower number than the
// rows it dominates.
func (w *domWork[I]) retain() {
	c, h, n := w.c, w.c.heap, w.c.heap.Len()
	c.idom, c.retained, c.count = w.semi, w.forest[:n], w.start[:n:n]
	for r := range n {
		c.idom[r], c.retained[r], c.count[r] = 0, h.Bytes(model.Row(r)), 1
	}
	add := func(d, r I) {
		c.retained[d], _ = model.SaturatingAdd(c.retained[d], c.retained[r])
		c.count[d] += c.count[r]
	}
	for i := len(w.order) - 1; i > 0; i-- {
		r, d := w.order[i], w.order[w.number[i]]
		c.idom[r] = d
		add(d, r)
	}
	for _, r := range w.order[w.live:] {
		c.lostBytes, _ = model.SaturatingAdd(c.lostBytes, h.Bytes(model.Row(r)))
	}
	w.report(1)
}
