package views

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// Second is a file that the one opened is compared with. It may still be loading.
type Second struct {
	Name  string
	Path  string // as a command line names it
	Store *model.Store
	Trace analysis.Trace  // nil for files without allocations
	Heaps heapgraph.Heaps // decoded snapshots, nil for files without them
}

// comparedFile is a file that comparisons ask. One value stands for a file as long as it is open. All but what never changes belongs
// to the event loop.
type comparedFile struct {
	name, path string
	trace      analysis.Trace
	store      *model.Store    // nil for the file opened first: its profile and status are the state's
	now        *model.Profile  // of the second file, as figures are about
	status     analysis.Status // of the second file's trace, as figures are about
	read       analysis.Status // how far its reading is by now, which status may lag behind
	prof       *profFile       // weighted stacks, nil for none
}

// compareWhat is what the rows of a comparison are.
type compareWhat uint8

const (
	compareSites compareWhat = iota
	compareLeaked
	compareSizes
	compareLives
	compareSeries // curves of a dump at an instant
	comparePages  // page types of a layout
)

// sideKey determines one side of a comparison.
type sideKey struct {
	file     *comparedFile
	stacks   *model.Stacks
	revision uint64
	what     compareWhat
	by       analysis.Group
	cost     analysis.Cost
	at       analysis.Instant // where the cost is about an instant
	over     analysis.Range
	only     analysis.Cell // of traces: what narrows the blocks and their stacks
	prof     profKey       // of stack profiles; the zero key for traces
	label    string
	place    string // the label without the file's name
	unlike   string // why the side cannot be weighed like the other one, "" where it can
	partial  bool   // more is being read
	layout   layoutRef
	figure   pageFigure // of comparePages
}

// compareKey determines a comparison.
type compareKey struct {
	sides [2]sideKey
	masks string
	match diff.FrameMatch
	per   diff.Normal
	swap  bool
}

// compareSet is a comparison and what it is of.
type compareSet struct {
	*diff.Comparison
	key  compareKey
	unit profUnit // of stack profiles
}

// profile is what figures of the file are about.
func (f *comparedFile) profile(s *State) *model.Profile {
	if f.store != nil {
		return f.now
	}
	return s.Profile
}

// hasProf reports whether a profile has weighted stacks that can be compared.
func hasProf(p *model.Profile) bool {
	return p != nil && p.Weights != nil && p.Stacks != nil && p.Allocations == nil
}

// profFile is the weighted stacks of the file, nil where it has none.
func (f *comparedFile) profFile(s *State) *profFile {
	if !hasProf(f.profile(s)) {
		return nil
	}
	return f.prof
}

// span is how long the file's recording is.
func (f *comparedFile) span(s *State) diff.TimeSpan {
	switch {
	case f.store == nil:
		return diff.TimeSpan{To: s.Status.Duration}
	case f.trace != nil && f.profFile(s) == nil:
		return diff.TimeSpan{To: f.status.Duration}
	}
	if d := f.profFile(s); d != nil {
		return d.span()
	}
	return diff.TimeSpan{}
}

// sideKeys are the sides of what a screen compares, before and after as marked; ok is false while one of the files has nothing yet.
func (e *env) sideKeys(s *State, what compareWhat, by analysis.Group, cost analysis.Cost) (keys [2]sideKey, ok bool) {
	if e.dump != nil {
		return e.dumpSides(s, what), e.layoutsKnown(s, what)
	}
	files := [2]*comparedFile{e.first, e.second}
	for i, m := range s.moments(e.second != nil, e.timeMap(s)) {
		f := files[sideA]
		if m.other && e.second != nil {
			f = e.second
		}
		if keys[i], ok = e.sideKey(s, f, m, what, by, cost); !ok {
			return keys, false
		}
	}
	return keys, true
}

