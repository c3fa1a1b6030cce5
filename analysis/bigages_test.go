package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/model"
)

func TestAgeList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var memory []uint32
	for _, n := range []int{1, 2, 3, 4, 5, 100, leastAges << doublings, 4 * leastAges << doublings} {
		for _, most := range []int64{1, 1000, math.MaxUint32, math.MaxUint32 + 1, 1 << 40} {
			var l ageList
			var all []model.Time
			for range n {
				age := model.Time(r.Int64N(most + 1))
				l.add(age)
				all = append(all, age)
			}
			slices.Sort(all)
			var got [3]model.Time
			got[0], got[1], got[2], memory = l.summary(memory)
			if want := [3]model.Time{all[0], all[n/2], all[n-1]}; got != want {
				t.Errorf("%d up to %d: %v, not %v", n, most, got, want)
			}
		}
	}
}

// A site may have more blocks than sizes can double for.
func TestAgeListOfMillions(t *testing.T) {
	var l ageList
	const n = 64 * leastAges << doublings
	for i := range n {
		l.add(model.Time(i))
	}
	if least, middle, most, _ := l.summary(nil); least != 0 || middle != n/2 || most != n-1 {
		t.Error(least, middle, most)
	}
}
