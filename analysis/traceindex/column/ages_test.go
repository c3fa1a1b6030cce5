package column

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/memtui/memtui/model"
)

func TestAgeList(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var memory AgeMemory
	for _, n := range []int{1, 2, 3, 4, 5, 100, mostAges, mostAges + 1, 4 * mostAges} {
		for _, most := range []int64{0, 1, 1000, math.MaxUint32, math.MaxUint32 + 1, 1 << 40} {
			var l AgeList
			var all []model.Time
			for range n {
				age := model.Time(r.Int64N(most + 1))
				l.Add(age)
				all = append(all, age)
			}
			slices.Sort(all)
			got := [3]model.Time{l.Least, l.Middle(&memory), l.Most}
			if want := [3]model.Time{all[0], all[n/2], all[n-1]}; got != want {
				t.Errorf("%d up to %d: %v, not %v", n, most, got, want)
			}
		}
	}
}

// TestAgeListOfMillions has more pieces than a number has bits.
func TestAgeListOfMillions(t *testing.T) {
	const n = 70 * mostAges
	var l AgeList
	for i := range model.Time(n) {
		l.Add(n - i)
	}
	got := [3]model.Time{l.Least, l.Middle(new(AgeMemory)), l.Most}
	if want := [3]model.Time{1, n/2 + 1, n}; got != want || len(l.pieces) < 65 {
		t.Errorf("%v in %d pieces, not %v", got, len(l.pieces), want)
	}
}

// TestAgePieces adds up the pieces of more blocks than a trace can have.
func TestAgePieces(t *testing.T) {
	all := 0
	for k := 0; all < 1<<33; k++ {
		n := agePiece(k)
		if n < leastAges || n > mostAges || n&(n-1) != 0 {
			t.Fatalf("piece %d: %d ages, behind %d", k, n, all)
		}
		all += n
	}
	if n := agePiece(math.MaxInt); n != mostAges {
		t.Error(n)
	}
}

// sharedAges is a list of many pieces that are all the same memory: pieces*mostAges ages.
func sharedAges(pieces int) *AgeList {
	piece := make([]uint32, mostAges)
	for i := range piece {
		piece[i] = uint32(i) << 14
	}
	return &AgeList{pieces: slices.Repeat([][]uint32{piece}, pieces), N: pieces * mostAges, Most: model.Time(piece[mostAges-1])}
}

func TestAgesAreCounted(t *testing.T) {
	if got := sharedAges(500).Middle(new(AgeMemory)); got != mostAges/2<<14 {
		t.Error(got)
	}
}

// BenchmarkAges finds the middle of up to 2^33 ages.
func BenchmarkAges(b *testing.B) {
	for _, bits := range []int{23, 28, 33} {
		l := sharedAges(1 << bits / mostAges)
		b.Run(strconv.Itoa(l.N), func(b *testing.B) {
			for b.Loop() {
				if got := l.Middle(new(AgeMemory)); got != mostAges/2<<14 {
					b.Fatal(got)
				}
			}
		})
	}
}