func (e *env) sideKey(s *State, f *comparedFile, m moment, what compareWhat, by analysis.Group, cost analysis.Cost) (k sideKey, ok bool) {
	p := f.profile(s)
	if p == nil || p.Stacks == nil {
		return k, false
	}
	k = sideKey{file: f, stacks: p.Stacks, what: what, by: by, place: e.placeText(s, f, m)}
	k.label = e.named(f, k.place)
	if d := f.profFile(s); d != nil {
		if k.prof = e.profSide(s, f, d, m, cost); what == compareLeaked {
			k.prof = k.prof.live()
		}
		k.partial = !d.profile.Complete
		switch {
		case e.mixed(s) && k.prof.none && f.store != nil:
			k.unlike = widget.Clean(f.name) + " has no " + costNamed(cost) + " to compare with: c shows another figure"
		case f.store != nil && k.prof.none && e.prof != nil:
			k.unlike = widget.Clean(f.name) + " has no " + e.prof.key(s).metricName() + " to compare with: c and m show another figure"
		}
		return k, true
	}
	if f.trace == nil {
		return k, false
	}
	status := &s.Status
	if f.store != nil {
		status = &f.status
	}
	if d := e.first.profFile(s); d != nil && what != compareLeaked { // the profile says what is weighed
		cost, k.unlike = costOfProfile(d, s)
	}
	k.revision, k.cost, k.over = status.Revision, cost, analysis.Whole
	k.partial = !status.Final && !status.Stopped
	if what == compareSites || what == compareLeaked {
		k.only = s.only()
	}
	if what == compareSites && (cost == analysis.CostLive || cost == analysis.CostLiveCount) {
		k.at = m.at
		return k, true
	}
	if k.over = m.over; m.over.IsWhole() && m.at != analysis.End {
		k.over = analysis.Range{From: model.NoTime, To: m.at.T} // all that happened up to the instant
	}
	return k, true
}

// profSide is what one side of a comparison asks of a profile. A side of the second file that nobody marked is weighed by the event
// and the metric of the same names as the first file's, or by the metric that is called like the cost of a trace.
func (e *env) profSide(s *State, f *comparedFile, d *profFile, m moment, cost analysis.Cost) profKey {
	at := *s
	at.Prof, at.Range = m.prof, m.over
	switch {
	case f.store == nil:
	case m.prof.Event != noEvent || m.prof.Metric != noMetric: // chosen when it was marked
	case e.prof != nil:
		event, metric := e.prof.event(s), ""
		if id, ok := e.prof.metric(s); ok {
			metric = e.prof.weights.Metrics[id].Name
		}
		d.choose(&at.Prof, e.prof.eventName(event), metric)
		if k := d.key(&at); metric != "" && k.metricName() != metric {
			k.none = true
			return k
		}
	default:
		d.choose(&at.Prof, "", costNamed(cost))
		k := d.key(&at)
		k.none = k.none || at.Prof.Metric == noMetric
		return k
	}
	return d.key(&at)
}

// live is the same by what is live at the end, as far as the event has that.
func (k profKey) live() profKey {
	if m, ok := k.of.metricNamed(k.event, costNamed(analysis.CostLive)); ok {
		k.metric, k.none = m, false
	}
	return k
}

// costNamed is what reports and profiles call a cost.
func costNamed(c analysis.Cost) string {
	return [...]string{"live_bytes", "live_count", "peak_bytes", "alloc_bytes", "alloc_count", "leaked_bytes", "temporary_count"}[c]
}

// costOfProfile is the cost of traces that is called like the metric of a profile; unlike says that there is none.
func costOfProfile(d *profFile, s *State) (c analysis.Cost, unlike string) {
	name := d.key(s).metricName()
	for c := range analysis.CostCountOf {
		if costNamed(c) == name {
			return c, ""
		}
	}
	return analysis.CostLive, "a trace has no " + name + " to compare with: m shows another metric"
}

// mixed reports whether a trace is compared with a profile, in either order.
func (e *env) mixed(s *State) bool {
	if e.second == nil {
		return false
	}
	return (e.first.trace == nil) != (e.second.trace == nil) && (e.first.profFile(s) != nil || e.second.profFile(s) != nil)
}

// choose finds an event and a metric by their names, as far as the profile has them. Without an event's name any that has the metric
// will do.
func (d *profFile) choose(st *ProfState, event, metric string) {
	for i := range d.weights.Events {
		m, ok := d.metricNamed(uint16(i), metric)
		switch named := event != "" && d.eventName(uint16(i)) == event; {
		case named && ok, event == "" && ok:
			st.Event, st.Metric = i, int(m)
			return
		case named:
			st.Event = i
			return
		}
	}
}

// timeMap tells which time of the second file belongs to one of the first.
func (e *env) timeMap(s *State) diff.TimeMap {
	if e.second == nil {
		return diff.TimeMap{}
	}
	return diff.NewTimeMap(s.Compare.Align, e.first.span(s), e.second.span(s), s.Compare.Moments[sideA], s.Compare.Moments[sideB])
}

// compareBy makes the key of a comparison from its sides.
func (c *CompareState) key(sides [2]sideKey) compareKey {
	return compareKey{sides: sides, masks: c.Masks, match: c.Match, per: c.Per, swap: c.Swapped}
}

// joinCache keeps the last tree made of two sets of stacks: it takes longer than all the rest, and does not follow the instant.
// Any goroutine may use it.
type joinCache struct {
	mu    sync.Mutex
	of    [2]*model.Stacks
	masks string
	match diff.FrameMatch
	have  *diff.JoinedStacks
}

