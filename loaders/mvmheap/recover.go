package mvmheap

import (
	"encoding/binary"
	"errors"

	"github.com/memtui/memtui/model"
)

// block is one block found by walking.
type block struct {
	kind kind
	span
}

// walker walks a file of version 3 from the beginning, block by block.
type walker struct {
	f       *file
	w       *window
	current *snapshot   // the one whose blocks are being read; nil after its table of contents
	tail    snapshot    // names after the last snapshot, which are unused
	tocs    int         // tables of contents in a row
	clean   bool        // the walk ended at the end of the file, where a file can end
	met     func(block) // called for every complete block; may be nil
}

// walk finds the snapshots from the beginning. Obstacles are problems; only failures of reading are errors.
func (r *walker) walk() error {
	r.f.snaps = nil
	at := int64(len(magic))
	for at < r.w.size {
		b, err := r.block(at)
		if r.w.err != nil {
			return r.w.err
		}
		if err != nil {
			r.stop(at, b.kind, err)
			return nil
		}
		if !r.place(b) {
			r.f.problem(model.Error, "block", at, "an unexpected block of kind %s", b.kind)
		}
		if r.met != nil {
			r.met(b)
		}
		at = b.end
	}
	r.clean = r.current == nil && r.tocs > 0
	if !r.clean && len(r.f.snaps) > 0 {
		r.f.cut("truncated", at, "the file ends within a snapshot: its recorder was probably killed")
	}
	return nil
}

// errUnknown reports a block of unknown length.
var errUnknown = errors.New("no known block begins here")

// block measures the block at offset at. For a block that is cut it returns the kind.
func (r *walker) block(at int64) (b block, err error) {
	head := r.w.peek(at, nameLength)
	k, ok := kindOf(head)
	if !ok {
		if len(head) < nameLength {
			return block{kind: numKinds}, r.w.cut()
		}
		return block{kind: numKinds}, errUnknown
	}
	b = block{k, span{at, 0}}
	head = r.w.peek(at, int(k.header()))
	if int64(len(head)) < k.header() {
		return b, r.w.cut()
	}
	switch {
	case k <= strings3:
		b.end, err = frameEnd(r.w, at+k.header())
		return b, err
	case k == toc:
		b.end, err = r.tocEnd(at)
		return b, err
	}
	n := binary.LittleEndian.Uint64(head[len(head)-8:])
	if n > uint64(r.w.size-at-k.header()) {
		return b, errCut
	}
	b.end = at + k.header() + int64(n)
	return b, nil
}

// tocEnd finds the end of the table of contents at offset at. It ends with its own offset, which is trusted more than
// its count.
func (r *walker) tocEnd(at int64) (int64, error) {
	counted := int64(0)
	if n := binary.LittleEndian.Uint64(r.w.peek(at+nameLength, 8)); n < uint64(r.w.size)/tocEntry {
		counted = at + tocHeader + int64(n)*tocEntry + tocFooter
	}
	if counted > 0 && r.ownPlace(counted-tocFooter, at) {
		return counted, nil
	}
	for end := at + tocHeader; end+tocFooter <= r.w.size; end += tocEntry {
		if r.ownPlace(end, at) {
			return end + tocFooter, nil
		}
	}
	if counted > 0 && counted <= r.w.size {
		return counted, nil
	}
	return 0, r.w.cut()
}

// ownPlace reports whether the number at offset end is at.
func (r *walker) ownPlace(end, at int64) bool {
	b := r.w.peek(end, tocFooter)
	return len(b) == tocFooter && binary.LittleEndian.Uint64(b) == uint64(at)
}

// place adds a block to its snapshot; false if it cannot belong to it.
func (r *walker) place(b block) bool {
	switch {
	case b.kind == toc:
		r.tocs++
		if r.current != nil {
			r.current.complete = r.current.columns()
			r.current = nil
		}
		return true
	case b.kind == filemeta:
		return b.start == int64(len(magic))
	case b.kind == snapmeta || r.current == nil && b.kind < wholeColumns:
		r.f.snaps = append(r.f.snaps, snapshot{})
		r.current = &r.f.snaps[len(r.f.snaps)-1]
	}
	r.tocs = 0
	s := r.current
	if s == nil {
		s = &r.tail
	}
	if s.blocks[b.kind].there() {
		return false
	}
	s.blocks[b.kind] = b.span
	return true
}

// stop reports why the walk ends at offset at.
func (r *walker) stop(at int64, k kind, err error) {
	lost := r.w.size - at
	r.f.lost += lost
	name := "a block"
	if k < numKinds {
		name = "the block " + k.String()
	}
	switch {
	case errors.Is(err, errCut) && k == toc && r.tocs > 0:
		r.f.cut("truncated", at, "the file ends within its table of contents")
	case errors.Is(err, errCut):
		r.f.cut("truncated", at,
			"the file ends within %s, %d bytes after its start: its recorder was probably killed", name, lost)
	case errors.Is(err, errUnknown) && r.tocs > 1:
		r.f.problem(model.Error, "trailing", at, "%d bytes follow the end of the recording", lost)
	case errors.Is(err, errUnknown):
		r.f.problem(model.Error, "block", at, "no known block begins here; the %d bytes up to the end cannot be used", lost)
	default:
		r.f.problem(model.Error, "zstd", at, "%s cannot be skipped, the %d bytes up to the end cannot be used: %v", name, lost, err)
	}
}
