package heapgraph

import (
	"context"
	"math"

	"github.com/memtui/memtui/model"
)

// domWork is one run of the semi-NCA algorithm (Georgiadis 2005). Rows are numbered in the order of a depth-first walk,
// and most columns are indexed by number. A reference from a lower number to a higher one needs no list: until the
// higher one is done, nothing can have been linked above its source. The walk looks at each reference twice, while its
// row is in the cache: when it enters the row, it lists the references to lower numbers, and when it goes on, it finds
// those to rows that it numbered meanwhile. Columns are reused for several purposes to save memory.
type domWork[I index] struct {
	ctx    context.Context
	c      *core[I]
	report func(done float64)

	live    I        // number of rows that the root reaches: the numbers below it are theirs
	order   []I      // number → row
	number  []I      // row → number; after the walk start; finally retained rows
	forest  []uint64 // links by number, see link; finally retained bytes
	labels  []I      // by number, of links; nil if forest has them
	ends    []I      // by number: where its references in back end; after semiDominators immediate dominators' numbers
	idom    []I      // the result; before that the first entries of back
	more    []I      // the other entries of back
	listed  int      // entries of back
	preds   []I      // sources with numbers higher than their target's; during the walk its stack
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
	w := &domWork[I]{ctx: ctx, c: c, report: report, forest: model.MakeColumn[uint64](c.room, n), idom: model.MakeColumn[I](c.room, n),
		number: model.MakeColumn[I](c.room, n+1)}
	if c.room != nil {
		w.scratch = model.BudgetOf(ctx).Room(math.MaxInt64 / 2)
	}
	w.order, w.ends = model.MakeColumn[I](w.scratch, n), model.MakeColumn[I](w.scratch, n)
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
	touchMost = 8  // references of one row
)

// touchPreds prefetches the predecessors of the rows that come before number i.
func (w *domWork[I]) touchPreds(i int) {
	if i < touchNear {
		return
	}
	from, to := w.number[i-touchNear], w.number[i-touchNear+1]
	sum := uint64(0)
	for _, p := range w.preds[from:min(to, from+touchMost)] {
		sum += w.forest[p]
	}
	w.touched += I(sum)
}

// walk numbers the rows that the root reaches, then the others, starting at the rows of [core.unreachedTops].
func (w *domWork[I]) walk() error {
	n := len(w.order)
	// Room for all references except those that the walk follows. The walk is never deeper than there are rows.
	others := max(len(w.c.to)-n+1, 0)
	w.more = model.MakeColumn[I](w.scratch, max(others-n, 0))
	w.preds = model.MakeColumn[I](w.scratch, max(others, n))
	var err error
	if w.live, err = w.walkFrom(w.c.out(0), 1, 0); err != nil || int(w.live) == n {
		return err
	}
	w.c.unreachable = n - int(w.live)
	reached := newRowBits(n)
	for r, i := range w.number[:n] {
		if i != 0 || r == 0 {
			reached.set(uint64(r))
		}
	}
	tops, err := w.c.unreachedTops(w.ctx, reached, w.order[w.live:])
	if err != nil {
		return err
	}
	// No reference leads to the first of the other rows.
	if short := w.listed + len(w.c.to) - len(w.idom) - len(w.more); short > 0 {
		w.more = append(w.more, make([]I, min(short, len(tops)))...)
	}
	first := w.live // an unreachable row keeps nothing reachable
	if w.c.policy.Lost {
		first = 0
	}
	_, err = w.walkFrom(tops, w.live, first)
	return err
}

// walkFrom numbers the rows that tops and the rows below them lead to, starting at n, and returns the next number.
// References to numbers below first are not listed.
func (w *domWork[I]) walkFrom(tops []I, n, first I) (I, error) {
	var (
		out   = tops
		i     = I(0) // the current row's number
		next  = 0    // its next reference
		stack = w.preds
		depth = 0
	)
	for {
		for next < len(out) {
			t := out[next]
			next++
			if j := w.number[t]; j != 0 || t == 0 {
				if j > i {
					w.guess(j, i)
				}
				continue
			}
			w.number[t], w.order[n] = n, t
			w.setLink(n, i, i)
			below := w.c.out(t)
			at := w.enter(n, first, below)
			if n++; n%pauseEvery == 0 {
				if err := w.pause(int(n), len(w.order), 0, 0.5); err != nil {
					return n, err
				}
			}
			if at < len(below) {
				stack[depth] = I(next)
				depth++
				out, i, next = below, n-1, at
			}
		}
		if depth == 0 {
			return n, nil
		}
		depth--
		i, next = w.ancestor(i), int(stack[depth])
		if out = tops; i != 0 {
			out = w.c.out(w.order[i])
		}
	}
}

