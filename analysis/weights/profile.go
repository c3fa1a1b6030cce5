package weights

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// EventTotals are the sums of one event's stack records.
type EventTotals struct {
	Stacks int
	Sums   []MetricSum // by MetricID, only those that occur
}

// MetricSum is the plain sum of one metric.
type MetricSum struct {
	Metric model.MetricID
	Sum    model.Amount
}

// Totals sums all records by event and metric, one row per event of p. If a metric appears twice in one record, the
// first one counts.
func Totals(p *model.StackProfile) []EventTotals {
	out := make([]EventTotals, len(p.Events))
	sums := make([]map[model.MetricID]*model.Amount, len(p.Events))
	for i, e := range p.Records.Event {
		if e == model.NoEvent {
			continue
		}
		out[e].Stacks++
		if sums[e] == nil {
			sums[e] = map[model.MetricID]*model.Amount{}
		}
		for m, n := range p.Records.Weights.All(i) {
			if first, _ := p.Records.Weights.Get(i, m); first != n {
				continue
			}
			if sums[e][m] == nil {
				sums[e][m] = &model.Amount{}
			}
			sums[e][m].Add(n)
		}
	}
	for e, list := range sums {
		for m, sum := range list {
			if !p.Metrics[m].NoSum() {
				out[e].Sums = append(out[e].Sums, MetricSum{m, *sum})
			}
		}
		slices.SortFunc(out[e].Sums, func(a, b MetricSum) int { return cmp.Compare(a.Metric, b.Metric) })
	}
	return out
}

// Selection is the records that an answer covers, with their weights.
type Selection struct {
	Profile *model.StackProfile
	Stacks  *model.Stacks // filtered if there is a filter
	Event   uint16
	Metric  model.MetricID

	view   *calltree.FilteredStacks // of [Selection.Filter]; nil for unfiltered stacks
	kept   []bool                   // by set of labels: whether the filter keeps it; nil for all
	picked []float64                // by record, from a range of samples or windows; nil for the records' own weights
}

// SampleSpan returns the times of the earliest and the latest sample; first > last if there are none.
func SampleSpan(w *model.StackProfile) (first, last model.Time) {
	first, last = model.MaxTime, -model.MaxTime
	for i := range w.Samples {
		if c := &w.Samples[i]; c.Len() > 0 {
			first, last = min(first, c.First), max(last, c.Last)
		}
	}
	return first, last
}

// SelectProfile selects all records of an event, weighted by a metric.
func SelectProfile(p *model.Profile, event uint16, metric model.MetricID) *Selection {
	return &Selection{Profile: p.Weights, Stacks: p.Stacks, Event: event, Metric: metric}
}

// Span returns the time span from which a range can be chosen: of the samples, or else of the windows; first > last if
// there are neither.
func Span(w *model.StackProfile) (first, last model.Time) {
	if first, last = SampleSpan(w); first <= last {
		return first, last
	}
	for i := range w.Windows {
		first, last = min(first, w.Windows[i].Start), max(last, w.Windows[i].End)
	}
	return first, last
}

// WindowAt returns the window that an instant is about: of those that began by then the one that began last, in the
// file's order the later one of two; ok is false where none had begun.
func WindowAt(w *model.StackProfile, at model.Time) (n int, ok bool) {
	for i := range w.Windows {
		if s := w.Windows[i].Start; s <= at && (!ok || s >= w.Windows[n].Start) {
			n, ok = i, true
		}
	}
	return n, ok
}

// End returns when the last window ends, or the profile as a whole where that is later.
func End(w *model.StackProfile) model.Time {
	end := w.End
	for i := range w.Windows {
		end = max(end, w.Windows[i].End)
	}
	return end
}

// LargestWindow returns the first of the windows of which a selection weighs most; ok is false where there are none.
// The error is that of ctx.
func (s *Selection) LargestWindow(ctx context.Context) (n int, ok bool, err error) {
	sums, err := s.WindowSums(ctx)
	for i := range sums {
		if i == 0 || sums[i].Compare(sums[n]) > 0 {
			n, ok = i, true
		}
	}
	return n, ok, err
}

// windowsIn returns the windows that contain a metric's figure for a time span: for states the last one, otherwise all
// windows within the span.
func windowsIn(w *model.StackProfile, metric model.MetricID, from, to model.Time) (list []int) {
	for i := range w.Windows {
		win := &w.Windows[i]
		if win.Start < from || win.End > to {
			continue
		}
		if state := win.Start == win.End || w.Metrics[metric].State(); state {
			list = list[:0]
		}
		list = append(list, i)
	}
	return list
}

