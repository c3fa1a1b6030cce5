package spaa

import (
	"github.com/memtui/memtui/model"
)

// lateReferences are forward references.
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
	at, line    int64
}

// addStacks adds the stacks of a block.
func (b *builder) addStacks(k *block) {
	o := &k.out
	b.tree.rest(len(o.stacks))
	if len(o.stacks) == 0 {
		return
	}
	b.reserve(k)
	b.tree.reset()
	b.stacks = b.stacks[:0]
	for i := range o.stacks {
		r := &o.stacks[i]
		of, ok := b.tree.resolve(&b.dict, o.ids[r.frames.from:r.frames.to], b.leafFirst,
			func(uint64) (model.FrameID, bool) { return 0, false })
		if !ok {
			of = span{1, 0}
		}
		b.stacks = append(b.stacks, of)
	}
	b.tree.fetch(b.stacks)
	b.ids.fetch(o.stacks)
	for i, of := range b.stacks {
		b.addStack(o, &o.stacks[i], of)
	}
}

// addStack adds a stack whose frames were resolved; of ends before it starts if they were not.
func (b *builder) addStack(o *batch, r *stackRecord, of span) {
	b.p.Counts.Stacks++
	rec, id := &b.p.Records, model.RecordID(b.p.Records.Len())
	ids := o.ids[r.frames.from:r.frames.to]
	leaf := model.NodeID(0)
	if of.from <= of.to {
		leaf = b.tree.insert(of)
	} else {
		b.late.stacks = append(b.late.stacks, lateStack{id, append([]uint64(nil), ids...), b.line(r.place)})
	}
	event := b.event(o, r.event, r.place)
	first, known := b.ids.first(r.id)
	if known {
		b.repeated(r, first, event, leaf)
	}
	rec.Node, rec.Event = append(rec.Node, leaf), append(rec.Event, event)
	rec.Thread, rec.CPU = append(rec.Thread, b.thread(r.pid, r.tid, r.comm, r.place)), append(rec.CPU, r.cpu)
	rec.Offset = append(rec.Offset, b.at(r.place))
	value := r.id.value
	if r.id.kind == model.IDText {
		value = uint64(len(rec.Texts))
		rec.Texts = append(rec.Texts, string(r.id.text))
	}
	rec.ID, rec.IDKind = append(rec.ID, value), append(rec.IDKind, r.id.kind)
	b.ids.add(r.id, id, first)
	primary, zero := b.addWeights(o, &rec.Weights, r.weights, event)
	if zero && b.strict {
		b.problem(model.Warning, "suspicious-weight", r.place, "the primary metric of stack %s is 0", r.id)
	}
	b.addWeights(o, &rec.Exclusive, r.exclusive, event)
	if !primary && event != model.NoEvent && b.p.Events[event].PrimaryName != "" {
		b.problem(model.Error, "primary-metric", r.place, "stack %s lacks the primary metric %s", r.id,
			shortened([]byte(b.p.Events[event].PrimaryName)))
	}
	b.leaf(r, ids)
	if b.strict {
		if len(o.frames) > 0 || b.order.deep {
			b.inOrder(r, ids)
		}
		for _, id := range o.related[r.related.from:r.related.to] {
			if _, ok := b.ids.first(id); !ok {
				id.text = append([]byte(nil), id.text...)
				b.late.related = append(b.late.related, lateSample{0, id, b.at(r.place), b.line(r.place)})
			}
		}
	}
}

// addWeights adds a row of weights; primary reports that the event's own metric is among them, and zero that it is 0.
func (b *builder) addWeights(o *batch, to *model.WeightTable, s span, event uint16) (primary, zero bool) {
	for _, w := range o.weights[s.from:s.to] {
		m, ok := b.metricOf(o, w.metric)
		if !ok {
			continue
		}
		if !to.Add(m, w.value) {
			b.problem(model.Error, "too-large", place{},
				"the limit of 4 GiB of weights is reached: the others were left out; it cannot be raised")
		}
		if event != model.NoEvent && b.p.Events[event].Primary == m {
			primary = true
			zero = zero || w.value.Float64() == 0
		}
	}
	to.EndRow()
	return primary, zero
}

// repeated reports an id that occurs twice.
func (b *builder) repeated(r *stackRecord, first model.RecordID, event uint16, leaf model.NodeID) {
	events := b.p.Records.Event
	found, _ := b.ids.find(r.id, event)
	if events[found] == event {
		b.problem(model.Error, "duplicate-id", r.place, "the id %s of a stack is used twice under one event", r.id)
		return
	}
	if b.p.StackIDMode == "content_addressable" && leaf != 0 && b.p.Records.Node[first] != leaf && b.p.Records.Node[first] != 0 {
		b.problem(model.Warning, "stack-id", r.place, "the content-addressable id %s identifies two different lists of frames", r.id)
		return
	}
	b.problem(model.Warning, "stack-id", r.place, "the id %s of a stack is used twice, under different events; the first is record %d", r.id, first)
}

// leaf checks the frame of exclusive weights against the leaf end of the stack.
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
	if p.End != model.NoTime && p.End >= 0 && (w.End < 0 || w.Start > p.End) {
		b.problem(model.Warning, "time-range", r.place, "windows are outside the time range")
	}
	for i, row := range r.rows {
		rec, ok := b.ids.first(row.id)
		if !ok {
			rec = model.NoRecord
			row.id.text = append([]byte(nil), row.id.text...)
			b.late.windows = append(b.late.windows, lateRow{len(p.Windows), i, row.id, b.at(r.place), b.line(r.place)})
		}
		w.Record = append(w.Record, rec)
		b.addWeights(o, &w.Weights, row.weights, model.NoEvent)
	}
	p.Windows = append(p.Windows, w)
}
