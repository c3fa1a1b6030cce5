package mvmheap

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/memtui/memtui/model"
)

// maxLarge bounds how many sizes and indexes of one snapshot may not fit their columns; real snapshots have none.
const maxLarge = 1 << 20

// maxFull bounds how many managed sizes of one snapshot may be the largest of the format. Sizes are multiples of eight:
// real snapshots have none.
const maxFull = 1 << 12

// decoding is a snapshot being decoded. Each column is written by one goroutine.
type decoding struct {
	f        *file
	ctx      context.Context
	i        int
	s        *snapshot
	heap     *model.Heap
	progress func(float64) // may be nil
	strict   bool          // also check what displaying the snapshot does not need

	starts  []uint32 // by row: where its references begin in the two columns below
	to      []uint32 // in the order of the file
	label   []model.EdgeLabel
	large   []uint64      // indexes that do not fit their label, which has their index here
	badTo   bool          // some of to are noRow
	counted chan struct{} // closed when the counts of references are in heap.Start, as far as read
	sum     int64         // of them

	progressMu  sync.Mutex // held while progress is reported: one call at a time, never falling
	done, total int64      // bytes of the file; done is guarded by telling

	mu       sync.Mutex
	files    *model.Room // of the columns; nil for memory
	problems []model.Problem
	lost     int64
	rowsLeft bool  // there are more rows than are read; written before columns other than kinds are decoded
	refsLeft bool  // there are more references than are read
	limited  bool  // because of either, or because a column takes too much memory: missing values are not damage
	err      error // of reading, the first
}

// noRow marks a reference to a row that does not exist.
const noRow = ^uint32(0)

func (f *file) newDecoding(ctx context.Context, i int, progress func(float64)) *decoding {
	return &decoding{
		f: f, ctx: ctx, i: i, s: &f.snaps[i], progress: progress, counted: make(chan struct{}),
		heap: &model.Heap{Schema: &schema, Large: map[model.Row]uint64{}, LargeIndex: map[model.Ref]uint64{},
			Complete: f.snaps[i].complete},
	}
}

// tally counts the violations of a rule in one column, with the position of the first.
type tally struct {
	n     int64
	first int64
}

func (t *tally) add(at int64) {
	if t.n == 0 {
		t.first = at
	}
	t.n++
}

// found reports n violations of a rule; the message describes the first.
func (d *decoding) found(severity model.Severity, code string, at, n int64, format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text := fmt.Sprintf("snapshot %d: ", d.i) + fmt.Sprintf(format, args...)
	d.problems = model.AddProblem(d.problems, model.Problem{Severity: severity, Code: code, Message: text, Count: n, Offset: at})
}

// report reports the violations of a tally; what completes "… , first in row 7".
func (d *decoding) report(t tally, code string, at int64, what string) {
	if t.n > 0 {
		d.found(model.Error, code, at, t.n, "%s, first number %d", what, t.first)
	}
}

// place returns where column k begins, or its counterpart in version 2.
func (d *decoding) place(k kind) int64 {
	switch {
	case d.f.version == 3:
		return d.s.blocks[k].start
	case k == refdescr || k == reftrget:
		return d.s.blocks[refs].start
	}
	return d.s.blocks[coll].start
}

// fail ends the decoding with an error that is not the file's fault.
func (d *decoding) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = err
	}
}

func (d *decoding) failed() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// advance reports n more bytes read.
func (d *decoding) advance(n int) {
	if d.progress == nil {
		return
	}
	d.progressMu.Lock()
	defer d.progressMu.Unlock()
	d.done += int64(n)
	d.progress(float64(d.done) / float64(max(1, d.total)) * 0.9)
}

// run decodes the snapshot.
func (d *decoding) run() (*model.Heap, error) {
	tables, err := d.f.tables.get(d.ctx, d.i)
	if err != nil {
		return nil, err
	}
	d.heap.Tables = tables
	if d.f.version == 2 {
		d.run2()
	} else {
		d.run3()
	}
	if err := d.failed(); err != nil {
		return nil, err
	}
	d.assemble()
	return d.heap, d.ctx.Err()
}

