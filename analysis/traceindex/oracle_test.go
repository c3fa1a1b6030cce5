package traceindex

import (
	"context"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// Index is the straightforward in-memory implementation of [analysis.Trace]: every event and every block in columns,
// cumulative sums at checkpoints, and a pyramid over the live curve. It costs about 23 bytes per event and is built by
// [Build] while it is being asked. Events and blocks are numbered by 32 bits; "n events" always means the state after
// the first n.
type Index struct {
	mu sync.RWMutex // writers hold it for one batch, readers for one answer
	group.Names

	// By event.
	time timeColumn
	kind column.Column[eventKind]
	ref  column.Column[uint32] // the block that is born or ends; of other events unused

	// By block, in the order of birth.
	addr   column.Column[uint64]
	size   sizeColumn
	stack  column.Column[uint32] // dense stack index
	thread column.Column[uint16] // dense thread index
	born   column.Column[uint32] // event
	died   column.Column[uint32] // event, alive while nothing ended the block

	live        map[uint64]uint32 // address → block; nil once nothing more will be read
	overwritten []overwrite       // by event
	marks       []mark            // by event

	stackIndex map[model.StackID]uint32
	threadOf   map[uint16]uint16

	sums        [column.DimCount][]column.Cell // by key of the dimension: everything so far
	checkpoints []column.Checkpoint
	curve       column.Pyramid
	huge        map[int]wide // live bytes before runs of the curve, where they do not fit 64 bits
	totals      analysis.Totals
	status      analysis.Status
	budget      int64 // bytes, 0 = unlimited
}

type eventKind uint8

const (
	evAlloc     eventKind = iota
	evAllocOver           // ends the block of an overwrite too
	evFree
	evFreeUnknown
	evMark
)

// wide is 128 bits.
type wide struct{ hi, lo uint64 }

type overwrite struct{ event, block uint32 } // block ended because event allocated over it

// NewIndex returns an empty index. It answers at once, about nothing.
func NewIndex() *Index {
	ix := &Index{
		live:       map[uint64]uint32{},
		stackIndex: map[model.StackID]uint32{},
		threadOf:   map[uint16]uint16{},
	}
	ix.status.Size = -1
	ix.sums[column.DimSize] = make([]column.Cell, analysis.SizeClasses)
	return ix
}

// SetBudget implements [Loading].
func (ix *Index) SetBudget(bytes int64) { ix.budget = bytes }

// append adds one batch. The caller holds ix.mu for writing.
func (ix *Index) append(events []model.Event) error {
	if ix.time.n > maxEvents-len(events) {
		return errEvents
	}
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case model.Alloc:
			ix.appendAlloc(e)
		case model.Free:
			ix.appendFree(e)
		case model.GC:
			ix.totals.GCCount++
			ix.totals.GCObjects = ix.sum(ix.totals.GCObjects, e.ID)
			ix.totals.GCBytes = ix.sum(ix.totals.GCBytes, e.Size)
			ix.appendMark(e, mark{event: uint32(ix.time.n), gc: true, id: e.ID, bytes: e.Size})
		case model.Marker:
			ix.totals.MarkerCount++
			ix.appendMark(e, mark{event: uint32(ix.time.n), id: e.ID})
		}
		endEvent(&ix.curve)
		if c := &ix.curve; c.Run == 0 && c.LiveHi != 0 {
			if ix.huge == nil {
				ix.huge = map[int]wide{}
			}
			ix.huge[c.Base.N] = wide{c.LiveHi, c.Live}
		}
		ix.checkpointIfDue()
	}
	ix.totals.Events = uint64(ix.time.n)
	if ix.budget > 0 && ix.Memory() > ix.budget {
		return errBudget
	}
	return nil
}

func (ix *Index) appendEvent(t model.Time, k eventKind, ref uint32) {
	ix.time.append(t)
	ix.kind.Append(k)
	ix.ref.Append(ref)
}

func (ix *Index) appendAlloc(e *model.Event) {
	event, block := uint32(ix.time.n), uint32(ix.addr.N)
	kind := evAlloc
	if e.Addr != 0 {
		if old, ok := ix.live[e.Addr]; ok {
			kind = evAllocOver
			ix.overwritten = append(ix.overwritten, overwrite{event, old})
			ix.totals.OverwrittenCount++
			ix.totals.OverwrittenBytes = ix.sum(ix.totals.OverwrittenBytes, ix.size.At(int(old)))
			ix.end(old, event, column.Overwrote)
		}
		ix.live[e.Addr] = block
	} else {
		ix.totals.UnaddressedCount++
		ix.totals.UnaddressedBytes = ix.sum(ix.totals.UnaddressedBytes, e.Size)
		ix.status.Unfreed = true
	}
	ix.addr.Append(e.Addr)
	ix.size.Append(e.Size)
	ix.stack.Append(ix.denseStack(model.StackID(e.ID)))
	ix.thread.Append(ix.denseThread(e.Thread))
	ix.born.Append(event)
	ix.died.Append(alive)
	ix.totals.AllocCount++
	ix.totals.AllocBytes = ix.sum(ix.totals.AllocBytes, e.Size)
	for d := range ix.sums {
		ix.sums[d][ix.key(column.Dim(d), block)].Apply(column.Born, e.Size)
	}
	ix.curve.Alloc(e.Size)
	ix.appendEvent(e.Time, kind, block)
}

