package traceindex

import (
	"runtime"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/analysis/traceindex/live"
	"github.com/memtui/memtui/analysis/traceindex/shared"
	"github.com/memtui/memtui/analysis/traceindex/tally"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// fileIndex is the implementation of [analysis.Trace] for traces of any size. It stores no events, but what is needed
// to interpret any part of the file when it is read again: one to two bytes per event.
//
// Events are divided into chunks of half a megabyte to a few megabytes. A chunk stores sums by stack, thread and size;
// the level of live memory after every few hundred events, and what happens in parts of those; and, for each FREE,
// which block it ends: one of the same chunk, identified by how many allocations ago it was made, or a record. Blocks
// that outlive their chunk have records, numbered by birth.
//
// A writer holds the lock briefly, a reader for one answer. "n events" always means the state after the first n.
type fileIndex struct {
	mu sync.RWMutex
	group.Names

	source    model.ChunkSource // nil if the source can only be replayed: then chunks keep their events
	input     model.Changing    // nil if changes of the input cannot be detected
	chunkSize int               // bytes of a chunk
	cores     int               // number of builders

	chunks      []*chunk
	sites       group.SiteTable
	stackIndex  map[model.StackID]uint32
	threadIndex map[uint16]uint32
	records     records
	sums        [column.DimCount][]column.Cell // sums over all events
	checkpoints []chunkSums
	sparse      int // cells in sums of chunks since the last checkpoint
	curve       column.Pyramid
	runs        column.Column[runStart] // aligned with curve.base
	spans       []spanEdge              // of a restored index; nil if they are computed from runs and curve
	file        *sections.Sums          // of a restored index; nil for none
	verdicts    verdict.List            // of stacks; nil until first use
	soFar       soFar                   // verdicts while a recording is followed
	whole       whole                   // answers about the complete run
	tally       *tally.Tally            // of an index that was built; nil if it was not possible
	marks       []fileMark
	totals      analysis.Totals
	status      analysis.Status
	began       func()        // called when there are events; may be nil
	budget      int64         // in bytes, 0 for unlimited
	room        *model.Budget // of the program; nil for unlimited
	files       *model.Room   // of what does not fit; nil while all does
	loading     int64         // bytes that only building needs
	held        int64         // bytes of the chunks and checkpoints that were built

	told  bool            // what makes answers uncertain was published before
	begin int64           // offset of the events in the input
	found []model.Problem // in the events, with the number of bytes lost
	lost  int64

	views     viewCache
	curves    live.Curves
	grids     group.GridCache
	cells     cellCache
	decoders  sync.Pool
	spare     sync.Pool // views for together to reuse
	flights   shared.Flights
	answering sync.Once                // see answerAhead
	runCache  shared.Recent[runLevels] // slow ones: edges of charts fall into them at every zoom
	columns   sync.Pool                // *model.Columns, for reading a run
	readers   sync.Pool                // *runReader
}

// chunk is a range of events, with what the file does not record about them.
type chunk struct {
	first      int            // events before it
	n          int            // events
	from, to   int64          // bytes of the events in the input
	kept       *model.Columns // the events, if the input cannot be read again in one piece
	begin, end model.Time     // of its first and last event
	firstRun   int
	firstBlock int    // blocks born before it
	firstRec   uint32 // records before it
	records    uint32 // blocks born in it that outlive it
	hi, lo     uint64 // live bytes before it, 128 bits

	ends   []byte    // by FREE: the ended block, see EndWriter
	freed  []byte    // by FREE: the freed bytes, see SizeWriter
	common []uint64  // sizes that freed refers to by number
	fine   []byte    // parts of its runs, see column.PartWriter; empty if sums are too large for it
	over   []overEnd // by event
	sums   [column.DimCount][]byte
	tops   tally.Tops       // if there is a tally
	totals *analysis.Totals // never nil; in a restored index mapped from the file
}

// overEnd is a block that ended because an allocation took its address.
type overEnd struct {
	event uint32 // within the chunk
	ref   column.Ref
	size  uint64
}

// runStart is the beginning of a run of events within its chunk. All runs except the last of a chunk have runLength
// events.
type runStart struct {
	time  model.Time // bytes after the chunk's first event; for kept events the earlier ones that are not FREE
	at    uint32     // bytes after the chunk's first event; for kept events the number of earlier ones that are not FREE
	freed uint32     // offset in chunk.freed
	fine  uint32     // offset in chunk.fine
}

const runLength = model.OffsetEvery

// records are the blocks that outlive their chunk, by birth.
type records struct {
	origin column.OriginColumn
	born   column.RiseColumn     // events
	bornAt column.RiseColumn     // times
	died   column.Column[uint32] // event, or alive
	diedAt column.WideTimes      // 0 while alive
}

func (r *records) len() int { return r.origin.N }

// fileMark is a marker or a GC event.
type fileMark struct {
	mark
	time model.Time
}

// defaultChunk is large enough that sums cost little, unless there are very many stacks, and small enough that an
// answer reads one within a frame and that chunks fit the caches while they are added to the index.
const defaultChunk = 512 << 10

// newFileIndex returns an empty index with chunks of the given size. It answers at once, as if the trace were empty.
func newFileIndex(chunkSize int) *fileIndex {
	ix := &fileIndex{chunkSize: chunkSize, stackIndex: map[model.StackID]uint32{}, threadIndex: map[uint16]uint32{}}
	ix.columns.New, ix.spare.New = func() any { return new(model.Columns) }, func() any { return new(view) }
	ix.cores, ix.status.Size = runtime.GOMAXPROCS(0), -1
	ix.sums[column.DimSize] = make([]column.Cell, analysis.SizeClasses)
	return ix
}

// SetBudget implements [Loading].
func (ix *fileIndex) SetBudget(bytes int64) { ix.budget = bytes }

// Status implements [analysis.Trace].
func (ix *fileIndex) Status() analysis.Status {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.statusNow()
}

// statusNow returns the status. The lock is held.
func (ix *fileIndex) statusNow() analysis.Status {
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

// StackIDs implements [analysis.Trace].
func (ix *fileIndex) StackIDs() []model.StackID {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.Ids[:len(ix.Ids):len(ix.Ids)]
}

// yield releases the read lock in the middle of a long answer, so that a waiting writer, and the readers after it, can
// proceed. Answers may call it when they hold only numbers of events and of blocks: what is loaded does not change,
// while sums and the number of keys do.
func (ix *fileIndex) yield() {
	if !ix.status.Final && !ix.status.Stopped {
		ix.mu.RUnlock()
		ix.mu.RLock()
	}
}
