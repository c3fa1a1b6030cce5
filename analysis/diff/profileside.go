package diff

import (
	"context"
	"fmt"
	"regexp"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
)

// ProfileQuestion describes one side of a comparison of profiles of stacks.
type ProfileQuestion struct {
	Group    StackGroup // any except those of traces
	Label    string     // the key for groupLabel
	Event    uint16
	Metric   model.MetricID
	Window   int  // by index, negative for none
	Ranged   bool // only the samples between From and To
	From, To model.Time
	Filter   calltree.Filter

	Libraries *regexp.Regexp // functions and files that own no memory, in addition to the built-in ones; may be nil
}

// ProfileSide returns one side of a comparison of profiles of stacks. It fails with a [*QuestionError].
func ProfileSide(ctx context.Context, p *model.Profile, filter FilterStacks, q ProfileQuestion) (*Side, error) {
	w := p.Weights
	if m := &w.Metrics[q.Metric]; m.NoSum() && q.Group != GroupStack {
		why := "belong to single stacks"
		if m.Name == "peak_bytes" {
			why = "are reached at different times"
		}
		return nil, &QuestionError{"group", fmt.Sprintf("%s of stacks %s and do not add up", m.Name, why)}
	}
	weighed, ok, err := q.weigh(ctx, p, q.Metric)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &QuestionError{"by", fmt.Sprintf("samples do not record %s, only the event's primary metric and counts", w.Metrics[q.Metric].Name)}
	}
	var view *calltree.FilteredStacks
	if q.Filter != "" && p.Stacks != nil {
		if view, err = filter(ctx, p.Stacks, q.Filter, calltree.FullStacks); err != nil {
			return nil, err
		}
	}
	var counts *weights.Selection
	if m, has := weights.CountMetric(w, q.Metric); has {
		if counts, ok, err = q.weigh(ctx, p, m); err != nil {
			return nil, err
		}
		if ok {
			counts = counts.Filter(view)
		}
	}
	side, err := profileRows(ctx, weighed.Filter(view), counts, q)
	if err != nil {
		return nil, err
	}
	if err := q.estimate(ctx, p, view, side, counts != nil); err != nil {
		return nil, err
	}
	side.Bases, err = q.bases(ctx, p)
	return side, err
}

// estimate states how the figures of a side are estimated. The error of a number of blocks depends on their sizes.
func (q *ProfileQuestion) estimate(ctx context.Context, p *model.Profile, view *calltree.FilteredStacks, side *Side, counted bool) error {
	w := p.Weights
	if side.Estimated = w.Estimates(q.Event, q.Metric); !side.Estimated || !counted {
		return nil
	}
	if side.Drawn = q.drawn(w); side.Drawn == nil || !side.Drawn.blocks {
		return nil
	}
	m, _ := weights.SizeMetric(w, q.Metric)
	sizes, ok, err := q.weigh(ctx, p, m)
	if err != nil || !ok {
		side.Drawn = nil
		return err
	}
	sizes = sizes.Filter(view)
	for r := range side.Rows { // which are aligned to the records
		n, _ := sizes.Weight(model.RecordID(r))
		side.Rows[r].sizes = wholeNumber(n)
	}
	return nil
}

// drawn returns how figures in bytes are estimated: profiles have counts scaled as well, unless they count samples. It
// returns nil if that is unknown.
func (q *ProfileQuestion) drawn(w *model.StackProfile) *Drawn {
	period, ok := w.Events[q.Event].BytePeriod()
	count, _ := weights.CountMetric(w, q.Metric)
	_, sized := weights.SizeMetric(w, q.Metric)
	switch {
	case ok && sized && count == q.Metric && q.Group == GroupStack: // the error depends on sizes, which groups mix
		return &Drawn{by: model.Sampling{Period: period}, scaled: true, blocks: true}
	case !ok || count == q.Metric || !w.Metrics[q.Metric].Measure().Bytes:
		return nil
	}
	return &Drawn{by: model.Sampling{Period: period}, scaled: w.Metrics[count].Name != "samples"}
}

// weigh selects records by a metric: all, in a window, or by the samples of a range. ok is false if those do not record
// it.
func (q *ProfileQuestion) weigh(ctx context.Context, p *model.Profile, metric model.MetricID) (s *weights.Selection, ok bool, err error) {
	switch {
	case q.Window >= 0:
		return weights.SelectWindows(p, q.Event, metric, q.Window), true, nil
	case q.Ranged:
		return weights.SelectSamples(ctx, p, q.Event, metric, q.From, q.To)
	}
	return weights.SelectProfile(p, q.Event, metric), true, nil
}

