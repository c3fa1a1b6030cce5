package spaa

import (
	"math"
	"slices"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// builder builds the model's tables from batches, in the file's order. Only one goroutine may use it.
type builder struct {
	src    *loaders.Source
	strict bool
	found  findings
	lost   int64
	lines  int64 // before the current block
	offset int64 // of the current block

	header    *header
	unit      float64 // seconds
	start     float64 // the file's clock at Time 0, in its unit
	started   bool
	leafFirst bool

	p    *model.StackProfile
	s    *model.Stacks
	tree tree
	dict dictionaries
	ids  stackIDs
	late lateReferences

	samples sampleTable
	stacks  []span // of the block, resolved

	events  [][]uint16 // by worker and name: the event plus one, 0 while unknown
	metrics [][]uint16 // the same of metrics
	eventOf map[string]uint16
	metric  map[string]model.MetricID
	threads threadTable

	order orders // for validation
}

func newBuilder(src *loaders.Source, strict bool) *builder {
	b := &builder{
		src: src, strict: strict, unit: 1, leafFirst: true, s: model.NewStacks(),
		p: &model.StackProfile{
			DSOs: []model.DSO{{}}, Threads: []model.ProfileThread{{PID: -1, TID: -1}}, Start: model.NoTime, End: model.NoTime,
			FrameDSO: []model.DSOID{0}, FrameKind: []model.FrameKind{0}, FrameFlags: []model.FrameFlags{0}, FrameColumn: []uint32{0},
			Lines: &lineReader{src},
		},
		eventOf: map[string]uint16{}, metric: map[string]model.MetricID{},
	}
	b.tree.init(b.s)
	b.dict.init()
	b.ids.init(&b.p.Records)
	b.order.init()
	return b
}

// free frees memory that only building needs. The builder must not be used afterwards.
func (b *builder) free() {
	b.tree.nodes.free()
	b.ids.ids.free()
	b.dict.frames.free()
	b.dict.funcs.at.free()
	b.dict.files.at.free()
}

// merge adds one block. It fails if the block does not fit the budget.
func (b *builder) merge(k *block) error {
	if k.skip > 0 && !b.order.begun {
		b.order.begun, b.order.passed = true, true
	}
	if b.src.Budget().Full(model.BudgetOfFile) {
		return b.src.Budget().Error("what follows")
	}
	o := &k.out
	b.offset = k.offset
	b.lost += o.lost
	b.grow(o)
	for _, i := range o.issues {
		b.found.add(model.Problem{
			Severity: i.severity, Code: i.rule, Message: i.message, Count: i.count, Offset: b.at(i.place), Line: b.line(i.place),
		})
	}
	b.first(o)
	for i := range o.headers {
		b.addHeader(&o.headers[i])
	}
	for i := range o.dsos {
		b.addDSO(&o.dsos[i])
	}
	for i := range o.frames {
		b.addFrame(&o.frames[i])
	}
	for i := range o.threads {
		b.addThread(&o.threads[i])
	}
	for _, u := range o.units {
		if m, ok := b.metricOf(o, u.metric); ok && b.p.Metrics[m].Unit == "" {
			b.p.Metrics[m].Unit = u.unit
		}
	}
	b.addStacks(k)
	b.addSamples(o)
	for i := range o.windows {
		b.addWindow(o, &o.windows[i])
	}
	b.lines += o.lines
	return nil
}

// reserve reserves capacity for the stacks of a block. Columns that must move get what the complete file would need if
// it continued like that: unused parts of large ones take no memory, but moving them often would take it twice.
func (b *builder) reserve(k *block) {
	n := len(k.out.stacks)
	factor := 2.0
	if size := b.src.Size(); size > 0 && b.src.Budget() == nil {
		factor = min(max(float64(size)/float64(k.offset+int64(len(k.data))), 1.25), 32)
	}
	rec, s := &b.p.Records, b.s
	rec.Node, rec.Event, rec.Thread = model.Grow(rec.Node, n, factor), model.Grow(rec.Event, n, factor), model.Grow(rec.Thread, n, factor)
	rec.CPU, rec.Offset = model.Grow(rec.CPU, n, factor), model.Grow(rec.Offset, n, factor)
	rec.ID, rec.IDKind = model.Grow(rec.ID, n, factor), model.Grow(rec.IDKind, n, factor)
	rec.Weights.Grow(n, len(k.out.weights), factor)
	rec.Exclusive.Grow(n, len(k.out.weights), factor)
	nodes := len(k.out.ids)
	s.Parent, s.Frame, s.Depth = model.Grow(s.Parent, nodes, factor), model.Grow(s.Frame, nodes, factor), model.Grow(s.Depth, nodes, factor)
}

func (b *builder) at(p place) int64   { return b.offset + int64(p.at) }
func (b *builder) line(p place) int64 { return b.lines + int64(p.line) + 1 }

func (b *builder) problem(severity model.Severity, rule string, p place, format string, args ...any) {
	b.found.record(severity, rule, b.at(p), b.line(p), format, args...)
}

// first checks that the file's first record is the header.
func (b *builder) first(o *batch) {
	if b.order.begun || !o.seen {
		return
	}
	b.order.begun = true
	if o.kind != typeHeader {
		b.problem(model.Error, "header", o.first, "the first record is not a header")
	}
	if b.line(o.first) > 1 && b.strict {
		b.problem(model.Warning, "header", o.first, "the header is not on line 1")
	}
}

// grow grows the tables for the names of a worker.
func (b *builder) grow(o *batch) {
	for len(b.events) <= o.worker {
		b.events, b.metrics = append(b.events, nil), append(b.metrics, nil)
	}
	if n := len(o.names) - len(b.events[o.worker]); n > 0 {
		b.events[o.worker] = append(b.events[o.worker], make([]uint16, n)...)
		b.metrics[o.worker] = append(b.metrics[o.worker], make([]uint16, n)...)
	}
}

// event returns the number of an event of a record; one that no header declares is added.
func (b *builder) event(o *batch, name uint32, p place) uint16 {
	if name == noName {
		return model.NoEvent
	}
	slot := &b.events[o.worker][name]
	if *slot == 0 {
		*slot = b.eventNamed(o.names[name]) + 1
	}
	e := *slot - 1
	if e != model.NoEvent && !b.p.Events[e].Declared && !(b.header != nil && b.header.limited) {
		b.problem(model.Error, "event", p, "the event %s is not declared in the header", shortened([]byte(o.names[name])))
	}
	return e
}

func (b *builder) eventNamed(name string) uint16 {
	e, ok := b.eventOf[name]
	if !ok {
		if len(b.p.Events) >= int(model.NoEvent)-1 {
			b.found.record(model.Error, "event-limit", b.offset, b.lines+1,
				"there are more events than the limit of %d: records of the others have none; it cannot be raised", int(model.NoEvent)-1)
			return model.NoEvent
		}
		e = uint16(len(b.p.Events))
		b.eventOf[name] = e
		b.p.Events = append(b.p.Events, model.ProfileEvent{Name: name})
	}
	return e
}

func (b *builder) metricOf(o *batch, name uint32) (m model.MetricID, ok bool) {
	slot := &b.metrics[o.worker][name]
	if *slot == 0 {
		m, ok := b.metricNamed(o.names[name])
		if !ok {
			return 0, false
		}
		*slot = uint16(m) + 1
	}
	return model.MetricID(*slot - 1), true
}

func (b *builder) metricNamed(name string) (m model.MetricID, ok bool) {
	m, ok = b.metric[name]
	if !ok {
		if len(b.p.Metrics) >= model.MaxMetrics-1 {
			b.found.record(model.Error, "metric-limit", b.offset, b.lines+1,
				"there are more metrics than the limit of %d: weights of the others were left out; it cannot be raised", model.MaxMetrics-1)
			return 0, false
		}
		m = model.MetricID(len(b.p.Metrics))
		b.metric[name] = m
		b.p.Metrics = append(b.p.Metrics, model.ProfileMetric{Name: name})
	}
	return m, true
}

func (b *builder) addHeader(r *headerRecord) {
	if b.header != nil {
		b.problem(model.Error, "header", r.place, "there is a second header")
		return
	}
	h := r.header
	b.header = &h
	b.p.SourceTool, b.p.Command, b.p.ToolVersion, b.p.FrameOrder, b.p.StackIDMode = h.tool, h.command, h.toolVersion, h.order, h.idMode
	b.leafFirst = h.order != "root_to_leaf"
	b.s.LeafFirst = b.leafFirst
	b.unit, _ = secondsOf(h.unit)
	for _, ev := range h.events {
		e := b.eventNamed(ev.Name)
		if ev.PrimaryName != "" {
			var ok bool
			if ev.Primary, ok = b.metricNamed(ev.PrimaryName); !ok {
				ev.PrimaryName = ""
			}
		}
		if e != model.NoEvent {
			b.p.Events[e] = ev
		}
	}
	if h.hasRange {
		b.begin(h.start)
		b.p.Start, b.p.End = 0, b.time(h.end, b.unit)
	}
}

// begin sets the zero of all times, once.
func (b *builder) begin(start float64) {
	if !b.started {
		b.started, b.start = true, start
		b.p.StartSeconds = start * b.unit
	}
}

// time returns a moment of the file's clock, in seconds times unit.
func (b *builder) time(t, unit float64) model.Time {
	if unit != b.unit {
		t = t * unit / b.unit
	}
	b.begin(t)
	us := math.Round((t - b.start) * b.unit * 1e6)
	if math.Abs(us) >= math.MaxInt64 {
		return model.MaxTime
	}
	return model.Time(us)
}

// publishEvery is the interval of publishing.
const publishEvery = 250 * time.Millisecond

// profile returns what was read so far, or everything; it will not change.
func (b *builder) profile(meta model.Meta, complete bool) *model.Profile {
	p, s := *b.p, *b.s
	p.Samples, b.samples.shared = slices.Clone(p.Samples), true
	p.Windows = append([]model.Window(nil), p.Windows...)
	p.Events = append([]model.ProfileEvent(nil), p.Events...)
	p.Metrics = append([]model.ProfileMetric(nil), p.Metrics...)
	p.Threads = append([]model.ProfileThread(nil), p.Threads...)
	s.DSOs, s.FrameDSO = p.DSOs, p.FrameDSO
	return &model.Profile{Meta: meta, Stacks: &s, Weights: &p, Problems: b.found.list(), Lost: b.lost, Complete: complete}
}
