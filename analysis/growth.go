package analysis

import (
	"context"
	"slices"

	"github.com/memtui/memtui/model"
)

// growthColumns is the number of columns that the growth of a trace is computed from.
const growthColumns = 512

// TraceGrowth returns how fast live bytes grow over a range, in bytes per second: the [Growth] of the lowest levels of
// equal columns. Neither a burst nor memory that is freed later changes it much. ok is false for a range without a
// duration.
func TraceGrowth(ctx context.Context, t Trace, r Range) (perSecond float64, ok bool, err error) {
	columns, err := t.Curve(ctx, r, growthColumns)
	if err != nil {
		return 0, false, err
	}
	times, values := make([]model.Time, len(columns)), make([]float64, len(columns))
	for i := range columns {
		c := &columns[i]
		times[i], values[i] = c.To, float64(min(c.MinBytes, c.LastBytes))
	}
	perSecond, ok = Growth(times, values)
	return perSecond, ok, nil
}

// Growth returns the average rise per second of the lower envelope of values at ascending times. The envelope at a time
// is the least value from then on; its average rise is the slope of its least-squares line. There are as many values as
// times. ok is false if all times are the same.
func Growth(times []model.Time, values []float64) (perSecond float64, ok bool) {
	forGood := slices.Clone(values)
	for i := len(forGood) - 2; i >= 0; i-- {
		forGood[i] = min(forGood[i], forGood[i+1])
	}
	return slope(times, forGood)
}

// slope returns the slope of the least-squares line through values, per second.
func slope(times []model.Time, values []float64) (perSecond float64, ok bool) {
	if len(times) == 0 {
		return 0, false
	}
	n := float64(len(times))
	var meanX, meanY float64
	for i, t := range times {
		meanX += float64(t-times[0]) / n
		meanY += values[i] / n
	}
	var xx, xy float64
	for i, t := range times {
		dx := float64(t-times[0]) - meanX
		xx += dx * dx
		xy += dx * (values[i] - meanY)
	}
	if xx <= 0 {
		return 0, false
	}
	return xy / xx * float64(model.Second), true
}
