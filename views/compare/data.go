package compare

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Second is a file that the first one is compared with. It may still be loading.
type Second struct {
	Name  string
	Path  string // its name on a command line
	Store *model.Store
	Trace analysis.Trace  // nil for files without allocations
	Heaps heapgraph.Heaps // decoded snapshots, nil for files without them
}

// sideKey determines one side of a comparison.
type sideKey struct {
	file     *ui.ComparedFile
	stacks   *model.Stacks
	revision uint64
	what     ui.DiffRows
	by       analysis.Group
	rows     diff.StackGroup // the grouping of comparisons
	Cost     analysis.Cost
	at       analysis.Instant // if the cost depends on an instant
	over     analysis.Range
	only     analysis.Cell // of traces: restricts blocks and stacks
	Prof     ui.ProfileKey // of stack profiles; the zero key for traces
	label    string
	place    string // the label without the file's name
	Unlike   string // why the side does not have the other one's cost, "" if it does
	partial  bool   // more is being read
	sampled  string // how a trace was sampled, as Meta has it
	sampling model.Sampling
	layout   ui.LayoutRef
	figure   diff.PageFigure // of ui.DiffPages

	libraries *regexp.Regexp // functions and files that own no memory, in addition to the built-in ones; may be nil
}

// rowsKey determines a comparison.
type rowsKey struct {
	Sides [2]sideKey
	masks string
	match diff.FrameMatch
	per   diff.Normal
	swap  bool
}

// Set is a comparison with its key.
type Set struct {
	*diff.Comparison
	key    rowsKey
	unit   ui.ProfileUnit // of stack profiles
	shown  *ui.ChangeSet
	labels *ui.SiteLabels
}

// makeSides returns the sides that a screen compares, before and after as marked; ok is false while one of the files
// has nothing yet.
func makeSides(e *ui.Env, s *state.State, what ui.DiffRows, by analysis.Group,
	cost analysis.Cost) (keys [2]sideKey, ok bool) {
	if what == ui.DiffSeries || what == ui.DiffPages {
		return layoutSides(e, s, what), layoutsKnown(e, s, what)
	}
	files := [2]*ui.ComparedFile{e.First, e.Second}
	for i, m := range s.Moments(e.Second != nil, e.TimeMap(s)) {
		f := files[state.SideA]
		if m.Other && e.Second != nil {
			f = e.Second
		}
		if keys[i], ok = makeSide(e, s, f, m, what, by, cost); !ok {
			return keys, false
		}
	}
	return keys, true
}

func makeSide(e *ui.Env, s *state.State, f *ui.ComparedFile, m state.Moment, what ui.DiffRows, by analysis.Group,
	cost analysis.Cost) (k sideKey, ok bool) {
	p := f.Profile(s)
	if p == nil || p.Stacks == nil {
		return k, false
	}
	k = sideKey{file: f, stacks: p.Stacks, what: what, by: by, rows: rowsOf(e, s, what, by), libraries: e.Libraries,
		place: placeText(e, s, f, m)}
	k.label = named(e, f, k.place)
	if d := f.ProfileFile(s); d != nil {
		if k.Prof = profileSide(e, s, f, d, m, cost); what == ui.DiffLeaked {
			k.Prof = k.Prof.Live()
		}
		k.partial = !d.Profile.Complete
		switch {
		case e.Mixed(s) && k.Prof.None && f.Store != nil:
			k.Unlike = widget.Clean(f.Name) + " has no " + ui.CostNamed(cost) + " to compare with: " +
				e.Hint("{difference.cost} shows another metric")
		case f.Store != nil && k.Prof.None && e.Prof != nil:
			k.Unlike = widget.Clean(f.Name) + " has no " + e.Prof.Key(s).MetricName() + " to compare with: " +
				e.Hint("{profile.cost} shows another event, {profile.series} another metric")
		}
		return k, true
	}
	if f.Trace == nil {
		return k, false
	}
	k.sampled, k.sampling = p.Meta.Sampled, p.Meta.Sampling
	status := &s.Status
	if f.Store != nil {
		status = &f.Status
	}
	if d := e.First.ProfileFile(s); d != nil && what != ui.DiffLeaked { // the profile determines the cost
		cost, k.Unlike = costOfProfile(e, d, s)
	}
	k.revision, k.Cost, k.over = status.Revision, cost, analysis.FullRange
	k.partial = !status.Final && !status.Stopped
	if what == ui.DiffSites || what == ui.DiffLeaked {
		k.only = s.Only()
	}
	if what == ui.DiffSites && (cost == analysis.CostLive || cost == analysis.CostLiveCount) {
		k.at = m.At
		return k, true
	}
	if k.over = m.Over; m.Over.IsFull() && m.At != analysis.End {
		k.over = analysis.Range{From: model.NoTime, To: m.At.T} // everything up to the instant
	}
	return k, true
}

