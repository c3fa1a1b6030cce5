package views

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// markPlace marks a place that is typed as one side: a time, a range, the peak, the end or the start, after "1:" or
// "2:" that of the first or the second file; or the number of a snapshot or window. Without a number A is in the first
// file and B in the second.
func (a *app) markPlace(side int, text string) error {
	text = strings.ToLower(strings.TrimSpace(text))
	other := side == state.SideB && (a.Second != nil || a.After() != nil)
	if rest, ok := strings.CutPrefix(text, "1:"); ok {
		other, text = false, rest
	} else if rest, ok := strings.CutPrefix(text, "2:"); ok {
		if other, text = true, rest; a.Second == nil {
			return fmt.Errorf("there is no second file: compare FILE opens one")
		}
	}
	if text == "none" {
		a.emit(state.MarkSide{Side: side, M: state.Mark{}})
		return nil
	}
	if done, err := a.kind().placed(side, other, text); done {
		return err
	}
	place, err := model.ParsePlace(text)
	if err != nil {
		return err
	}
	return a.withPeak(a.FileAt(other).Trace, func(peak analysis.Peak) error {
		m, err := a.placeOf(other, place, peak)
		if err == nil {
			a.emit(state.MarkSide{Side: side, M: m})
		}
		return err
	}, place.At, place.Over.From, place.Over.To)
}

// placeOf returns the mark for a place in a trace or a profile.
func (a *app) placeOf(other bool, place model.Place, peak analysis.Peak) (state.Mark, error) {
	f := a.FileAt(other)
	end := f.Span(&a.state).To
	axis := model.Axis{End: end, Peak: peak.Time}
	m := state.Mark{Set: true, Other: other, At: analysis.End, Range: analysis.FullRange, Prof: state.NewProfile()}
	if !other {
		m.Prof = a.state.Prof
	}
	m.Prof.Window = state.NoWindow
	d := f.ProfileFile(&a.state)
	if d != nil {
		axis.Unit = d.Weights.AxisUnit
	}
	switch {
	case place.Number != nil && (d != nil || !place.At.Given()):
		n := *place.Number
		switch {
		case d != nil && n >= 0 && n < len(d.Weights.Windows):
		case axis.Unit != "":
			return m, fmt.Errorf("no window %d; a range is written 0..%d", n, n)
		default:
			return m, fmt.Errorf("no window %d; times need a unit such as s, ms or us", n)
		}
		m.Prof.Window = n
	case place.Over.Given():
		since, errFrom := place.Over.From.In(axis)
		until, errTo := place.Over.To.In(axis)
		if err := cmp.Or(errFrom, errTo, axis.Check(max(since, until))); err != nil {
			return m, fmt.Errorf("%s: %w", model.Clean(f.Name), err)
		}
		m.Range, m.At = state.Between(since, until), analysis.At(max(since, until))
	case place.At.IsPeak():
		m.At = peak.Instant
	default:
		t, err := place.At.In(axis)
		if err := cmp.Or(err, axis.Check(t)); err != nil {
			return m, fmt.Errorf("%s: %w", model.Clean(f.Name), err)
		}
		if m.At = analysis.At(t); t == 0 {
			m.Range = analysis.Range{From: model.NoTime, To: 0}
		}
		if t >= end {
			m.At = analysis.End
		}
	}
	return m, nil
}

// markLayout marks a layout by its number, or the instant and the layout that is there.
func (a *app) markLayout(side int, other bool, text string) error {
	d, alike := a.Dump, a.state
	if other {
		d, alike = a.OtherDump(), *a.OtherDump().Alike(&a.state, a.Dump)
	}
	place, err := model.ParsePlace(text)
	switch {
	case err != nil:
		return err
	case place.Number != nil:
		i, err := numbered(place, d.Count, "layouts")
		if err != nil {
			return err
		}
		m := layoutMark(d, i)
		m.Other = other
		a.emit(state.MarkSide{Side: side, M: m})
		return nil
	case !place.At.Given() || place.At.IsPeak():
		return fmt.Errorf("mark a layout by its number, such as #3, or an instant")
	}
	axis := model.Axis{End: d.End, Unit: d.Timeline.AxisUnit}
	t, err := place.At.In(axis)
	if err := cmp.Or(err, axis.Check(t)); err != nil {
		return err
	}
	alike.At, alike.Dump.Layout = analysis.At(t), state.NoLayout
	a.emit(state.MarkSide{Side: side, M: state.Mark{Set: true, Other: other, At: alike.At, Range: analysis.FullRange,
		Number: d.Layout(&alike)}})
	return nil
}

// numbered returns the index of one of n things, negative numbers counting from the end.
func numbered(place model.Place, n int, what string) (int, error) {
	i := n
	switch {
	case place.Number != nil:
		i = *place.Number
	case place.At.IsEnd():
		i = n - 1
	}
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		return 0, fmt.Errorf("%s are numbered 0 … %d", what, n-1)
	}
	return i, nil
}

// markSnapshot sets the snapshot of a side by its number, negative ones from the end.
func (a *app) markSnapshot(side int, other bool, text string) error {
	n := a.state.Snapshots()
	if other {
		n = a.After().Source().Len()
	}
	place, err := model.ParsePlace(text)
	if err != nil {
		return err
	}
	i, err := numbered(place, n, "snapshots")
	if err != nil {
		return err
	}
	a.emit(state.MarkSide{Side: side, M: state.Mark{Set: true, Other: other, Number: i}})
	return nil
}

func markCommand(side int) func(*app, string) error {
	return func(a *app, text string) error { return a.markPlace(side, text) }
}

func alignNames(*app) (names []string) {
	for n := range diff.AlignCount {
		names = append(names, n.String())
	}
	return names
}
