package fleet

import (
	"cmp"
	"context"
)

// site is a thing in a service: the key of its stack, or the index of its name.
type site struct {
	service string
	stack   uint64
}

// units are recordings. A row is mostly of the recording that followed that of the row before the last time, so that few
// are looked up.
type units struct {
	counted []*Recording // those that hosts count by; nil for others
	service []int32      // services have numbers
	hosts   []int32      // so has each host of a service
	most    int          // of hosts
	at      map[uint64]int32
	numbers []uint64
	after   []int32 // which one followed
	last    int32
}

// newUnits returns the units of all recordings, and of those that hosts count by.
func newUnits(all []Recording, counted map[uint64]*Recording) *units {
	type place struct{ service, host string }
	u, services, hosts := &units{at: make(map[uint64]int32, len(all))}, map[string]int32{}, map[place]int32{}
	for i := range all {
		number := all[i].Recording
		if _, ok := u.at[number]; ok {
			continue
		}
		r, service, host := counted[number], int32(0), int32(0)
		if r != nil {
			service, host = numbered(services, r.Service), numbered(hosts, place{r.Service, r.Host})
		}
		u.at[number] = int32(len(u.numbers))
		u.numbers, u.counted = append(u.numbers, number), append(u.counted, r)
		u.service, u.hosts = append(u.service, service), append(u.hosts, host)
	}
	u.most, u.after = len(hosts), make([]int32, len(u.numbers))
	return u
}

// numbered returns the number of a key, the next one where the key is new.
func numbered[K comparable](numbers map[K]int32, key K) int32 {
	n, ok := numbers[key]
	if !ok {
		n = int32(len(numbers))
		numbers[key] = n
	}
	return n
}

// next returns the unit of a recording that follows another unit, -1 if it has none.
func (u *units) next(last int32, recording uint64) int32 {
	if i := u.after[last]; u.numbers[i] == recording {
		return i
	}
	i, ok := u.at[recording]
	if !ok {
		return -1
	}
	u.after[last] = i
	return i
}

// of returns which recordings are of a version.
func (u *units) of(version string) []bool {
	out := make([]bool, len(u.counted))
	for i, r := range u.counted {
		out[i] = r != nil && r.Version == version
	}
	return out
}

// part is what a recording has of a thing.
type part struct {
	value uint64
	unit  int32
}

// parts are what recordings have of one thing, in pieces that are never copied.
type parts [][]part

// most is the number of parts in the largest piece.
const most = 1 << 10

// add adds a part, with room for some where there is none.
func (p *parts) add(x part, room int) {
	last := len(*p) - 1
	if last < 0 || len((*p)[last]) == cap((*p)[last]) {
		if last >= 0 && room == 1 {
			room = 2 * cap((*p)[last])
		}
		*p = append(*p, make([]part, 0, max(1, min(room, most))))
		last++
	}
	(*p)[last] = append((*p)[last], x)
}

// tally collects what recordings have, by site. A recording may be there twice; it counts once then.
type tally struct {
	*units
	at    map[site]int
	sites []site
	parts []parts // by site
}

func newTally(u *units) *tally { return &tally{units: u, at: map[site]int{}} }

// site returns the parts of a site, to add some.
func (t *tally) site(s site) *parts {
	i, ok := t.at[s]
	if !ok {
		i = len(t.sites)
		t.at[s], t.sites, t.parts = i, append(t.sites, s), append(t.parts, nil)
	}
	return &t.parts[i]
}

// of returns the parts of a site.
func (t *tally) of(s site) parts {
	if i, ok := t.at[s]; ok {
		return t.parts[i]
	}
	return nil
}

// largest collects figures by small numbers, and keeps the largest or the sum of each.
type largest struct {
	values []uint64
	used   []int32
}

func newLargest(n int) *largest { return &largest{values: make([]uint64, n)} }

// raise keeps the larger figure. The figure is not 0.
func (l *largest) raise(i int32, value uint64) {
	if l.values[i] == 0 {
		l.used = append(l.used, i)
	}
	l.values[i] = max(l.values[i], value)
}

// add adds to a figure.
func (l *largest) add(i int32, value uint64) {
	if l.values[i] == 0 {
		l.used = append(l.used, i)
	}
	l.values[i] += value
}

// drain calls f with all figures, and forgets them.
func (l *largest) drain(f func(i int32, value uint64)) {
	for _, i := range l.used {
		f(i, l.values[i])
		l.values[i] = 0
	}
	l.used = l.used[:0]
}

// byHost calls f with the figure of each host, that of its largest recording. With only, recordings are left out.
func (a *asking) byHost(all parts, only []bool, f func(value uint64)) {
	for _, piece := range all {
		for _, p := range piece {
			if only == nil || only[p.unit] {
				a.host.raise(a.units.hosts[p.unit], p.value)
			}
		}
	}
	a.host.drain(func(_ int32, value uint64) { f(value) })
}

// total returns the sum of hosts.
func (a *asking) total(all parts, only []bool) (sum uint64) {
	return a.host.total(a.units.hosts, all, only)
}

