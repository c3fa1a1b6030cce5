package analysis

import (
	"math"
	"slices"

	"github.com/memtui/memtui/model"
)

// ageList keeps how old blocks are, of which a site may have millions: four bytes each, in pieces that are never copied.
type ageList struct {
	pieces [][]uint32
	long   []model.Time // those beyond four bytes
	n      int
}

// Pieces begin with leastAges and double so often: those of the last size have 64 Ki ages.
const (
	leastAges = 4
	doublings = 14
)

func (l *ageList) add(age model.Time) {
	l.n++
	if age < 0 || age > math.MaxUint32 {
		l.long = append(l.long, age)
		return
	}
	k := len(l.pieces) - 1
	if k < 0 || len(l.pieces[k]) == cap(l.pieces[k]) {
		l.pieces = append(l.pieces, make([]uint32, 0, leastAges<<min(len(l.pieces), doublings)))
		k++
	}
	l.pieces[k] = append(l.pieces[k], uint32(age))
}

// summary is the least, the middle and the highest age; there must be one. The memory may be used again.
func (l *ageList) summary(memory []uint32) (least, middle, most model.Time, again []uint32) {
	all := slices.Grow(memory[:0], l.n)
	for _, p := range l.pieces {
		all = append(all, p...)
	}
	slices.Sort(all)
	slices.Sort(l.long)
	at := func(i int) model.Time {
		if i < len(all) {
			return model.Time(all[i])
		}
		return l.long[i-len(all)]
	}
	return at(0), at(l.n / 2), at(l.n - 1), all
}
