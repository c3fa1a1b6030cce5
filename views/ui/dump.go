package ui

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// Neighbor returns the time of the nearest point before or after t, of any series.
func (d *DumpFile) Neighbor(t model.Time, dir int) (model.Time, bool) {
	var near nearest
	for i := range d.Timeline.Series {
		times := d.Timeline.Series[i].Times
		near.take(len(times), func(k int) model.Time { return times[k] }, t, dir)
	}
	return near.at, near.ok
}

// Landmark returns the time of the nearest named event before or after t, of any series.
func (d *DumpFile) Landmark(t model.Time, dir int) (model.Time, bool) {
	var near nearest
	for i := range d.Timeline.Series {
		events := d.Timeline.Series[i].Events
		near.take(len(events), func(k int) model.Time { return events[k].At }, t, dir)
	}
	return near.at, near.ok
}

// nearest is the nearest time found so far.
type nearest struct {
	at model.Time
	ok bool
}

// take searches n ascending times for the last one before t (dir < 0) or the first one after it.
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

// ClockText returns an instant as the time of day in UTC, as the file writes it; "" if its times are not clock times.
func (d *DumpFile) ClockText(t model.Time) string {
	const year = int64(366 * 24 * 3600 * 1_000_000)
	start := d.Timeline.Start
	if start < year || start > 8000*year || int64(t) > 1000*year { // not clock times
		return ""
	}
	return time.UnixMicro(start + int64(t)).UTC().Format("15:04:05.000")
}

// When returns the time of a layout.
func (r LayoutRef) When() string {
	t := r.Dump.Time(r.Layout)
	if t == model.NoTime {
		return "time unknown"
	}
	if clock := r.Dump.ClockText(t); clock != "" {
		return clock
	}
	return t.String()
}

// DumpFile is the content of a file of measured series, for screens. Read-only once made.
type DumpFile struct {
	Timeline *model.Timeline
	Pages    model.PageSource // nil for none
	Layouts  [][]int          // by series: indices into pages by time, those without one first
	Count    int              // of layouts
	End      model.Time
	points   uint64
}

// NewDumpFile sorts the layouts of a profile with measured series.
func NewDumpFile(p *model.Profile) *DumpFile {
	d := &DumpFile{Timeline: p.Timeline, Pages: p.Pages, End: pages.TimelineEnd(p.Timeline)}
	d.Layouts = make([][]int, len(p.Timeline.Series))
	for i := range p.Timeline.Series {
		d.points += uint64(len(p.Timeline.Series[i].Times))
	}
	if p.Pages == nil {
		return d
	}
	d.Count = p.Pages.Len()
	for i := range d.Count {
		if n := p.Pages.Info(i).Series; n >= 0 && n < len(d.Layouts) {
			d.Layouts[n] = append(d.Layouts[n], i)
		}
	}
	for _, list := range d.Layouts {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(d.Time(a), d.Time(b)) })
	}
	return d
}

// Time returns when a layout was taken, model.NoTime if unknown.
func (d *DumpFile) Time(layout int) model.Time { return d.Pages.Info(layout).At }

// Status returns the fields of a trace's status that apply to a file without allocations.
func (d *DumpFile) Status() analysis.Status {
	return analysis.Status{Events: d.points, Duration: d.End, Final: true, Revision: 1}
}

// Series returns the series whose layouts are shown: the selected one if it has any, else the first that has any;
// NoSeries if there is none.
func (d *DumpFile) Series(s *state.State) int {
	if n := s.Dump.Series; n >= 0 && n < len(d.Layouts) && len(d.Layouts[n]) > 0 {
		return n
	}
	return slices.IndexFunc(d.Layouts, func(list []int) bool { return len(list) > 0 })
}

// Place returns the layout that a state selects: the last one at or before the instant. n is its index in list,
// NoLayout before the first.
func (d *DumpFile) Place(s *state.State) (list []int, n int) {
	series := d.Series(s)
	if series == state.NoSeries {
		return nil, state.NoLayout
	}
	list = d.Layouts[series]
	if s.Dump.Layout != state.NoLayout && s.Dump.On == s.At {
		if n = slices.Index(list, s.Dump.Layout); n >= 0 {
			return list, n
		}
	}
	now := s.Now()
	n, _ = slices.BinarySearchFunc(list, now, func(layout int, t model.Time) int {
		if d.Time(layout) <= t {
			return -1
		}
		return 1
	})
	if n > 0 && d.Time(list[n-1]) == model.NoTime { // its time is unknown
		return list, state.NoLayout
	}
	return list, n - 1
}

// Layout returns the index of the layout that a state selects, NoLayout for none.
func (d *DumpFile) Layout(s *state.State) int {
	list, n := d.Place(s)
	if n < 0 {
		return state.NoLayout
	}
	return list[n]
}

// LayoutRef is a layout of one of two files; layout is NoLayout for none.
type LayoutRef struct {
	Dump   *DumpFile
	Layout int
}

// LayoutSides returns the two layouts of a difference. With one file, A is the marked layout, or none, and B the other
// marked one, or that at the instant. With two files A is of the first one and B of the second, each at the instant
// unless marked.
func (e *Env) LayoutSides(s *state.State) (a, b LayoutRef) {
	sides := [2]LayoutRef{{e.Dump, state.NoLayout}, {e.Dump, e.Dump.Layout(s)}}
	if e.OtherDump() != nil {
		sides = [2]LayoutRef{{e.Dump, e.Dump.Layout(s)}, {e.OtherDump(), e.OtherDump().Layout(e.OtherDump().Alike(s, e.Dump))}}
	}
	for i, m := range s.Compare.Marks {
		of := e.Dump
		if m.Other && e.OtherDump() != nil {
			of = e.OtherDump()
		}
		if m.Set && m.Number >= 0 && m.Number < of.Count {
			sides[i] = LayoutRef{of, m.Number}
		}
	}
	if s.Compare.Swapped {
		return sides[state.SideB], sides[state.SideA]
	}
	return sides[state.SideA], sides[state.SideB]
}

// Alike returns a state for another file at the same place: the same time since the start, or the end, and the series
// of the same name.
func (d *DumpFile) Alike(s *state.State, of *DumpFile) *state.State {
	other := *s
	other.Status.Duration = d.End
	other.Dump.Layout = state.NoLayout
	if n := of.Series(s); n != state.NoSeries {
		name := of.Timeline.Series[n].Name
		other.Dump.Series = slices.IndexFunc(d.Timeline.Series, func(x model.Series) bool { return x.Name == name })
	}
	return &other
}

// SeriesPoints returns the columns as chart points: none before the first point, and the last value in columns without
// points.
func SeriesPoints(cols []pages.SeriesColumn) []widget.Point {
	out := make([]widget.Point, len(cols))
	for i := range cols {
		v := &cols[i]
		if !v.Known {
			continue
		}
		last := levelValue(v.Last)
		out[i] = widget.Point{Lo: last, Hi: last, Last: last, OK: true}
		if v.Points > 0 {
			out[i].Lo, out[i].Hi = levelValue(v.Min), levelValue(v.Max)
		}
	}
	return out
}

// levelValue returns a value for charts: negative ones are 0.
func levelValue(v float64) uint64 {
	switch {
	case v <= 0:
		return 0
	case v >= 1<<63:
		return 1 << 63
	}
	return uint64(math.Round(v))
}