// profileRows returns the rows of a profile in one grouping; counts may be nil.
func profileRows(ctx context.Context, weighed, counts *weights.Selection, q ProfileQuestion) (*Side, error) {
	group := q.Group
	if by, ok := group.ofProfiles(weighed.Profile, q.Label); ok {
		selections := []*weights.Selection{weighed}
		if counts != nil {
			selections = append(selections, counts)
		}
		rows, err := weights.Table(ctx, by, q.Libraries, selections...)
		return profileRowsSide(rows, selections), err
	}
	side := stacksSide(weighed, counts)
	switch group {
	case groupLabel:
		return nil, &QuestionError{"group", fmt.Sprintf("no stack has the label %q", q.Label)}
	case GroupStack:
	case GroupFunction, GroupTotal, GroupOwner, GroupFile, GroupModule:
		side = groupSide(side, group, q.Libraries)
	default:
		return nil, &QuestionError{"group", "a stack profile cannot be grouped by " + group.String()}
	}
	return side, nil
}

// bases returns the figures by which those of the side can be divided.
func (q *ProfileQuestion) bases(ctx context.Context, p *model.Profile) (Bases, error) {
	w, out := p.Weights, NoBases
	first, last := weights.SampleSpan(w)
	switch {
	case q.Window >= 0:
		out.duration = w.Windows[q.Window].End - w.Windows[q.Window].Start
	case q.Ranged:
		out.duration = max(q.To-q.From, 0)
	case w.End > w.Start:
		out.duration = w.End - w.Start
	case last > first:
		out.duration = last - first
	}
	if m, ok := w.Metric("alloc_count"); ok {
		s, ok, err := q.weigh(ctx, p, m)
		if err != nil {
			return out, err
		}
		if ok {
			total := s.Total()
			out.allocations = int64(min(total.Uint64(), 1<<62))
		}
	}
	return out, nil
}

// Unlist marks rows with weight 0 as absent: the other side is a trace, which does not list them.
func (s *Side) Unlist() {
	for i := range s.Rows {
		s.Rows[i].Listed = false
	}
}

// stacksSide returns a side of the records of a profile of stacks, with rows aligned to the records. counts may be nil.
// Stacks of the selection are present even if their weight is 0.
func stacksSide(sel, counts *weights.Selection) *Side {
	rec := &sel.Profile.Records
	out := &Side{Stacks: sel.Stacks, Rows: make([]SideRow, rec.Len()), Bases: NoBases}
	out.Total = selectionSum(sel, counts)
	for r := range out.Rows {
		row := &out.Rows[r]
		value, ok := sel.Weight(model.RecordID(r))
		if row.Node = sel.Node(model.RecordID(r)); row.Node == 0 {
			row.Key = calltree.NoFunction
		}
		if row.Listed = ok; !ok {
			continue
		}
		row.Bytes = wholeNumber(value)
		if counts != nil {
			n, _ := counts.Weight(model.RecordID(r))
			row.Count = wholeNumber(n)
		}
	}
	return out
}

// selectionSum returns the total of all records, as exact as in the file; counts may be nil. It returns nil if sums are
// meaningless.
func selectionSum(sel, counts *weights.Selection) *SideSum {
	if sel.Profile.Metrics[sel.Metric].NoSum() {
		return nil
	}
	bytes, count := sel.Total(), model.Amount{}
	if counts != nil {
		count = counts.Total()
	}
	return &SideSum{bytes.Uint64(), count.Uint64()}
}

func wholeNumber(n model.Number) uint64 {
	var a model.Amount
	a.Add(n)
	return a.Uint64()
}

// profileRowsSide returns a side with the rows of a table of a profile, in the table's order. The first selection has
// weights, and the second one, if present, counts. The total of the side is that of its records, regardless of the part
// of them that the table shows.
func profileRowsSide(rows []weights.Row, selections []*weights.Selection) *Side {
	out := &Side{Rows: make([]SideRow, len(rows)), Bases: NoBases}
	var counts *weights.Selection
	if len(selections) > 1 {
		counts = selections[1]
	}
	out.Total = selectionSum(selections[0], counts)
	for i := range rows {
		out.Rows[i] = SideRow{Key: rows[i].Name, Bytes: rows[i].Weights[0].Self.Uint64()}
		if counts != nil {
			out.Rows[i].Count = rows[i].Weights[1].Self.Uint64()
		}
	}
	return out
}