// enter lists the references of number i to lower ones from first on, and returns which reference is the first to a row
// without a number: len(out) for none.
func (w *domWork[I]) enter(i, first I, out []I) (at int) {
	at = len(out)
	free, touched := w.more, I(0)
	if w.listed < len(w.idom) {
		free = w.idom[w.listed:]
	} else {
		free = free[w.listed-len(w.idom):]
	}
	listed := 0
	for k := len(out) - 1; k >= 0; k-- {
		t := out[k]
		switch j := w.number[t]; {
		case j == 0:
			if t != 0 {
				at = k
				touched += w.c.start[t]
			}
		case j < i && j >= first:
			if listed == len(free) {
				w.listed += listed
				free, listed = w.more, 0
			}
			free[listed] = j
			listed++
		}
	}
	w.listed += listed
	w.ends[i] = I(w.listed)
	w.touched += touched
	return at
}

// guess lowers the least known semidominator of number j to i.
func (w *domWork[I]) guess(j, i I) {
	if parent, least := w.link(j); i < least {
		w.setLink(j, parent, i)
	}
}

// listPreds distributes the references to lower numbers to their targets. It takes the column of number, which
// has had its use.
func (w *domWork[I]) listPreds() error {
	start := w.number
	clear(start)
	back := [2][]I{w.idom[:min(w.listed, len(w.idom))], w.more[:max(w.listed-len(w.idom), 0)]}
	for _, list := range back {
		for _, j := range list {
			start[j]++
		}
	}
	w.report(0.55)
	sum := I(0)
	for j, c := range start {
		sum += c
		start[j] = sum
	}
	if int(sum) > len(w.preds) {
		w.preds = model.MakeColumn[I](w.scratch, int(sum))
	}
	i := I(0)
	at := 0
	for _, list := range back {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		for k, j := range list {
			if k+4*touchFar < len(list) {
				w.touched += start[list[k+4*touchFar]]
			}
			for int(w.ends[i]) <= at {
				i++
			}
			p := start[j] - 1
			start[j], w.preds[p] = p, i
			at++
		}
	}
	w.report(0.65)
	return w.ctx.Err()
}

// semiDominators runs backwards through the walk. Finished rows have numbers above i. The semidominator of i is left
// where the list of predecessors of i+1 began.
func (w *domWork[I]) semiDominators() error {
	n := len(w.order)
	start, parents := w.number, w.ends
	for i := n - 1; i > 0; i-- {
		w.touchPreds(i)
		parent, least := w.link(I(i))
		parents[i] = parent
		for _, p := range w.preds[start[i]:start[i+1]] {
			above, label := w.link(p)
			if above > I(i) {
				label = w.compress(p, I(i))
			}
			least = min(least, label)
		}
		start[i+1] = least
		w.setLink(I(i), parent, least)
		if i%pauseEvery == 0 {
			if err := w.pause(n-i, n, 0.65, 0.9); err != nil {
				return err
			}
		}
	}
	parents[0] = 0
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
	idom, semi := w.ends, w.number[1:]
	for i := 1; i < len(idom); i++ {
		d := idom[i]
		for d > semi[i] {
			d = idom[d]
		}
		idom[i] = d
	}
}

// retain translates numbers to rows and sums up from the leaves to the root. A dominator has a lower number than the
// rows it dominates.
func (w *domWork[I]) retain() {
	c, h, n := w.c, w.c.heap, w.c.heap.Len()
	c.idom, c.retained, c.count = w.idom, w.forest[:n], w.number[:n:n]
	for r := range n {
		c.idom[r], c.retained[r], c.count[r] = 0, h.Bytes(model.Row(r)), 1
	}
	add := func(d, r I) {
		c.retained[d], _ = model.SaturatingAdd(c.retained[d], c.retained[r])
		c.count[d] += c.count[r]
	}
	for i := len(w.order) - 1; i > 0; i-- {
		r, d := w.order[i], w.order[w.ends[i]]
		c.idom[r] = d
		add(d, r)
	}
	for _, r := range w.order[w.live:] {
		c.lostBytes, _ = model.SaturatingAdd(c.lostBytes, h.Bytes(model.Row(r)))
	}
	w.report(1)
}
