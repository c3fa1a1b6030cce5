package traceindex

import (
	"runtime"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// fileIndex is the implementation of [Trace] for traces of any size: it keeps no events, but what is needed to make
// sense of any part of the file when it is read again. It costs one to two bytes per event.
//
// Events are cut into chunks of half a megabyte to a few. Of each chunk it keeps sums by stack, thread and size; the
// level of live memory after every few hundred events, and what happens in parts of those; and, for each FREE, which
// block it ends: one of the same chunk, told by how many allocations ago that was, or a record. Blocks that outlive
// their chunk have records, numbered by birth.
//
// Writers hold the lock for a while, readers for one answer. "n events" always means the state after the first n.
type fileIndex struct {
	mu sync.RWMutex
	group.Names

	source    model.ChunkSource // nil when the source can only be replayed: then chunks keep their events
	input     model.Changing    // nil where nothing is known of it
	chunkSize int               // bytes of a chunk
	cores     int               // that build it

	chunks      []*chunk
	sites       group.SiteTable
	stackIndex  map[model.StackID]uint32
	threadIndex map[uint16]uint32
	records     records
	sums        [column.DimCount][]column.Cell // everything so far
	checkpoints []chunkSums
	sparse      int // cells in sums of chunks since the last checkpoint
	curve       column.Pyramid
	runs        column.Column[runStart] // aligned with curve.base
	spans       []spanEdge              // of a restored index; nil where they are found in runs and curve
	file        *sections.Sums          // of a restored index; nil for none
	verdicts    verdict.List            // of stacks; nil until they are asked for
	marks       []fileMark
	totals      analysis.Totals
	status      analysis.Status
	began       func()        // called when there are events; may be nil
	budget      int64         // bytes, 0 = unlimited
	room        *model.Budget // of the whole program; nil for no bound
	loading     int64         // bytes that only the building needs
	held        int64         // bytes of chunks and checkpoints that were built

	begin int64           // where the events begin in the input
	found []model.Problem // among the events, and how many bytes were lost with them
	lost  int64

	views    viewCache
	curves   curveCache
	grids    gridCache
	cells    cellCache
	peaks    peakCache
	decoders sync.Pool
	spare    sync.Pool // views for together
	flights  flights
	runCache runCache
	columns  sync.Pool // *model.Columns, to read a run into
	readers  sync.Pool // *runReader
}

// chunk is a run of events and what the file does not tell about them.
type chunk struct {
	first      int            // events before it
	n          int            // events
	from, to   int64          // where the events lie in the input
	kept       *model.Columns // the events, where the input cannot be read again like that
	begin, end model.Time     // of its first and last event
	firstRun   int
	firstBlock int    // blocks born before it
	firstRec   uint32 // records before it
	records    uint32 // blocks of it that outlive it
	hi, lo     uint64 // live bytes before it, 128 bits

	ends   []byte    // by FREE: see EndWriter
	freed  []byte    // by FREE: bytes that it ends, see SizeWriter
	common []uint64  // sizes that freed names by number
	fine   []byte    // the parts of its runs, see fineWriter; none where sums are too large for it
	over   []overEnd // by event
	sums   [column.DimCount][]byte
	totals *analysis.Totals // never nil; of a restored index they lie in the file
}

// overEnd is a block that an allocation over its address ended.
type overEnd struct {
	event uint32 // of the chunk
	ref   column.Ref
	size  uint64
}

// runStart is where a run of events begins, within its chunk. All runs but the last of a chunk are of runLength events.
type runStart struct {
	time  model.Time // µs after the chunk's first event
	at    uint32     // bytes after the chunk's first event; of kept events, those before it that are not FREE
	freed uint32     // in chunk.freed
	fine  uint32     // in chunk.fine
}

const runLength = model.OffsetEvery

// records are the blocks that outlive their chunk, by birth.
type records struct {
	origin column.OriginColumn
	born   column.RiseColumn     // events
	bornAt column.RiseColumn     // times
	died   column.Column[uint32] // events; alive
	diedAt column.WideTimes      // of what is alive 0
}

func (r *records) len() int { return r.origin.N }

// fileMark is a marker or a GC event.
type fileMark struct {
	mark
	time model.Time
}

// defaultChunk is large enough that sums cost little, unless there are very many stacks, and small enough that an
// answer reads one within a frame and that chunks on their way into the index fit the caches.
const defaultChunk = 512 << 10

// newFileIndex returns an empty index of chunks of some bytes. It answers at once, about nothing.
func newFileIndex(chunkSize int) *fileIndex {
	ix := &fileIndex{chunkSize: chunkSize, stackIndex: map[model.StackID]uint32{}, threadIndex: map[uint16]uint32{}}
	ix.columns.New, ix.spare.New = func() any { return new(model.Columns) }, func() any { return new(view) }
	ix.cores, ix.status.Size = runtime.GOMAXPROCS(0), -1
	ix.sums[column.DimSize] = make([]column.Cell, analysis.SizeClasses)
	return ix
}

// SetBudget implements [Loading].
func (ix *fileIndex) SetBudget(bytes int64) { ix.budget = bytes }

// Status implements [Trace].
func (ix *fileIndex) Status() analysis.Status {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.status.With(&ix.totals, ix.duration(), len(ix.Ids), ix.Profile())
}

// events returns the number of events.
func (ix *fileIndex) events() int { return int(ix.totals.Events) }

func (ix *fileIndex) duration() model.Time {
	if len(ix.chunks) == 0 {
		return 0
	}
	return ix.chunks[len(ix.chunks)-1].end
}

// StackIDs implements [Trace].
func (ix *fileIndex) StackIDs() []model.StackID {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.Ids[:len(ix.Ids):len(ix.Ids)]
}

// yield releases the read lock in the middle of a long answer, so that a waiting writer, and the readers after it, can
// proceed. Answers may call it where all they hold is numbers of events and of blocks: what is loaded stays as it is,
// while sums and the number of keys change.
func (ix *fileIndex) yield() {
	if !ix.status.Final && !ix.status.Stopped {
		ix.mu.RUnlock()
		ix.mu.RLock()
	}
}
