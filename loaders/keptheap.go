package loaders

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"strconv"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// DecodedHeap is a snapshot as stored between runs.
type DecodedHeap struct {
	Heap     *model.Heap
	Info     model.HeapInfo
	Problems []model.Problem // found while decoding
	Room     *model.Room     // of the heap's columns
}

// heapFormat is the format of files with decoded snapshots.
var heapFormat = sections.Format{Magic: "memtui.heap/1\r\n\x00\x00", Version: 3}

// worthKeeping is the number of rows and references from which a snapshot is stored: smaller ones are decoded quickly.
const worthKeeping = 1 << 20

// HeapRequest identifies the snapshot to open.
type HeapRequest struct {
	Schema *model.HeapSchema
	Cache  sections.Cache // stores decoded snapshots; nil for no store
	I      int
	Way    string // distinguishes ways to decode one snapshot, such as those that a flag chooses
	// Extra writes or reads the loader's own data about the snapshot; nil for none.
	Extra func(*sections.Codec)
}

// Open returns a snapshot that an earlier run decoded, or decodes it. If it is complete and large, it stores it, and
// returns the stored one: that is in a mapped file rather than in memory.
func (q *HeapRequest) Open(ctx context.Context, decode func() (*DecodedHeap, error)) (*DecodedHeap, error) {
	k, name := q.Cache, "heap"+strconv.Itoa(q.I)+q.Way
	if d := q.restore(ctx, name); d != nil {
		return d, nil
	}
	d, err := decode()
	if err == nil && d.Heap.Complete && d.Heap.Tally == nil {
		d.Heap.Count()
	}
	if err != nil || k == nil || !d.Heap.Complete || d.Heap.Len()+d.Heap.To.Len() < worthKeeping {
		return d, err
	}
	if stored, err := q.store(ctx, name, d); stored != nil || err != nil {
		return stored, err
	}
	return d, ctx.Err()
}

// store returns a snapshot in the file that it writes, nil if it cannot be written.
func (q *HeapRequest) store(ctx context.Context, name string, d *DecodedHeap) (*DecodedHeap, error) {
	text, err := json.Marshal(heapNotes{d.Info, model.RawProblems(d.Problems)})
	if err != nil {
		return nil, err
	}
	stored := &model.Heap{Schema: q.Schema, Kept: &sections.Named{Cache: q.Cache, Prefix: name}}
	stored.From = heapFormat.Store(ctx, q.Cache, name, q.layout(), func(f *sections.Codec) { q.sections(f, d.Heap, &text) },
		func(f *sections.Codec) { q.sections(f, stored, new([]byte)) })
	if stored.From == nil {
		return nil, nil
	}
	d.Heap = stored
	d.Room.Close()
	debug.FreeOSMemory() // the columns are large
	return d, nil
}

func (q *HeapRequest) layout() []byte {
	return sections.Layout(func(f *sections.Codec) { q.sections(f, &model.Heap{}, new([]byte)) })
}

// heapNotes is stored as JSON.
type heapNotes struct {
	Info     model.HeapInfo
	Problems []model.RawProblem
}

// sections writes a snapshot and the data about it to a file, or reads them.
func (q *HeapRequest) sections(f *sections.Codec, h *model.Heap, notes *[]byte) {
	f.Describe("notes", heapNotes{})
	sections.Array(f, "notes", notes)
	if q.Extra != nil {
		q.Extra(f)
	}
	h.Sections(f)
}

// restore returns a snapshot that an earlier run stored, nil if there is none.
func (q *HeapRequest) restore(ctx context.Context, name string) *DecodedHeap {
	if q.Cache == nil {
		return nil
	}
	d, text := &DecodedHeap{Heap: &model.Heap{Schema: q.Schema}}, []byte(nil)
	from := heapFormat.Restore(ctx, q.Cache, name, q.layout(), func(f *sections.Codec) { q.sections(f, d.Heap, &text) })
	if from == nil {
		return nil
	}
	var notes heapNotes
	if json.Unmarshal(text, &notes) != nil {
		return nil
	}
	d.Info, d.Heap.From, d.Heap.Kept = notes.Info, from, &sections.Named{Cache: q.Cache, Prefix: name}
	for _, p := range notes.Problems {
		d.Problems = append(d.Problems, p.Restore())
	}
	return d
}
