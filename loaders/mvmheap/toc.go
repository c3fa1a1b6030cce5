package mvmheap

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/memtui/memtui/model"
)

// entry is one line of a table of contents.
type entry struct {
	kind  kind
	known bool
	span
}

// errTOC reports a table of contents that cannot be trusted, and where that was found.
type errTOC struct {
	offset int64
	text   string
}

func (e *errTOC) Error() string { return e.text }

func badTOC(offset int64, format string, args ...any) error {
	return &errTOC{offset, fmt.Sprintf(format, args...)}
}

// readTOC reads the table of contents that spans [start, end), its own start included.
func (w *window) readTOC(start, end int64) ([]entry, error) {
	head := w.peek(start, tocHeader)
	if len(head) < tocHeader {
		return nil, badTOC(start, "no table of contents at %d", start)
	}
	if k, ok := kindOf(head); !ok || k != toc {
		return nil, badTOC(start, "no table of contents at %d", start)
	}
	n := binary.LittleEndian.Uint64(head[nameLength:])
	room := end - start - tocHeader - tocFooter
	if room < 0 || room%tocEntry != 0 || n != uint64(room/tocEntry) {
		return nil, badTOC(start+nameLength, "the table of contents claims %d entries in %d bytes", n, max(0, room))
	}
	if own := w.peek(end-tocFooter, tocFooter); len(own) < tocFooter || binary.LittleEndian.Uint64(own) != uint64(start) {
		return nil, badTOC(end-tocFooter, "the table of contents does not end with its own offset")
	}
	entries := make([]entry, 0, min(n, 1<<10))
	at, before := start+tocHeader, int64(len(magic))
	for range n {
		b := w.peek(at, tocEntry)
		if len(b) < tocEntry {
			return nil, w.cut()
		}
		e := entry{}
		e.kind, e.known = kindOf(b)
		e.start, e.end = int64(binary.LittleEndian.Uint64(b[8:])), int64(binary.LittleEndian.Uint64(b[16:]))
		if e.known && e.kind == toc {
			e.end += tocFooter
		}
		// Entries ascend and precede their table: there can be no loops.
		if e.start < before || e.end < e.start+tocHeader || e.end > start {
			return nil, badTOC(at, "an entry of the table of contents claims [%d, %d)", e.start, e.end)
		}
		before = e.end
		entries = append(entries, e)
		at += tocEntry
	}
	return entries, nil
}

// outer returns the entries of the table of contents at the position in the last bytes of the file.
func (w *window) outer() ([]entry, error) {
	tail := w.peek(w.size-tocFooter, tocFooter)
	if len(tail) < tocFooter {
		return nil, badTOC(w.size, "the file is too short for a table of contents")
	}
	at := binary.LittleEndian.Uint64(tail)
	if at < uint64(len(magic)) || at > uint64(w.size-tocHeader-tocFooter) {
		return nil, badTOC(w.size-tocFooter, "the file does not end with the offset of a table of contents")
	}
	return w.readTOC(int64(at), w.size)
}

// readOuter finds the snapshots through the tables of contents. If it fails, f is unchanged.
func (f *file) readOuter(w *window) error {
	entries, err := w.outer()
	if err != nil {
		return err
	}
	var snaps []snapshot
	before := int64(len(magic))
	for _, e := range entries {
		switch {
		case !e.known || e.kind != toc && e.kind != filemeta:
			return badTOC(e.start, "the outer table of contents lists a block that it should not")
		case e.kind == filemeta:
			before = e.end
			continue
		}
		inner, err := w.readTOC(e.start, e.end)
		if err != nil {
			return err
		}
		s := snapshot{}
		for _, b := range inner {
			if b.known && (b.kind == toc || b.kind == filemeta || s.blocks[b.kind].there()) {
				return badTOC(e.start, "the table of contents lists %s in the wrong place or too often", b.kind)
			}
			if b.start < before {
				return badTOC(e.start, "two tables of contents list the bytes at %d", b.start)
			}
			if b.known {
				s.blocks[b.kind] = b.span
			}
		}
		before = e.end
		if s.there(snapmeta) || s.there(colkind) {
			s.complete = s.columns()
			snaps = append(snaps, s)
		} // otherwise: the last one, empty, or with names that no snapshot needs
	}
	f.snaps = snaps
	return w.err
}

// columns reports whether all columns are in the file.
func (s *snapshot) columns() bool {
	for k := range wholeColumns {
		if !s.blocks[k].there() {
			return false
		}
	}
	return s.there(snapmeta)
}

// readMeta reads the metadata of the file and of its snapshots.
func (f *file) readMeta(w *window) error {
	first := span{int64(len(magic)), 0}
	head := w.peek(first.start, tocHeader)
	if k, ok := kindOf(head); ok && k == filemeta && len(head) == tocHeader {
		first.end = first.start + tocHeader + int64(min(binary.LittleEndian.Uint64(head[nameLength:]), uint64(w.size)))
		if err := w.readJSON(first, f.meta.read); err != nil && w.err == nil {
			f.problem(model.Error, ruleOf(err, "filemeta"), first.start, "the file's metadata cannot be read: %v", err)
		}
	} else if w.err == nil {
		f.problem(model.Error, "filemeta", first.start, "the file does not begin with its metadata")
	}
	for i := range f.snaps {
		s := &f.snaps[i]
		switch at := s.blocks[snapmeta]; {
		case !at.there():
			f.problem(model.Error, "snapmeta", s.first(), "snapshot %d has no metadata", i)
		default:
			if err := w.readJSON(at, s.meta.read); err != nil && w.err == nil {
				f.problem(model.Error, ruleOf(err, "snapmeta"), at.start, "the metadata of snapshot %d cannot be read: %v", i, err)
			}
		}
	}
	return w.err
}

// ruleOf returns the rule that err breaks, or usual if it has none.
func ruleOf(err error, usual string) string {
	if bad := (*damage)(nil); errors.As(err, &bad) {
		return bad.rule
	}
	return usual
}

// first returns the offset of the snapshot's first block.
func (s *snapshot) first() int64 {
	at := int64(-1)
	for _, b := range s.blocks {
		if b.there() && (at < 0 || b.start < at) {
			at = b.start
		}
	}
	return at
}