// total returns the sum of the largest figures by small numbers of units.
func (l *largest) total(of []int32, all parts, only []bool) (sum uint64) {
	for _, piece := range all {
		for _, p := range piece {
			if only != nil && !only[p.unit] {
				continue
			}
			if old := &l.values[of[p.unit]]; p.value > *old {
				sum += p.value - *old
				*old = p.value
			}
		}
	}
	for _, piece := range all {
		for _, p := range piece {
			l.values[of[p.unit]] = 0
		}
	}
	return sum
}

// summary returns the distribution over hosts, some of which may have nothing.
func (a *asking) summary(all parts, only []bool, hosts int) Summary {
	var values []uint64
	a.byHost(all, only, func(value uint64) { values = append(values, value) })
	return summarized(values, hosts)
}

// gather collects what the question selects.
func (a *asking) gather(ctx context.Context) (*tally, error) {
	only, err := a.stacks(ctx)
	if err != nil || len(a.units.numbers) == 0 {
		return newTally(a.units), err
	}
	switch a.q.What {
	case Sites, "":
		return a.read(ctx, only)
	case Owners:
		t, err := a.read(ctx, nil)
		return a.owned(t, only), err
	}
	t := newTally(a.units)
	for i := range a.things {
		if x := &a.things[i]; only == nil || only[x.stack] {
			a.put(t, x, x.value)
		}
	}
	return t, nil
}

// put adds a figure of a thing, if hosts count by its recording.
func (a *asking) put(t *tally, x *thing, value uint64) {
	if i, ok := a.units.at[x.recording]; ok && a.units.counted[i] != nil && value > 0 {
		t.site(site{a.units.counted[i].Service, x.stack}).add(part{value, i}, 1)
	}
}

// read reads sites, those of some stacks or, if only is nil, of all.
func (a *asking) read(ctx context.Context, only map[uint64]bool) (*tally, error) {
	t := newTally(a.units)
	err := a.rows.Sites(ctx, a.q.Figure, a.services, only, func(recordings, stacks, values []uint64) {
		for n := 0; len(stacks) > 0; recordings, stacks, values = recordings[n:], stacks[n:], values[n:] {
			stack := stacks[0]
			for n = 1; n < len(stacks) && stacks[n] == stack; n++ {
			}
			if only == nil || only[stack] {
				t.addRun(stack, recordings[:n], values[:n])
			}
		}
	})
	return t, err
}

// addRun adds what recordings have of a stack.
func (t *tally) addRun(stack uint64, recordings, values []uint64) {
	var to *parts
	last, service := t.last, int32(0)
	for i, value := range values {
		if value == 0 {
			continue
		}
		u := t.next(last, recordings[i])
		if u < 0 {
			continue
		}
		last = u
		if t.counted[u] == nil {
			continue
		}
		if to == nil || t.service[u] != service {
			service = t.service[u]
			to = t.site(site{t.counted[u].Service, stack})
		}
		to.add(part{value, u}, len(values)-i)
	}
	t.last = last
}

// owned sums up the sites of each owner.
func (a *asking) owned(t *tally, only map[uint64]bool) *tally {
	owners, byOwner := []site{}, map[site][]int{}
	for i, s := range t.sites {
		owner, ok := a.owners[s.stack]
		if !ok {
			owner = a.id("") // the stack is missing
		}
		o := site{s.service, owner}
		if only != nil && !only[owner] {
			continue
		}
		if byOwner[o] == nil {
			owners = append(owners, o)
		}
		byOwner[o] = append(byOwner[o], i)
	}
	out, sums := newTally(a.units), newLargest(len(a.units.numbers))
	for _, o := range owners {
		for _, i := range byOwner[o] {
			a.byRecording(t.parts[i], sums.add)
		}
		to := out.site(o)
		sums.drain(func(i int32, value uint64) { to.add(part{value, i}, 1) })
	}
	return out
}

// byRecording calls f with the figure of each recording.
func (a *asking) byRecording(all parts, f func(i int32, value uint64)) {
	for _, piece := range all {
		for _, p := range piece {
			a.recording.raise(p.unit, p.value)
		}
	}
	a.recording.drain(f)
}

// ranked is a site with what rows are ordered by.
type ranked[T uint64 | float64] struct {
	site
	by T
}

// first returns the sites that come first in the answer: those with the most.
func first[T uint64 | float64](a *asking, list []ranked[T]) []ranked[T] {
	return cut(a.q, list, func(x, y *ranked[T]) int {
		return cmp.Or(cmp.Compare(y.by, x.by), cmp.Compare(x.service, y.service), a.order(x.stack, y.stack))
	})
}

// named returns the places of sites.
func named[T uint64 | float64](ctx context.Context, a *asking, list []ranked[T]) (map[uint64]Place, error) {
	of := map[uint64]bool{}
	for _, r := range list {
		of[r.stack] = true
	}
	return a.places(ctx, of)
}
