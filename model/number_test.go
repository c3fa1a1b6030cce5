package model

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestAmounts compares exact sums with those of math/big.
func TestAmounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var a, b Amount
		want, wantB := new(big.Int), new(big.Int)
		for range rng.IntN(20) {
			n := rng.Uint64()
			if rng.IntN(2) == 0 {
				n = math.MaxUint64
			}
			a.Add(Unsigned(n))
			want.Add(want, new(big.Int).SetUint64(n))
			m := -rng.Int64()
			b.Add(Signed(m))
			wantB.Add(wantB, big.NewInt(m))
		}
		if a.String() != want.String() || b.String() != wantB.String() || a.Compare(b) != want.Cmp(wantB) {
			t.Fatal(a, want, b, wantB)
		}
		if got := a.Minus(b).String(); got != new(big.Int).Sub(want, wantB).String() {
			t.Fatal(got)
		}
		f, _ := new(big.Float).SetInt(wantB).Float64()
		if math.Abs(b.Float64()-f) > math.Abs(f)*1e-15 {
			t.Fatal(b.Float64(), f)
		}
		a.Sum(b)
		if a.String() != want.Add(want, wantB).String() {
			t.Fatal(a, want)
		}
	}
	var mixed Amount
	mixed.Add(Unsigned(3))
	mixed.Add(Float(0.5))
	if mixed.String() != "3.5" || !mixed.IsFloat() || mixed.Uint64() != 3 {
		t.Error(mixed)
	}
}

// An amount as a number is the amount.
func TestAmountNumber(t *testing.T) {
	for _, list := range [][]Number{
		{}, {Unsigned(math.MaxUint64)}, {Signed(-1)}, {Signed(math.MinInt64)}, {Unsigned(7), Signed(-9)}, {Float(0.25), Unsigned(1)},
	} {
		var a, b Amount
		for _, n := range list {
			a.Add(n)
		}
		if b.Add(a.Number()); a.String() != b.String() {
			t.Errorf("%v: %v", a, b)
		}
	}
	var a Amount
	a.Add(Float(math.MaxFloat64))
	a.Add(Float(math.MaxFloat64))
	if f := a.Number().Float64(); math.IsInf(f, 0) {
		t.Error(f)
	}
}
