package analysis

import (
	"context"
	"math"

	"github.com/memtui/memtui/model"
)

// growthColumns is how many levels of a trace its growth is taken from.
const growthColumns = 512

// TraceGrowth returns how fast live bytes grow over a range, in bytes per second: the slope of the least-squares line through what is there
// for good, which is the least level from each of equal columns to the end. A burst changes it as little as what is given back later.
// ok is false for a range without a duration.
func TraceGrowth(ctx context.Context, t Trace, r Range) (perSecond float64, ok bool, err error) {
	columns, err := t.Curve(ctx, r, growthColumns)
	if err != nil {
		return 0, false, err
	}
	times, values := make([]model.Time, len(columns)), make([]float64, len(columns))
	least := uint64(math.MaxUint64)
	for i := len(columns) - 1; i >= 0; i-- {
		c := &columns[i]
		least = min(least, c.MinBytes, c.LastBytes)
		times[i], values[i] = c.To, float64(least)
	}
	perSecond, ok = Growth(times, values)
	return perSecond, ok, nil
}

// Growth returns the slope per second of the least-squares line through values at times, which are as many. ok is false where
// all times are the same.
func Growth(times []model.Time, values []float64) (perSecond float64, ok bool) {
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
