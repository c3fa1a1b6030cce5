package spaa

import (
	"slices"

	"github.com/memtui/memtui/model"
)

// sampleTable adds samples to chunks.
type sampleTable struct {
	records []model.RecordID // of the block, NoRecord if it is not known at once
	known   []labelState     // by label of the block
	labels  map[model.SampleLabel]uint16
	shared  bool // the current chunk has been published
}

// labelState is the state of a block's label in the current chunk.
type labelState struct {
	known      bool
	undeclared bool // its event is in no header
	event      uint16
	label      uint16
}

func (b *builder) addSamples(o *batch) {
	if len(o.samples) == 0 {
		return
	}
	t := &b.samples
	t.records = slices.Grow(t.records[:0], len(o.samples))[:len(o.samples)]
	b.ids.look(o.samples, t.records)
	t.known = slices.Grow(t.known[:0], len(o.labels))[:len(o.labels)]
	clear(t.known)
	for i := range o.samples {
		b.addSample(o, &o.samples[i], t.records[i])
	}
}

// chunk returns the chunk that gets the next sample.
func (b *builder) chunk() *model.SampleChunk {
	p, t := b.p, &b.samples
	if n := p.Counts.Samples; n%model.MaxChunk == 0 {
		next := model.SampleChunk{}
		if n > 0 {
			next = p.Samples[len(p.Samples)-1].Seal()
		}
		if t.shared {
			next = model.NewSampleChunk(model.MaxChunk)
		}
		t.shared = false
		p.Samples = append(p.Samples, next)
		t.labels = map[model.SampleLabel]uint16{}
		clear(t.known)
	}
	return &p.Samples[len(p.Samples)-1]
}

func (b *builder) addSample(o *batch, r *sampleRecord, rec model.RecordID) {
	p, c := b.p, b.chunk()
	s := &b.samples.known[r.label]
	if !s.known || s.undeclared {
		b.addLabel(c, o, r, s)
	}
	if rec == model.NoRecord {
		id, ok := o.idOf(r), false
		if rec, ok = b.ids.find(id, s.event); !ok {
			rec = model.NoRecord
			late := lateSample{p.Counts.Samples, id, b.at(r.place), b.line(r.place)}
			late.id.text = slices.Clone(id.text)
			b.late.samples = append(b.late.samples, late)
		}
	}
	if b.strict && rec != model.NoRecord && p.Records.Event[rec] != s.event && s.event != model.NoEvent {
		b.problem(model.Warning, "sample", r.place, "a sample of the event %s names a stack of another event",
			shortened([]byte(p.Events[s.event].Name)))
	}
	t := b.time(r.time, b.unit)
	if p.End != model.NoTime && (t < 0 || t > p.End) && p.End >= 0 {
		b.problem(model.Warning, "time-range", r.place, "samples are outside the time range")
	}
	p.Counts.Samples++
	c.Append(t, rec, s.label, r.period)
}

// addLabel finds the label of a sample in the chunk, or adds it.
func (b *builder) addLabel(c *model.SampleChunk, o *batch, r *sampleRecord, s *labelState) {
	l := &o.labels[r.label]
	s.event = b.event(o, l.event, r.place)
	s.undeclared = s.event != model.NoEvent && !b.p.Events[s.event].Declared
	label := model.SampleLabel{Event: s.event, CPU: l.cpu, Thread: b.thread(l.pid, l.tid, nil, r.place)}
	n, ok := b.samples.labels[label]
	if !ok {
		n = uint16(len(c.Labels))
		c.Labels = append(c.Labels, label)
		b.samples.labels[label] = n
	}
	s.known, s.label = true, n
}