// room returns where columns of so many rows and references are made: in memory, or in mapped files from when on there
// is none for them. Those of version 2 are always made in memory: its headers tell beforehand whether they fit.
func (d *decoding) room(rows, refs int64) *model.Room {
	if d.f.version == 2 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files == nil {
		d.files = d.f.src.Budget().Room(rows*rowBytes + refs*refBytes)
	}
	return d.files
}

// fits fails where there is neither memory nor a file for so many rows and references.
func (d *decoding) fits(rows, refs int64) bool {
	b := d.f.src.Budget()
	if !d.room(rows, refs).Fits(b, rows*rowBytes+refs*refBytes) {
		d.fail(b.Error("decoding it"))
		return false
	}
	return true
}

// make allocates the columns of n rows.
func (d *decoding) make(n int) {
	h, room := d.heap, d.room(int64(n), 0)
	h.Size, h.Extra, h.Entity = model.MakeColumn[uint16](room, n), model.MakeColumn[uint32](room, n), model.MakeColumn[uint32](room, n)
	h.Start.Narrow, d.starts = model.MakeColumn[uint32](room, n+1), model.MakeColumn[uint32](room, n)
}

// run3 decodes the columns of version 3, several at once. The first determines the number of rows.
func (d *decoding) run3() {
	for k := range wholeColumns {
		d.total += d.s.blocks[k].end - d.s.blocks[k].start
	}
	d.each([]kind{colkind})
	if d.failed() != nil {
		return
	}
	if !d.fits(int64(len(d.heap.Kinds)), 0) {
		return
	}
	d.make(len(d.heap.Kinds))
	// References wait for the counts, which determine their number; the largest columns go first.
	d.each([]kind{colrfcnt, reftrget, refdescr, colrfstr, colusize, coltofi, colsize})
}

// each decodes columns on all cores, started in the given order.
func (d *decoding) each(kinds []kind) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(kinds)) {
		workers.Go(func() {
			t := d.f.kit()
			defer d.f.kits.Put(t)
			for i := next.Add(1) - 1; int(i) < len(kinds); i = next.Add(1) - 1 {
				if err := d.f.src.Guard(func() error { return d.column(t, kinds[i]) }); err != nil {
					d.fail(err)
				}
				if kinds[i] == colrfcnt {
					close(d.counted)
				}
			}
		})
	}
	workers.Wait()
}

// column decodes one column.
func (d *decoding) column(t *kit, k kind) error {
	b := d.s.blocks[k]
	if !b.there() || d.failed() != nil {
		return nil // reported when the file was opened
	}
	limit, take, finish := d.taker(k)
	n, bad, err := d.f.column(d.ctx, t, b, k, limit, d.advance, take)
	if err != nil {
		return err
	}
	if bad != nil {
		d.mu.Lock()
		d.lost += b.end - b.start
		d.heap.Complete = false
		if bad.rule == tooLarge {
			d.limited, d.rowsLeft, d.refsLeft = true, d.rowsLeft || k == colkind, d.refsLeft || k == colrfcnt
		}
		d.mu.Unlock()
		d.found(model.Error, bad.rule, b.start, 1, "column %s cannot be read after %d numbers: %v", k, n, bad)
	}
	switch {
	case n > limit && k == colkind:
		d.tooMany(b.start, "rows", limit, rowBytes)
	case n > limit && k >= refdescr && limit == d.f.maxRefs():
		d.tooMany(b.start, "references", limit, refBytes)
	case n > limit && d.left(k):
	case n > limit:
		d.found(model.Error, "row-count", b.start, 1, "%s is longer than the %d %s", k, limit, unit(k))
	case n < limit && k != colkind && bad == nil:
		d.found(model.Error, "row-count", b.start, 1, "%s has %d numbers for %d %s", k, n, limit, unit(k))
	}
	finish(min(n, limit))
	return nil
}

// tooMany reports that there are more rows, or references, than a file of its size can have. The two columns of
// references have the same length.
func (d *decoding) tooMany(at int64, what string, limit, each int64) {
	d.mu.Lock()
	again := d.refsLeft
	d.heap.Complete, d.limited = false, true
	if what == "rows" {
		d.rowsLeft = true
	} else {
		d.refsLeft = true
	}
	d.mu.Unlock()
	if !again {
		d.found(model.Error, tooLarge, at, 1, "there are more %s than the limit of %s for a file of this size, the rest was not read%s",
			what, model.Group(uint64(limit)), raiseHint(limit, each))
	}
}

