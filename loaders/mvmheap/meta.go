package mvmheap

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/memtui/memtui/model"
)

const maxJSON = 64 << 10 // of metadata; real ones have 200 bytes

// fileMeta is the metadata of a file. Absent numbers are nil.
type fileMeta struct {
	Start  *int64 `json:"start_time"` // microseconds of a clock that means nothing but by differences
	PID    *int64 `json:"pid"`
	Scores struct {
		Count int64    `json:"entry_count"`
		Order []string `json:"data_order"`
	} `json:"highscore_structure"`
}

// snapMeta is the metadata of a snapshot. Absent numbers are nil.
type snapMeta struct {
	Time        *int64 `json:"snap_time"`
	GC          *int64 `json:"gc_seq_num"`
	Bytes       *int64 `json:"total_heap_size"`
	Objects     *int64 `json:"total_objects"`
	TypeObjects *int64 `json:"total_typeobjects"`
	STables     *int64 `json:"total_stables"`
	Frames      *int64 `json:"total_frames"`
	References  *int64 `json:"total_refs"`
}

// readJSON reads the JSON of block s into v.
func (w *window) readJSON(s span, v any) error {
	head := w.peek(s.start, tocHeader)
	if len(head) < tocHeader {
		return w.cut()
	}
	size := s.end - s.start - tocHeader
	if size > maxJSON {
		return &damage{tooLarge, fmt.Sprintf("%s bytes of metadata are more than the limit of %s, which cannot be raised", model.Group(uint64(size)), model.Group(maxJSON))}
	}
	b := w.peek(s.start+tocHeader, int(size))
	if int64(len(b)) < size {
		return w.cut()
	}
	b, _, _ = bytes.Cut(b, []byte{0})
	return json.Unmarshal(b, v)
}

// count returns the value of an optional number, NoCount for none and for negative ones.
func count(n *int64) int64 {
	if n == nil || *n < 0 {
		return model.NoCount
	}
	return *n
}

// info returns what metadata tells of a snapshot.
func (m *snapMeta) info(start *int64) model.HeapInfo {
	h := model.NoHeapInfo()
	h.GC, h.References, h.Bytes = count(m.GC), count(m.References), count(m.Bytes)
	h.Counts = []int64{setObjects: count(m.Objects), setTypeObjects: count(m.TypeObjects), setSTables: count(m.STables), setFrames: count(m.Frames)}
	if m.Time != nil && start != nil && *m.Time >= *start && *start >= 0 {
		h.Time = model.Time(*m.Time - *start)
	}
	return h
}
