package spaa

import (
	"github.com/memtui/memtui/model"
)

// stackIDs finds records by what the file calls them. Several may have one id: then they are chained in the file's order.
type stackIDs struct {
	hex, numbers table
	texts        map[string]model.RecordID
	next         map[model.RecordID]model.RecordID
}

func (t *stackIDs) init() {
	t.texts, t.next = map[string]model.RecordID{}, map[model.RecordID]model.RecordID{}
}

// first is the first record of an id.
func (t *stackIDs) first(id identifier) (model.RecordID, bool) {
	switch id.kind {
	case model.IDHex:
		r, ok := t.hex.get(id.value)
		return model.RecordID(r), ok
	case model.IDNumber:
		r, ok := t.numbers.get(id.value)
		return model.RecordID(r), ok
	case model.IDText:
		r, ok := t.texts[string(id.text)]
		return r, ok
	}
	return model.NoRecord, false
}

// find is the record of an id under an event, or else the first of that id.
func (t *stackIDs) find(id identifier, event uint16, events []uint16) (model.RecordID, bool) {
	first, ok := t.first(id)
	if !ok || len(t.next) == 0 || events[first] == event {
		return first, ok
	}
	for r, more := t.next[first]; more; r, more = t.next[r] {
		if events[r] == event {
			return r, true
		}
	}
	return first, true
}

// maxChain is how many records of one id are told apart; more are no file of any writer.
const maxChain = 64

// add enters a record under its id.
func (t *stackIDs) add(id identifier, r model.RecordID) {
	if first, ok := t.first(id); ok {
		for range maxChain {
			n, more := t.next[first]
			if !more {
				t.next[first] = r
				return
			}
			first = n
		}
		return
	}
	switch id.kind {
	case model.IDHex:
		t.hex.put(id.value, uint32(r))
	case model.IDNumber:
		t.numbers.put(id.value, uint32(r))
	case model.IDText:
		t.texts[string(id.text)] = r
	}
}

// lateReferences are those to what had not been read yet.
type lateReferences struct {
	stacks  []lateStack
	samples []lateSample
	windows []lateRow
	related []lateSample // the sample field is not used
}

type lateStack struct {
	record model.RecordID
	ids    []uint64
	line   int64
}

type lateSample struct {
	sample int64 // counted over all chunks
	id     identifier
	at     int64
	line   int64
}

type lateRow struct {
	window, row int
	id          identifier
}

func (b *builder) addStack(o *batch, r *stackRecord) {
	b.p.Counts.Stacks++
	rec, id := &b.p.Records, model.RecordID(b.p.Records.Len())
	ids := o.ids[r.frames.from:r.frames.to]
	leaf, whole := b.tree.insert(&b.dict, ids, b.leafFirst, func(uint64) (model.FrameID, bool) { return 0, false })
	if !whole {
		leaf = 0
		b.late.stacks = append(b.late.stacks, lateStack{id, append([]uint64(nil), ids...), b.line(r.place)})
	}
	event := b.event(o, r.event, r.place)
	b.repeated(r, event, leaf)
	rec.Node, rec.Event = append(rec.Node, leaf), append(rec.Event, event)
	rec.Thread, rec.CPU = append(rec.Thread, b.thread(r.pid, r.tid, r.comm)), append(rec.CPU, r.cpu)
	rec.Offset = append(rec.Offset, b.at(r.place))
	value := r.id.value
	if r.id.kind == model.IDText {
		value = uint64(len(rec.Texts))
		rec.Texts = append(rec.Texts, string(r.id.text))
	}
	rec.ID, rec.IDKind = append(rec.ID, value), append(rec.IDKind, r.id.kind)
	b.ids.add(r.id, id)
	primary := b.addWeights(o, &rec.Weights, r.weights, event)
	b.addWeights(o, &rec.Exclusive, r.exclusive, event)
	if !primary && event != model.NoEvent && b.p.Events[event].PrimaryName != "" {
		b.problem(model.Error, "primary-metric", r.place, "stack %s lacks the primary metric %s", r.id, shortened([]byte(b.p.Events[event].PrimaryName)))
	}
	b.leaf(r, ids)
	if b.strict {
		b.inOrder(r, ids)
		for _, id := range o.related[r.related.from:r.related.to] {
			if _, ok := b.ids.first(id); !ok {
				id.text = append([]byte(nil), id.text...)
				b.late.related = append(b.late.related, lateSample{0, id, b.at(r.place), b.line(r.place)})
			}
		}
	}
}

