package views

import (
	"fmt"
	"sort"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
)

// adoptDump begins with the series of a revision unless they are known.
func (a *app) adoptDump(p *model.Profile) {
	if p == nil || p.Timeline == nil || p.Allocations != nil {
		return
	}
	layouts := 0
	if p.Pages != nil {
		layouts = p.Pages.Len()
	}
	if a.dump == nil || a.dump.timeline != p.Timeline || a.dump.count != layouts {
		a.dump = newDumpFile(p)
	}
}

// doPoints handles what moves the instant from point to point and from name to name.
func (a *app) doPoints(act keymap.Action) bool {
	if a.dump == nil {
		return false
	}
	switch act {
	case keymap.EventBack:
		a.neighbour(a.dump.neighbour, -1)
	case keymap.EventForward:
		a.neighbour(a.dump.neighbour, 1)
	case keymap.LandmarkBack:
		a.neighbour(a.dump.landmark, -1)
	case keymap.LandmarkForward:
		a.neighbour(a.dump.landmark, 1)
	case keymap.ClearRange:
		if a.state.Dump.MarkA == noLayout && a.state.Dump.MarkB == noLayout && !a.state.Compare.Marks[sideA].Set && !a.state.Compare.Marks[sideB].Set {
			return false
		}
		a.emit(markLayouts{noLayout, noLayout})
		a.emit(clearMarks{})
	default:
		return false
	}
	return true
}

// neighbour is the time of the nearest point before or after t, of any series.
func (d *dumpFile) neighbour(t model.Time, dir int) (model.Time, bool) {
	var near nearest
	for i := range d.timeline.Series {
		times := d.timeline.Series[i].Times
		near.take(len(times), func(k int) model.Time { return times[k] }, t, dir)
	}
	return near.at, near.ok
}

// landmark is the time of the nearest named event before or after t, of any series.
func (d *dumpFile) landmark(t model.Time, dir int) (model.Time, bool) {
	var near nearest
	for i := range d.timeline.Series {
		events := d.timeline.Series[i].Events
		near.take(len(events), func(k int) model.Time { return events[k].At }, t, dir)
	}
	return near.at, near.ok
}

// nearest is the time found nearest so far.
type nearest struct {
	at model.Time
	ok bool
}

// take looks among n times, ascending, for the last before t (dir < 0) or the first after it.
func (f *nearest) take(n int, time func(int) model.Time, t model.Time, dir int) {
	if dir < 0 {
		if k := sort.Search(n, func(k int) bool { return time(k) >= t }) - 1; k >= 0 && (!f.ok || time(k) > f.at) {
			f.at, f.ok = time(k), true
		}
		return
	}
	if k := sort.Search(n, func(k int) bool { return time(k) > t }); k < n && (!f.ok || time(k) < f.at) {
		f.at, f.ok = time(k), true
	}
}

// dumpPeak moves to the largest value of the selected series in a range.
func (a *app) dumpPeak(r analysis.Range) {
	n := max(a.state.Dump.Series, 0)
	if n >= len(a.dump.timeline.Series) {
		return
	}
	s := &a.dump.timeline.Series[n]
	from := r.From + 1
	if r.From < 0 {
		from = 0
	}
	f := pages.SumSeries(s, from, r.To)
	if f.Points == 0 {
		a.say("the series has no point there")
		return
	}
	a.emit(moveTo{analysis.At(f.MaxAt)})
}

// clockText is an instant as the file writes it: the time of day, in UTC; "" where that means nothing.
func (d *dumpFile) clockText(t model.Time) string {
	const year = int64(366 * 24 * 3600 * 1_000_000)
	start := d.timeline.Start
	if start < year || start > 8000*year || int64(t) > 1000*year { // times that count from somewhere else
		return ""
	}
	return time.UnixMicro(start + int64(t)).UTC().Format("15:04:05.000")
}

// dumpInstant says which instant of a dump everything on screen is about.
func (a *app) dumpInstant() string {
	s := &a.state
	text := "at " + s.Now().String()
	if s.AtEnd() {
		text = "end " + s.Now().String()
	}
	if !s.Range.IsWhole() {
		from := max(s.Range.From, 0)
		return fmt.Sprintf("range %v – %v · %s", from, s.Range.To, text)
	}
	if clock := a.dump.clockText(s.Now()); clock != "" {
		text += " · " + clock
	}
	return text
}
