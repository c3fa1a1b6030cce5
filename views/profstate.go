package views

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// Nothing chosen: the event and the metric that reports are about, the whole file.
const (
	noEvent  = -1
	noMetric = -1
	noWindow = -1
)

// ProfState is what screens of stack profiles are about, besides the range.
type ProfState struct {
	Event  int               // noEvent for the first that has stacks
	Metric int               // noMetric for the event's own
	Window int               // noWindow for the records as a whole
	By     weights.ProfileBy // what rows of Functions stand for
	Sought string            // the function that Stacks was sent to
	Sent   int               // how often it was
}

func newProfState() ProfState { return ProfState{Event: noEvent, Metric: noMetric, Window: noWindow} }

// The intents about stack profiles.
type (
	chooseEvent  struct{ event int } // also forgets the metric, which the event may not have
	chooseMetric struct{ metric int }
	chooseWindow struct{ window int }
	setProfileBy struct{ by weights.ProfileBy }
	seek         struct{ name string }
)

func (i chooseEvent) apply(s State) State {
	s.Prof.Event, s.Prof.Metric = i.event, noMetric
	return s
}
func (i chooseMetric) apply(s State) State { s.Prof.Metric = i.metric; return s }
func (i setProfileBy) apply(s State) State { s.Prof.By = i.by; return s }

func (i chooseWindow) apply(s State) State {
	if s.Prof.Window = i.window; i.window != noWindow {
		s.Range, s.Anchor = analysis.Whole, model.NoTime
	}
	return s
}

func (i seek) apply(s State) State {
	s.Prof.Sought = i.name
	s.Prof.Sent++
	return s
}

// profFile is what a stack profile holds, as screens ask for it. Read-only once made; every revision has its own.
type profFile struct {
	profile     *model.Profile
	weights     *model.StackProfile
	metrics     [][]model.MetricID // by event: those that can be added up, the event's own first
	has         [][]bool           // by event and metric: any record has it
	first, last model.Time         // of samples; first > last without any
	samples     uint64
	end         model.Time // of samples, windows and the file's own range
	classes     []uint32   // of frames: see [analysis.FrameClasses]
	usual       uint16     // the event that is weighed where none is chosen
	views       stackViews
	groups      profGroupings
}

func newProfFile(p *model.Profile) *profFile {
	w := p.Weights
	d := &profFile{profile: p, weights: w, first: model.MaxTime, last: -model.MaxTime, end: max(w.End, 0)}
	for i := range w.Samples {
		if c := &w.Samples[i]; c.Len() > 0 {
			d.first, d.last = min(d.first, c.First), max(d.last, c.Last)
			d.samples += uint64(c.Len())
		}
	}
	d.end = max(d.end, d.last)
	for i := range w.Windows {
		d.end = max(d.end, w.Windows[i].End)
	}
	d.classes, d.usual = weights.FrameClasses(w), weights.DefaultEvent(w)
	d.findMetrics()
	return d
}

