package column

import (
	"encoding/binary"

	"github.com/memtui/memtui/model"
)

// SmallEvents iterates over events whose sums cannot overflow.
type SmallEvents struct {
	kinds []model.EventKind
	times []uint32
	sizes []uint64
	rest  []byte      // freed sizes
	freed [256]uint64 // by code
	p     int         // position in those that are not FREE
	extra int         // bytes of rest before the position beyond one per FREE

	At    int    // position in all events
	Sizes uint64 // bitwise or of all sizes before the position
	Level        // at the position
}

// Begin goes to the first event of a run. rest has the sizes of what the events free, common the frequent ones by code
// from 1, and before is the level before the first event.
func (s *SmallEvents) Begin(events *model.Columns, rest []byte, common []uint64, before Level) {
	*s = SmallEvents{kinds: events.Kind, times: events.Time, sizes: events.Size, rest: rest, Level: before}
	copy(s.freed[1:RareSize], common)
}

// Until advances to the first event after limit, and adds the levels on the way to e, which has the level before.
// Rising levels cannot change the minimum, and falling ones cannot change the maximum. hot kernel
func (s *SmallEvents) Until(limit model.Time, e Extremes) Extremes {
	kinds, sizes, rest, freed := s.kinds, s.sizes, s.rest, &s.freed
	times := s.times[:len(kinds)]
	i, p, extra, all, others := s.At, s.p, s.extra, s.Sizes, 0
	live, allocBytes, count := s.Bytes, s.AllocBytes, s.Count
	for ; i < len(kinds) && model.Time(times[i]) <= limit; i++ {
		switch kinds[i] {
		case model.Alloc:
			size := sizes[p]
			p++
			all |= size
			live += size
			allocBytes += size
			count++
			e.MaxBytes, e.MaxCount = max(e.MaxBytes, live), max(e.MaxCount, count)
		case model.Free:
			at := i - p + extra
			code := rest[at]
			ends := freed[code]
			if code == RareSize {
				var n int
				ends, n = binary.Uvarint(rest[at+1:])
				extra += n
			}
			live -= ends
			count -= (uint32(code) + RareSize) >> 8
			e.MinBytes, e.MinCount = min(e.MinBytes, live), min(e.MinCount, count)
		default:
			p++
			others++
		}
	}
	s.AllocCount += uint32(p - s.p - others)
	s.FreeEvents += uint32(i - s.At - (p - s.p))
	s.At, s.p, s.extra, s.Sizes = i, p, extra, all
	s.Bytes, s.AllocBytes, s.Count = live, allocBytes, count
	return e
}
