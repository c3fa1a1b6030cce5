package heapgraph

import (
	"context"

	"github.com/memtui/memtui/model"
)

// domWork is one run of the semi-NCA algorithm (Georgiadis 2005). Rows get numbers in the order of a depth-first walk, and
// most columns go by number. A reference from a lower number to a higher one needs no list: until the higher one is done,
// nothing can have been linked above its source. The columns have several lives, to save memory.
type domWork struct {
	ctx    context.Context
	g      *Graph
	report func(done float64)

	reached rowBits
	order   []model.Row // number → row
	number  []uint32    // row → number; from semiDominators on number → immediate dominator's
	forest  []uint64    // domLinks by number; in the end Retained
	semi    []model.Row // numbers by number; during the walk how many references were followed; in the end Idom
	start   []uint32    // by number: its predecessors are preds[start[i]:start[i+1]]; in the end RetainedCount
	preds   []uint32    // numbers higher than their target's
	stack   []uint32
	touched uint32 // of no meaning: keeps the touches from being optimized away
}

// domLink returns a node of the forest of what is done, packed: above an ancestor (at first the parent in the walk), below the least
// semidominator on the way there.
func domLink(ancestor, label uint32) uint64 { return uint64(ancestor)<<32 | uint64(label) }

func (w *domWork) ancestor(i uint32) uint32 { return uint32(w.forest[i] >> 32) }

func newDomWork(ctx context.Context, g *Graph, report func(done float64)) *domWork {
	n := g.Heap.Len()
	return &domWork{ctx: ctx, g: g, report: report,
		order: make([]model.Row, n), number: make([]uint32, n), forest: make([]uint64, n), semi: make([]model.Row, n), start: make([]uint32, n+1)}
}

// pause is called now and then with the share of a part that is done, and where the part lies in the whole.
func (w *domWork) pause(i, n int, from, to float64) error {
	w.report(from + (to-from)*float64(i)/float64(n))
	return w.ctx.Err()
}

const pauseEvery = 1 << 16 // rows

// Rows that follow each other in the walk lie anywhere in memory. The touches read what will be needed soon, many places at
// once, so that the processor fetches them side by side; without them a large random graph waits for one after the other.
const (
	touchFar  = 16 // rows ahead: where its references start
	touchNear = 8  // rows ahead: the references
	touchSoon = 4  // rows ahead: the numbers of its targets
	touchMost = 8  // references of one row
)

// touchRows is for the targets of a row that the walk enters.
func (w *domWork) touchRows(seen rowBits, out []model.Row) {
	sum := uint32(0)
	for _, t := range out[:min(len(out), touchMost)] {
		sum += uint32(seen[t>>6]) + w.g.Heap.Start[t]
	}
	w.touched += sum
}

// touchOut is for the references of the rows that come after number i.
func (w *domWork) touchOut(i int) {
	if i+touchFar >= len(w.order) {
		return
	}
	start := w.g.Heap.Start
	w.touched += start[w.order[i+touchFar]]
	if to := w.g.Heap.To; len(to) > 0 {
		w.touched += uint32(to[min(int(start[w.order[i+touchNear]]), len(to)-1)])
	}
	sum, soon := uint32(0), w.g.out(w.order[i+touchSoon])
	for _, t := range soon[:min(len(soon), touchMost)] {
		sum += w.number[t]
	}
	w.touched += sum
}

// touchPreds is for the predecessors of the rows that come before number i.
func (w *domWork) touchPreds(i int) {
	if i < touchNear {
		return
	}
	from, to := w.start[i-touchNear], w.start[i-touchNear+1]
	sum := uint64(0)
	for _, p := range w.preds[from:min(to, from+touchMost)] {
		sum += w.forest[p]
	}
	w.touched += uint32(sum)
}

// walk numbers the rows that the root reaches.
func (w *domWork) walk() error {
	var (
		seen = newRowBits(len(w.order))
		out  = w.g.out(model.RootRow)
		i    = uint32(0) // the current row's number
		next = uint32(0) // its next reference
		n    = uint32(1)
	)
	seen.set(model.RootRow)
	for {
		if int(next) == len(out) {
			if i == 0 {
				break
			}
			i = w.ancestor(i)
			out, next = w.g.out(w.order[i]), uint32(w.semi[i])
			continue
		}
		t := out[next]
		next++
		if seen.has(t) {
			continue
		}
		seen.set(t)
		w.semi[i] = model.Row(next)
		w.order[n], w.number[t], w.forest[n] = t, n, domLink(i, 0)
		i, n = n, n+1
		out, next = w.g.out(t), 0
		w.touchRows(seen, out)
		if n%pauseEvery == 0 {
			if err := w.pause(int(n), len(w.order), 0, 0.35); err != nil {
				return err
			}
		}
	}
	w.reached, w.g.Unreachable = seen, len(w.order)-int(n)
	w.order, w.forest = w.order[:n], w.forest[:n]
	return nil
}