// SelectSamples selects records by their samples with from <= time <= to: weighted by their number if the metric counts
// events, else by their periods. ok is false if samples do not record the metric: they have only the event's primary
// one and counts. Without samples, the windows of that time are used, which record every metric: for states, such as
// live bytes, the last one.
func SelectSamples(ctx context.Context, p *model.Profile, event uint16, metric model.MetricID, from,
	to model.Time) (s *Selection, ok bool, err error) {
	w := p.Weights
	if first, last := SampleSpan(w); first > last && len(w.Windows) > 0 {
		return SelectWindows(p, event, metric, windowsIn(w, metric, from, to)...), true, nil
	}
	counts := countsSamples(w.Metrics[metric].Name)
	if !counts && (int(event) >= len(w.Events) || w.Events[event].PrimaryName == "" || w.Events[event].Primary != metric) {
		return nil, false, nil
	}
	picked, err := pickSamples(ctx, w, event, counts, from, to)
	if err != nil {
		return nil, false, err
	}
	return &Selection{Profile: w, Stacks: p.Stacks, Event: event, Metric: metric, picked: picked}, true, nil
}

// countsSamples reports whether a metric is the number of times a stack was seen.
func countsSamples(metric string) bool {
	return metric == "samples" || metric == "count" || metric == "alloc_count"
}

// SelectWindows selects records of an event, weighted by their sums over the windows with those indexes.
func SelectWindows(p *model.Profile, event uint16, metric model.MetricID, windows ...int) *Selection {
	w := p.Weights
	picked := make([]float64, w.Records.Len())
	for _, i := range windows {
		win := &w.Windows[i]
		for row, r := range win.Record {
			if r == model.NoRecord || w.Records.Event[r] != event {
				continue
			}
			if n, ok := win.Weights.Get(row, metric); ok {
				picked[r] += n.Float64()
			}
		}
	}
	return &Selection{Profile: w, Stacks: p.Stacks, Event: event, Metric: metric, picked: picked}
}

// WindowSums returns the sum of the rows of each window, of the records that the filter keeps.
func (s *Selection) WindowSums(ctx context.Context) ([]model.Amount, error) {
	w := s.Profile
	out := make([]model.Amount, len(w.Windows))
	for i := range w.Windows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		win := &w.Windows[i]
		for row, r := range win.Record {
			if r == model.NoRecord || w.Records.Event[r] != s.Event || !s.Keeps(r) {
				continue
			}
			if n, ok := win.Weights.Get(row, s.Metric); ok {
				out[i].Add(n)
			}
		}
	}
	return out, nil
}

// Filter returns the selection of the filtered stacks, which must be of the same profile. Weights stay the same; nil
// filters nothing.
func (s *Selection) Filter(view *calltree.FilteredStacks) *Selection {
	if view == nil {
		return s
	}
	out := *s
	out.view, out.Stacks, out.kept = view, view.Stacks, keptLabels(s.Profile, view)
	return &out
}

// Node returns the leaf of a selected record in the tree of the selection's stacks.
func (s *Selection) Node(r model.RecordID) model.NodeID {
	n := s.Profile.Records.Node[r]
	if s.view != nil {
		n, _ = s.view.Node(n)
	}
	return n
}

// Keeps reports whether the filter keeps a record; it is true without a filter.
func (s *Selection) Keeps(r model.RecordID) bool {
	if s.view == nil {
		return true
	}
	_, kept := s.view.Node(s.Profile.Records.Node[r])
	return kept && (s.kept == nil || s.kept[labelsOf(s.Profile, int(r))])
}

// Weight returns the weight of a record; ok is false if it is not selected.
func (s *Selection) Weight(r model.RecordID) (n model.Number, ok bool) {
	if s.Profile.Records.Event[r] != s.Event || !s.Keeps(r) {
		return n, false
	}
	if s.picked == nil {
		return s.Profile.Records.Weights.Get(int(r), s.Metric)
	}
	f := s.picked[r]
	return whole(f), f != 0
}

// whole returns f, as an integer if it is one.
func whole(f float64) model.Number {
	if f >= 0 && f < 1<<53 && f == math.Trunc(f) {
		return model.Unsigned(uint64(f))
	}
	return model.Float(f)
}