// profileSide returns the question of one side of a comparison to a profile. A side of the second file without a mark
// uses the event and the metric with the same names as the first file's, or the metric with the name of a trace's cost.
func profileSide(e *ui.Env, s *state.State, f *ui.ComparedFile, d *ui.ProfileFile, m state.Moment,
	cost analysis.Cost) ui.ProfileKey {
	at := *s
	at.Prof, at.Range = m.Prof, m.Over
	switch {
	case f.Store == nil:
	case m.Prof.Event != state.NoEvent || m.Prof.Metric != state.NoMetric: // chosen when it was marked
	case e.Prof != nil:
		event, metric := e.Prof.Event(s), ""
		if id, ok := e.Prof.Metric(s); ok {
			metric = e.Prof.Weights.Metrics[id].Name
		}
		d.Choose(&at.Prof, e.Prof.EventName(event), metric)
		if k := d.Key(&at); metric != "" && weights.Compared(k.MetricName()) != weights.Compared(metric) {
			k.None = true
			return k
		}
	default:
		d.Choose(&at.Prof, "", ui.CostNamed(cost))
		k := d.Key(&at)
		k.None = k.None || at.Prof.Metric == state.NoMetric
		return atSnapshot(e, s, f, k)
	}
	return atSnapshot(e, s, f, d.Key(&at))
}

// atSnapshot returns the question about the last snapshot, where the other file has live memory at its end to compare it
// with, as memtui diff does.
func atSnapshot(e *ui.Env, s *state.State, f *ui.ComparedFile, k ui.ProfileKey) ui.ProfileKey {
	other := e.Second
	if f != e.First {
		other = e.First
	}
	if other == nil || k.None || k.Ranged || k.Window != state.NoWindow {
		return k
	}
	as := ui.CostNamed(analysis.CostLive)
	if d := other.ProfileFile(s); d != nil {
		if _, ok := d.Weights.Metric(k.Of.Weights.Metrics[k.Metric].Name); ok {
			return k
		}
	}
	if n := weights.SnapshotAtEnd(k.Of.Weights, k.Metric, as); n >= 0 {
		k.Window = n
	}
	return k
}

// costOfProfile returns the trace cost that corresponds to the metric of a profile; unlike is the reason if there is
// none.
func costOfProfile(e *ui.Env, d *ui.ProfileFile, s *state.State) (c analysis.Cost, unlike string) {
	name := d.Key(s).MetricName()
	for c := range analysis.CostCountOf {
		if ui.CostNamed(c) == weights.Compared(name) {
			return c, ""
		}
	}
	return analysis.CostLive, "a trace has no " + name + " to compare with: " + e.Hint("{profile.series} shows another metric")
}

// key returns the key of a comparison of the given sides.
func key(c *state.Compare, sides [2]sideKey) rowsKey {
	return rowsKey{Sides: sides, masks: c.Masks, match: c.Match, per: c.Per, swap: c.Swapped}
}

// compare computes a comparison.
func compare(e *ui.Env, ctx context.Context, k rowsKey) (*Set, error) {
	out := &Set{key: k, labels: ui.NewSiteLabels(e.Libraries)}
	var sides [2]*diff.Side
	for i := range k.Sides {
		side, err := k.Sides[i].fetch(ctx, e.Views, k.per != diff.NormalNone, &k.Sides[1-i])
		if err != nil {
			return nil, err
		}
		side.Label, side.File = k.Sides[i].label, fmt.Sprintf("%p", k.Sides[i].file)
		sides[i] = side
		if p := &k.Sides[i].Prof; p.Of != nil && !p.None {
			out.unit = p.Unit()
		}
	}
	if (k.Sides[0].Prof.Of == nil) != (k.Sides[1].Prof.Of == nil) {
		for _, side := range sides {
			side.Unlist()
		}
	}
	opt := diff.Options{Masks: state.ParseMasks(k.masks), Match: k.match, Per: k.per, Swap: k.swap, Libraries: e.Libraries}
	var err error
	if sides[0].Stacks != nil || sides[1].Stacks != nil {
		if opt.Joined, err = e.JoinedTrees.Get(ctx, sides[0].Stacks, sides[1].Stacks, k.masks, k.match); err != nil {
			return nil, err
		}
	}
	if out.Comparison, err = diff.Compare(ctx, sides[0], sides[1], opt); err != nil {
		return nil, err
	}
	out.shown = out.changes()
	return out, nil
}