// left reports whether column k is longer than earlier ones because those were not read to their ends.
func (d *decoding) left(k kind) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rowsLeft || k >= refdescr && d.refsLeft
}

// unit returns what a column has one value for.
func unit(k kind) string {
	if k >= refdescr {
		return "references that rows have"
	}
	return "rows"
}

// saturate counts values above limit and returns the saturated value.
func saturate(v, limit uint64, t *tally, at int64) uint64 {
	if v > limit {
		t.add(at)
		return limit
	}
	return v
}

// taker returns the maximum length of column k, a function that takes its values, and one that is called with their
// number n at the end.
func (d *decoding) taker(k kind) (limit int64, take func(at int64, vals []uint64), finish func(n int64)) {
	h, rows, at := d.heap, int64(len(d.heap.Kinds)), d.s.blocks[k].start
	var over tally
	tooMany := func(int64) { d.report(over, "entry-size", at, k.String()+" holds numbers that are too large") }
	switch k {
	case colkind:
		return d.f.maxRows(), d.takeKinds(&over), func(int64) { d.report(over, "kind", at, "rows have an unknown kind") }
	case colsize:
		var full tally
		return rows, func(at int64, vals []uint64) {
				for i, v := range vals {
					d.setSize(model.Row(at)+model.Row(i), saturate(v, math.MaxUint16, &over, at+int64(i)), &full)
				}
			}, func(n int64) {
				tooMany(n)
				d.reportSize(full, at)
			}
	case coltofi:
		return rows, func(at int64, vals []uint64) {
			for i, v := range vals {
				h.Entity[at+int64(i)] = uint32(saturate(v, math.MaxUint32, &over, at+int64(i)))
			}
		}, tooMany
	case colrfcnt:
		return rows, func(at int64, vals []uint64) {
				for i, v := range vals {
					v = saturate(v, math.MaxUint32, &over, at+int64(i))
					h.Start.Narrow[at+int64(i)+1] = uint32(v)
					d.sum += int64(v)
				}
				d.sum = min(d.sum, math.MaxInt64/2) // a damaged column may claim any number
			}, func(n int64) {
				tooMany(n)
				d.room(0, min(d.sum, d.f.maxRefs()))
			}
	case colrfstr:
		return rows, func(at int64, vals []uint64) {
			for i, v := range vals {
				d.starts[at+int64(i)] = uint32(min(v, math.MaxUint32)) // checked with the row's count
			}
		}, func(int64) {}
	case colusize:
		return rows, func(at int64, vals []uint64) {
			for i, v := range vals {
				d.setExtra(model.Row(at)+model.Row(i), v, &over)
			}
		}, func(int64) { d.reportExtra(over, at) }
	case refdescr:
		return d.takeLabels()
	}
	return d.takeTargets()
}

// takeKinds appends to heap.Kinds, whose length is unknown.
func (d *decoding) takeKinds(bad *tally) func(at int64, vals []uint64) {
	m := &d.s.meta
	guess := count(m.Objects) + count(m.TypeObjects) + count(m.STables) + count(m.Frames) + 1<<10
	most := d.f.src.Budget().Part(d.f.maxRows(), rowBytes)
	d.heap.Kinds = make([]model.HeapKind, 0, max(0, min(guess, most)))
	return func(at int64, vals []uint64) {
		if at+int64(len(vals)) > most && d.f.src.Budget() != nil && !d.fits(at+int64(len(vals)), 0) {
			return
		}
		for i, v := range vals {
			if v == 0 || v > uint64(KindCallStack) {
				bad.add(at + int64(i))
				v = uint64(KindUnknown)
			}
			d.heap.Kinds = append(d.heap.Kinds, model.HeapKind(v))
		}
	}
}

// setSize stores a managed size, which the format bounds.
func (d *decoding) setSize(r model.Row, v uint64, full *tally) {
	if v < uint64(model.LargeSize) {
		d.heap.Size[r] = uint16(v)
		return
	}
	if len(d.heap.LargeSizes) >= maxFull {
		full.add(int64(r))
		d.heap.Size[r] = model.LargeSize - 1
		return
	}
	d.heap.SetSize(r, v)
}