// Self returns the weight of a record's leaf alone: its exclusive weight if the file has one for this metric.
func (s *Selection) Self(r model.RecordID) (n model.Number, ok bool) {
	if n, ok = s.Weight(r); !ok || s.picked != nil {
		return n, ok
	}
	if x, has := s.Profile.Records.Exclusive.Get(int(r), s.Metric); has {
		return x, true
	}
	return n, true
}

// HasSelf reports whether the weights of leaves may differ from those of their records.
func (s *Selection) HasSelf() bool { return s.picked == nil }

// Total returns the sum over all selected records. It is meaningless if [model.ProfileMetric.NoSum] is set.
func (s *Selection) Total() (sum model.Amount) {
	for r := range s.Profile.Records.Len() {
		if n, ok := s.Weight(model.RecordID(r)); ok {
			sum.Add(n)
		}
	}
	return sum
}

// Stack is one record with its weight.
type Stack struct {
	Record model.RecordID
	Value  model.Amount
}

// Top lists the selected records, heaviest first, ties by id.
func (s *Selection) Top() []Stack {
	out := make([]Stack, 0, s.Profile.Records.Len()) // growing the list would take twice the memory
	for x := range s.selected() {
		out = append(out, x)
	}
	slices.SortFunc(out, s.compareStacks)
	return out
}

// Heaviest lists the first n of [Selection.Top], without sorting the others.
func (s *Selection) Heaviest(n int) (out []Stack) {
	for x := range s.selected() {
		out = KeepFirst(out, x, n, s.compareStacks)
	}
	return out
}

// selected yields the selected records in the order of the file.
func (s *Selection) selected() iter.Seq[Stack] {
	return func(yield func(Stack) bool) {
		for r := range s.Profile.Records.Len() {
			n, ok := s.Weight(model.RecordID(r))
			if !ok {
				continue
			}
			var a model.Amount
			if a.Add(n); !yield(Stack{model.RecordID(r), a}) {
				return
			}
		}
	}
}

func (s *Selection) compareStacks(a, b Stack) int {
	return cmp.Or(b.Value.Compare(a.Value), compareIDs(&s.Profile.Records, a.Record, b.Record), cmp.Compare(a.Record, b.Record))
}

func compareIDs(rec *model.StackRecords, a, b model.RecordID) int {
	if rec.IDKind[a] == rec.IDKind[b] && rec.IDKind[a] != model.IDText {
		return cmp.Compare(rec.ID[a], rec.ID[b])
	}
	x, _ := rec.Name(a)
	y, _ := rec.Name(b)
	return strings.Compare(x, y)
}

// Function is one function of one DSO.
type Function struct {
	Function    model.FuncID
	DSO         model.DSOID
	Self, Total model.Amount
}

// Functions lists the functions of the selected stacks by self, then by total, then by name. A function counts once per
// stack in the total, however often it occurs in the stack.
func (s *Selection) Functions(ctx context.Context) ([]Function, error) {
	rows, of := s.functionRows()
	hit := make([]bool, len(rows))
	totaled := false
	if s.deep(ctx) {
		var err error
		if totaled, err = s.treeTotals(ctx, of, len(rows), func(row uint32, sum uint64) {
			hit[row] = true
			rows[row].Total.Add(model.Unsigned(sum))
		}); err != nil {
			return nil, err
		}
	}
	seen := make([]uint32, len(rows)) // by row: the last record counted there, plus one
	st := s.Stacks
	for r := range s.Profile.Records.Len() {
		if r%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		n, ok := s.Weight(model.RecordID(r))
		if !ok {
			continue
		}
		leaf := s.Node(model.RecordID(r))
		if leaf != 0 {
			self, _ := s.Self(model.RecordID(r))
			rows[of[st.Frame[leaf]]].Self.Add(self)
		}
		for node := leaf; node != 0 && !totaled; node = st.Parent[node] {
			row := of[st.Frame[node]]
			if seen[row] != uint32(r)+1 {
				seen[row], hit[row] = uint32(r)+1, true
				rows[row].Total.Add(n)
			}
		}
	}
	out := rows[:0]
	for i := range rows {
		if hit[i] {
			out = append(out, rows[i])
		}
	}
	s.sort(out)
	return out, nil
}

