package model

import "context"

// PageSource is the facet of files that hold page layouts, in the order of the file. Any goroutine may use it.
type PageSource interface {
	// Len is the number of layouts.
	Len() int
	// Info states where layout i belongs, without decoding it.
	Info(i int) LayoutInfo
	// Open decodes layout i. The caller may keep it; it never changes.
	Open(ctx context.Context, i int) (*Layout, error)
}

// LayoutInfo states where a layout belongs.
type LayoutInfo struct {
	Series int    // index into Timeline.Series
	Point  uint32 // index of the point in the file
	At     Time   // NoTime if the point has no usable time
	Empty  bool   // it has no page; false also if that is known only after decoding
}

// Layout holds the page bitmaps of one moment.
type Layout struct {
	Types    []PageType // in the file's order, including those without pages
	Problems []Problem  // of this layout only
}

// PageType is the pages of one kind. A page's bitmap is encoded as in the file: alternating runs of occupied and free
// bits, 1 bit = 8 bytes, the first run occupied, as varints.
type PageType struct {
	Name    string // not cleaned
	Uniform uint64 // size of every page, 0 if sizes differ

	Sizes     []uint64 // by page, bytes; nil if Uniform is not 0
	Start     []uint32 // by page, and one more: runs of page i are Runs[Start[i]:Start[i+1]]
	Runs      []byte
	Known     []bool    // by page: has a bitmap; otherwise it counts as full unless Occupancy states less; nil: all have
	Occupancy []float32 // by page as stated, 0 … 1, -1 unknown; nil: all unknown
}

// Len returns the number of pages.
func (t *PageType) Len() int { return max(len(t.Start)-1, 0) }

// Size returns the size of a page in bytes.
func (t *PageType) Size(page int) uint64 {
	if t.Uniform != 0 {
		return t.Uniform
	}
	return t.Sizes[page]
}

// Bits returns the number of bits of a page: ceil(size/8).
func (t *PageType) Bits(page int) uint64 {
	size := t.Size(page)
	return size/8 + min(size%8, 1)
}

// RunsOf returns the encoded runs of a page.
func (t *PageType) RunsOf(page int) []byte { return t.Runs[t.Start[page]:t.Start[page+1]] }

// EachRun calls f with the runs of a page in order, cut to the page; missing bits are occupied. It stops when f returns
// false.
func (t *PageType) EachRun(page int, f func(occupied bool, bits uint64) bool) {
	left, occupied := t.Bits(page), true
	for data := t.RunsOf(page); left > 0 && len(data) > 0; occupied = !occupied {
		run, n := RunLength(data)
		if n == 0 {
			break
		}
		data = data[n:]
		run = min(run, left)
		left -= run
		if run > 0 && !f(occupied, run) {
			return
		}
	}
	if left > 0 {
		f(true, left)
	}
}

// RunLength reads one varint, the length of a run in bits; n is 0 if it is incomplete. Values beyond 64 bits saturate.
func RunLength(data []byte) (v uint64, n int) {
	for shift := 0; n < len(data); shift += 7 {
		b := data[n]
		n++
		switch {
		case shift > 63 || shift == 63 && b&0x7f > 1:
			if b&0x7f != 0 {
				v = ^uint64(0)
			}
		default:
			v |= uint64(b&0x7f) << shift
		}
		if b < 0x80 {
			return v, n
		}
	}
	return 0, 0
}
