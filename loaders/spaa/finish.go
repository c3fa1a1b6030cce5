package spaa

import (
	"context"
	"slices"
	"strconv"

	"github.com/memtui/memtui/model"
)

// finish resolves forward references once everything is read. Published columns are not changed. If ctx is done, only
// the first few are resolved.
func (b *builder) finish(ctx context.Context) {
	if b.header == nil && !b.order.passed {
		b.found.record(model.Error, "header", 0, 0, "there is no header")
	}
	b.lateFrames(ctx)
	b.lateSamples(ctx)
	for i, r := range b.late.windows {
		if stopped(ctx, i) {
			return
		}
		w := &b.p.Windows[r.window]
		rec, ok := b.ids.first(r.id)
		if !ok {
			b.found.record(model.Warning, "reference", r.at, r.line,
				"window %s names the stack %s, which does not exist", shortened([]byte(w.ID)), r.id)
			continue
		}
		w.Record = slices.Clone(w.Record)
		w.Record[r.row] = rec
	}
	for i, r := range b.late.related {
		if stopped(ctx, i) {
			return
		}
		if _, ok := b.ids.first(r.id); !ok {
			b.found.record(model.Warning, "reference", r.at, r.line, "a stack is related to the stack %s, which does not exist", r.id)
		}
	}
	b.order.finish(b)
}

// stopped checks the context in the n-th step of a loop, from 0, but not in every step, and not in the first ones: for
// a file that was abandoned early, the little that is known is still assembled.
func stopped(ctx context.Context, n int) bool {
	return n%model.AskEvery == model.AskEvery-1 && ctx.Err() != nil
}

// lateFrames resolves the stacks whose frames came after them, or never.
func (b *builder) lateFrames(ctx context.Context) {
	if len(b.late.stacks) == 0 {
		return
	}
	rec := &b.p.Records
	rec.Node = slices.Clone(rec.Node)
	unknown := map[uint64]model.FrameID{}
	for i, l := range b.late.stacks {
		if stopped(ctx, i) {
			return
		}
		name, _ := rec.Name(l.record)
		missed := false
		b.tree.reset()
		of, _ := b.tree.resolve(&b.dict, l.ids, b.leafFirst, func(id uint64) (model.FrameID, bool) {
			b.found.record(model.Error, "reference", rec.Offset[l.record], l.line,
				"stack %s names the frame %d, which does not exist", shortened([]byte(name)), id)
			missed = true
			if _, ok := unknown[id]; !ok {
				unknown[id] = b.internFrame(frameKey{
					function: b.function([]byte("<frame " + strconv.FormatUint(id, 10) + "?>")), line: model.NoLine,
				})
			}
			return unknown[id], true
		})
		rec.Node[l.record] = b.tree.insert(of)
		if !missed {
			b.found.record(model.Error, "order", rec.Offset[l.record], l.line,
				"stack %s comes before one of its frames", shortened([]byte(name)))
		}
	}
}

func (b *builder) lateSamples(ctx context.Context) {
	p := b.p
	late := b.late.samples
	for done := 0; len(late) > 0; {
		n := int(late[0].sample / model.MaxChunk)
		c := &p.Samples[n]
		found := map[int]model.RecordID{}
		for ; len(late) > 0 && int(late[0].sample/model.MaxChunk) == n; late = late[1:] {
			if stopped(ctx, done) {
				return
			}
			done++
			l := &late[0]
			k := int(l.sample % model.MaxChunk)
			rec, ok := b.ids.find(l.id, c.Labels[c.Label(k)].Event)
			if !ok {
				b.found.record(model.Error, "reference", l.at, l.line, "a sample names the stack %s, which does not exist", l.id)
				continue
			}
			found[k] = rec
		}
		if len(found) > 0 {
			*c = c.SetRecord(found)
		}
	}
}
