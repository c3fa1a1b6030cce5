package match

import (
	"errors"
	"sync"

	"github.com/memtui/memtui/model"
)

// part is an event as passed to a shard.
type part struct {
	event   uint32
	payload uint32 // number of events before it that are not FREE
}

// deal passes each event to the shard of its address, and those without an address to the first shard.
func (ends *Ends) deal(events *model.Columns, shards int) {
	for len(ends.parts) < shards {
		ends.parts = append(ends.parts, nil)
	}
	for s := range ends.parts {
		ends.parts[s] = ends.parts[s][:0]
	}
	p := uint32(0)
	for i, a := range events.Addr {
		s := uint64(uint32(a>>16)*0x9e3779b1) * uint64(shards) >> 32
		if a == 0 {
			s = 0
		}
		ends.parts[s] = append(ends.parts[s], part{uint32(i), p})
		if events.Kind[i] != model.Free {
			p++
		}
	}
}

// matchShards is Match with one goroutine per shard. The result does not depend on their timing.
func (m *Matcher) matchShards(events *model.Columns, ends *Ends) error {
	var all sync.WaitGroup
	var failed [mostShards]error
	for i := range m.shards {
		all.Go(func() {
			failed[i] = model.Guarded(func() error {
				m.shards[i].match(events, ends, ends.parts[i], touchFrom/int64(len(m.shards)))
				return nil
			})
		})
	}
	all.Wait()
	over, deaths := make([][]Over, len(m.shards)), make([][]Death, len(m.shards))
	for i := range m.shards {
		over[i], deaths[i] = m.shards[i].over, m.shards[i].deaths
	}
	ends.Over = mergeByEvent(ends.Over, over, func(o *Over) uint32 { return o.Event })
	ends.Deaths = mergeByEvent(ends.Deaths, deaths, func(d *Death) uint32 { return d.Event })
	return errors.Join(failed[:]...)
}

// mergeByEvent appends lists that are ordered by event, merged in that order.
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
func (s *shard) match(events *model.Columns, ends *Ends, parts []part, touchFrom int64) {
	s.over, s.deaths = s.over[:0], s.deaths[:0]
	for len(parts) > 0 {
		n := min(touchRun, len(parts))
		if s.table.memory.bytes >= touchFrom {
			s.addrs = s.addrs[:0]
			for _, p := range parts[:n] {
				s.addrs = append(s.addrs, events.Addr[p.event])
			}
			s.table.touch(s.addrs)
		}
		for _, p := range parts[:n] {
			s.matchOne(events, ends, p)
		}
		parts = parts[n:]
	}
}

func (s *shard) matchOne(events *model.Columns, ends *Ends, p part) {
	a, v := events.Addr[p.event], uint32(0)
	switch kind := events.Kind[p.event]; {
	case kind > model.Free:
		ends.Died[p.payload] = 1 // not a block
	case kind == model.Free:
		if a != 0 {
			v = s.table.take(a)
		}
		ends.Ended[p.event-p.payload] = v
	case a == 0:
		ends.Unaddressed = append(ends.Unaddressed, p.payload) // only the first shard gets these
	default:
		if v = s.table.put(a, ends.FirstPayload+p.payload+1); v != 0 {
			s.over = append(s.over, Over{Event: p.event, Ended: v})
		}
	}
	if v > ends.FirstPayload {
		ends.Died[v-1-ends.FirstPayload] = 1
	} else if v != 0 {
		s.deaths = append(s.deaths, Death{Payload: v - 1, Event: p.event})
	}
}
