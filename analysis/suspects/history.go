package suspects

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// key identifies a class in other snapshots.
type key struct {
	axis      int // axis of the schema
	name, sub string
}

// figures are the number of objects of a class, and their own bytes.
type figures struct{ count, bytes uint64 }

// Census is the number of objects of each type in a snapshot, and their identities if the format has any.
type Census struct {
	snapshot int
	of       map[key]figures
	objects  heapgraph.Identities
}

// Count counts the objects of snapshot i, with their sizes under a policy.
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

// axes returns the axes by which objects are grouped: their types, and properties that several types share and that are
// not in their names, such as packages. An axis that distinguishes types of one name is part of the type; an axis of
// rows is not used.
func axes(s *model.HeapSchema) (list []int) {
	for i := range s.Axes {
		if i == 0 || !s.Axes[i].Distinct && !s.Axes[i].ByRow {
			list = append(list, i)
		}
	}
	return list
}

// mostCounted is the number of snapshots of a file that are counted: enough to see a trend, and few enough that a file
// of hundreds, each of which must be decoded, takes no more than a few times as long as its dominators.
const mostCounted = 16

// Counted returns which snapshots of a file are to be counted, ascending: all complete ones, or if there are many, some
// at even distances. The first one, the last one, and at are among them.
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

// Counts caches the counts of the snapshots of a file. The zero value is empty; any goroutine may use it.
type Counts struct {
	mu sync.Mutex
	of map[counted]Census
}

// counted identifies a snapshot, and the policy of its sizes.
type counted struct {
	i int
	p heapgraph.Policy
}

// All counts the snapshots of a file that [Counted] returns, except for the one at, one after the other, unless they
// were counted before. It leaves out those that cannot be decoded. progress is called with the fraction done, 0 … 1.
// The errors are those of ctx.
func (c *Counts) All(
	ctx context.Context, heaps heapgraph.Heaps, at int, p heapgraph.Policy, progress func(done float64),
) (out []Census, err error) {
	list := Counted(heaps.Source(), at)
	for n, i := range list {
		if i == at {
			continue
		}
		census, ok := c.get(counted{i, p})
		if !ok {
			h, err := heaps.Borrow(ctx, i)
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

// Verdict is what becomes of the objects of a type over the snapshots of a file.
type Verdict uint8

const (
	once    Verdict = iota // in one snapshot, or grown in one step of several: unknown whether it continues
	Bounded                // the number stops growing, or grows ever slower
	Grows                  // more of them from snapshot to snapshot, up to the last
)

// String returns the verdict as JSON and tables print it.
func (v Verdict) String() string { return [...]string{"once", "bounded", "grows"}[v] }

// Thresholds for a rise.
const (
	// 1/stray of a rise may be undone in between: garbage collections come at any time, so the counts of a leak are not
	// quite steady.
	stray = 10
	// pace is the least ratio of the last third's rise to the middle third's for something that grows to the end: a
	// cache that fills slows down. The same applies to traces.
	pace = 0.4
	// single is the share of a rise that must be in one step for a rise that happened once.
	single = 0.9
	// 1/noise of a type must be new to count as growth. Between two snapshots, half of all types grow by chance, so a
	// tenth is required.
	noise, noiseOfTwo = 20, 10
	// chance times the square root of their number must be new: so many come and go by chance if objects do so
	// independently. Fewer objects still grow if there are more of them in running snapshots in a row.
	chance, running = 4, 6
)

// course is a figure over the snapshots that were counted.
type course []uint64

// rise returns how much more there is in the last snapshot than in the first.
func (c course) rise() uint64 { return c[len(c)-1] - min(c[0], c[len(c)-1]) }

// verdict judges the figure.
func (c course) verdict() Verdict {
	rise := c.rise()
	switch {
	case len(c) < 2:
		return once
	case rise == 0 || c.falls() > rise/stray || rise < c[len(c)-1]/c.noise():
		return Bounded
	case float64(rise) < chance*math.Sqrt(float64(c[len(c)-1])) && !c.runs():
		return Bounded
	case len(c) > 2 && float64(c.largest()) >= single*float64(rise):
		return once
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

// runs reports whether there are many steps and each is a rise.
func (c course) runs() bool {
	for i := range c[1:] {
		if c[i+1] <= c[i] {
			return false
		}
	}
	return len(c) > running
}

// falls returns the sum of all decreases.
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

// slows reports whether the last third of the steps has a much smaller rise than the third before it.
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
