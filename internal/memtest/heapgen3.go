package memtest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Heap3 returns a file of version 3, properly ended, with all its tables of contents.
func Heap3(s HeapSpec) ([]byte, error) {
	var b bytes.Buffer
	err := WriteHeap3(&b, s)
	return b.Bytes(), err
}

// WriteHeap3 is [Heap3] for files that should not be in memory.
func WriteHeap3(w io.Writer, s HeapSpec) error {
	window := 4 << 20 // as real recorders use
	if s.Rows < 1000 {
		window = 64 << 10 // tests that open thousands of small files need not clear 4 MiB each time
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	h := &heapWriter{w: w, z: z}
	h.bytes([]byte("MoarHeapDumpv003"))
	h.json("filemeta", `{ "subversion": 1, "start_time": 1000000, "pid": 4711, "highscore_structure": { "entry_count": 40, `+
		`"data_order": ["types_by_count", "frames_by_count", "types_by_size", "frames_by_size"]}}`)
	h.outer, h.inner = h.inner, nil
	before := &heapNames{}
	for i := range max(1, s.Snapshots) {
		names := namesOf(i)
		h.snapshot(graphOf(s, i), before, names, i)
		before = names
		h.tocs()
	}
	h.tocs()
	return h.err
}

// heapWriter writes blocks and records their positions.
type heapWriter struct {
	w            io.Writer
	z            *zstd.Encoder
	at           uint64
	inner, outer [][]byte // entries of the next tables of contents
	err          error
}

func (h *heapWriter) bytes(b []byte) {
	if h.err == nil {
		_, h.err = h.w.Write(b)
		h.at += uint64(len(b))
	}
}

// Write is for the compressor.
func (h *heapWriter) Write(b []byte) (int, error) {
	h.bytes(b)
	return len(b), h.err
}

func padded(kind string) []byte {
	b := make([]byte, 8)
	copy(b, kind)
	return b
}

// block writes one block and its entry; content writes everything after the name.
func (h *heapWriter) block(kind string, content func()) {
	entry := binary.LittleEndian.AppendUint64(padded(kind), h.at)
	h.bytes(padded(kind))
	content()
	h.inner = append(h.inner, binary.LittleEndian.AppendUint64(entry, h.at))
}

func (h *heapWriter) json(kind, text string) {
	h.block(kind, func() {
		h.bytes(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text)+1)), text+"\x00"...))
	})
}

// frame compresses the output of content, in parts.
func (h *heapWriter) frame(header []byte, content func(w io.Writer)) {
	h.bytes(append(header, make([]byte, 8)...)) // the size, always 0
	h.z.Reset(h)
	content(h.z)
	if err := h.z.Close(); h.err == nil {
		h.err = err
	}
}

// column writes n numbers of width bytes.
func (h *heapWriter) column(kind string, width, n int, value func(i int) uint64) {
	h.block(kind, func() {
		h.frame(binary.LittleEndian.AppendUint16(nil, uint16(width)), func(w io.Writer) {
			buf, le := make([]byte, 0, 64<<10), binary.LittleEndian
			for i := range n {
				var one [8]byte
				le.PutUint64(one[:], value(i))
				buf = append(buf, one[:width]...)
				if len(buf) > 60<<10 || i == n-1 {
					if _, err := w.Write(buf); h.err == nil {
						h.err = err
					}
					buf = buf[:0]
				}
			}
		})
	})
}

func (h *heapWriter) snapshot(g *heapGraph, before, names *heapNames, i int) {
	rows, size := g.totals()
	h.json("snapmeta", fmt.Sprintf(`{"snap_time": %d, "gc_seq_num": %d, "total_heap_size": %d, "total_objects": %d, "total_typeobjects": %d, `+
		`"total_stables": %d, "total_frames": %d, "total_refs": %d}`,
		1_005_000+70_000*i, i+1, size, rows[1], rows[2], rows[3], rows[4], len(g.target)))
	n, refs := len(g.kinds), len(g.target)
	h.column("colkind", 2, n, func(r int) uint64 { return uint64(g.kinds[r]) })
	h.column("colsize", 2, n, func(r int) uint64 { return uint64(g.size[r]) })
	h.column("coltofi", 4, n, func(r int) uint64 { return uint64(g.entity[r]) })
	h.column("colrfcnt", 4, n, func(r int) uint64 { return uint64(g.count[r]) })
	h.column("colrfstr", 8, n, func(r int) uint64 { return uint64(g.first[r]) })
	h.column("colusize", 8, n, func(r int) uint64 { return g.extra[r] })
	h.column("refdescr", 8, refs, func(e int) uint64 { return g.descr[e] })
	h.column("reftrget", 8, refs, func(e int) uint64 { return uint64(g.target[e]) })
	h.names(before, names)
	var ids, scores []uint64
	for _, bySize := range []bool{false, true} {
		for _, b := range []struct {
			kind   uint8
			length int
		}{{1, len(names.types)}, {4, len(names.frames)}} {
			more, high := g.board(b.kind, b.length, bySize)
			ids, scores = append(ids, more...), append(scores, high...)
		}
	}
	h.column("topIDs", 8, len(ids), func(i int) uint64 { return ids[i] })
	h.column("topscore", 8, len(scores), func(i int) uint64 { return scores[i] })
}

// names writes the new names in the tables.
func (h *heapWriter) names(before, after *heapNames) {
	more := after.strings[len(before.strings):]
	h.block("strings", func() {
		h.frame(nil, func(w io.Writer) {
			for _, s := range more {
				if _, err := w.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...)); h.err == nil {
					h.err = err
				}
			}
		})
	})
	types, frames := after.types[len(before.types):], after.frames[len(before.frames):]
	for c, kind := range []string{"reprname", "typename"} {
		h.column(kind, 4, len(types), func(i int) uint64 { return uint64(types[i][c]) })
	}
	for c, kind := range []string{"sfname", "sfcuid", "sfline", "sffile"} {
		h.column(kind, 4, len(frames), func(i int) uint64 { return uint64(frames[i][c]) })
	}
}

// tocs writes the table of contents of the last blocks, and that of the complete file.
func (h *heapWriter) tocs() {
	start := h.at
	h.toc(h.inner)
	entry := binary.LittleEndian.AppendUint64(padded("toc"), start)
	h.outer = append(h.outer, binary.LittleEndian.AppendUint64(entry, h.at-8))
	h.inner = nil
	h.toc(h.outer)
}

func (h *heapWriter) toc(entries [][]byte) {
	start := h.at
	b := binary.LittleEndian.AppendUint64(padded("toc"), uint64(len(entries)))
	b = append(b, bytes.Join(entries, nil)...)
	h.bytes(binary.LittleEndian.AppendUint64(b, start))
}
