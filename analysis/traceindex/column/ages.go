package column

import (
	"math"
	"slices"

	"github.com/memtui/memtui/model"
)

// AgeList stores the ages of any number of blocks: four bytes each, in pieces that are never copied.
type AgeList struct {
	pieces      [][]uint32
	long        []model.Time // those that need more than four bytes
	N           int
	Least, Most model.Time // of all ages; there must be at least one
}

// pieces begin with leastAges, and double ageDoublings times.
const (
	leastAges    = 4
	ageDoublings = 14
	mostAges     = leastAges << ageDoublings
)

// agePiece returns the number of ages that a page holds, by its number from 0.
func agePiece(number int) int { return leastAges << min(number, ageDoublings) }

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
	k := len(l.pieces) - 1
	if k < 0 || len(l.pieces[k]) == cap(l.pieces[k]) {
		k++
		l.pieces = append(l.pieces, make([]uint32, 0, agePiece(k)))
	}
	l.pieces[k] = append(l.pieces[k], uint32(age))
}

// AgeMemory is memory for finding the median of a list, to be reused for the next list.
type AgeMemory struct {
	ages   []uint32
	counts []int
}

// Middle returns the median age; the list must not be empty. Ages beyond four bytes are the highest: there are none
// below 0.
func (l *AgeList) Middle(m *AgeMemory) model.Time {
	rank, short := l.N/2, l.N-len(l.long)
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

// countTo returns the age of the given rank among those of four bytes. It counts them by their upper half, and those
// with the right one by their lower half, so that it does not sort millions.
func (l *AgeList) countTo(rank int, m *AgeMemory) uint32 {
	m.counts = Resize(m.counts, 1<<halfAge)
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

// rankIn returns the counter that contains a rank, and the rank within that counter.
func rankIn(counts []int, rank int) (at uint32, rest int) {
	for counts[at] <= rank {
		rank -= counts[at]
		at++
	}
	return at, rank
}
