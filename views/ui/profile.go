package ui

import (
	"context"
	"fmt"
	"regexp"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// HasProf reports whether a profile has weighted stacks that can be compared.
func HasProf(p *model.Profile) bool {
	return p != nil && p.Weights != nil && p.Stacks != nil && p.Allocations == nil
}

// Live returns k with the live-bytes metric, if the event has one.
func (k ProfileKey) Live() ProfileKey {
	if m, ok := k.Of.MetricNamed(k.Event, CostNamed(analysis.CostLive)); ok {
		k.Metric, k.None = m, false
	}
	return k
}

// Choose sets the event and the metric by name, or by that of another format, as far as the profile has them. Without an
// event's name, any event that has the metric will do.
func (d *ProfileFile) Choose(st *state.Profile, event, metric string) {
	for i := range d.Weights.Events {
		m, ok := d.comparable(uint16(i), metric)
		switch named := event != "" && d.EventName(uint16(i)) == event; {
		case named && ok, event == "" && ok:
			st.Event, st.Metric = i, int(m)
			return
		case named:
			st.Event = i
			return
		}
	}
}

// HasCurve reports whether anything in a profile has a time.
func (d *ProfileFile) HasCurve() bool { return d.Samples > 0 || len(d.Weights.Windows) > 0 }

// Ranges reports whether a range of time can be chosen: of samples, or of windows at different times.
func (d *ProfileFile) Ranges() bool { return d.Samples > 0 || len(d.Weights.Windows) > 1 }

// Span returns the time span of samples and windows, which may begin at any time.
func (d *ProfileFile) Span() diff.TimeSpan {
	from := d.end
	if d.Samples > 0 {
		from = d.First
	}
	for i := range d.Weights.Windows {
		from = min(from, d.Weights.Windows[i].Start)
	}
	return diff.TimeSpan{From: min(max(from, 0), d.end), To: d.end}
}

// Texts returns every name of a stack, for filters.
func (d *ProfileFile) Texts(leaf model.NodeID) (out FilterTexts) {
	for _, f := range d.Profile.Stacks.Frames(nil, leaf, maxFrames) {
		out = append(out, f.Function, f.File)
	}
	return out
}

// profileGroupings caches groupings of a profile's stacks, which take long to build. Any goroutine may use it.
type profileGroupings struct {
	mu   sync.Mutex
	last []*weights.Grouping

	libraries *regexp.Regexp // functions and files that own no memory, in addition to the built-in ones; may be nil
}

// maxGroupings is enough for all groupings.
const maxGroupings = int(weights.ProfileByCount)

// Of returns a grouping of stacks of w. A grouping being built is completed even if no caller waits any longer:
// otherwise holding a key down would never show any.
func (g *profileGroupings) Of(w *model.StackProfile, s *model.Stacks, by weights.By) *weights.Grouping {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, known := range g.last {
		if known.By == by && known.Stacks == s {
			return known
		}
	}
	made := weights.NewGrouping(w, s, by, g.libraries)
	g.last = append(g.last[max(len(g.last)-maxGroupings+1, 0):], made)
	return made
}

// NoWeight returns the reason why all weights are 0.
func (d *ProfileFile) NoWeight(e *Env, k ProfileKey) []string {
	switch {
	case d.Weights.Records.Len() == 0 && !d.Profile.Complete:
		return []string{"No stack was read from this file so far.", "Problems lists what was found in it."}
	case d.Weights.Records.Len() == 0:
		return []string{"This file has no stacks.", "Problems lists what was found in it."}
	case k.None:
		return []string{"The event " + d.EventName(k.Event) + " has no stacks.", e.Hint("{profile.cost} switches to the next event.")}
	case k.Filters != "":
		return []string{"No stack is left by the filters.", e.Hint("{back} removes the last one, {filters} lists them.")}
	case k.Window != state.NoWindow:
		return []string{"The window has no stacks of this event and metric.",
			e.Hint("{back} shows the whole run again, {profile.cost} and {profile.series} show other figures.")}
	case k.Ranged:
		return []string{"None of the " + d.parts() + " in the range has this event.",
			e.Hint("{clear-range} clears the range, {profile.cost} switches to the next event.")}
	}
	return []string{"No stack of " + d.EventName(k.Event) + " has " + k.MetricName() + ".",
		e.Hint("{profile.cost} switches to the next event, {profile.series} to the next metric.")}
}

// ProfileFile is the content of a stack profile, for screens. Read-only once made; every revision has its own.
type ProfileFile struct {
	Profile     *model.Profile
	Weights     *model.StackProfile
	Metrics     [][]model.MetricID // by event: those that can be added up, the event's own first
	has         [][]bool           // by event and metric: any record has it
	First, Last model.Time         // of samples; first > last without any
	Samples     uint64
	end         model.Time // of samples, windows and the file's own range
	Classes     []uint32   // of frames: see [weights.FrameClasses]
	usual       uint16     // the event that is shown if none is chosen
	Views       StackViews
	Groups      profileGroupings
}

// NewProfileFile prepares a profile with weighted stacks for screens. libraries matches functions and files that own no
// memory, in addition to the built-in ones; nil for none.
func NewProfileFile(p *model.Profile, libraries *regexp.Regexp) *ProfileFile {
	w := p.Weights
	d := &ProfileFile{Profile: p, Weights: w, end: max(w.End, 0)}
	d.Groups.libraries = libraries
	d.First, d.Last = weights.SampleSpan(w)
	for i := range w.Samples {
		d.Samples += uint64(w.Samples[i].Len())
	}
	d.end = max(d.end, d.Last)
	for i := range w.Windows {
		d.end = max(d.end, w.Windows[i].End)
	}
	d.Classes, d.usual = weights.FrameClasses(w), weights.DefaultEvent(w)
	d.findMetrics()
	return d
}

// findMetrics lists the metrics of each event.
func (d *ProfileFile) findMetrics() {
	w := d.Weights
	d.Metrics = make([][]model.MetricID, len(w.Events))
	d.has = make([][]bool, len(w.Events))
	for e := range d.has {
		d.has[e] = make([]bool, len(w.Metrics))
	}
	take := func(e int, m model.MetricID) {
		if !d.has[e][m] {
			d.has[e][m] = true
			if !w.Metrics[m].NoSum() {
				d.Metrics[e] = append(d.Metrics[e], m)
			}
		}
	}
	for e := range w.Events {
		if w.Events[e].PrimaryName != "" && int(w.Events[e].Primary) < len(w.Metrics) {
			take(e, w.Events[e].Primary)
		}
	}
	for r, e := range w.Records.Event {
		if int(e) >= len(w.Events) {
			continue
		}
		for m := range w.Records.Weights.All(r) {
			take(int(e), m)
		}
	}
}

// Status returns the fields of a trace's status that apply to a stack profile.
func (d *ProfileFile) Status() analysis.Status {
	return analysis.Status{
		Events: d.Samples + uint64(d.Weights.Records.Len()), Duration: d.end, Final: d.Profile.Complete,
		Revision: uint64(d.Profile.Revision),
	}
}

// Event returns the event that a state selects; 0 in a file without any.
func (d *ProfileFile) Event(s *state.State) uint16 {
	if e := s.Prof.Event; e >= 0 && e < len(d.Weights.Events) {
		return uint16(e)
	}
	return d.usual
}

// Metric returns the metric that a state selects; ok is false if there is none.
func (d *ProfileFile) Metric(s *state.State) (m model.MetricID, ok bool) {
	e := d.Event(s)
	if m := s.Prof.Metric; m >= 0 && m < len(d.Weights.Metrics) {
		return model.MetricID(m), true
	}
	return weights.DefaultMetric(d.Weights, e)
}

// ProfileKey determines what stacks weigh. The zero key is that of no profile.
type ProfileKey struct {
	Of       *ProfileFile
	Event    uint16
	Metric   model.MetricID
	None     bool // there is no metric
	From, To model.Time
	Ranged   bool
	Window   int
	Filters  calltree.Filter
}

// Same reports whether two keys are equal except for the files, which may be revisions of one file.
func (k ProfileKey) Same(o ProfileKey) bool { k.Of = o.Of; return k == o }

// Unit returns the unit of the weights.
func (k *ProfileKey) Unit() ProfileUnit { return UnitOf(k.Of.Weights, k.Event, k.Metric) }

// Key returns the key of the weights that a state selects.
func (d *ProfileFile) Key(s *state.State) ProfileKey {
	k := ProfileKey{Of: d, Event: d.Event(s), Window: state.NoWindow, Filters: s.Filters}
	m, ok := d.Metric(s)
	k.Metric, k.None = m, !ok
	if n := s.Prof.Window; n >= 0 && n < len(d.Weights.Windows) {
		k.Window = n
	} else if !s.Range.IsFull() && d.Ranges() {
		k.Ranged, k.From, k.To = true, max(s.Range.From, 0), s.Range.To
	}
	return k
}

// Selection returns the weighted records for a key. whole reports that samples do not record the metric, so that the
// range is ignored. The selection is nil if there is no metric.
func (k ProfileKey) Selection(ctx context.Context) (sel *weights.Selection, whole bool, err error) {
	if sel, whole, err = k.unfiltered(ctx); sel == nil || err != nil || k.Filters == "" {
		return sel, whole, err
	}
	view, err := k.Of.Views.Of(ctx, k.Of.Profile.Stacks, k.Filters, calltree.FullStacks)
	return sel.Filter(view), whole, err
}

func (k ProfileKey) unfiltered(ctx context.Context) (sel *weights.Selection, whole bool, err error) {
	p := k.Of.Profile
	switch {
	case k.None:
		return nil, false, nil
	case k.Window != state.NoWindow:
		return weights.SelectWindows(p, k.Event, k.Metric, k.Window), false, nil
	case k.Ranged:
		sel, ok, err := weights.SelectSamples(ctx, p, k.Event, k.Metric, k.From, k.To)
		if ok || err != nil {
			return sel, false, err
		}
		return weights.SelectProfile(p, k.Event, k.Metric), true, nil
	}
	return weights.SelectProfile(p, k.Event, k.Metric), false, nil
}

// Unrange reports whether samples do not record the metric within a range.
func (k ProfileKey) Unrange() bool {
	if !k.Ranged || k.None || k.Of.Samples == 0 {
		return false
	}
	w := k.Of.Weights
	e := &w.Events[k.Event]
	return !weights.CountsSamples(w.Metrics[k.Metric].Name) && (e.PrimaryName == "" || e.Primary != k.Metric)
}

// EventName and MetricName are names for titles.
func (d *ProfileFile) EventName(e uint16) string {
	if int(e) >= len(d.Weights.Events) {
		return "no event"
	}
	return widget.Clean(d.Weights.Events[e].Name)
}

// MetricName returns the name of the metric, cleaned for the terminal.
func (k ProfileKey) MetricName() string {
	if k.None {
		return "no metric"
	}
	return widget.Clean(k.Of.Weights.Metrics[k.Metric].Name)
}

// Title returns the event, and the metric by which it is weighted.
func (k ProfileKey) Title() string { return k.Of.EventName(k.Event) + " by " + k.MetricName() }

// Scope returns the selected part of the file, "" for all of it.
func (k ProfileKey) Scope() string {
	switch {
	case k.Window != state.NoWindow:
		return fmt.Sprintf("window %s", widget.Clean(WindowName(k.Of.Weights, k.Window)))
	case k.Unrange():
		return "whole run: samples do not record " + k.MetricName()
	case k.Ranged:
		return k.Of.parts() + " " + k.times()
	}
	return ""
}

// parts returns the name of the items that a range selects.
func (d *ProfileFile) parts() string {
	if d.Samples == 0 {
		return "windows"
	}
	return "samples"
}

// times returns the range in the unit of the file.
func (k ProfileKey) times() string {
	return RangeText(k.From, k.To, k.Of.Weights.AxisUnit)
}

// WindowName returns the name of a window.
func WindowName(w *model.StackProfile, n int) string {
	if id := w.Windows[n].ID; id != "" {
		return id
	}
	return fmt.Sprintf("#%d", w.WindowNumber(n))
}

// windowArgument returns a window as --window takes it.
func windowArgument(w *model.StackProfile, n int) string {
	for i := range w.Windows {
		if id := w.Windows[i].ID; id == w.Windows[n].ID && i != n || id == "" && i == n {
			return fmt.Sprintf("#%d", w.WindowNumber(n))
		}
	}
	return w.Windows[n].ID
}

// InstantText says what everything on screen is about in a header of w cells: names have a quarter of it.
func (d *ProfileFile) InstantText(s *state.State, w int) string {
	k := d.Key(s)
	text := widget.Truncate(d.EventName(k.Event), max(24, w/4)) + " · " + widget.Truncate(k.MetricName(), max(20, w/4))
	switch {
	case k.Window != state.NoWindow:
		text += " · window " + widget.Truncate(widget.Clean(WindowName(d.Weights, k.Window)), 16)
	case k.Ranged:
		text += " · " + k.times()
	}
	if sampled := d.Weights.Sampled(k.Event); sampled != "" {
		text += " · " + sampled
	}
	return text
}

// Question returns the question of memtui report for the event, the metric, and the selected part of the time.
func (d *ProfileFile) Question(s *state.State) state.Question {
	q := d.Choice(s)
	switch k := d.Key(s); {
	case k.Window != state.NoWindow:
		q.Window = windowArgument(d.Weights, k.Window)
	case k.Ranged && !k.Unrange():
		q.Over = state.Over(analysis.Range{From: k.From, To: k.To}, d.Weights.AxisUnit)
	}
	return q
}

// Arguments returns the flags of [ProfileFile.Question].
func (d *ProfileFile) Arguments(s *state.State) []string {
	q := d.Question(s)
	return q.Args()
}

// Choice returns the question of other commands for the event and the metric.
func (d *ProfileFile) Choice(s *state.State) (q state.Question) {
	k := d.Key(s)
	if s.Prof.Event != state.NoEvent && int(k.Event) < len(d.Weights.Events) {
		q.Event = d.Weights.Events[k.Event].Name
	}
	if s.Prof.Metric != state.NoMetric && !k.None {
		q.By = d.Weights.Metrics[k.Metric].Name
	}
	return q
}

// Chosen returns the flags of [ProfileFile.Choice].
func (d *ProfileFile) Chosen(s *state.State) []string {
	q := d.Choice(s)
	return q.Args()
}

// Useless reports whether an action cannot do anything on a screen of the profile.
func (d *ProfileFile) Useless(act keymap.Action, s *state.State, onTimeline bool) bool {
	switch act {
	case keymap.Cost:
		return len(d.Weights.Events) < 2
	case keymap.Series:
		return len(d.MetricsOf(d.Event(s))) < 2
	case keymap.Range, keymap.StepBack, keymap.StepForward:
		return !d.Ranges()
	case keymap.Peak:
		return !onTimeline
	}
	return false
}

// NextEvent selects the next event of the file.
func (e *Env) NextEvent(s *state.State) {
	n := len(e.Prof.Weights.Events)
	if n < 2 {
		e.Say(e.Hint("this profile has no other event; {profile.series} switches to the next metric"))
		return
	}
	e.Emit(state.ChooseEvent{Event: (int(e.Prof.Event(s)) + 1) % n})
}

// NextMetric selects the next metric of the event.
func (e *Env) NextMetric(s *state.State) {
	list := e.Prof.MetricsOf(e.Prof.Event(s))
	if len(list) < 2 {
		e.Say("this event has no other metric that can be added up")
		return
	}
	now, _ := e.Prof.Metric(s)
	for i, m := range list {
		if m == now {
			e.Emit(state.ChooseMetric{Metric: int(list[(i+1)%len(list)])})
			return
		}
	}
	e.Emit(state.ChooseMetric{Metric: int(list[0])})
}

// MetricsOf returns the metrics of an event that can be added up, its own first.
func (d *ProfileFile) MetricsOf(e uint16) []model.MetricID {
	if int(e) >= len(d.Metrics) {
		return nil
	}
	return d.Metrics[e]
}

// MetricNamed finds a metric of an event by its name.
func (d *ProfileFile) MetricNamed(e uint16, name string) (model.MetricID, bool) {
	m, ok := weights.Named(d.Weights, name)
	return m, ok && d.hasMetric(e, m)
}

// comparable finds the metric of an event that can be compared with one of another file. Weights of which only the unit
// is known can be compared by command, which names what they are.
func (d *ProfileFile) comparable(e uint16, name string) (model.MetricID, bool) {
	m, ok := weights.Comparable(d.Weights, name)
	return m, ok && d.hasMetric(e, m) && weights.Compared(d.Weights.Metrics[m].Name) == weights.Compared(name)
}

func (d *ProfileFile) hasMetric(e uint16, m model.MetricID) bool {
	return int(e) < len(d.has) && int(m) < len(d.has[e]) && d.has[e][m]
}
