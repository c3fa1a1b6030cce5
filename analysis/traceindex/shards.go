package traceindex

import (
	"errors"
	"sync"

	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// part is an event as a shard gets it.
type part struct {
	event   uint32
	payload uint32 // events before it that are not FREE
}

// deal gives each event to the shard that its address belongs to, and those without an address to the first one.
func (j *job) deal(shards int) {
	for len(j.parts) < shards {
		j.parts = append(j.parts, nil)
	}
	for s := range j.parts {
		j.parts[s] = j.parts[s][:0]
	}
	p := uint32(0)
	for i, a := range j.events.Addr {
		s := uint64(uint32(a>>16)*0x9e3779b1) * uint64(shards) >> 32
		if a == 0 {
			s = 0
		}
		j.parts[s] = append(j.parts[s], part{uint32(i), p})
		if j.events.Kind[i] != model.Free {
			p++
		}
	}
}

// matchShards is match with one goroutine per shard. What they find is the same in whatever order they come.
func (m *matcher) matchShards(j *job) error {
	var all sync.WaitGroup
	var failed [mostShards]error
	for i := range m.shards {
		all.Go(func() {
			failed[i] = guarded(func() error {
				m.shards[i].match(j, j.parts[i], touchFrom/int64(len(m.shards)))
				return nil
			})
		})
	}
	all.Wait()
	over, deaths := make([][]overEnd, len(m.shards)), make([][]death, len(m.shards))
	for i := range m.shards {
		over[i], deaths[i] = m.shards[i].over, m.shards[i].deaths
	}
	j.over = mergeByEvent(j.over, over, func(o *overEnd) uint32 { return o.event })
	j.deaths = mergeByEvent(j.deaths, deaths, func(d *death) uint32 { return d.event })
	return errors.Join(failed[:]...)
}

// mergeByEvent appends lists that are ordered by event, in that order.
func mergeByEvent[T any](out []T, lists [][]T, event func(*T) uint32) []T {
	for {
		first := -1
		for i := range lists {
			if len(lists[i]) > 0 && (first < 0 || event(&lists[i][0]) < event(&lists[first][0])) {
				first = i
			}
		}
		if first < 0 {
			return out
		}
		out = append(out, lists[first][0])
		lists[first] = lists[first][1:]
	}
}

// match is [addressTable.run] for the events of a shard.
func (s *shard) match(j *job, parts []part, touchFrom int64) {
	s.over, s.deaths = s.over[:0], s.deaths[:0]
	for len(parts) > 0 {
		n := min(touchRun, len(parts))
		if s.table.memory.bytes >= touchFrom {
			s.addrs = s.addrs[:0]
			for _, p := range parts[:n] {
				s.addrs = append(s.addrs, j.events.Addr[p.event])
			}
			s.table.touch(s.addrs)
		}
		for _, p := range parts[:n] {
			s.matchOne(j, p)
		}
		parts = parts[n:]
	}
}

func (s *shard) matchOne(j *job, p part) {
	a, v := j.events.Addr[p.event], uint32(0)
	switch kind := j.events.Kind[p.event]; {
	case kind > model.Free:
		j.died[p.payload] = 1 // no block at all
	case kind == model.Free:
		if a != 0 {
			v = s.table.take(a)
		}
		j.ended[p.event-p.payload] = v
	case a == 0:
		j.unaddressed = append(j.unaddressed, p.payload) // the first shard alone comes here
	default:
		if v = s.table.put(a, j.firstPayload+p.payload+1); v != 0 {
			s.over = append(s.over, overEnd{event: p.event, ref: column.Ref(v)})
		}
	}
	if v > j.firstPayload {
		j.died[v-1-j.firstPayload] = 1
	} else if v != 0 {
		s.deaths = append(s.deaths, death{payload: v - 1, event: p.event})
	}
}
