package traceindex

import (
	"math"

	"github.com/memtui/memtui/analysis"
)

// development is what a shape is judged by: levels at the ends of equal columns over the whole run.
type development struct {
	last   []uint64 // level at the end of each column
	peak   uint64   // the highest level, which may lie inside a column
	allocs uint64   // blocks that were ever allocated
	width  float64  // seconds per column
}

// Thresholds of the verdicts, as shares of the peak and of the run.
const (
	linearFit   = 0.90 // least R² of a line
	highLevel   = 0.80 // a level that counts as "still there"
	settledPart = 0.60 // a plateau is reached within this part of the run
	burstPart   = 8    // a burst is over half its peak for at most 1/8 of the run
	fewBlocks   = 8    // up to this many blocks are steps, not a line
	linearRises = 6    // a line rises in at least this many columns
)

// shape judges a development. The order matters: the first verdict that holds is the most telling one.
func (d *development) shape() analysis.Shape {
	if d.peak == 0 || len(d.last) == 0 {
		return analysis.Shape{}
	}
	n := len(d.last)
	end, half := d.last[n-1], d.peak/2
	rises, over := d.rises(), d.columnsOver(half)
	s := analysis.Shape{Steps: rises}
	s.Slope, s.Fit = d.line()
	kept := float64(end) >= highLevel*float64(d.peak)
	switch {
	case d.allocs == 1 && kept:
		s.Kind = analysis.ShapeOnce
	case d.heldToShutdown(end, half, over):
		s.Kind = analysis.ShapeShutdown
	case kept && d.allocs <= fewBlocks:
		s.Kind, s.Steps = analysis.ShapeSteps, int(d.allocs)
	case kept && s.Fit >= linearFit && s.Slope > 0 && rises >= linearRises:
		s.Kind = analysis.ShapeLinear
	case kept && d.settled():
		s.Kind = analysis.ShapePlateau
	case kept && rises <= fewBlocks:
		s.Kind = analysis.ShapeSteps
	case over <= n/burstPart && end < half:
		s.Kind = analysis.ShapeBurst
	default:
		s.Kind = analysis.ShapeMixed
	}
	return s
}

// rises counts the columns that end higher than the one before.
func (d *development) rises() int {
	n, before := 0, uint64(0)
	for _, v := range d.last {
		if v > before {
			n++
		}
		before = v
	}
	return n
}

func (d *development) columnsOver(level uint64) int {
	n := 0
	for _, v := range d.last {
		if v > level {
			n++
		}
	}
	return n
}

// heldToShutdown reports whether at least half of the peak stood for half of the run and was given back in its last columns.
func (d *development) heldToShutdown(end, half uint64, over int) bool {
	n := len(d.last)
	return n > 4 && end <= d.peak/10 && d.last[n-4] > half && over >= n/2
}

// settled reports whether the level was nearly reached early and stayed there.
func (d *development) settled() bool {
	n, reached := len(d.last), -1
	for i, v := range d.last {
		switch high := float64(v) >= highLevel*float64(d.peak); {
		case high && reached < 0:
			reached = i
		case !high && reached >= 0:
			return false
		}
	}
	return reached >= 0 && float64(reached) <= settledPart*float64(n)
}

// line fits a least-squares line to the levels from the first one on: its slope per second, and R².
func (d *development) line() (slope, fit float64) {
	first := 0
	for first < len(d.last) && d.last[first] == 0 {
		first++
	}
	y := d.last[first:]
	n := float64(len(y))
	if n < 3 {
		return 0, 0
	}
	var sx, sy, sxx, sxy, syy float64
	for i, v := range y {
		x, v := float64(i), float64(v)
		sx, sy, sxx, sxy, syy = sx+x, sy+v, sxx+x*x, sxy+x*v, syy+v*v
	}
	cov, vx, vy := n*sxy-sx*sy, n*sxx-sx*sx, n*syy-sy*sy
	if vx <= 0 || vy <= 1e-9*sy*sy {
		return 0, 0
	}
	width := math.Max(d.width, 1e-9)
	return cov / vx / width, math.Min(cov*cov/(vx*vy), 1)
}