func (s *Selection) sort(rows []Function) {
	slices.SortFunc(rows, func(a, b Function) int {
		return cmp.Or(b.Self.Compare(a.Self), b.Total.Compare(a.Total),
			strings.Compare(s.Stacks.Functions[a.Function], s.Stacks.Functions[b.Function]), cmp.Compare(a.DSO, b.DSO))
	})
}

// functionRows makes a row for every function of every DSO by name, and maps each frame to its row.
func (s *Selection) functionRows() (rows []Function, of []uint32) {
	type key struct {
		f   model.FuncID
		dso model.DSOID // the first one of that name
	}
	at, named := map[key]uint32{}, map[string]model.DSOID{}
	same := make([]model.DSOID, len(s.Profile.DSOs))
	for i := range same {
		name := s.Profile.DSOs[i].Name
		if _, ok := named[name]; !ok {
			named[name] = model.DSOID(i)
		}
		same[i] = named[name]
	}
	of = make([]uint32, len(s.Stacks.FrameFunc))
	for i, f := range s.Stacks.FrameFunc {
		k := key{f, same[s.Profile.FrameDSO[i]]}
		row, ok := at[k]
		if !ok {
			row = uint32(len(rows))
			at[k] = row
			rows = append(rows, Function{Function: f, DSO: s.Profile.FrameDSO[i]})
		}
		of[i] = row
	}
	return rows, of
}

// DefaultEvent returns the first event that has stacks, else 0.
func DefaultEvent(p *model.StackProfile) uint16 {
	best := model.NoEvent
	for _, e := range p.Records.Event {
		if e == p.Shown {
			return e
		}
		best = min(best, e)
	}
	if best == model.NoEvent {
		return 0
	}
	return best
}

// DefaultMetric returns the primary metric of an event, or else the first one that a stack of it has. ok is false if
// there is none.
func DefaultMetric(p *model.StackProfile, event uint16) (m model.MetricID, ok bool) {
	if int(event) < len(p.Events) && p.Events[event].PrimaryName != "" {
		return p.Events[event].Primary, true
	}
	for i, e := range p.Records.Event {
		if e == event {
			for m := range p.Records.Weights.All(i) {
				return m, true
			}
		}
	}
	return 0, false
}

// aliases maps pprof's names of metrics of allocation profiles to ours.
var aliases = map[string]string{
	"live_bytes": "inuse_space", "live_count": "inuse_objects", "alloc_bytes": "alloc_space", "alloc_count": "alloc_objects",
}

// Canonical returns the canonical name of a metric.
func Canonical(name string) string {
	for own, other := range aliases {
		if name == other {
			return own
		}
	}
	return name
}

// Named returns the metric with a name or an alias of it.
func Named(p *model.StackProfile, name string) (model.MetricID, bool) {
	if m, ok := p.Metric(name); ok {
		return m, true
	}
	if other := aliases[name]; other != "" {
		return p.Metric(other)
	}
	if own := Canonical(name); own != name {
		return p.Metric(own)
	}
	return 0, false
}

// SizeMetric returns the metric of the bytes of what another one counts: alloc_bytes for alloc_count, inuse_space for
// inuse_objects.
func SizeMetric(p *model.StackProfile, count model.MetricID) (m model.MetricID, ok bool) {
	name := p.Metrics[count].Name
	if stem, isCount := strings.CutSuffix(name, "_count"); isCount {
		return p.Metric(stem + "_bytes")
	}
	if stem, isObjects := strings.CutSuffix(name, "_objects"); isObjects {
		return p.Metric(stem + "_space")
	}
	return 0, false
}

// CountMetric returns the metric that counts what another one measures: alloc_count for alloc_bytes, else the number of
// times a stack was seen.
func CountMetric(p *model.StackProfile, metric model.MetricID) (m model.MetricID, ok bool) {
	name := p.Metrics[metric].Name
	if strings.HasSuffix(name, "_count") || countsSamples(name) {
		return metric, true
	}
	if stem, isBytes := strings.CutSuffix(name, "_bytes"); isBytes {
		return p.Metric(stem + "_count")
	}
	if stem, isSpace := strings.CutSuffix(name, "_space"); isSpace {
		return p.Metric(stem + "_objects")
	}
	if strings.HasSuffix(name, "_objects") {
		return metric, true
	}
	for _, count := range []string{"samples", "count"} {
		if m, ok := p.Metric(count); ok {
			return m, true
		}
	}
	return 0, false
}