// unlikeError says that the sides have nothing in common to compare, and what to do.
type unlikeError string

func (e unlikeError) Error() string { return string(e) }

// fetch computes one side next to the other one; bases are computed only if sides are normalized.
func (k *sideKey) fetch(ctx context.Context, views *ui.StackViews, bases bool, other *sideKey) (side *diff.Side, err error) {
	switch {
	case k.Unlike != "":
		return nil, unlikeError(k.Unlike)
	case k.layout.Dump != nil:
		return k.fetchDump(ctx)
	case k.Prof.Of != nil && k.Prof.None:
		return &diff.Side{Stacks: k.stacks, Bases: diff.NoBases}, nil
	case k.Prof.Of != nil:
		p := &k.Prof
		return diff.ProfileSide(ctx, p.Of.Profile, p.Of.Views.Of, diff.ProfileQuestion{
			Group: k.rows, Event: p.Event, Metric: p.Metric, Window: p.Window, Ranged: p.Ranged && !p.Unrange(),
			From: p.From, To: p.To, Filter: p.Filters, Libraries: k.libraries,
		})
	}
	return k.fetchTrace(ctx, views, bases, other)
}

// fetchTrace computes one side of a trace. Two places in one file have blocks in common.
func (k *sideKey) fetchTrace(ctx context.Context, views *ui.StackViews, bases bool, other *sideKey) (*diff.Side, error) {
	q, err := k.question(ctx)
	if err != nil {
		return nil, err
	}
	if until := k.upTo(); bases {
		q.Bases = &until
	}
	if q.Sampled && other.file == k.file {
		if q.Beside, err = other.question(ctx); err != nil {
			return nil, err
		}
	}
	return diff.TraceSide(ctx, k.file.Trace, k.stacks, views.Of, *q)
}

// question returns the question to a trace.
func (k *sideKey) question(ctx context.Context) (*diff.TraceQuestion, error) {
	q := &diff.TraceQuestion{Group: k.rows, Figure: diff.FigureOf(k.Cost), At: k.at, Range: k.over, Only: k.only,
		Sampled: k.sampled != "", Sampling: k.sampling}
	switch {
	case k.Cost == analysis.CostPeak:
		p, ok, err := k.file.Trace.Peak(ctx, k.over)
		if err != nil {
			return nil, err
		}
		if q.At = analysis.At(0); ok {
			q.At = p.Instant
		}
	case q.At == (analysis.Instant{}) && k.Cost != analysis.CostLive && k.Cost != analysis.CostLiveCount:
		q.At = analysis.At(k.over.To)
	}
	return q, nil
}

// rowsOf returns the grouping of rows. Traces and profiles have files and modules in common; only profiles have source
// lines, binaries and kinds of frames.
func rowsOf(e *ui.Env, s *state.State, what ui.DiffRows, by analysis.Group) diff.StackGroup {
	switch {
	case what == ui.DiffSizes:
		return diff.GroupSize
	case what == ui.DiffLives:
		return diff.GroupLifetime
	case e.Prof != nil && !e.Mixed(s):
		return [...]diff.StackGroup{diff.GroupStack, diff.GroupFunction, diff.GroupOwner, diff.GroupLine,
			diff.GroupDSO, diff.GroupThread, diff.GroupKind}[by]
	}
	return [...]diff.StackGroup{diff.GroupStack, diff.GroupFunction, diff.GroupOwner, diff.GroupFile,
		diff.GroupModule, diff.GroupThread, diff.GroupSize}[by]
}

// upTo returns the range of a side: everything before an instant.
func (k *sideKey) upTo() analysis.Range {
	if k.over.IsFull() && k.at != (analysis.Instant{}) && k.at != analysis.End {
		return analysis.Range{From: model.NoTime, To: k.at.T}
	}
	return k.over
}

