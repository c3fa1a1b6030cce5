package analysis

import "math"

// Development is what a shape is judged by: levels at the ends of equal columns over the whole run.
type Development struct {
	Last   []uint64 // level at the end of each column
	Peak   uint64   // the highest level, which may lie inside a column
	Allocs uint64   // blocks that were ever allocated
	Width  float64  // seconds per column
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

// Shape judges a development. The order matters: the first verdict that holds is the most telling one.
func (d *Development) Shape() Shape {
	if d.Peak == 0 || len(d.Last) == 0 {
		return Shape{}
	}
	n := len(d.Last)
	end, half := d.Last[n-1], d.Peak/2
	rises, over := d.rises(), d.columnsOver(half)
	s := Shape{Steps: rises}
	s.Slope, s.Fit = d.line()
	kept := float64(end) >= highLevel*float64(d.Peak)
	switch {
	case d.Allocs == 1 && kept:
		s.Kind = ShapeOnce
	case d.heldToShutdown(end, half, over):
		s.Kind = ShapeShutdown
	case kept && d.Allocs <= fewBlocks:
		s.Kind, s.Steps = ShapeSteps, int(d.Allocs)
	case kept && s.Fit >= linearFit && s.Slope > 0 && rises >= linearRises:
		s.Kind = ShapeLinear
	case kept && d.settled():
		s.Kind = ShapePlateau
	case kept && rises <= fewBlocks:
		s.Kind = ShapeSteps
	case over <= n/burstPart && end < half:
		s.Kind = ShapeBurst
	default:
		s.Kind = ShapeMixed
	}
	return s
}

// rises counts the columns that end higher than the one before.
func (d *Development) rises() int {
	n, before := 0, uint64(0)
	for _, v := range d.Last {
		if v > before {
			n++
		}
		before = v
	}
	return n
}

func (d *Development) columnsOver(level uint64) int {
	n := 0
	for _, v := range d.Last {
		if v > level {
			n++
		}
	}
	return n
}

// heldToShutdown reports whether at least half of the peak stood for half of the run and was given back in its last columns.
func (d *Development) heldToShutdown(end, half uint64, over int) bool {
	n := len(d.Last)
	return n > 4 && end <= d.Peak/10 && d.Last[n-4] > half && over >= n/2
}

// settled reports whether the level was nearly reached early and stayed there.
func (d *Development) settled() bool {
	n, reached := len(d.Last), -1
	for i, v := range d.Last {
		switch high := float64(v) >= highLevel*float64(d.Peak); {
		case high && reached < 0:
			reached = i
		case !high && reached >= 0:
			return false
		}
	}
	return reached >= 0 && float64(reached) <= settledPart*float64(n)
}

// line fits a least-squares line to the levels from the first one on: its slope per second, and R².
func (d *Development) line() (slope, fit float64) {
	first := 0
	for first < len(d.Last) && d.Last[first] == 0 {
		first++
	}
	y := d.Last[first:]
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
	width := math.Max(d.Width, 1e-9)
	return cov / vx / width, math.Min(cov*cov/(vx*vy), 1)
}