// listPreds lists the predecessors of higher number, and takes the least one of the others as the first guess of the
// semidominator. References to lower numbers are noted in the order of their sources first, then dealt out to their targets:
// looking numbers up costs more than the list.
func (w *domWork) listPreds() error {
	for i := range w.forest {
		w.semi[i] = model.Row(w.ancestor(uint32(i)))
	}
	n := len(w.order)
	back := make([]uint32, 0, len(w.g.Heap.To)-(n-1)) // all but those that the walk went along
	for i, r := range w.order {
		w.touchOut(i)
		for _, t := range w.g.out(r) {
			j := w.number[t]
			if int(j) < i {
				w.start[j]++
				back = append(back, j)
			} else if model.Row(i) < w.semi[j] {
				w.semi[j] = model.Row(i)
			}
		}
		w.forest[i] |= uint64(len(back)) // where the targets of i end
		if i%pauseEvery == 0 {
			if err := w.pause(i, n, 0.35, 0.5); err != nil {
				return err
			}
		}
	}
	sum := uint32(0)
	for j, c := range w.start {
		sum += c
		w.start[j] = sum
	}
	w.preds = make([]uint32, sum)
	first := uint32(0)
	for i := range w.order {
		end := uint32(w.forest[i])
		for at, j := range back[first:end] {
			if far := int(first) + at + 4*touchFar; far < len(back) {
				w.touched += w.start[back[far]]
			}
			k := w.start[j] - 1
			w.start[j], w.preds[k] = k, uint32(i)
		}
		first = end
	}
	w.report(0.65)
	return w.ctx.Err()
}

// semiDominators goes backwards through the walk. What is done lies at numbers above i.
func (w *domWork) semiDominators() error {
	n := len(w.order)
	idom := w.number
	for i := n - 1; i > 0; i-- {
		w.touchPreds(i)
		idom[i] = w.ancestor(uint32(i))
		least := uint32(w.semi[i])
		for _, p := range w.preds[w.start[i]:w.start[i+1]] {
			link := w.forest[p]
			if uint32(link>>32) > uint32(i) {
				link = w.compress(p, uint32(i))
			}
			least = min(least, uint32(link))
		}
		w.semi[i], w.forest[i] = model.Row(least), domLink(idom[i], least)
		if i%pauseEvery == 0 {
			if err := w.pause(n-i, n, 0.65, 0.9); err != nil {
				return err
			}
		}
	}
	idom[0] = 0
	return nil
}

// compress hangs all of p's ancestors above i directly under the highest one's parent, and returns p's link.
func (w *domWork) compress(p, i uint32) uint64 {
	stack, forest := w.stack[:0], w.forest
	for uint32(forest[p]>>32) > i {
		stack = append(stack, p)
		p = uint32(forest[p] >> 32)
	}
	top := forest[p]
	for k := len(stack) - 1; k >= 0; k-- {
		f := &forest[stack[k]]
		top = top>>32<<32 | min(top<<32, *f<<32)>>32
		*f = top
	}
	w.stack = stack
	return top
}

// immediate goes up from each parent to the nearest ancestor that is no lower than the semidominator.
func (w *domWork) immediate() {
	idom := w.number[:len(w.order)]
	for i := 1; i < len(idom); i++ {
		d := idom[i]
		for d > uint32(w.semi[i]) {
			d = idom[d]
		}
		idom[i] = d
	}
}

// retain translates numbers to rows and sums up from the leaves to the root. A dominator has a lower number than what it
// dominates.
func (w *domWork) retain() {
	g, h, n := w.g, w.g.Heap, w.g.Heap.Len()
	g.Idom, g.Retained, g.RetainedCount = w.semi, w.forest[:n], w.start[:n:n]
	for r := range n {
		g.Idom[r], g.Retained[r], g.RetainedCount[r] = model.RootRow, h.Bytes(model.Row(r)), 1
	}
	add := func(d, r model.Row) {
		g.Retained[d], _ = model.SaturatingAdd(g.Retained[d], g.Retained[r])
		g.RetainedCount[d] += g.RetainedCount[r]
	}
	for i := len(w.order) - 1; i > 0; i-- {
		r, d := w.order[i], w.order[w.number[i]]
		g.Idom[r] = d
		add(d, r)
	}
	for r := range n {
		if !w.reached.has(model.Row(r)) {
			add(model.RootRow, model.Row(r))
			g.UnreachableBytes, _ = model.SaturatingAdd(g.UnreachableBytes, h.Bytes(model.Row(r)))
		}
	}
	w.report(1)
}