func (ix *Index) appendFree(e *model.Event) {
	ix.totals.FreeCount++
	ix.curve.FreeEvents++
	block, ok := ix.live[e.Addr]
	if e.Addr == 0 || !ok {
		ix.totals.UnmatchedFrees++
		ix.appendEvent(e.Time, evFreeUnknown, 0)
		return
	}
	event := uint32(ix.time.n)
	delete(ix.live, e.Addr)
	ix.totals.FreedCount++
	ix.totals.FreedBytes = ix.sum(ix.totals.FreedBytes, ix.size.At(int(block)))
	how := column.Freed
	if ix.born.At(int(block))+1 == event {
		how = column.FreedAtOnce
		ix.totals.TemporaryCount++
	}
	ix.end(block, event, how)
	ix.appendEvent(e.Time, evFree, block)
}

func (ix *Index) appendMark(e *model.Event, m mark) {
	ix.marks = append(ix.marks, m)
	ix.appendEvent(e.Time, evMark, 0)
}

// end records that event ended block.
func (ix *Index) end(block, event uint32, how column.Change) {
	size := ix.size.At(int(block))
	ix.died.Set(int(block), event)
	for d := range ix.sums {
		ix.sums[d][ix.key(column.Dim(d), block)].Apply(how, size)
	}
	ix.curve.Free(size)
}

// sum adds and notes when the sum does not fit.
func (ix *Index) sum(a, b uint64) uint64 {
	s, ok := model.SaturatingAdd(a, b)
	if !ok {
		ix.status.Saturated = true
	}
	return s
}

func (ix *Index) denseStack(id model.StackID) uint32 {
	i, ok := ix.stackIndex[id]
	if !ok {
		i = uint32(len(ix.Ids))
		ix.stackIndex[id] = i
		ix.Ids = append(ix.Ids, id)
		ix.sums[column.DimStack] = append(ix.sums[column.DimStack], column.Cell{})
	}
	return i
}

func (ix *Index) denseThread(t uint16) uint16 {
	i, ok := ix.threadOf[t]
	if !ok {
		i = uint16(len(ix.Threads)) // there are no more than 65,536
		ix.threadOf[t] = i
		ix.Threads = append(ix.Threads, t)
		ix.sums[column.DimThread] = append(ix.sums[column.DimThread], column.Cell{})
	}
	return i
}

// Memory estimates the bytes that the index holds: columns and checkpoints, and the address table at its usual load.
func (ix *Index) Memory() int64 {
	const perEvent, perBlock, perLive = 4 + 1 + 4, 8 + 4 + 4 + 2 + 4 + 4, 24
	n := int64(len(ix.time.chunks))*column.ChunkLen*perEvent + int64(len(ix.addr.Chunks))*column.ChunkLen*perBlock
	n += int64(len(ix.live))*perLive + ix.curve.Memory()
	for i := range ix.checkpoints {
		n += ix.checkpoints[i].Memory()
	}
	return n
}

// yield releases the read lock in the middle of a long answer, so that a waiting writer, and the readers after it, can
// proceed. Answers may call it where all they hold is numbers of events and of blocks: what is loaded stays as it is,
// while sums and the number of keys change.
func (ix *Index) yield() {
	if !ix.status.Final && !ix.status.Stopped {
		ix.mu.RUnlock()
		ix.mu.RLock()
	}
}

// Status implements [analysis.Trace].
func (ix *Index) Status() analysis.Status {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.status.With(&ix.totals, ix.duration(), len(ix.Ids), ix.Profile())
}

func (ix *Index) duration() model.Time {
	if ix.time.n == 0 {
		return 0
	}
	return ix.time.At(ix.time.n - 1)
}

// StackIDs implements [analysis.Trace].
func (ix *Index) StackIDs() []model.StackID {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.Ids[:len(ix.Ids):len(ix.Ids)]
}

func (ix *Index) build(ctx context.Context, store *model.Store, p *model.Profile) error {
	begin, size := p.Allocations.Extent()
	ix.mu.Lock()
	ix.Store = store
	ix.status.Offset, ix.status.Size = begin, size
	ix.mu.Unlock()
	err := p.Allocations.Replay(ctx, func(b *model.EventBatch) error {
		if len(b.Problems) > 0 || b.Lost > 0 {
			publish(store, b.Problems, b.Lost)
		}
		_, size := p.Allocations.Extent()
		ix.mu.Lock()
		defer ix.mu.Unlock()
		ix.status.Offset, ix.status.Size = b.Offset, size
		return ix.append(b.Events)
	})
	return ix.finish(store, err)
}

// finish ends the reading and says what is uncertain about the answers.
func (ix *Index) finish(store *model.Store, err error) error {
	ix.mu.Lock()
	ix.status.Stopped, ix.status.Final = err != nil, err == nil
	ix.live = nil
	ix.status.Saturated = ix.status.Saturated || ix.curve.LiveHi != 0
	found, err := remarks(&ix.totals, ix.status.Saturated, err)
	ix.mu.Unlock()
	publish(store, found, 0)
	return err
}

func (ix *Index) dangling() []model.Problem {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	var markers []uint64
	for _, m := range ix.marks {
		if !m.gc {
			markers = append(markers, m.id)
		}
	}
	return ix.Undefined(markers)
}
