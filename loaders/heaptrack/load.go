package heaptrack

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const formatName = "heaptrack"

// Format returns the format of heaptrack's recordings.
func Format() loaders.Format {
	return loaders.Format{
		Records:    model.FacetAllocations,
		Name:       formatName,
		Summary:    "heaptrack recording, raw or interpreted: every allocation and free, with stacks",
		Extensions: []string{".heaptrack"},
		Addresses:  true,
		Sniff:      sniff,
		Load:       load,
		Info:       info,
		Validate:   validate,
	}
}

// opening is a file being read.
type opening struct {
	src   *loaders.Source
	c     *converter
	trace *trace
	b     *builder
	found findings
}

// firstStacks is the delay until stacks are first published; each further delay is twice as long.
const firstStacks = 200 * time.Millisecond

func load(ctx context.Context, src *loaders.Source, opt loaders.Options, store *model.Store) error {
	o := &opening{src: src, c: newConverter(ctx, src)}
	o.b = newBuilder(src.Budget(), &o.found, opt.Symbols)
	o.c.begin()
	each := int64(numberBytes)
	if o.c.withAddresses() { // asked before the stream's goroutine begins to read on
		each = addressBytes
	}
	events, err := loaders.OpenStream(ctx, src.Path(), o.c)
	if err != nil {
		return err
	}
	src.Attach(events)
	o.trace = &trace{events, src, &o.c.blocks, each}
	o.publish(store, false)
	for wait := firstStacks; ; wait *= 2 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-o.c.done:
			return o.next(ctx, store, true)
		case <-time.After(wait):
			if err := o.next(ctx, store, false); err != nil {
				return err
			}
		}
	}
}

// next publishes the stacks known so far.
func (o *opening) next(ctx context.Context, store *model.Store, last bool) error {
	o.c.mu.Lock()
	t, f := o.c.tables, o.c.head.form
	t.used = slices.Clone(t.used)
	o.c.blocks.use(t.used)
	o.c.mu.Unlock()
	if !last && len(t.parents) == len(o.b.nodes) {
		return nil
	}
	if err := o.b.add(ctx, t, f); err != nil {
		return err
	}
	if last {
		o.b.conclude()
	}
	o.publish(store, true)
	return nil
}

// conclude reports what is uncertain about all stacks.
func (b *builder) conclude() {
	if b.deep > 0 {
		b.found.add(model.Problem{Severity: model.Warning, Code: "stack-depth", Count: b.deep, Offset: model.NoOffset,
			Message: "stacks are deeper than " + model.Group(maxDepth) + " frames: they were cut at the leaf"})
	}
	for _, why := range slices.Sorted(maps.Keys(b.names.unnamed)) {
		b.found.add(model.Problem{Severity: model.Note, Code: "unsymbolized", Count: int64(b.names.unnamed[why]), Offset: model.NoOffset,
			Message: "addresses have no names: " + why})
	}
}

// publish publishes what is known so far.
func (o *opening) publish(store *model.Store, stacks bool) {
	o.c.mu.Lock()
	meta := o.meta()
	found, lost := o.c.found.take()
	series := o.c.rss.series()
	o.c.mu.Unlock()
	own, _ := o.found.take()
	var built *model.Stacks
	if stacks {
		built = o.b.stacks()
	}
	store.Update(func(old *model.Profile) *model.Profile {
		next := model.Profile{}
		if old != nil {
			next = *old
		}
		next.Meta, next.Stacks, next.Allocations = meta, built, o.trace
		if len(series.Times) > 0 {
			next.Timeline = &model.Timeline{Series: []model.Series{series}}
		}
		next.Lost += lost
		for _, p := range slices.Concat(found, own) {
			next.Problems = model.AddProblem(next.Problems, p)
		}
		return &next
	})
}
