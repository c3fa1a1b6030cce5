package column

import (
	"math"
	"slices"

	"github.com/memtui/memtui/model"
)

// AgeList keeps how old blocks are, of which a site may have any number: four bytes each, in pieces that are never
// copied.
type AgeList struct {
	Pieces      [][]uint32
	long        []model.Time // those beyond four bytes
	N           int
	Least, Most model.Time // of all; there must be one
}

// Pieces begin with LeastAges, and double ageDoublings times.
const (
	LeastAges    = 4
	ageDoublings = 14
	MostAges     = LeastAges << ageDoublings
)

// AgePiece returns how many ages the piece with a number holds, from 0 on.
func AgePiece(number int) int { return LeastAges << min(number, ageDoublings) }

// Add adds the age of one block.
func (l *AgeList) Add(age model.Time) {
	if l.N == 0 {
		l.Least, l.Most = age, age
	}
	l.N++
	l.Least, l.Most = min(l.Least, age), max(l.Most, age)
	if age < 0 || age > math.MaxUint32 {
		l.long = append(l.long, age)
		return
	}
	k := len(l.Pieces) - 1
	if k < 0 || len(l.Pieces[k]) == cap(l.Pieces[k]) {
		k++
		l.Pieces = append(l.Pieces, make([]uint32, 0, AgePiece(k)))
	}
	l.Pieces[k] = append(l.Pieces[k], uint32(age))
}

// AgeMemory is what finding the middle of a list takes, to be used for the next list.
type AgeMemory struct {
	ages   []uint32
	counts []int
}

// Middle returns the age that half of the others are not older than; there must be one. Ages beyond four bytes are the
// highest: there are none below 0.
func (l *AgeList) Middle(m *AgeMemory) model.Time {
	rank, short := l.N/2, l.N-len(l.long)
	switch {
	case rank >= short:
		slices.Sort(l.long)
		return l.long[rank-short]
	case short <= MostAges:
		m.ages = m.ages[:0]
		for _, p := range l.Pieces {
			m.ages = append(m.ages, p...)
		}
		slices.Sort(m.ages)
		return model.Time(m.ages[rank])
	}
	return model.Time(l.countTo(rank, m))
}

const halfAge = 16 // bits

// countTo returns the age that so many of those of four bytes come before in order. It counts them by their upper half,
// and those with the right one by their lower half, so that it need not sort millions.
func (l *AgeList) countTo(rank int, m *AgeMemory) uint32 {
	m.counts = Resize(m.counts, 1<<halfAge)
	clear(m.counts)
	for _, p := range l.Pieces {
		for _, age := range p {
			m.counts[age>>halfAge]++
		}
	}
	upper, rank := rankIn(m.counts, rank)
	clear(m.counts)
	for _, p := range l.Pieces {
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
