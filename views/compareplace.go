package views

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// markPlace marks a place that is typed as one side: a time, a range, the peak, the end or the start, behind "1:" or "2:" that of the
// first or the second file; or the number of a snapshot or window. Without a number A is in the first file and B in the second.
func (a *app) markPlace(side int, text string) error {
	text = strings.ToLower(strings.TrimSpace(text))
	other := side == state.SideB && (a.Second != nil || a.After != nil)
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
	switch {
	case a.Heaps != nil:
		return a.markSnapshot(side, other && a.After != nil, text)
	case a.Dump != nil:
		return a.markLayout(side, other && a.OtherDump != nil, text)
	}
	m, err := a.placeOf(other, strings.TrimSpace(text))
	if err != nil {
		return err
	}
	if text != "peak" {
		a.emit(state.MarkSide{Side: side, M: m})
		return nil
	}
	f := a.FileAt(other)
	if f.Trace == nil {
		return fmt.Errorf("a profile has no peak: choose a range")
	}
	trace := f.Trace
	a.Background(func() {
		p, ok, err := trace.Peak(context.WithoutCancel(a.Ctx), analysis.Whole)
		a.Post(func() {
			if err != nil || !ok {
				a.say("nothing is allocated there")
				return
			}
			m.At = p.Instant
			a.emit(state.MarkSide{Side: side, M: m})
		})
	})
	return nil
}

// placeOf reads a place of a trace or a profile.
func (a *app) placeOf(other bool, text string) (state.Mark, error) {
	f := a.FileAt(other)
	end := f.Span(&a.state).To
	m := state.Mark{Set: true, Other: other, At: analysis.End, Range: analysis.Whole, Prof: state.NewProfState()}
	if !other {
		m.Prof = a.state.Prof
	}
	m.Prof.Window = state.NoWindow
	if number, ok := strings.CutPrefix(text, "#"); ok {
		d, n := f.ProfFile(&a.state), 0
		if n, _ = strconv.Atoi(number); d == nil || n < 0 || n >= len(d.Weights.Windows) {
			return m, fmt.Errorf("there is no window %s", model.Clean(text))
		}
		m.Prof.Window = n
		return m, nil
	}
	if from, to, ok := strings.Cut(text, ".."); ok {
		since, err := model.ParseTime(strings.TrimSpace(cmp.Or(from, "0s")), end)
		if err != nil {
			return m, err
		}
		t, err := model.ParseTime(strings.TrimSpace(cmp.Or(to, "100%")), end)
		if err != nil {
			return m, err
		}
		if err := model.CheckTime(max(since, t), end); err != nil {
			return m, fmt.Errorf("%s: %w", model.Clean(f.Name), err)
		}
		m.Range, m.At = state.Between(since, t), analysis.At(max(since, t))
		return m, nil
	}
	switch text {
	case "end", "peak":
		return m, nil
	case "start":
		m.At, m.Range = analysis.At(0), analysis.Range{From: model.NoTime, To: 0}
		return m, nil
	}
	t, err := model.ParseTime(text, end)
	if err == nil {
		if err = model.CheckTime(t, end); err != nil {
			err = fmt.Errorf("%s: %w", model.Clean(f.Name), err)
		}
	}
	if m.At = analysis.At(t); t >= end {
		m.At = analysis.End
	}
	return m, err
}

// markLayout marks a layout by its number, or the instant and the layout that is there.
func (a *app) markLayout(side int, other bool, text string) error {
	d, alike := a.Dump, a.state
	if other {
		d, alike = a.OtherDump, *a.OtherDump.Alike(&a.state, a.Dump)
	}
	if strings.HasPrefix(text, "#") {
		i, err := numbered(text, d.Count, "layouts")
		if err != nil {
			return err
		}
		m := layoutMark(d, i)
		m.Other = other
		a.emit(state.MarkSide{Side: side, M: m})
		return nil
	}
	at := map[string]model.Time{"start": 0, "end": d.End}
	t, ok := at[text]
	if !ok {
		var err error
		if t, err = model.ParseTime(text, d.End); err == nil {
			err = model.CheckTime(t, d.End)
		}
		if err != nil {
			return err
		}
	}
	alike.At, alike.Dump.Layout = analysis.At(t), state.NoLayout
	a.emit(state.MarkSide{Side: side, M: state.Mark{Set: true, Other: other, At: alike.At, Range: analysis.Whole, Number: d.Layout(&alike)}})
	return nil
}

// numbered reads the number of one of n things, negative ones from the end.
func numbered(text string, n int, what string) (int, error) {
	i, err := strconv.Atoi(strings.TrimPrefix(text, "#"))
	if text == "end" {
		i, err = n-1, nil
	}
	if i < 0 {
		i += n
	}
	if err != nil || i < 0 || i >= n {
		return 0, fmt.Errorf("%s are numbered 0 … %d", what, n-1)
	}
	return i, nil
}

// markSnapshot chooses the snapshot of a side by its number, negative ones from the end.
func (a *app) markSnapshot(side int, other bool, text string) error {
	n := a.state.Snapshots()
	if other {
		n = a.After.Source().Len()
	}
	i, err := numbered(text, n, "snapshots")
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
