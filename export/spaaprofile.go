package export

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
)

// WriteProfileSPAA writes a stack profile of any format as SPAA: all events, metrics, samples and windows. What that
// format cannot represent is left out and reported as [Loss]: labels, curves, times in other units, and figures that do
// not add up.
func WriteProfileSPAA(ctx context.Context, w io.Writer, p *model.Profile) ([]Loss, error) {
	if p.Weights == nil {
		return nil, errors.New("only stack profiles can be written as stack profiles")
	}
	s := &spaaCopy{spaaOut: newSPAAOut(ctx, w, p), w: p.Weights}
	s.prepare()
	return s.write(s.header, s.dsos, s.frames, s.threads, s.records, s.samples, s.windows)
}

// spaaCopy writes one stack profile.
type spaaCopy struct {
	spaaOut
	w *model.StackProfile

	left    []bool           // by metric: it is not written
	primary []model.MetricID // by event
	timed   bool             // samples and windows are written
	zero    model.Time       // what times are counted from

	frameless bool // a record has no frames
}

// prepare selects what is written, and records what is not.
func (s *spaaCopy) prepare() {
	w := s.w
	s.left = make([]bool, len(w.Metrics))
	for m := range w.Metrics {
		if metric := &w.Metrics[m]; metric.NoSum() && metric.Name != "peak_bytes" {
			s.left[m] = true
			s.lost.add(metric.Name + " is not written: its values do not add up, which SPAA cannot express")
		}
	}
	moments := len(w.Samples) > 0 || len(w.Windows) > 0
	s.timed = moments && w.AxisUnit == ""
	if moments && !s.timed {
		s.lost.add("samples and windows are not written: their positions are in " + w.AxisUnit + ", and SPAA has only times")
	}
	if s.p.Timeline != nil {
		s.lost.add("curves are not written")
	}
	if w.Records.Labels != nil {
		s.lost.add("labels of stacks are not written")
	}
	switch start := s.p.Meta.Start; {
	case s.p.Meta.HasStart && start < 1<<52:
		s.zero = model.Time(start)
	case w.StartSeconds > 0 && w.StartSeconds < 1<<32:
		s.zero = model.Time(w.StartSeconds * 1e6)
	}
	s.frameless = slices.Contains(w.Records.Node, 0)
	s.choosePrimaries()
}

// choosePrimaries selects the metric of each event that all of its stacks will state.
func (s *spaaCopy) choosePrimaries() {
	s.primary = make([]model.MetricID, len(s.w.Events))
	totals := weights.Totals(s.w)
	for e := range s.w.Events {
		event := &s.w.Events[e]
		if event.PrimaryName != "" && !s.left[event.Primary] {
			s.primary[e] = event.Primary
			continue
		}
		s.primary[e] = model.MetricID(slices.Index(s.left, false))
		for _, sum := range totals[e].Sums {
			if !s.left[sum.Metric] {
				s.primary[e] = sum.Metric
				break
			}
		}
	}
}

func (s *spaaCopy) header() error {
	w := s.w
	h := spaaHeader{
		IDMode: "local", Source: &spaaSource{w.SourceTool, w.Command, w.ToolVersion}, Events: []spaaEvent{},
	}
	for e := range w.Events {
		h.Events = append(h.Events, s.event(e))
	}
	if slices.Contains(w.Records.Event, model.NoEvent) {
		s.lost.add("stacks of no event are written under " + spaaUnknown)
		h.Events = append(h.Events, spaaEvent{Name: spaaUnknown, Kind: "software",
			Sampling: spaaSampling{Mode: "event", Primary: s.metricName(s.primaryOf(model.NoEvent))}})
	}
	if s.timed || w.AxisUnit == "" && w.Start >= 0 && w.End >= w.Start {
		first, last := weights.Span(w)
		first, last = min(first, max(w.Start, 0)), max(last, w.End)
		h.TimeRange = &spaaRange{seconds(s.zero + first), seconds(s.zero + max(last, first)), spaaUnit}
	}
	return s.head(h)
}

// event describes an event in the terms of SPAA.
func (s *spaaCopy) event(e int) spaaEvent {
	event, metric := &s.w.Events[e], s.primaryOf(uint16(e))
	out := spaaEvent{Name: event.Name, Kind: event.Kind,
		Sampling: spaaSampling{Primary: s.metricName(metric), Period: event.SamplePeriod, Frequency: event.FrequencyHz}}
	if !slices.Contains([]string{"hardware", "software", "allocation", "deallocation", "timer", "probe"}, event.Kind) {
		out.Kind = s.kindBy(metric)
	}
	switch {
	case event.FrequencyHz > 0:
		out.Sampling.Mode = "frequency"
	case event.SamplePeriod > 0:
		out.Sampling.Mode = "period"
	default:
		out.Sampling.Mode = "event"
	}
	if out.Kind == "allocation" {
		out.Tracking = &spaaTracking{event.TracksFrees, event.HasTimestamps}
	}
	return out
}

// kindBy returns the kind of an event that is measured in a metric.
func (s *spaaCopy) kindBy(m model.MetricID) string {
	if int(m) >= len(s.w.Metrics) {
		return "software"
	}
	switch measure := s.w.Metrics[m].Measure(); {
	case measure.Bytes:
		return "allocation"
	case measure.Tick > 0:
		return "timer"
	}
	return "software"
}

// primaryOf returns the metric that every stack of an event states.
func (s *spaaCopy) primaryOf(event uint16) model.MetricID {
	if int(event) < len(s.primary) {
		return s.primary[event]
	}
	return model.MetricID(slices.Index(s.left, false))
}

func (s *spaaCopy) metricName(m model.MetricID) string {
	if int(m) >= len(s.w.Metrics) {
		return "weight"
	}
	return s.w.Metrics[m].Name
}