// plain formats a figure of the comparison with its unit.
func (c *Set) plain(n uint64, exact bool) string {
	k := &c.key.Sides[0]
	switch {
	case k.Prof.Of != nil:
		return model.Unmarked(c.unit.Scaled(n, exact)) // the unit is that of one side
	case k.what == ui.DiffSites && !k.Cost.IsBytes():
		return model.Group(n)
	}
	return ui.BytesText(n, exact)
}

// amount formats a change of the comparison with its unit, marked where figures of a side are estimates.
func (c *Set) amount(n uint64, exact bool) string {
	return c.estimate(n, exact, c.Before.Estimated || c.After.Estimated)
}

// ofSide formats a figure of a side, before or after.
func (c *Set) ofSide(side int, n uint64, exact bool) string {
	return c.estimate(n, exact, [2]*diff.Side{c.Before, c.After}[side].Estimated)
}

// estimate formats a figure of the comparison, and marks it where it is an estimate: numbers of samples are none.
func (c *Set) estimate(n uint64, exact, estimated bool) string {
	text := c.plain(n, exact)
	if k := &c.key.Sides[0]; estimated && (k.Prof.Of != nil || k.what != ui.DiffSites || k.Cost.IsBytes()) {
		return model.AsEstimate(text)
	}
	return text
}

// estimated reports whether figures of the side are estimated from samples.
func (k *sideKey) estimated() bool {
	if p := &k.Prof; p.Of != nil {
		return !p.None && p.Of.Weights.Estimates(p.Event, p.Metric)
	}
	return k.sampled != ""
}

// measure returns the compared figure in words.
func (c *Set) measure() string {
	switch k := &c.key.Sides[0]; {
	case k.what == ui.DiffSeries:
		return "the sum of all series"
	case k.what == ui.DiffPages:
		return k.figure.Measure()
	case k.Prof.Of != nil:
		return k.Prof.MetricName()
	case k.what == ui.DiffLeaked:
		return "memory that was not freed"
	case k.what == ui.DiffSizes, k.what == ui.DiffLives:
		return "allocated memory"
	default:
		return strings.ToLower(ui.CostWords(k.Cost))
	}
}

// Title returns the beginning of a title: the compared figure.
func (c *Set) Title() string {
	if c.key.Sides[0].Prof.Of != nil { // metrics have their names in the file
		return c.measure()
	}
	return model.Capital(c.measure())
}

// words returns the nouns of the comparison's sentences.
func (c *Set) words(s *state.State) diff.Words {
	w := diff.Words{
		Measure: c.measure(), Thing: c.key.Sides[0].thing(),
		Counted: diff.Blocks([2]string{c.key.Sides[0].sampled, c.key.Sides[1].sampled}),
		Amount:  func(n uint64) string { return c.amount(n, s.Exact) },
		Side: diff.SideAmounts{func(n uint64) string { return c.ofSide(0, n, s.Exact) },
			func(n uint64) string { return c.ofSide(1, n, s.Exact) }},
		Name: func(name string) string {
			if !s.FullName {
				name = funcname.Bare(name)
			}
			return widget.Clean(name)
		},
	}
	k := &c.key.Sides[0]
	switch {
	case k.what == ui.DiffPages:
		w.Counted = "pages"
	case k.what == ui.DiffSeries, k.Prof.Of != nil, k.what == ui.DiffSites && !k.Cost.IsBytes():
		w.Counted = ""
	}
	return w
}

// thing returns what a row represents, in the singular.
func (k *sideKey) thing() string {
	switch {
	case k.what == ui.DiffSeries:
		return "series"
	case k.what == ui.DiffPages:
		return "page type"
	case k.rows == diff.GroupSize || k.rows == diff.GroupLifetime:
		return k.rows.String() + " class"
	}
	return k.rows.Thing()
}

// noStack returns why a row has no stack to show.
func (k *sideKey) noStack(e *ui.Env) string {
	if k.what > ui.DiffLeaked {
		return ui.WithArticle(k.thing()) + " has no stack of its own"
	}
	return ui.WithArticle(k.thing()) + " has no stack of its own: " + e.Hint("{group} groups by stack")
}

// hasCounts reports whether rows have counts in addition to the compared figure.
func (c *Set) hasCounts() bool {
	return c.Totals.BeforeCount > 0 || c.Totals.AfterCount > 0
}
