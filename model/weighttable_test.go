package model

import (
	"math"
	"testing"
)

// TestWeightTable holds that a table gives back every kind of number, exactly.
func TestWeightTable(t *testing.T) {
	numbers := []Number{
		{}, Unsigned(1), Unsigned(math.MaxUint64), Signed(-1), Signed(math.MinInt64), Signed(5), Float(0.5), Float(math.Copysign(0, -1)), Float(1e300), Float(math.SmallestNonzeroFloat64),
	}
	var w, copied WeightTable
	w.EndRow()
	for i, n := range numbers {
		w.Grow(1, 2, 1.5)
		if !w.Add(MetricID(i), n) || !w.Add(MaxMetrics-1, n) {
			t.Fatal("full")
		}
		w.EndRow()
		if i == 4 {
			copied = w
		}
	}
	if w.Rows() != len(numbers)+1 || copied.Rows() != 6 {
		t.Fatal(w.Rows(), copied.Rows())
	}
	for m := range w.All(0) {
		t.Error("an empty row has", m)
	}
	for i, n := range numbers {
		got, ok := w.Get(i+1, MaxMetrics-1)
		if first, _ := w.Get(i+1, MetricID(i)); !ok || got != n || first != n {
			t.Error(got, first, n)
		}
		if _, ok := w.Get(i+1, 77); ok {
			t.Error("a metric that is not there")
		}
	}
	if got, _ := copied.Get(5, 4); got != numbers[4] {
		t.Error(got)
	}
}
