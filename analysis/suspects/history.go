package suspects

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// key is what a class is found by in other snapshots.
type key struct {
	axis      int // of the schema
	name, sub string
}

// figures are how many objects of a class there are, and their own bytes.
type figures struct{ count, bytes uint64 }

// Census is how many objects of each type there are in a snapshot, and which, where the format tells.
type Census struct {
	Snapshot int
	of       map[key]figures
	objects  heapgraph.Identities
}

// Count counts the objects of snapshot i, with the sizes that they have under a policy.
func Count(h *model.Heap, i int, p heapgraph.Policy) Census {
	h = h.Under(p.Of(h.Schema))
	c := Census{i, map[key]figures{}, heapgraph.IdentitiesOf(h)}
	for _, axis := range axes(h.Schema) {
		for _, g := range heapgraph.Groups(h, heapgraph.By{Kinds: h.Schema.Objects().Kinds & h.Schema.Real(), Axis: axis}) {
			k := key{axis, g.Name, g.Sub}
			f := c.of[k]
			f.count += g.Count
			f.bytes, _ = model.SaturatingAdd(f.bytes, g.Bytes())
			c.of[k] = f
		}
	}
	return c
}

// axes returns what objects are suspected by: their types, and whatever several types have in common and their names do
// not tell, such as packages. What tells types of one name apart is part of the type, and what differs from row to row
// belongs to none.
func axes(s *model.HeapSchema) (list []int) {
	for i := range s.Axes {
		if i == 0 || !s.Axes[i].Distinct && !s.Axes[i].ByRow {
			list = append(list, i)
		}
	}
	return list
}

// mostCounted is how many snapshots of a file are counted: enough to see a trend, and few enough that a file of
// hundreds, each of which has to be decoded, takes no more than a few times as long as its dominators.
const mostCounted = 16

// Counted returns which snapshots of a file are to be counted, ascending: all whole ones, or where there are many, some
// at even distances. The first and the last one, and at, are among them.
func Counted(src model.HeapSource, at int) []int {
	var whole []int
	for i := range src.Len() {
		if src.Info(i).Complete {
			whole = append(whole, i)
		}
	}
	if len(whole) <= mostCounted {
		return whole
	}
	var out []int
	for i := range mostCounted {
		out = append(out, whole[i*(len(whole)-1)/(mostCounted-1)])
	}
	if slices.Contains(whole, at) {
		out = append(out, at)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Counts keeps what was counted in the snapshots of a file. The zero value is empty; any goroutine may use it.
type Counts struct {
	mu sync.Mutex
	of map[counted]Census
}

// counted names a snapshot, and the policy that its sizes are those of.
type counted struct {
	i int
	p heapgraph.Policy
}

// All counts those snapshots of a file that [Counted] names, but for the one at, one after the other, as far as they
// were not counted before. It keeps none of the snapshots, and leaves out what cannot be decoded. progress is called
// with shares of the whole, 0 … 1. The errors are those of ctx.
func (c *Counts) All(ctx context.Context, src model.HeapSource, at int, p heapgraph.Policy, progress func(done float64)) ([]Census, error) {
	var out []Census
	list := Counted(src, at)
	for n, i := range list {
		if i == at {
			continue
		}
		census, ok := c.get(counted{i, p})
		if !ok {
			h, err := src.Open(ctx, i, nil)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if ok = err == nil && h.Complete; ok {
				census = Count(h, i, p)
				c.put(counted{i, p}, census)
			}
		}
		if ok {
			out = append(out, census)
		}
		progress(float64(n+1) / float64(len(list)))
	}
	return out, nil
}

func (c *Counts) get(k counted) (census Census, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	census, ok = c.of[k]
	return census, ok
}

func (c *Counts) put(k counted, census Census) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[counted]Census{}
	}
	c.of[k] = census
}

// Verdict says what becomes of the objects of a type over the snapshots of a file.
type Verdict uint8

const (
	Once    Verdict = iota // seen in one snapshot, or grown in one step of several: nothing says whether it goes on
	Bounded                // no more of them in the end, or ever fewer come
	Grows                  // more of them from snapshot to snapshot, to the last
)

// String returns the word of JSON and of tables.
func (v Verdict) String() string { return [...]string{"once", "bounded", "grows"}[v] }

// What of a rise decides.
const (
	// stray is the part of a rise that may be taken back meanwhile: collections come when they like, so that the counts
	// of a leak are not quite steady.
	stray = 10
	// pace is the part of the middle third's rise that the last third has at least where something grows to the end: a
	// cache that fills slows down. Traces are judged by the same.
	pace = 0.4
	// single is the part of a rise that lies in one step where it happened once.
	single = 0.9
	// noise is the part of a type that has to come anew to be called growth: where there are only two snapshots half of
	// all types have become more by chance, so that a tenth is asked for.
	noise, noiseOfTwo = 20, 10
	// chance is how many times the square root of their number has to come anew: so many come and go by chance where
	// objects do so one by one. Few objects are told to grow all the same where more of them are there in so many
	// snapshots running.
	chance, running = 4, 6
)

// course is a figure over the snapshots that were counted.
type course []uint64

// rise returns how much more there is in the last one than in the first.
func (c course) rise() uint64 { return c[len(c)-1] - min(c[0], c[len(c)-1]) }

// verdict judges a figure.
func (c course) verdict() Verdict {
	rise := c.rise()
	switch {
	case len(c) < 2:
		return Once
	case rise == 0 || c.falls() > rise/stray || rise < c[len(c)-1]/c.noise():
		return Bounded
	case float64(rise) < chance*math.Sqrt(float64(c[len(c)-1])) && !c.runs():
		return Bounded
	case len(c) > 2 && float64(c.largest()) >= single*float64(rise):
		return Once
	case c.slows():
		return Bounded
	}
	return Grows
}

func (c course) noise() uint64 {
	if len(c) == 2 {
		return noiseOfTwo
	}
	return noise
}

// runs reports whether each of many steps is a rise.
func (c course) runs() bool {
	for i := range c[1:] {
		if c[i+1] <= c[i] {
			return false
		}
	}
	return len(c) > running
}

// falls returns how much went away in all steps together.
func (c course) falls() (sum uint64) {
	for i := range c[1:] {
		sum += c[i] - min(c[i], c[i+1])
	}
	return sum
}

// largest returns the largest rise in a step.
func (c course) largest() (most uint64) {
	for i := range c[1:] {
		most = max(most, c[i+1]-min(c[i], c[i+1]))
	}
	return most
}

// slows reports whether the last third of the steps has much less of the rise than the third before it.
func (c course) slows() bool {
	steps := len(c) - 1
	if steps < 2 {
		return false
	}
	n := max(1, steps/3)
	end := len(c) - 1
	last := float64(c[end]) - float64(c[end-n])
	before := float64(c[end-n]) - float64(c[end-2*n])
	return last <= 0 || last < pace*before
}
