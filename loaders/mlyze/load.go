package mlyze

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const (
	// smallMetadata is read before anything is published: it takes no time, and only such metadata can have empty
	// tables.
	smallMetadata = 64 << 10
	// maxSearch bounds how much is read to find the end of metadata whose length is wrong.
	maxSearch = 64 << 20
)

// Format returns the .mlyze format.
func Format() loaders.Format {
	return loaders.Format{
		Records:    model.FacetAllocations,
		Name:       formatName,
		Summary:    "memlyze allocation trace: every allocation and free, with stacks",
		Extensions: []string{".mlyze"},
		FrameOrder: true,
		Keeps:      true,
		Sniff:      sniff,
		Load:       load,
		Info:       info,
		Validate:   validate,
	}
}

func sniff(head []byte) loaders.Confidence {
	if bytes.HasPrefix(head, []byte(magic)) {
		return loaders.Sure
	}
	return loaders.No
}

// opening is a file being opened.
type opening struct {
	ctx    context.Context
	src    *loaders.Source
	header header
	trace  *trace
	tables *tables // nil until read
	found  findings
	lost   int64
	kept   *nameNotes // of the tables, if an earlier run kept them

	origin *recorded // how the file was made, if only that was read

	named *recordedStacks // names that come while the recording goes on, nil for others

	limited bool // the metadata was not read, or not to its end, because of a limit
}

func begin(ctx context.Context, src *loaders.Source) (*opening, error) {
	o := &opening{ctx: ctx, src: src}
	h, err := readHeader(ctx, src, &o.found)
	if err != nil {
		return nil, err
	}
	o.header = h
	o.trace = &trace{src: src, begin: headerSize + h.length, ready: make(chan struct{})}
	return o, nil
}

func load(ctx context.Context, src *loaders.Source, opt loaders.Options, store *model.Store) error {
	o, err := begin(ctx, src)
	if err != nil {
		return err
	}
	early := o.header.length > smallMetadata && o.looksRight()
	if early {
		o.publish(store, nil, "")
		if o.restore(opt, store) {
			return nil
		}
	}
	err = o.readTables(early)
	if o.tables != nil && o.tables.recorded.finished {
		src.Ends()
	}
	src.Forget() // nothing points into the metadata
	r := o.recording(opt, store)
	o.deliver()
	if err != nil {
		return err
	}
	if r != nil {
		return r.follow(ctx)
	}
	if err := o.decideBatched(); err != nil {
		return err
	}
	if !early {
		o.publish(store, nil, "")
	}
	stacks, note, err := o.tables.buildStacks(ctx, opt.FrameOrder, &o.found, src.Budget())
	if err != nil {
		return err
	}
	if early {
		o.keep(opt, stacks, note)
	}
	o.publish(store, stacks, note)
	return nil
}

// looksRight reports whether the metadata ends where the header states and events follow: then they can be shown before
// the metadata has been read.
func (o *opening) looksRight() bool {
	edge := make([]byte, 16)
	at := headerSize + o.header.length
	n, err := readFull(o.ctx, o.src, edge, at-int64(len(edge)))
	if err != nil || n < len(edge) {
		return false
	}
	return bytes.HasSuffix(bytes.TrimRight(edge, " \t\r\n"), []byte("}")) && o.eventsAt(at)
}

// eventsAt reports whether plausible events begin at offset at, or the input ends there.
func (o *opening) eventsAt(at int64) bool {
	in := newBlocks(o.ctx, o.src, at, 2*lookahead)
	j := judge{knowledge: knowledge{zeroes: true, high: true}, tables: o.tables.known()}
	enough := in.have(lookahead)
	b := in.rest()
	if in.err != nil || len(b) == 0 {
		return in.err == nil && o.src.Size() == at
	}
	// Here a few events suffice: there may be only the beginning of a small or damaged trace.
	for n, p := 0, 0; n < runLength && p < len(b); n++ {
		var e model.Event
		size, delta, st := decodeOne(b[p:], &e)
		if st == short && !enough {
			return n > 0
		}
		if st != decoded || !j.plausible(&e, delta) {
			return n >= endLength
		}
		p += size
	}
	return true
}

// deliver passes the tables to the trace.
func (o *opening) deliver() {
	if o.tables == nil {
		o.tables = parseMetadata(o.ctx, nil, headerSize, &findings{}, nil)
		o.tables.limited = o.limited
	}
	o.trace.tables = o.tables
	close(o.trace.ready)
}

// readTables reads the metadata. Unless settled, it also finds where events begin if the header is wrong about that.
func (o *opening) readTables(settled bool) error {
	data, err := o.src.Range(o.ctx, headerSize, o.header.length)
	if err == nil {
		err = o.src.Guard(func() error {
			o.tables = parseMetadata(o.ctx, data, headerSize, &o.found, o.src.Budget())
			return nil
		})
	}
	if ctxErr := o.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if err != nil {
		o.notRead(err)
		return nil
	}
	whole := int64(len(data)) == o.header.length
	if !whole && !o.src.Limited() {
		o.found.add(model.Error, "metadata-length", offLength,
			fmt.Sprintf("the header says %d bytes of metadata, but only %d bytes follow it", o.header.length, len(data)))
	}
	switch end := headerSize + int64(o.tables.end); {
	case o.tables.full:
		o.found.leave(o.src.Budget(), "names and stacks of the metadata after byte %d were left out", headerSize+int64(o.tables.end))
		if !settled && !(whole && o.eventsAt(headerSize+int64(len(data)))) {
			return o.search(end)
		}
	case o.tables.broken != "":
		return o.repair(settled, whole, int64(len(data)))
	case whole && o.blank(data):
	case settled:
	case o.eventsAt(end):
		o.trace.begin = end
		if whole {
			o.found.add(model.Error, "metadata-length", offLength,
				fmt.Sprintf("the header says %d bytes of metadata, but they end after %d", o.header.length, o.tables.end))
		}
	default:
		o.found.add(model.Error, "metadata-json", end, "bytes follow the metadata's end")
		o.lost += int64(len(data)) - int64(o.tables.end)
		if !whole {
			return o.search(end)
		}
	}
	return nil
}

