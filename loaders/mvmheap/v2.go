package mvmheap

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/memtui/memtui/model"
)

const (
	collRow = 28
	refsRow = 17 // as in the file; see refWidth
	typeRow = 16
	framRow = 32
)

// refWidth returns the length of a reference that begins with the given digit, 0 for none.
func refWidth(digit byte) int64 {
	switch digit {
	case '0':
		return 4
	case '1':
		return 6
	case '3':
		return 10
	case '6':
		return 18
	}
	return 0
}

// walker2 walks a file of version 2.
type walker2 struct {
	f       *file
	w       *window
	lengths []int64 // of the refs blocks as in the index, nil without one
	at      int64
}

// readIndex reads the lengths of the refs blocks, if the file ends with an index.
func (r *walker2) readIndex() {
	tail := r.w.peek(r.w.size-8, 8)
	if len(tail) < 8 {
		return
	}
	n := binary.LittleEndian.Uint64(tail)
	if n == 0 || n > uint64(r.w.size)/(4*8) || int64(n)*32+32 > r.w.size-int64(len(magic)) {
		return
	}
	at := r.w.size - int64(n)*32 - 32
	for i := range int64(n) {
		row := r.w.peek(at+32*i, 32)
		if len(row) < 32 {
			return
		}
		length := binary.LittleEndian.Uint64(row[8:])
		if length > uint64(r.w.size) {
			r.lengths = nil
			return
		}
		r.lengths = append(r.lengths, int64(length))
	}
}

// walk finds the snapshots. Obstacles are problems; only failures of reading are errors.
func (r *walker2) walk() error {
	r.readIndex()
	r.at = int64(len(magic))
	for r.w.err == nil {
		done, err := r.snapshot()
		if r.w.err != nil {
			break
		}
		if err != nil {
			r.f.lost += r.w.size - r.at
			rule := ruleOf(err, "block")
			if errors.Is(err, errCut) {
				rule = "truncated"
			}
			r.f.cut(rule, r.at, "the %d bytes up to the end cannot be used: %v", r.w.size-r.at, err)
		}
		if done || err != nil {
			break
		}
	}
	return r.w.err
}

// snapshot passes one snapshot, or the tables and the index at the end.
func (r *walker2) snapshot() (done bool, err error) {
	if r.at >= r.w.size {
		return true, fmt.Errorf("%w: no index", errCut)
	}
	if tag := r.w.peek(r.at, 4); string(tag) == "strs" {
		return true, r.end()
	}
	s := snapshot{meta: snapMeta{}}
	rows, err := r.fixed(coll, collRow)
	if errors.Is(err, errCut) && rows > 0 {
		s.rows, s.blocks[coll] = rows, span{r.at, r.at + coll.header() + rows*collRow}
		r.at = s.blocks[coll].end
		r.f.snaps = append(r.f.snaps, s)
	}
	if err != nil {
		return false, err
	}
	s.rows, s.blocks[coll] = rows, r.pass(coll, rows*collRow)
	r.f.snaps = append(r.f.snaps, s)
	last := &r.f.snaps[len(r.f.snaps)-1]
	if err := r.references(last); err != nil {
		return false, err
	}
	if err := r.tables(last); err != nil {
		return false, err
	}
	last.complete = true
	return false, nil
}

// end skips the tables after the last snapshot and checks that the index follows.
func (r *walker2) end() error {
	if err := r.tables(&snapshot{}); err != nil {
		return err
	}
	left := r.w.size - r.at
	if left == 0 {
		return fmt.Errorf("%w: no index", errCut)
	}
	// The index may have more rows than there are snapshots: a program can veto single ones.
	tail := r.w.peek(r.w.size-8, 8)
	if n := left/32 - 1; left%32 != 0 || n < int64(len(r.f.snaps)) || len(tail) < 8 || binary.LittleEndian.Uint64(tail) != uint64(n) {
		return fmt.Errorf("the last %d bytes are not an index", left)
	}
	return nil
}

