package ui

import (
	"context"
	"math"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// Points returns the columns of a curve within the time of its file.
func (v *ProfileCurve) Points(span diff.TimeSpan) []widget.Point {
	out := make([]widget.Point, len(v.Values))
	width := float64(v.To-v.From) / float64(max(len(v.Values), 1))
	for i, n := range v.Values {
		at := float64(v.From) + width*(float64(i)+0.5)
		if at < float64(span.From) || at > float64(span.To) {
			continue
		}
		y := uint64(min(max(n, 0), math.MaxInt64))
		out[i] = widget.Point{Hi: y, Last: y, OK: true}
	}
	return out
}

// ProfileCurveKey determines a curve of samples, or of windows in a file without samples.
type ProfileCurveKey struct {
	Of       *ProfileFile
	Event    uint16
	Metric   model.MetricID
	Filters  calltree.Filter
	From, To model.Time
	Columns  int
}

// Unit returns the unit of the weights.
func (k *ProfileCurveKey) Unit() ProfileUnit { return UnitOf(k.Of.Weights, k.Event, k.Metric) }

// ProfileCurve is the weight of a profile over time.
type ProfileCurve struct {
	ProfileCurveKey
	Counts bool // numbers of samples instead of the metric
	Values []float64
	Top    float64
}

// WindowsKey identifies the weights of windows.
type WindowsKey struct {
	Of      *ProfileFile
	Event   uint16
	Metric  model.MetricID
	Filters calltree.Filter
}

// FetchProfCurve sums up samples. If they have no periods, or the periods are of another metric, it counts them.
func FetchProfCurve(ctx context.Context, k ProfileCurveKey) (c ProfileCurve, err error) {
	c.ProfileCurveKey = k
	w := k.Of.Weights
	e := &w.Events[k.Event]
	c.Counts = e.PrimaryName == "" || e.Primary != k.Metric || weights.CountsSamples(w.Metrics[k.Metric].Name)
	if k.Of.Samples == 0 {
		c.Counts = false
		sums, err := SumWindows(ctx, WindowsKey{k.Of, k.Event, k.Metric, k.Filters})
		if err != nil {
			return c, err
		}
		c.Values = windowCurve(k, sums)
		c.Top = largestOf(c.Values)
		return c, nil
	}
	view, err := k.Of.Views.Of(ctx, k.Of.Profile.Stacks, k.Filters, calltree.FullStacks)
	if err != nil {
		return c, err
	}
	if c.Values, err = weights.SampleCurve(ctx, w, k.Event, view, c.Counts, k.From, k.To, k.Columns); err != nil {
		return c, err
	}
	if c.Top = largestOf(c.Values); c.Top == 0 && !c.Counts {
		c.Counts = true
		c.Values, err = weights.SampleCurve(ctx, w, k.Event, view, true, k.From, k.To, k.Columns)
		c.Top = largestOf(c.Values)
	}
	return c, err
}

func largestOf(values []float64) (top float64) {
	for _, v := range values {
		top = max(top, v)
	}
	return top
}

// windowCurve returns for each column the sum of the windows that overlap it. Windows without duration are states,
// which hold until the next one; the largest one in a column counts.
func windowCurve(k ProfileCurveKey, sums []model.Amount) []float64 {
	out := make([]float64, k.Columns)
	span := float64(max(k.To-k.From, 1))
	for i, w := range k.Of.Weights.Windows {
		from := max(int(float64(w.Start-k.From)/span*float64(k.Columns)), 0)
		to := int(math.Ceil(float64(w.End-k.From) / span * float64(k.Columns)))
		if w.Start == w.End && w.Start >= k.From && w.End <= k.To {
			first, last := min(from, k.Columns-1), k.Columns-1
			if i+1 < len(k.Of.Weights.Windows) {
				last = min(int(float64(k.Of.Weights.Windows[i+1].Start-k.From)/span*float64(k.Columns))-1, last)
			}
			for c := first; c <= max(first, last); c++ {
				out[c] = max(out[c], sums[i].Float64())
			}
			continue
		}
		for c := from; c < min(to, k.Columns); c++ {
			out[c] += sums[i].Float64()
		}
	}
	return out
}

// SumWindows returns the sum of the rows of each window.
func SumWindows(ctx context.Context, k WindowsKey) ([]model.Amount, error) {
	view, err := k.Of.Views.Of(ctx, k.Of.Profile.Stacks, k.Filters, calltree.FullStacks)
	if err != nil {
		return nil, err
	}
	return weights.SelectProfile(k.Of.Profile, k.Event, k.Metric).Filter(view).WindowSums(ctx)
}
