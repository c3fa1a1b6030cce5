package traceindex

import (
	"math"
	"slices"

	"github.com/memtui/memtui/model"
)

// ageList keeps how old blocks are, of which a site may have any number: four bytes each, in pieces that are never copied.
type ageList struct {
	pieces      [][]uint32
	long        []model.Time // those beyond four bytes
	n           int
	least, most model.Time // of all; there must be one
}

// Pieces begin with leastAges, and double ageDoublings times.
const (
	leastAges    = 4
	ageDoublings = 14
	mostAges     = leastAges << ageDoublings
)

// agePiece returns how many ages the piece with a number holds, from 0 on.
func agePiece(number int) int { return leastAges << min(number, ageDoublings) }

func (l *ageList) add(age model.Time) {
	if l.n == 0 {
		l.least, l.most = age, age
	}
	l.n++
	l.least, l.most = min(l.least, age), max(l.most, age)
	if age < 0 || age > math.MaxUint32 {
		l.long = append(l.long, age)
		return
	}
	k := len(l.pieces) - 1
	if k < 0 || len(l.pieces[k]) == cap(l.pieces[k]) {
		k++
		l.pieces = append(l.pieces, make([]uint32, 0, agePiece(k)))
	}
	l.pieces[k] = append(l.pieces[k], uint32(age))
}

// ageMemory is what finding the middle of a list takes, to be used for the next list.
type ageMemory struct {
	ages   []uint32
	counts []int
}

// middle returns the age that half of the others are not older than; there must be one. Ages beyond four bytes are the highest: there
// are none below 0.
func (l *ageList) middle(m *ageMemory) model.Time {
	rank, short := l.n/2, l.n-len(l.long)
	switch {
	case rank >= short:
		slices.Sort(l.long)
		return l.long[rank-short]
	case short <= mostAges:
		m.ages = m.ages[:0]
		for _, p := range l.pieces {
			m.ages = append(m.ages, p...)
		}
		slices.Sort(m.ages)
		return model.Time(m.ages[rank])
	}
	return model.Time(l.countTo(rank, m))
}

const halfAge = 16 // bits

// countTo returns the age that so many of those of four bytes come before in order. It counts them by their upper half, and those
// with the right one by their lower half, so that it need not sort millions.
func (l *ageList) countTo(rank int, m *ageMemory) uint32 {
	m.counts = resize(m.counts, 1<<halfAge)
	clear(m.counts)
	for _, p := range l.pieces {
		for _, age := range p {
			m.counts[age>>halfAge]++
		}
	}
	upper, rank := rankIn(m.counts, rank)
	clear(m.counts)
	for _, p := range l.pieces {
		for _, age := range p {
			if age>>halfAge == upper {
				m.counts[age&(1<<halfAge-1)]++
			}
		}
	}
	lower, _ := rankIn(m.counts, rank)
	return upper<<halfAge | lower
}

// rankIn returns which counter has what so many come before, and how many of that counter's own do.
func rankIn(counts []int, rank int) (at uint32, rest int) {
	for counts[at] <= rank {
		rank -= counts[at]
		at++
	}
	return at, rank
}
