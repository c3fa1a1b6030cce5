package traceindex

import (
	"runtime"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// FileIndex is the implementation of [Trace] for traces of any size: it keeps no events, but what is needed to make sense of
// any part of the file when it is read again. It costs one to two bytes per event.
//
// Events are cut into chunks of half a megabyte to a few. Of each chunk it keeps sums by stack, thread and size; the level of live
// memory after every few hundred events, and what happens in parts of those; and, for each FREE, which block it ends: one of the
// same chunk, told by how many allocations ago that was, or a record. Blocks that outlive their chunk have records, numbered by
// birth.
//
// Writers hold the lock for a while, readers for one answer. "n events" always means the state after the first n.
type FileIndex struct {
	mu sync.RWMutex
	names

	source    model.ChunkSource // nil when the source can only be replayed: then chunks keep their events
	input     model.Changing    // nil where nothing is known of it
	chunkSize int               // bytes of a chunk
	cores     int               // that build it

	chunks      []*chunk
	sites       siteTable
	stackIndex  map[model.StackID]uint32
	threadIndex map[uint16]uint32
	records     records
	sums        [dimCount][]cell // everything so far
	checkpoints []chunkSums
	sparse      int // cells in sums of chunks since the last checkpoint
	curve       pyramid
	runs        column[runStart] // aligned with curve.base
	spans       []spanEdge       // of a restored index; nil where they are found in runs and curve
	proof       *runsProof       // of runs and curve where those come from a file
	marks       []fileMark
	totals      analysis.Totals
	status      analysis.Status
	budget      int64         // bytes, 0 = unlimited
	room        *model.Budget // of the whole program; nil for no bound
	loading     int64         // bytes that only the building needs

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

	ends   []byte       // by FREE: see endWriter
	freed  []byte       // by FREE: bytes that it ends, see sizeWriter
	common []uint64     // sizes that freed names by number
	fine   []byte       // the parts of its runs, see fineWriter; none where sums are too large for it
	proofs *chunkProofs // of freed, common and fine, where those come from a file
	number int          // in chunkProofs
	over   []overEnd    // by event
	sums   [dimCount][]byte
	totals *analysis.Totals // never nil; of a restored index they lie in the file
}

// overEnd is a block that an allocation over its address ended.
type overEnd struct {
	event uint32 // of the chunk
	ref   ref
	size  uint64
}

// ref names a block within a chunk: a record, or an allocation of the chunk.
type ref uint32

const (
	noRef    ref = 1<<32 - 1
	localRef ref = 1 << 31 // the rest is the number of an event that is no FREE
)

func (r ref) local() (payload int, ok bool) { return int(r &^ localRef), r&localRef != 0 && r != noRef }

// runStart is where a run of events begins, within its chunk. All runs but the last of a chunk are of runLength events.
type runStart struct {
	time  uint32 // µs after the chunk's first event
	at    uint32 // bytes after the chunk's first event; of kept events, those before it that are no FREE
	freed uint32 // in chunk.freed
	fine  uint32 // in chunk.fine
}

const runLength = model.OffsetEvery

// records are the blocks that outlive their chunk, by birth.
type records struct {
	origin originColumn
	born   riseColumn     // events
	bornAt riseColumn     // times
	died   column[uint32] // events; alive
	diedAt wideTimes      // of what is alive 0
}

func (r *records) len() int { return r.origin.n }

// wideTimes is a column of times in any order: four bytes each, and four more from the first one on that needs them.
type wideTimes struct{ lo, hi column[uint32] }

// room appends n times, or as many as lie together. They are zero.
func (c *wideTimes) room(n int) {
	c.lo.room(n)
	if c.hi.n > 0 {
		c.widen(c.lo.n)
	}
}

func (c *wideTimes) widen(n int) {
	for c.hi.n < n {
		c.hi.append(0)
	}
}

func (c *wideTimes) set(i int, t model.Time) {
	c.lo.set(i, uint32(t))
	if t>>32 != 0 || i < c.hi.n {
		c.widen(i + 1)
		c.hi.set(i, uint32(t>>32))
	}
}

func (c *wideTimes) at(i int) model.Time {
	t := model.Time(c.lo.at(i))
	if i < c.hi.n {
		t |= model.Time(c.hi.at(i)) << 32
	}
	return t
}

// fileMark is a marker or a GC event.
type fileMark struct {
	mark
	time model.Time
}

// defaultChunk is large enough that sums cost little, unless there are very many stacks, and small enough that an answer reads
// one within a frame and that chunks on their way into the index fit the caches.
const defaultChunk = 512 << 10

// NewFileIndex returns an empty index. It answers at once, about nothing.
func NewFileIndex() *FileIndex { return newFileIndex(defaultChunk) }

func newFileIndex(chunkSize int) *FileIndex {
	ix := &FileIndex{chunkSize: chunkSize, stackIndex: map[model.StackID]uint32{}, threadIndex: map[uint16]uint32{}}
	ix.cores, ix.status.Size = runtime.GOMAXPROCS(0), -1
	ix.sums[dimSize] = make([]cell, analysis.SizeClasses)
	return ix
}

// SetBudget implements [Loading].
func (ix *FileIndex) SetBudget(bytes int64) { ix.budget = bytes }

// Status implements [Trace].
func (ix *FileIndex) Status() analysis.Status {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.status.With(&ix.totals, ix.duration(), len(ix.ids), ix.profile())
}

// events is the number of events.
func (ix *FileIndex) events() int { return int(ix.totals.Events) }

func (ix *FileIndex) duration() model.Time {
	if len(ix.chunks) == 0 {
		return 0
	}
	return ix.chunks[len(ix.chunks)-1].end
}

// StackIDs implements [Trace].
func (ix *FileIndex) StackIDs() []model.StackID {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.ids[:len(ix.ids):len(ix.ids)]
}

// breathe lets a waiting writer in, in the middle of a long answer: neither it nor a frame behind it must wait for the end.
// Answers may call it where all they hold is numbers of events and of blocks: what is loaded stays as it is, while sums and
// the number of keys change.
func (ix *FileIndex) breathe() {
	if !ix.status.Final && !ix.status.Stopped {
		ix.mu.RUnlock()
		ix.mu.RLock()
	}
}

// siteTable numbers pairs of stack and thread in the order of first use.
type siteTable struct {
	keys  []siteKey
	first []uint32           // by stack id, where that is small: number + 1 of its first pair
	rest  map[siteKey]uint32 // all others
	// Set in the index only: dense indexes by pair.
	stack  []uint32
	thread []uint32
}

type siteKey struct {
	id     uint64
	thread uint16
}

const smallID = 1 << 20

// of returns the number of a pair; fresh says that it is new.
func (t *siteTable) of(k siteKey) (site uint32, fresh bool) {
	if k.id < smallID {
		if k.id >= uint64(len(t.first)) {
			t.first = append(t.first, make([]uint32, int(k.id)+1024-len(t.first))...)
		}
		s := t.first[k.id]
		if s != 0 && t.keys[s-1].thread == k.thread {
			return s - 1, false
		}
		if s == 0 {
			t.keys = append(t.keys, k)
			t.first[k.id] = uint32(len(t.keys))
			return uint32(len(t.keys) - 1), true
		}
	}
	if s, ok := t.rest[k]; ok {
		return s, false
	}
	if t.rest == nil {
		t.rest = map[siteKey]uint32{}
	}
	s := uint32(len(t.keys))
	t.rest[k] = s
	t.keys = append(t.keys, k)
	return s, true
}

// find is of for pairs that exist.
func (t *siteTable) find(k siteKey) (site uint32, ok bool) {
	if k.id < uint64(len(t.first)) {
		if s := t.first[k.id]; s != 0 && t.keys[s-1].thread == k.thread {
			return s - 1, true
		}
	}
	site, ok = t.rest[k]
	return site, ok
}

// reset forgets all pairs.
func (t *siteTable) reset() {
	for _, k := range t.keys {
		if k.id < smallID {
			t.first[k.id] = 0
		}
	}
	clear(t.rest)
	t.keys = t.keys[:0]
}

// findSites fills the table of sites where the file cannot hold it.
func (t *siteTable) findSites() {
	for i, k := range t.keys {
		if k.id < uint64(len(t.first)) && t.first[k.id] == uint32(i)+1 {
			continue
		}
		if t.rest == nil {
			t.rest = map[siteKey]uint32{}
		}
		t.rest[k] = uint32(i)
	}
}
