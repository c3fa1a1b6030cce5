package mvmheap

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/memtui/memtui/model"
)

// chunk2 is how many bytes of version 2 are read at once.
const chunk2 = 1 << 20

// run2 decodes the rows and the references of version 2 at the same time.
func (d *decoding) run2() {
	s := d.s
	rows := s.rows
	if !s.blocks[coll].there() {
		rows = 0
	}
	if !d.fits(rows, s.refs) {
		return
	}
	d.heap.Kinds = model.MakeColumn[model.HeapKind](d.room(rows, s.refs), int(rows))
	d.make(int(rows))
	d.total = rows*collRow + s.blocks[refs].end - s.blocks[refs].start
	var group sync.WaitGroup
	for _, f := range []func() error{d.rows2, d.refs2} {
		group.Go(func() {
			if err := d.f.src.Guard(f); err != nil {
				d.fail(err)
			}
		})
	}
	group.Wait()
}

// chunks calls f with the parts of a block's content. f returns how much of it it used; the rest is passed again, with
// more after it.
func (d *decoding) chunks(s span, f func(b []byte, at int64) int) error {
	buf := make([]byte, min(chunk2, max(0, s.end-s.start)))
	for at := s.start; at < s.end; {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		b := buf[:min(int64(len(buf)), s.end-at)]
		n, err := d.f.src.ReadAt(b, at)
		if n < len(b) {
			return fmt.Errorf("reading at byte %d: %w", at, err)
		}
		used := f(b, at)
		if used == 0 {
			return nil
		}
		d.advance(used)
		at += int64(used)
	}
	return nil
}

// rows2 decodes coll.
func (d *decoding) rows2() error {
	h := d.heap
	at := d.s.blocks[coll]
	var bad, full, over tally
	row := 0
	err := d.chunks(span{at.start + coll.header(), at.end}, func(b []byte, _ int64) int {
		used := 0
		for ; len(b)-used >= collRow && row < len(h.Kinds); used, row = used+collRow, row+1 {
			c := b[used : used+collRow : used+collRow]
			k := binary.LittleEndian.Uint16(c)
			if k == 0 || k > uint16(KindCallStack) {
				bad.add(int64(row))
				k = uint16(KindUnknown)
			}
			h.Kinds[row] = model.HeapKind(k)
			h.Entity[row] = binary.LittleEndian.Uint32(c[2:])
			d.setSize(model.Row(row), uint64(binary.LittleEndian.Uint16(c[6:])), &full)
			d.setExtra(model.Row(row), binary.LittleEndian.Uint64(c[8:]), &over)
			d.starts[row] = uint32(min(binary.LittleEndian.Uint64(c[16:]), math.MaxUint32))
			h.Start.Narrow[row+1] = binary.LittleEndian.Uint32(c[24:])
		}
		return used
	})
	d.report(bad, "kind", at.start, "rows have an unknown kind")
	d.reportSize(full, at.start)
	d.reportExtra(over, at.start)
	return err
}

// refs2 decodes refs, whose rows differ in length.
func (d *decoding) refs2() error {
	at := d.s.blocks[refs]
	if !at.there() {
		return nil
	}
	n := d.s.refs
	room := d.room(0, n)
	d.to, d.label = model.MakeColumn[uint32](room, int(n)), model.MakeColumn[model.EdgeLabel](room, int(n))
	l := labels{d: d}
	rows := uint64(len(d.heap.Kinds))
	var bad tally
	e := int64(0)
	err := d.chunks(span{at.start + refs.header(), at.end}, func(b []byte, _ int64) int {
		used := 0
		for e < n && used < len(b) {
			width := int(refWidth(b[used]))
			if width == 0 || width > len(b)-used {
				break
			}
			kind, value, target := unpackRef(b[used : used+width])
			if target >= rows {
				bad.add(e)
				target = uint64(noRow)
			}
			d.to[e], d.label[e] = uint32(target), l.pack(kind, value, e)
			used += width
			e++
		}
		return used
	})
	d.to, d.label, d.badTo = d.to[:e], d.label[:e], bad.n > 0
	if e < n && err == nil {
		d.found(model.Error, "row-count", at.start, 1, "refs has %d references instead of %d", e, n)
	}
	d.report(bad, "target", at.start, "references lead to objects that do not exist")
	l.reportProblems(at.start)
	return err
}

// unpackRef reads a reference of version 2; its digit determines its length.
func unpackRef(b []byte) (kind, value, target uint64) {
	kind = uint64(b[1])
	switch len(b) {
	case 4:
		return kind, uint64(b[2]), uint64(b[3])
	case 6:
		return kind, uint64(binary.LittleEndian.Uint16(b[2:])), uint64(binary.LittleEndian.Uint16(b[4:]))
	case 10:
		return kind, uint64(binary.LittleEndian.Uint32(b[2:])), uint64(binary.LittleEndian.Uint32(b[6:]))
	}
	return kind, binary.LittleEndian.Uint64(b[2:]), binary.LittleEndian.Uint64(b[10:])
}