// forget lets go of the tree, which keeps both sets of stacks alive.
func (j *joinCache) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.of, j.have = [2]*model.Stacks{}, nil
}

func (j *joinCache) get(ctx context.Context, before, after *model.Stacks, masks string, match diff.FrameMatch) (*diff.JoinedStacks, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if of := [2]*model.Stacks{before, after}; j.have == nil || j.of != of || j.masks != masks || j.match != match {
		have, err := diff.JoinStacks(ctx, before, after, parseMasks(masks), match)
		if err != nil {
			return nil, err
		}
		j.of, j.masks, j.match, j.have = of, masks, match, have
	}
	return j.have, nil
}

// compare answers a comparison.
func (e *env) compare(ctx context.Context, k compareKey) (*compareSet, error) {
	out := &compareSet{key: k}
	var sides [2]*diff.CompareSide
	for i := range k.sides {
		side, err := k.sides[i].fetch(ctx, e.views, k.per != diff.NormalNone)
		if err != nil {
			return nil, err
		}
		side.Label, side.File = k.sides[i].label, fmt.Sprintf("%p", k.sides[i].file)
		sides[i] = side
		if p := &k.sides[i].prof; p.of != nil && !p.none {
			out.unit = unitOf(&p.of.weights.Metrics[p.metric])
		}
	}
	if (k.sides[0].prof.of == nil) != (k.sides[1].prof.of == nil) {
		for _, side := range sides {
			for i := range side.Rows {
				side.Rows[i].Listed = false // a trace does not list what weighs nothing
			}
		}
	}
	opt := diff.CompareOptions{Masks: parseMasks(k.masks), Match: k.match, Per: k.per, Swap: k.swap}
	var err error
	if sides[0].Stacks != nil || sides[1].Stacks != nil {
		if opt.Joined, err = e.joins.get(ctx, sides[0].Stacks, sides[1].Stacks, k.masks, k.match); err != nil {
			return nil, err
		}
	}
	out.Comparison, err = diff.Compare(ctx, sides[0], sides[1], opt)
	return out, err
}

// fetch asks the file for one side; bases are asked for only where sides are made equal.
func (k *sideKey) fetch(ctx context.Context, views *stackViews, bases bool) (side *diff.CompareSide, err error) {
	switch {
	case k.unlike != "":
		return nil, errors.New(k.unlike)
	case k.layout.dump != nil:
		return k.fetchDump(ctx)
	case k.prof.of != nil:
		return k.fetchProfile(ctx)
	}
	t := k.file.trace
	switch k.what {
	case compareSizes, compareLives:
		sizes, lives, err := t.Histograms(ctx, k.over)
		if err != nil {
			return nil, err
		}
		if side = diff.SizesSide(sizes); k.what == compareLives {
			side = diff.LifetimesSide(sizes, lives)
		}
	case compareLeaked:
		leaks, err := t.Leaks(ctx, analysis.LeakQuery{Range: k.over, By: k.by, Cell: k.only})
		if err != nil {
			return nil, err
		}
		side = diff.LeaksSide(k.by, k.stacks, &leaks)
		if err := k.filterFrames(ctx, views, side); err != nil {
			return nil, err
		}
	default:
		if side, err = k.fetchSites(ctx, views); err != nil {
			return nil, err
		}
	}
	if bases {
		side.Bases, err = diff.TraceBases(ctx, t, k.upTo())
	}
	return side, err
}

// fetchSites asks for the groups of a trace.
func (k *sideKey) fetchSites(ctx context.Context, views *stackViews) (*diff.CompareSide, error) {
	q := analysis.Query{At: k.at, Range: k.over, By: k.by, Cell: k.only}
	if k.cost == analysis.CostPeak {
		p, ok, err := k.file.trace.Peak(ctx, k.over)
		if err != nil {
			return nil, err
		}
		if q.At = analysis.At(0); ok {
			q.At = p.Instant
		}
	} else if q.At == (analysis.Instant{}) && k.cost != analysis.CostLive && k.cost != analysis.CostLiveCount {
		q.At = analysis.At(k.over.To)
	}
	sites, err := k.file.trace.Sites(ctx, q)
	if err != nil {
		return nil, err
	}
	side := diff.SitesSide(k.by, k.stacks, sites, diff.FigureOf(k.cost))
	return side, k.filterFrames(ctx, views, side)
}

// filterFrames leaves of every stack what the filters leave.
func (k *sideKey) filterFrames(ctx context.Context, views *stackViews, side *diff.CompareSide) error {
	if k.only.Stacks == "" || k.by != analysis.ByStack {
		return nil
	}
	view, err := views.of(ctx, k.stacks, k.only.Stacks, calltree.WholeStacks)
	if err != nil {
		return err
	}
	side.Filter(view)
	return nil
}

