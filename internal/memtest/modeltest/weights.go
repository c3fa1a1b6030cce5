package modeltest

import "github.com/memtui/memtui/model"

// checkWeights reports problems of a profile of weighted stacks.
func checkWeights(c *checker, p *model.StackProfile, s *model.Stacks) {
	c.that(s != nil, "weights without stacks")
	c.that(len(p.DSOs) > 0 && len(p.Threads) > 0, "DSO 0 and thread 0 are not reserved")
	if len(c.errs) > 0 {
		return
	}
	n := len(s.FrameFunc)
	c.that(len(p.FrameDSO) == n && len(p.FrameKind) == n && len(p.FrameFlags) == n && len(p.FrameColumn) == n,
		"frame columns differ in length")
	r := &p.Records
	rows := r.Len()
	c.that(len(r.Event) == rows && len(r.Thread) == rows && len(r.CPU) == rows && len(r.Offset) == rows &&
		len(r.ID) == rows && len(r.IDKind) == rows,
		"record columns differ in length")
	c.that(r.Labels == nil && p.Labels == nil || len(r.Labels) == rows && len(p.Labels) > 0,
		"labels: %d of %d records", len(r.Labels), rows)
	for i, l := range r.Labels {
		c.that(int(l) < len(p.Labels), "record %d: label set %d", i, l)
	}
	checkTable(c, p, &r.Weights, rows, "weights")
	checkTable(c, p, &r.Exclusive, rows, "exclusive weights")
	if len(c.errs) > 0 {
		return
	}
	for f, d := range p.FrameDSO {
		c.that(int(d) < len(p.DSOs) && p.FrameKind[f] <= model.FrameKernel, "frame %d: dso %d, kind %d", f, d, p.FrameKind[f])
	}
	for i := range rows {
		c.that(int(r.Node[i]) < len(s.Parent), "record %d: node %d", i, r.Node[i])
		c.that(int(r.Thread[i]) < len(p.Threads) && eventKnown(p, r.Event[i]), "record %d: thread %d, event %d", i, r.Thread[i], r.Event[i])
		c.that(r.IDKind[i] != model.IDText || r.ID[i] < uint64(len(r.Texts)), "record %d: id %d", i, r.ID[i])
	}
	checkSamples(c, p, rows)
}

func eventKnown(p *model.StackProfile, e uint16) bool {
	return e == model.NoEvent || int(e) < len(p.Events)
}

func checkSamples(c *checker, p *model.StackProfile, rows int) {
	known := func(r model.RecordID) bool { return r == model.NoRecord || int(r) < rows }
	for i := range p.Samples {
		s := &p.Samples[i]
		n := s.Len()
		c.that(n <= model.MaxChunk, "chunk %d: %d samples", i, n)
		for _, l := range s.Labels {
			c.that(eventKnown(p, l.Event) && int(l.Thread) < len(p.Threads), "chunk %d: a label is malformed", i)
		}
		if len(c.errs) > 0 {
			return
		}
		for k := range n {
			c.that(known(s.Record(k)) && int(s.Label(k)) < len(s.Labels), "chunk %d, sample %d is malformed", i, k)
			c.that(s.First <= s.Time(k) && s.Time(k) <= s.Last, "chunk %d, sample %d: time beyond those of the chunk", i, k)
		}
	}
	for i := range p.Windows {
		w := &p.Windows[i]
		checkTable(c, p, &w.Weights, len(w.Record), "window")
		for _, r := range w.Record {
			c.that(known(r), "window %d: record %d", i, r)
		}
	}
}

func checkTable(c *checker, p *model.StackProfile, w *model.WeightTable, rows int, what string) {
	c.that(w.Rows() == rows, "%s: %d rows of %d", what, w.Rows(), rows)
	for i := range w.Rows() {
		for m := range w.All(i) {
			c.that(int(m) < len(p.Metrics), "%s: row %d has the metric %d", what, i, m)
		}
	}
}