// findMetrics lists the metrics of each event.
func (d *profFile) findMetrics() {
	w := d.weights
	d.metrics = make([][]model.MetricID, len(w.Events))
	d.has = make([][]bool, len(w.Events))
	for e := range d.has {
		d.has[e] = make([]bool, len(w.Metrics))
	}
	take := func(e int, m model.MetricID) {
		if !d.has[e][m] {
			d.has[e][m] = true
			if !weights.NoSum(w.Metrics[m].Name) {
				d.metrics[e] = append(d.metrics[e], m)
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

// status is what a stack profile has of a trace's.
func (d *profFile) status() analysis.Status {
	return analysis.Status{
		Events: d.samples + uint64(d.weights.Records.Len()), Duration: d.end, Final: d.profile.Complete, Revision: uint64(d.profile.Revision),
	}
}

// event is the one that a state is about; 0 in a file without any.
func (d *profFile) event(s *State) uint16 {
	if e := s.Prof.Event; e >= 0 && e < len(d.weights.Events) {
		return uint16(e)
	}
	return d.usual
}

// metric is the one that a state is about; ok is false where nothing is weighed.
func (d *profFile) metric(s *State) (m model.MetricID, ok bool) {
	e := d.event(s)
	if m := s.Prof.Metric; m >= 0 && m < len(d.weights.Metrics) {
		return model.MetricID(m), true
	}
	return weights.DefaultMetric(d.weights, e)
}

// profKey determines what stacks weigh. The zero key is that of no profile.
type profKey struct {
	of       *profFile
	event    uint16
	metric   model.MetricID
	none     bool // there is no metric
	from, to model.Time
	ranged   bool
	window   int
	chips    calltree.StackFilter
}

// same reports whether two keys ask the same of files that may be revisions of one.
func (k profKey) same(o profKey) bool { k.of = o.of; return k == o }

func (d *profFile) key(s *State) profKey {
	k := profKey{of: d, event: d.event(s), window: noWindow, chips: s.Chips}
	m, ok := d.metric(s)
	k.metric, k.none = m, !ok
	if n := s.Prof.Window; n >= 0 && n < len(d.weights.Windows) {
		k.window = n
	} else if !s.Range.IsWhole() && d.samples > 0 {
		k.ranged, k.from, k.to = true, max(s.Range.From, 0), s.Range.To
	}
	return k
}

// selection weighs what a key asks for; whole says that samples do not tell the metric, so that the range counts for nothing. It
// is nil where there is nothing to weigh by.
func (k profKey) selection(ctx context.Context) (sel *weights.ProfileSelection, whole bool, err error) {
	if sel, whole, err = k.unfiltered(ctx); sel == nil || err != nil || k.chips == "" {
		return sel, whole, err
	}
	view, err := k.of.views.of(ctx, k.of.profile.Stacks, k.chips, calltree.WholeStacks)
	return sel.Filter(view), whole, err
}

func (k profKey) unfiltered(ctx context.Context) (sel *weights.ProfileSelection, whole bool, err error) {
	p := k.of.profile
	switch {
	case k.none:
		return nil, false, nil
	case k.window != noWindow:
		return weights.SelectWindows(p, k.event, k.metric, k.window), false, nil
	case k.ranged:
		sel, ok, err := weights.SelectSamples(ctx, p, k.event, k.metric, k.from, k.to)
		if ok || err != nil {
			return sel, false, err
		}
		return weights.SelectProfile(p, k.event, k.metric), true, nil
	}
	return weights.SelectProfile(p, k.event, k.metric), false, nil
}

// unrange reports whether samples cannot tell the metric within a range.
func (k profKey) unrange() bool {
	if !k.ranged || k.none {
		return false
	}
	w := k.of.weights
	e := &w.Events[k.event]
	return !weights.CountsSamples(w.Metrics[k.metric].Name) && (e.PrimaryName == "" || e.Primary != k.metric)
}

// eventName and metricName are names for titles.
func (d *profFile) eventName(e uint16) string {
	if int(e) >= len(d.weights.Events) {
		return "no event"
	}
	return widget.Clean(d.weights.Events[e].Name)
}

func (k profKey) metricName() string {
	if k.none {
		return "no metric"
	}
	return widget.Clean(k.of.weights.Metrics[k.metric].Name)
}

// title is what is weighed: the event, and by which metric.
func (k profKey) title() string { return k.of.eventName(k.event) + " by " + k.metricName() }

// scope is the part of the file that is weighed, "" for all of it.
func (k profKey) scope() string {
	switch {
	case k.window != noWindow:
		return fmt.Sprintf("window %s", widget.Clean(windowName(k.of.weights, k.window)))
	case k.unrange():
		return "whole run: samples do not tell " + k.metricName()
	case k.ranged:
		return fmt.Sprintf("samples %v – %v", k.from, k.to)
	}
	return ""
}

// windowName is how a window is called.
func windowName(w *model.StackProfile, n int) string {
	if id := w.Windows[n].ID; id != "" {
		return id
	}
	return fmt.Sprintf("#%d", n)
}

// windowArgument is a window as --window takes it.
func windowArgument(w *model.StackProfile, n int) string {
	for i := range w.Windows {
		if id := w.Windows[i].ID; id == w.Windows[n].ID && i != n || id == "" && i == n {
			return fmt.Sprintf("#%d", n)
		}
	}
	return w.Windows[n].ID
}

// instantText says what everything on screen is about.
func (d *profFile) instantText(s *State) string {
	k := d.key(s)
	text := widget.Truncate(d.eventName(k.event), 24) + " · " + widget.Truncate(k.metricName(), 20)
	switch {
	case k.window != noWindow:
		return text + " · window " + widget.Truncate(widget.Clean(windowName(d.weights, k.window)), 16)
	case k.ranged:
		return text + fmt.Sprintf(" · %v – %v", k.from, k.to)
	}
	return text
}

// arguments are what tells memtui report the event, the metric, and what part of the time is weighed.
func (d *profFile) arguments(s *State) (args []string) {
	switch k := d.key(s); {
	case k.window != noWindow:
		args = append(args, "--window", windowArgument(d.weights, k.window))
	case k.ranged && !k.unrange():
		args = append(args, "--from", fmt.Sprintf("%dus", k.from), "--to", fmt.Sprintf("%dus", k.to))
	}
	return append(args, d.chosen(s)...)
}

// chosen is what tells other commands the event and the metric.
func (d *profFile) chosen(s *State) (args []string) {
	k := d.key(s)
	if s.Prof.Event != noEvent && int(k.event) < len(d.weights.Events) {
		args = append(args, "--event", d.weights.Events[k.event].Name)
	}
	if s.Prof.Metric != noMetric && !k.none {
		args = append(args, "--by", d.weights.Metrics[k.metric].Name)
	}
	return args
}

// adoptProf begins with the weighted stacks of a revision unless they are known.
func (a *app) adoptProf(p *model.Profile) {
	if d := a.profOf(p); d != nil {
		a.prof, a.first.prof = d, d
	}
}

// profOf is what a revision holds of weighted stacks, nil for nothing. It may take a while the first time: off the event loop, which
// finds the answer there afterwards.
func (a *app) profOf(p *model.Profile) *profFile {
	if !hasProf(p) {
		return nil
	}
	if d := a.profiles.Load(); d != nil && d.profile == p {
		return d
	}
	d := newProfFile(p)
	a.profiles.Store(d)
	return d
}

// doProfile handles what all screens of stack profiles have in common.
func (a *app) doProfile(act keymap.Action) bool {
	if a.prof == nil {
		return false
	}
	switch act {
	case keymap.Cost:
		a.nextEvent(&a.state)
	case keymap.Range:
		if a.prof.samples > 0 {
			return false
		}
		a.say("there are no samples that a range could select")
	case keymap.Series:
		a.nextMetric(&a.state)
	case keymap.EventBack, keymap.EventForward, keymap.LandmarkBack, keymap.LandmarkForward, keymap.Peak, keymap.PeakInRange:
		a.say("stack profiles are sums over time: choose a range on Timeline")
	default:
		return false
	}
	return true
}

// useless reports whether a profile has nothing that an action could do on a screen.
func (d *profFile) useless(act keymap.Action, s *State, onTimeline bool) bool {
	switch act {
	case keymap.Cost:
		return len(d.weights.Events) < 2
	case keymap.Series:
		return len(d.metricsOf(d.event(s))) < 2
	case keymap.Range, keymap.StepBack, keymap.StepForward:
		return d.samples == 0
	case keymap.Peak:
		return !onTimeline
	}
	return false
}

// nextEvent weighs by the next event of the file.
func (e *env) nextEvent(s *State) {
	n := len(e.prof.weights.Events)
	if n < 2 {
		e.say("this profile has no other event; m weighs by the next metric")
		return
	}
	e.emit(chooseEvent{(int(e.prof.event(s)) + 1) % n})
}

// nextMetric weighs by the next metric of the event.
func (e *env) nextMetric(s *State) {
	list := e.prof.metricsOf(e.prof.event(s))
	if len(list) < 2 {
		e.say("this event has no other metric that can be added up")
		return
	}
	now, _ := e.prof.metric(s)
	for i, m := range list {
		if m == now {
			e.emit(chooseMetric{int(list[(i+1)%len(list)])})
			return
		}
	}
	e.emit(chooseMetric{int(list[0])})
}

func (d *profFile) metricsOf(e uint16) []model.MetricID {
	if int(e) >= len(d.metrics) {
		return nil
	}
	return d.metrics[e]
}

// metricNamed finds a metric of an event by its name.
func (d *profFile) metricNamed(e uint16, name string) (model.MetricID, bool) {
	m, ok := d.weights.Metric(name)
	return m, ok && int(e) < len(d.has) && int(m) < len(d.has[e]) && d.has[e][m]
}
