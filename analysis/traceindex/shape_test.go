package traceindex

import (
	"math"
	"testing"

	"github.com/memtui/memtui/analysis"
)

func TestShapes(t *testing.T) {
	curve := func(f func(x float64) float64) []uint64 {
		out := make([]uint64, analysis.HistoryColumns)
		for i := range out {
			out[i] = uint64(1000 * math.Max(0, f(float64(i+1)/analysis.HistoryColumns)))
		}
		return out
	}
	until := func(end float64) func(float64) float64 {
		return func(x float64) float64 {
			if x > end {
				return 0
			}
			return 1
		}
	}
	tests := []struct {
		name   string
		f      func(x float64) float64
		allocs uint64
		want   analysis.ShapeKind
	}{
		{"nothing", func(float64) float64 { return 0 }, 0, analysis.ShapeNone},
		{"one block", func(float64) float64 { return 1 }, 1, analysis.ShapeOnce},
		{"steady leak", func(x float64) float64 { return x }, 500, analysis.ShapeLinear},
		{"noisy leak", func(x float64) float64 { return x + 0.05*math.Sin(40*x) }, 500, analysis.ShapeLinear},
		{"late leak", func(x float64) float64 { return x - 0.4 }, 500, analysis.ShapeLinear},
		{"cache that filled up", func(x float64) float64 { return math.Min(1, 6*x) }, 500, analysis.ShapePlateau},
		{"three blocks", func(x float64) float64 { return math.Ceil(3*x) / 3 }, 3, analysis.ShapeSteps},
		{"stairs", func(x float64) float64 { return math.Ceil(4*x*x) / 4 }, 400, analysis.ShapeSteps},
		{"burst", func(x float64) float64 { return 1 - 20*math.Abs(x-0.5) }, 400, analysis.ShapeBurst},
		{"given back at the end", until(0.97), 400, analysis.ShapeShutdown},
		{"up and down", func(x float64) float64 { return 0.6 + 0.4*math.Sin(25*x) }, 400, analysis.ShapeMixed},
	}
	for _, tt := range tests {
		last := curve(tt.f)
		peak := uint64(0)
		for _, v := range last {
			peak = max(peak, v)
		}
		d := analysis.Development{Last: last, Peak: peak, Allocs: tt.allocs, Width: 0.5}
		if got := d.Shape(); got.Kind != tt.want {
			t.Errorf("%s: %v (slope %.0f fit %.2f), want %v", tt.name, got.Kind, got.Slope, got.Fit, tt.want)
		}
	}
}

func TestSlopeIsBytesPerSecond(t *testing.T) {
	last := make([]uint64, analysis.HistoryColumns)
	for i := range last {
		last[i] = uint64(100 * (i + 1))
	}
	d := analysis.Development{Last: last, Peak: 6400, Allocs: 1000, Width: 0.5}
	if s := d.Shape(); math.Abs(s.Slope-200) > 1e-6 || s.Fit < 0.9999 {
		t.Errorf("slope %v fit %v, want 200 and 1", s.Slope, s.Fit)
	}
}