// reportSize reports how many managed sizes were cut.
func (d *decoding) reportSize(full tally, at int64) {
	d.report(full, tooLarge, at, "managed sizes of 65535 bytes were cut by one: there are more of these than the limit of "+
		model.Group(maxFull)+" in one snapshot, which cannot be raised")
}

// setExtra stores an unmanaged size.
func (d *decoding) setExtra(r model.Row, v uint64, over *tally) {
	if v < uint64(model.LargeExtra) {
		d.heap.Extra[r] = uint32(v)
		return
	}
	if len(d.heap.Large) >= d.f.large {
		over.add(int64(r))
		d.heap.Extra[r] = model.LargeExtra - 1
		return
	}
	d.heap.Extra[r] = model.LargeExtra
	d.heap.Large[r] = v
}

// reportExtra reports how many unmanaged sizes were cut.
func (d *decoding) reportExtra(over tally, at int64) {
	d.report(over, tooLarge, at, "unmanaged sizes were cut to 4 GiB: there are more of these than the limit of "+
		model.Group(uint64(d.f.large))+" in one snapshot, which cannot be raised")
}

// references waits for the counts of references of rows and returns their sum, bounded.
func (d *decoding) references() int64 {
	<-d.counted
	if d.failed() != nil {
		return 0
	}
	return min(d.sum, d.f.maxRefs())
}

func (d *decoding) takeTargets() (limit int64, take func(at int64, vals []uint64), finish func(n int64)) {
	limit = d.references()
	d.to = model.MakeColumn[uint32](d.room(0, limit), int(limit))
	rows := uint64(len(d.heap.Kinds))
	var bad tally
	return limit, func(at int64, vals []uint64) {
			out := d.to[at:]
			for i, v := range vals {
				if v >= rows {
					bad.add(at + int64(i))
					v = uint64(noRow)
				}
				out[i] = uint32(v)
			}
		}, func(n int64) {
			d.to, d.badTo = d.to[:n], bad.n > 0
			if !d.left(colkind) {
				d.report(bad, "target", d.s.blocks[reftrget].start, "references lead to objects that do not exist")
			}
		}
}

// labels packs descriptions of references.
type labels struct {
	d       *decoding
	bad     tally // unknown kinds, and meaningless values
	dropped tally // indexes too large and too many
}

// pack makes a label from a kind and a value; at is the number of the reference.
func (l *labels) pack(kind, value uint64, at int64) model.EdgeLabel {
	switch model.EdgeLabel(kind) {
	case model.LabelUnknown:
		if value != 0 {
			l.bad.add(at)
		}
		return model.LabelUnknown
	case model.LabelIndex:
		if value < 1<<30 {
			return model.EdgeLabel(value)<<2 | model.LabelIndex
		}
		if len(l.d.large) < l.d.f.large {
			l.d.large = append(l.d.large, value)
			return model.EdgeLabel(len(l.d.large)-1)<<2 | model.LabelLarge
		}
		l.dropped.add(at)
		return model.LabelUnknown
	case model.LabelString:
		if value < 1<<30 {
			return model.EdgeLabel(value)<<2 | model.LabelString
		}
	}
	l.bad.add(at)
	return model.LabelUnknown
}

func (l *labels) reportProblems(at int64) {
	l.d.report(l.bad, "label", at, "references have a description that does not exist")
	l.d.report(l.dropped, tooLarge, at, "references have lost their index, which is 2^30 or more: there are more of these than the limit of "+
		model.Group(uint64(l.d.f.large))+" in one snapshot, which cannot be raised")
}

func (d *decoding) takeLabels() (limit int64, take func(at int64, vals []uint64), finish func(n int64)) {
	limit = d.references()
	d.label = model.MakeColumn[model.EdgeLabel](d.room(0, limit), int(limit))
	l := labels{d: d}
	return limit, func(at int64, vals []uint64) {
			out := d.label[at:]
			for i, v := range vals {
				if v&3 == uint64(model.LabelString) && v < 1<<32 { // the most common case first
					out[i] = model.EdgeLabel(v)
					continue
				}
				out[i] = l.pack(v&3, v>>2, at+int64(i))
			}
		}, func(n int64) {
			d.label = d.label[:n]
			l.reportProblems(d.s.blocks[refdescr].start)
		}
}