// notRead reports why the metadata could not be read at all.
func (o *opening) notRead(err error) {
	short, large := (*model.MemoryError)(nil), (*loaders.LimitError)(nil)
	switch {
	case errors.As(err, &short):
		o.limited = true
		o.found.leave(o.src.Budget(), "the metadata was not read: %s", short.What)
	case errors.As(err, &large):
		o.limited = true
		o.found.add(model.Error, "too-large", headerSize, "the metadata was not read: "+large.What)
	case model.Internal(err):
		o.found.add(model.Error, model.CodeInternal, headerSize, err.Error())
	default:
		o.found.add(model.Error, "metadata-json", headerSize, "the metadata cannot be read: "+err.Error())
	}
}

// blank reports whether only white space follows the JSON value.
func (o *opening) blank(data []byte) bool {
	blank := false
	err := o.src.Guard(func() error {
		blank = len(bytes.TrimLeft(data[o.tables.end:], " \t\r\n")) == 0
		return nil
	})
	return err == nil && blank
}

// repair searches the events after metadata that cannot be read to its end: after its JSON if the length is too small,
// at the stated length, or anywhere.
func (o *opening) repair(settled, whole bool, length int64) error {
	if o.tables.cut && whole && !settled {
		if o.longer() {
			return nil
		}
		if err := o.ctx.Err(); err != nil {
			return err
		}
	}
	at := headerSize + int64(o.tables.end)
	switch {
	case o.limited:
		o.tables.limited = true
		o.found.add(model.Error, "too-large", at, fmt.Sprintf("the header says %d bytes of metadata, but they continue beyond the limit of %s, which cannot be raised: "+
			"the rest was not read", length, model.Bytes(maxSearch)))
	case o.tables.limited:
		o.found.add(model.Error, "too-large", at, "the metadata cannot be read further: "+o.tables.broken)
	case !o.src.Limited():
		o.found.add(model.Error, "metadata-json", at, "the metadata is not valid JSON: "+o.tables.broken)
	default:
		o.tables.limited = true // decompression ended at a limit, which is reported
	}
	if settled || whole && o.eventsAt(headerSize+length) {
		o.lost += length - int64(o.tables.end)
		return nil
	}
	return o.search(headerSize)
}

// longer reads the metadata again, beyond the stated length, and reports whether that makes sense.
func (o *opening) longer() bool {
	var again *tables
	var found findings
	data, err := o.src.Range(o.ctx, headerSize, maxSearch)
	if err != nil {
		return false
	}
	err = o.src.Guard(func() error {
		again = parseMetadata(o.ctx, data, headerSize, &found, o.src.Budget())
		return nil
	})
	o.limited = err == nil && again.cut && int64(len(data)) == maxSearch
	if err != nil || again.broken != "" && !again.full || !o.eventsAt(headerSize+int64(again.end)) {
		return false
	}
	o.tables, o.trace.begin = again, headerSize+int64(again.end)
	o.found.list = append(o.found.list, found.list...)
	o.found.add(model.Error, "metadata-length", offLength,
		fmt.Sprintf("the header says %d bytes of metadata, but they end after %d", o.header.length, again.end))
	return true
}

// search finds the first plausible events at or after offset from.
func (o *opening) search(from int64) error {
	in := newBlocks(o.ctx, o.src, from, blockSize)
	j := judge{tables: o.tables.known()}
	if err := j.resync(o.ctx, in, 0, 0, 0); err != nil {
		return err
	}
	o.trace.begin = in.offset()
	o.lost = max(0, o.trace.begin-headerSize-int64(o.tables.end))
	return nil
}

// errSeen ends a replay that has seen enough.
var errSeen = errors.New("seen enough")

// decideBatched recognizes files of the reference tracer: empty tables, and no event has an address.
func (o *opening) decideBatched() error {
	if !o.tables.empty() || o.header.length > smallMetadata {
		return nil
	}
	blocks := 0
	err := o.trace.Replay(o.ctx, func(b *model.EventBatch) error {
		for i := range b.Events {
			if e := &b.Events[i]; e.Kind <= model.Free {
				blocks++
				if e.Addr != 0 {
					return errSeen
				}
			}
		}
		return nil
	})
	if errors.Is(err, errSeen) || blocks == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	o.trace.batched = true
	o.found.add(model.Warning, "batched-deltas", o.trace.begin,
		"no event has an address and all tables are empty, as the reference tracer writes them: "+
			"each batch of events counts its time once, live figures are upper bounds")
	return nil
}

// publish publishes what is known so far. Problems found by others in the meantime, such as damage among the events,
// are kept.
func (o *opening) publish(store *model.Store, stacks *model.Stacks, note string) {
	meta := o.meta()
	meta.FrameNote = note
	found, lost := o.found.take(), o.lost
	o.lost = 0
	store.Update(func(old *model.Profile) *model.Profile {
		next := model.Profile{}
		if old != nil {
			next = *old
		}
		next.Meta, next.Stacks, next.Allocations = meta, stacks, o.trace
		next.Lost += lost
		if t := o.tables; t != nil && len(t.recorded.series) > 0 {
			next.Timeline = &model.Timeline{Series: t.recorded.series}
		}
		for _, p := range found {
			next.Problems = model.AddProblem(next.Problems, p)
		}
		return &next
	})
}