// addWeights adds a row of weights; primary says that the event's own metric is among them.
func (b *builder) addWeights(o *batch, to *model.WeightTable, s span, event uint16) (primary bool) {
	for _, w := range o.weights[s.from:s.to] {
		m, ok := b.metricOf(o, w.metric)
		if !ok {
			b.found.say(model.Error, "weights", model.NoOffset, 0, "there are more than %d metrics: the others are left out", model.MaxMetrics-1)
			continue
		}
		if !to.Add(m, w.value) {
			b.found.say(model.Error, "weights", model.NoOffset, 0, "there are too many weights: the last ones are left out")
		}
		if event != model.NoEvent && b.p.Events[event].Primary == m {
			primary = true
		}
	}
	to.EndRow()
	return primary
}

// repeated reports an id that stands twice.
func (b *builder) repeated(r *stackRecord, event uint16, leaf model.NodeID) {
	first, ok := b.ids.first(r.id)
	if !ok {
		return
	}
	events := b.p.Records.Event
	found, _ := b.ids.find(r.id, event, events)
	if events[found] == event {
		b.problem(model.Error, "duplicate-id", r.place, "the id %s of a stack stands twice under one event", r.id)
		return
	}
	if b.p.StackIDMode == "content_addressable" && leaf != 0 && b.p.Records.Node[first] != leaf && b.p.Records.Node[first] != 0 {
		b.problem(model.Error, "stack-id", r.place, "the content-addressable id %s stands for two lists of frames", r.id)
		return
	}
	b.problem(model.Warning, "stack-id", r.place, "the id %s of a stack stands twice, under different events; the first is record %d", r.id, first)
}

// leaf holds the frame of exclusive weights against the end of the stack that is its leaf.
func (b *builder) leaf(r *stackRecord, ids []uint64) {
	if !r.hasLeaf || len(ids) == 0 {
		return
	}
	leaf, root := ids[0], ids[len(ids)-1]
	if !b.leafFirst {
		leaf, root = root, leaf
	}
	switch r.leaf {
	case leaf:
	case root:
		b.problem(model.Error, "frame-order", r.place, "exclusive.frame of stack %s is its root by the header's frame_order", r.id)
	default:
		b.problem(model.Error, "exclusive", r.place, "exclusive.frame of stack %s is not its leaf", r.id)
	}
}

func (b *builder) addSample(o *batch, r *sampleRecord) {
	p := b.p
	n := p.Counts.Samples
	p.Counts.Samples++
	if n%model.MaxChunk == 0 {
		p.Samples = append(p.Samples, model.NewSampleChunk(int(min(n, model.MaxChunk))))
	}
	c := &p.Samples[len(p.Samples)-1]
	t := b.time(r.time, b.unit)
	l := &o.labels[r.label]
	event, id := b.event(o, l.event, r.place), o.idOf(r)
	rec, ok := b.ids.find(id, event, p.Records.Event)
	if !ok {
		rec = model.NoRecord
		late := lateSample{n, id, b.at(r.place), b.line(r.place)}
		late.id.text = append([]byte(nil), id.text...)
		b.late.samples = append(b.late.samples, late)
	}
	if p.End != model.NoTime && (t < 0 || t > p.End) && p.End >= 0 {
		b.problem(model.Warning, "time-range", r.place, "samples lie outside the time range")
	}
	c.Add(model.Sample{
		Time: t, Record: rec, SampleLabel: model.SampleLabel{Event: event, CPU: l.cpu, Thread: b.thread(l.pid, l.tid, nil)}, Period: r.period,
	})
}

func (b *builder) addWindow(o *batch, r *windowRecord) {
	p := b.p
	p.Counts.Windows++
	unit := b.unit
	if r.unit != "" {
		var ok bool
		if unit, ok = secondsOf(r.unit); !ok || unit != b.unit {
			b.problem(model.Warning, "window", r.place, "the unit of window %s is not that of the time range", shortened([]byte(r.id)))
		}
	}
	w := model.Window{ID: r.id, Start: b.time(r.start, unit), End: b.time(r.end, unit)}
	for i, row := range r.rows {
		rec, ok := b.ids.first(row.id)
		if !ok {
			rec = model.NoRecord
			row.id.text = append([]byte(nil), row.id.text...)
			b.late.windows = append(b.late.windows, lateRow{len(p.Windows), i, row.id})
		}
		w.Record = append(w.Record, rec)
		b.addWeights(o, &w.Weights, row.weights, model.NoEvent)
	}
	p.Windows = append(p.Windows, w)
}