// fixed reads the header of a block of rows of equal length, and returns how many of them are in the file.
func (r *walker2) fixed(k kind, width uint64) (rows int64, err error) {
	head := r.w.peek(r.at, int(k.header()))
	if len(head) >= 4 && string(head[:4]) != k.String() {
		return 0, fmt.Errorf("the block %s is missing", k)
	}
	if int64(len(head)) < k.header() {
		return 0, fmt.Errorf("%w: the block %s is truncated", r.w.cut(), k)
	}
	n, w := binary.LittleEndian.Uint64(head[4:]), binary.LittleEndian.Uint64(head[12:])
	if w != width {
		return 0, fmt.Errorf("rows of %s have %d bytes instead of %d", k, w, width)
	}
	left := r.w.size - r.at - k.header()
	if k == refs {
		width = 4 // at least
	}
	if n > uint64(left)/width {
		return left / int64(width), fmt.Errorf("%w: the block %s is truncated", errCut, k)
	}
	if n > math.MaxUint32-1 {
		return 0, &damage{tooLarge, fmt.Sprintf("%s rows in %s are more than the limit of 4,294,967,294, which cannot be raised", model.Group(n), k)}
	}
	return int64(n), nil
}

// pass moves to the end of a block whose content has length bytes.
func (r *walker2) pass(k kind, length int64) span {
	s := span{r.at, r.at + k.header() + length}
	r.at = s.end
	return s
}

// references skips a block of references: by the index if that leads to the next block, or else row by row.
func (r *walker2) references(s *snapshot) error {
	n, err := r.fixed(refs, refsRow)
	if err != nil {
		return err
	}
	s.refs = n
	i := len(r.f.snaps) - 1
	if i < len(r.lengths) && r.lengths[i] >= refs.header()+4*n {
		if string(r.w.peek(r.at+r.lengths[i], 4)) == "strs" {
			s.blocks[refs] = r.pass(refs, r.lengths[i]-refs.header())
			return nil
		}
	}
	end, left := r.at+refs.header(), n
	for left > 0 {
		b := r.w.peek(end, windowSize)
		pos, passed, ok := passRefs(b, left)
		end += pos
		left -= passed
		switch {
		case !ok:
			return fmt.Errorf("a reference begins with byte %d, at %d", b[pos], end)
		case left > 0 && (passed == 0 || end >= r.w.size):
			return fmt.Errorf("%w: the block refs is truncated", r.w.cut())
		}
	}
	if end > r.w.size {
		return fmt.Errorf("%w: the block refs is truncated", errCut)
	}
	s.blocks[refs] = span{r.at, end}
	r.at = end
	return nil
}

// passRefs skips at most limit references of b, the last of which may extend beyond it.
func passRefs(b []byte, limit int64) (pos, passed int64, ok bool) {
	for passed < limit && pos < int64(len(b)) {
		width := refWidth(b[pos])
		if width == 0 {
			return pos, passed, false
		}
		pos += width
		passed++
	}
	return pos, passed, true
}

// tables skips the strings, types and frames after a snapshot.
func (r *walker2) tables(s *snapshot) error {
	head := r.w.peek(r.at, int(strs.header()))
	if len(head) >= 4 && string(head[:4]) != "strs" {
		return errors.New("the block strs is missing")
	}
	if int64(len(head)) < strs.header() {
		return fmt.Errorf("%w: the block strs is truncated", r.w.cut())
	}
	end := r.at + strs.header()
	for {
		b := r.w.peek(end, 8)
		if len(b) >= 4 && string(b[:4]) == "type" {
			break
		}
		if len(b) < 8 {
			return fmt.Errorf("%w: the block strs is truncated", r.w.cut())
		}
		length := binary.LittleEndian.Uint64(b)
		if length > uint64(r.w.size-end-8) {
			return fmt.Errorf("%w: the block strs is truncated", errCut)
		}
		end += 8 + int64(length)
	}
	s.blocks[strs] = span{r.at, end}
	r.at = end
	for _, t := range []struct {
		kind  kind
		width uint64
	}{{types, typeRow}, {fram, framRow}} {
		n, err := r.fixed(t.kind, t.width)
		if err != nil {
			return err
		}
		s.blocks[t.kind] = r.pass(t.kind, n*int64(t.width))
	}
	return nil
}
