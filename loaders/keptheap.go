package loaders

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// DecodedHeap is a snapshot as it is kept between runs.
type DecodedHeap struct {
	Heap     *model.Heap
	Info     model.HeapInfo
	Problems []model.Problem // that came up while it was decoded
}

// heapFormat is that of files with decoded snapshots.
var heapFormat = sections.Format{Magic: "memtui.heap/1\r\n\x00\x00", Version: 1}

// worthKeeping is from how many rows and references on a snapshot is kept: smaller ones are decoded in a moment.
const worthKeeping = 1 << 20

// HeapRequest says which snapshot is opened.
type HeapRequest struct {
	Schema *model.HeapSchema
	Keeper sections.Keeper // where decoded snapshots are kept; nil for nowhere
	I      int
	Way    string // tells ways to decode one snapshot apart, such as those that a flag chooses
	// Beside moves what the loader itself knows of the snapshot, nil for nothing.
	Beside func(*sections.Codec)
}

// Open returns a snapshot as an earlier run has decoded it, or has it decoded, and kept if it is whole and large.
func (q *HeapRequest) Open(ctx context.Context, decode func() (*DecodedHeap, error)) (*DecodedHeap, error) {
	k, name := q.Keeper, "heap"+strconv.Itoa(q.I)+q.Way
	if d := q.restore(ctx, name); d != nil {
		return d, nil
	}
	d, err := decode()
	if err == nil && d.Heap.Complete {
		d.Heap.Count()
	}
	if err != nil || k == nil || !d.Heap.Complete || d.Heap.Len()+d.Heap.To.Len() < worthKeeping {
		return d, err
	}
	d.Heap.Kept = &sections.Named{Keeper: k, Prefix: name}
	text, err := json.Marshal(heapNotes{d.Info, model.RawProblems(d.Problems)})
	if err != nil {
		return nil, err
	}
	heapFormat.Keep(k, name, func(f *sections.Codec) { q.sections(f, d.Heap, &text) })
	return d, nil
}

// heapNotes are what is kept as JSON.
type heapNotes struct {
	Info     model.HeapInfo
	Problems []model.RawProblem
}

// sections moves a snapshot and what is known of it to or from a file.
func (q *HeapRequest) sections(f *sections.Codec, h *model.Heap, notes *[]byte) {
	f.Describe("notes", heapNotes{})
	sections.Array(f, "notes", notes)
	if q.Beside != nil {
		q.Beside(f)
	}
	h.Sections(f)
}

// restore returns a snapshot that an earlier run has kept, nil where there is none.
func (q *HeapRequest) restore(ctx context.Context, name string) *DecodedHeap {
	if q.Keeper == nil {
		return nil
	}
	layout := sections.Layout(func(f *sections.Codec) { q.sections(f, &model.Heap{}, new([]byte)) })
	d, text := &DecodedHeap{Heap: &model.Heap{Schema: q.Schema}}, []byte(nil)
	from := heapFormat.Restore(ctx, q.Keeper, name, layout, func(f *sections.Codec) { q.sections(f, d.Heap, &text) })
	if from == nil {
		return nil
	}
	var notes heapNotes
	if json.Unmarshal(text, &notes) != nil {
		return nil
	}
	d.Info, d.Heap.From, d.Heap.Kept = notes.Info, from, &sections.Named{Keeper: q.Keeper, Prefix: name}
	for _, p := range notes.Problems {
		d.Problems = append(d.Problems, p.Told())
	}
	return d
}