// upTo is the part of the file that a side is about: all before an instant.
func (k *sideKey) upTo() analysis.Range {
	if k.over.IsWhole() && k.at != (analysis.Instant{}) && k.at != analysis.End {
		return analysis.Range{From: model.NoTime, To: k.at.T}
	}
	return k.over
}

// profileGroups are the tables of profiles that stand beside the groups of traces.
var profileGroups = [...]weights.ProfileBy{
	analysis.ByStack: weights.ByFunctionDSO, analysis.ByFunction: weights.ByFunctionDSO, analysis.ByFile: weights.BySourceLine,
	analysis.ByModule: weights.ByDSO, analysis.ByThread: weights.ByProfileThread, analysis.BySizeClass: weights.ByFrameKind,
}

// fetchProfile asks for one side of a profile of stacks.
func (k *sideKey) fetchProfile(ctx context.Context) (*diff.CompareSide, error) {
	sel, _, err := k.prof.selection(ctx)
	if err != nil {
		return nil, err
	}
	if sel == nil {
		return &diff.CompareSide{Stacks: k.stacks, Bases: diff.NoBases}, nil
	}
	var counts *weights.ProfileSelection
	if m, ok := weights.CountMetric(k.prof.of.weights, k.prof.metric); ok {
		other := k.prof
		other.metric = m
		if counts, _, err = other.selection(ctx); err != nil {
			return nil, err
		}
	}
	if k.by == analysis.ByStack {
		return diff.StacksSide(sel, counts), nil
	}
	list := []*weights.ProfileSelection{sel}
	if counts != nil {
		list = append(list, counts)
	}
	rows, err := weights.ProfileTable(ctx, profileGroups[k.by], list...)
	if err != nil {
		return nil, err
	}
	return diff.ProfileRowsSide(rows, list), nil
}

// amount writes a figure of the comparison with its unit.
func (c *compareSet) amount(n uint64, exact bool) string {
	k := &c.key.sides[0]
	switch {
	case k.prof.of != nil:
		return c.unit.scaled(n, exact)
	case k.what == compareSites && !k.cost.IsBytes():
		return model.Group(n)
	}
	return bytesText(n, exact)
}

// measure is what is compared in words.
func (c *compareSet) measure() string {
	switch k := &c.key.sides[0]; {
	case k.what == compareSeries:
		return "the sum of all series"
	case k.what == comparePages:
		return k.figure.String()
	case k.prof.of != nil:
		return k.prof.metricName()
	case k.what == compareLeaked:
		return "memory that was not freed"
	case k.what == compareSizes, k.what == compareLives:
		return "allocated memory"
	default:
		return strings.ToLower(costWords(k.cost))
	}
}

// title is what is compared, as titles begin.
func (c *compareSet) title() string {
	if c.key.sides[0].prof.of != nil { // metrics are called as the file calls them
		return c.measure()
	}
	return capital(c.measure())
}

// words are the nouns of the comparison's sentences.
func (c *compareSet) words(s *State) diff.CompareWords {
	w := diff.CompareWords{
		Measure: c.measure(), Counted: "blocks", Thing: c.key.sides[0].thing(),
		Amount: func(n uint64) string { return c.amount(n, s.Exact) },
		Name: func(name string) string {
			if !s.FullName {
				name = bareFunction(name)
			}
			return widget.Clean(name)
		},
	}
	k := &c.key.sides[0]
	switch {
	case k.what == comparePages:
		w.Counted = "pages"
	case k.what == compareSeries, k.prof.of != nil, k.what == compareSites && !k.cost.IsBytes():
		w.Counted = ""
	}
	return w
}

// thing is what a row is, in the singular.
func (k *sideKey) thing() string {
	switch {
	case k.what == compareSeries:
		return "series"
	case k.what == comparePages:
		return "page type"
	case k.what == compareSizes:
		return "size class"
	case k.what == compareLives:
		return "lifetime class"
	case k.prof.of != nil && k.by != analysis.ByStack:
		return profileGroups[k.by].String()
	case k.by == analysis.BySizeClass:
		return "size class"
	}
	return k.by.String()
}

// noStack says why a row has no stack to show.
func (k *sideKey) noStack() string {
	if k.what > compareLeaked {
		return "a " + k.thing() + " has no stack of its own"
	}
	return "a " + k.thing() + " has no stack of its own: b groups by stack"
}

// hasCounts reports whether rows have a figure beside the one that is compared.
func (c *compareSet) hasCounts() bool {
	return c.Totals.BeforeCount > 0 || c.Totals.AfterCount > 0
}