func (s *spaaCopy) dsos() error {
	for i, d := range s.w.DSOs {
		if i == 0 {
			if !s.frameless && !slices.Contains(s.w.FrameDSO[1:], 0) {
				continue
			}
			d.Name = spaaUnknown
		}
		if err := s.encode(spaaDSO{Type: "dso", ID: uint32(i), Name: s.lost.text(d.Name),
			BuildID: s.lost.text(d.BuildID), Kernel: d.Kernel}); err != nil {
			return err
		}
	}
	return nil
}

// frames writes the dictionary. Frame 0 represents stacks without frames.
func (s *spaaCopy) frames() error {
	for i := range s.stacks.FrameFunc {
		if i == 0 && !s.frameless {
			continue
		}
		f := model.FrameID(i)
		r := spaaFrame{Type: "frame", ID: uint32(i), Kind: s.w.FrameKind[f].String(), DSO: uint32(s.w.FrameDSO[f])}
		r.Function = s.lost.text(s.stacks.At(f).Function)
		r.Resolved = s.w.FrameFlags[f]&model.FrameUnresolved == 0 || i == 0
		r.Inlined = s.w.FrameFlags[f]&model.FrameInlined != 0
		if i == 0 {
			r.Function = spaaNoStack
		}
		if source := s.lost.text(s.w.Source(s.stacks, f)); source != "" {
			r.Source = &source
		}
		if err := s.encode(r); err != nil {
			return err
		}
	}
	return nil
}

// threads writes the threads whose process and thread numbers are known; the records have what is known of others.
func (s *spaaCopy) threads() error {
	seen := map[int64]bool{}
	for _, t := range s.w.Threads {
		if t.PID < 0 || t.TID < 0 || seen[t.TID] {
			continue
		}
		seen[t.TID] = true
		if err := s.encode(spaaThread{"thread", t.PID, t.TID, s.lost.text(t.Comm)}); err != nil {
			return err
		}
	}
	return nil
}

// place returns what is known about the origin of a record.
func (s *spaaCopy) place(thread model.ThreadID, cpu uint16) (p spaaPlace) {
	t := &s.w.Threads[thread]
	if t.PID >= 0 {
		p.PID = &t.PID
	}
	if t.TID >= 0 {
		p.TID = &t.TID
	}
	if cpu != model.NoCPU {
		p.CPU = &cpu
	}
	return p
}

// recordID returns the id under which a record is written.
func recordID(r model.RecordID) string { return fmt.Sprintf("0x%016x", uint32(r)) }

func (s *spaaCopy) records() error {
	r := &s.w.Records
	for i := range r.Len() {
		id := model.RecordID(i)
		out := spaaStack{
			Type: "stack", ID: recordID(id), Frames: s.frameIDs(r.Node[i]), StackType: "unified",
			Context: spaaContext{Event: spaaUnknown, spaaPlace: s.place(r.Thread[i], r.CPU[i]),
				Comm: s.lost.text(s.w.Threads[r.Thread[i]].Comm)},
			Weights: s.weigh(&r.Weights, i),
		}
		if e := r.Event[i]; e != model.NoEvent {
			out.Context.Event = s.lost.text(s.w.Events[e].Name)
		}
		main := s.metricName(s.primaryOf(r.Event[i]))
		if !slices.ContainsFunc(out.Weights, func(w spaaWeight) bool { return w.Metric == main }) {
			s.lost.add("a stack without " + main + " is written with 0 of it")
			out.Weights = append(out.Weights, spaaCount(main, 0))
		}
		out.Exclusive = &spaaExclusive{out.Frames[0], out.Weights}
		if r.Exclusive.Rows() > i {
			if own := s.weigh(&r.Exclusive, i); len(own) > 0 {
				out.Exclusive.Weights = own
			}
		}
		if err := s.encode(out); err != nil {
			return err
		}
	}
	return nil
}

// weigh returns a row of weights in the form to write.
func (s *spaaCopy) weigh(t *model.WeightTable, row int) []spaaWeight {
	out := []spaaWeight{}
	for m, n := range t.All(row) {
		if !s.left[m] {
			metric := &s.w.Metrics[m]
			out = append(out, spaaWeight{s.lost.text(metric.Name), json.Number(decimal(amount(n))), s.lost.text(metric.Unit)})
		}
	}
	return out
}

func (s *spaaCopy) samples() error {
	if !s.timed {
		return nil
	}
	for i := range s.w.Samples {
		c := &s.w.Samples[i]
		for k := range c.Len() {
			sample := c.At(k)
			if sample.Record == model.NoRecord {
				s.lost.add("a sample of an unknown stack is left out")
				continue
			}
			event := spaaUnknown
			if sample.Event != model.NoEvent {
				event = s.lost.text(s.w.Events[sample.Event].Name)
			}
			err := s.encode(spaaSample{
				Type: "sample", Time: seconds(s.zero + sample.Time), spaaPlace: s.place(sample.Thread, sample.CPU), Event: event,
				Period: json.Number(formatFloat(sample.Period)), StackID: recordID(sample.Record),
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *spaaCopy) windows() error {
	if !s.timed {
		return nil
	}
	for i := range s.w.Windows {
		win := &s.w.Windows[i]
		out := spaaWindow{"window", s.lost.text(win.ID), seconds(s.zero + win.Start), seconds(s.zero + win.End),
			spaaUnit, []spaaWindowRow{}}
		for row, r := range win.Record {
			if r == model.NoRecord {
				s.lost.add("a row of a window whose stack is unknown is left out")
				continue
			}
			out.Rows = append(out.Rows, spaaWindowRow{recordID(r), s.weigh(&win.Weights, row)})
		}
		if err := s.encode(out); err != nil {
			return err
		}
	}
	return nil
}
