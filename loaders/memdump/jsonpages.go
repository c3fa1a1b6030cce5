package memdump

import (
	"context"
	"math"
	"unicode/utf8"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

// jsonLayout decodes a memory object.
type jsonLayout struct {
	l       *reader
	pages   int // of all types
	runs    int // bytes, of all types
	free    []freeRange
	reached string // the limit that ended reading, "" for none
}

// read returns the readable part of the layout, whose bracket was read.
func (d *jsonLayout) read() *model.Layout {
	out := &model.Layout{}
	stated := false
	for first := true; ; {
		k, ok := d.l.member(&first)
		if !ok {
			break
		}
		if k != keyPageTypes || d.l.Peek() != '[' {
			d.l.Value()
			continue
		}
		stated = true
		d.l.Next()
		for first := true; d.reached == "" && d.l.Element(&first); {
			if d.l.Peek() != '{' {
				d.l.Value()
				d.l.wrong(model.Error, "page-types", "a page type is not an object; it was left out")
				continue
			}
			d.l.Next()
			if l := d.l.limits.types(); len(out.Types) >= l.n {
				d.tooLarge(l)
				break
			}
			out.Types = append(out.Types, d.pageType())
		}
	}
	if !stated && !d.l.Dead() {
		d.l.wrong(model.Error, "page-types", "a memory layout has no array of page types")
	}
	return out
}

// tooLarge ends reading due to a limit.
func (d *jsonLayout) tooLarge(l limit) {
	d.reached = l.String()
	d.l.Stop()
}

// pageType reads a type whose bracket was read.
func (d *jsonLayout) pageType() model.PageType {
	t := model.PageType{Start: make([]uint32, 1, 16)}
	at, line := d.l.At()
	stated := false
	for first := true; ; {
		k, ok := d.l.member(&first)
		if !ok {
			break
		}
		switch {
		case k == keyName:
			if d.l.Value() == json.String {
				if len(d.l.Text()) > model.MaxName {
					d.l.wrong(model.Warning, "name-length", model.LongName)
				}
				t.Name = string(model.KeptName(d.l.Text()))
				if !utf8.Valid(d.l.Text()) {
					d.l.wrong(model.Warning, "name-encoding", "a string is not UTF-8")
				}
			}
		case k == keyUniform:
			t.Uniform = d.size("the uniform size of pages is not a whole number of bytes")
		case k == keyPages && d.l.Peek() == '[':
			stated = true
			d.l.Next()
			d.pagesOf(&t)
		default:
			d.l.Value()
		}
	}
	if !stated && !d.l.Dead() {
		d.l.found.add(model.Error, "page-types", at, line, "a page type has no array of pages")
	}
	if t.Uniform != 0 {
		d.settle(&t, at, line)
	}
	return t
}

// settle sets the uniform size of all pages of a type.
func (d *jsonLayout) settle(t *model.PageType, at, line int64) {
	for _, size := range t.Sizes {
		if size != t.Uniform && size != 0 {
			d.l.found.add(model.Warning, "size", at, line, "a page differs in size from its type; the size of the type is used")
			break
		}
	}
	t.Sizes = nil
}

// size reads bytes; 0 for null and for an invalid size.
func (d *jsonLayout) size(message string) uint64 {
	f, kind := d.l.numeric()
	if kind == json.Null || kind == json.End {
		return 0
	}
	if !(f >= 0 && f < 1<<63) {
		d.l.wrong(model.Error, "size", message)
		return 0
	}
	if f != math.Trunc(f) || kind == json.String {
		d.l.wrong(model.Error, "size", message)
	}
	at, line := d.l.At()
	d.l.found.reportSize(uint64(f), at, line)
	return uint64(f)
}

// pagesOf reads the pages of a type whose bracket was read.
func (d *jsonLayout) pagesOf(t *model.PageType) {
	for first := true; d.l.Element(&first); {
		if l := d.l.limits.runs(); d.runs > l.n {
			d.tooLarge(l)
			return
		}
		if l := d.l.limits.pages(); d.pages >= l.n {
			d.tooLarge(l)
			return
		}
		d.pages++
		start := len(t.Runs)
		if d.l.Peek() != '{' {
			if d.l.Value(); d.l.Dead() {
				return
			}
			d.l.wrong(model.Error, "page-types", "a page is not an object; it gets the size of its type, or none")
			d.add(t, jsonPage{occupancy: -1}, start)
			continue
		}
		d.l.Next()
		at, line := d.l.At()
		p := d.page(t)
		if d.l.Dead() {
			t.Runs = t.Runs[:start]
			return
		}
		d.add(t, p, start)
		size := p.size
		if t.Uniform != 0 {
			size = t.Uniform
		}
		if p.bitmap {
			d.l.found.reportRuns(checkRuns(t.Runs[start:], size/8+min(size%8, 1)), at, line)
		}
	}
}

// jsonPage is a page as read; its runs are already in its type.
type jsonPage struct {
	size      uint64
	occupancy float32
	bitmap    bool // it has a bitmap
	free      bool // it has a free list
}

// add adds a page to the columns of its type.
func (d *jsonLayout) add(t *model.PageType, p jsonPage, start int) {
	d.runs += len(t.Runs) - start
	n := t.Len()
	t.Start = append(grow(t.Start, 0), uint32(len(t.Runs)))
	t.Sizes = append(grow(t.Sizes, 0), p.size)
	known := p.bitmap || p.free
	if !known && t.Known == nil {
		t.Known = make([]bool, n, n+firstRoom)
		for i := range t.Known {
			t.Known[i] = true
		}
	}
	if t.Known != nil {
		t.Known = append(grow(t.Known, 0), known)
	}
	setOccupancy(t, p.occupancy, 0)
}

// page reads a page whose bracket was read. A bitmap takes precedence over a free list.
func (d *jsonLayout) page(t *model.PageType) jsonPage {
	p := jsonPage{occupancy: -1}
	start := len(t.Runs)
	d.free = d.free[:0]
	for first := true; ; {
		k, ok := d.l.member(&first)
		if !ok {
			break
		}
		switch {
		case k == keySize:
			p.size = d.size("the size of a page is not a whole number of bytes")
		case k == keyBitmap:
			t.Runs = t.Runs[:start]
			p.bitmap = d.bitmap(t)
		case k == keyFreeList && d.l.Peek() == '[':
			d.l.Next()
			p.free = true
			d.freeList()
		case k == keyFreeList:
			if kind := d.l.Value(); kind != json.Null && kind != json.End {
				d.l.wrong(model.Error, "freelist", "a free list is not an array; it was left out")
			}
		case k == keyOccupancy:
			p.occupancy = d.occupancy()
		default:
			d.l.Value()
		}
	}
	if p.free && !p.bitmap {
		var overlap bool
		if t.Runs, overlap = appendFree(t.Runs, d.free); overlap {
			d.l.wrong(model.Error, "freelist", "the ranges of a free list overlap; each byte counts once")
		}
	}
	return p
}

// bitmap reads runs in hex; false if there are none.
func (d *jsonLayout) bitmap(t *model.PageType) bool {
	switch d.l.Value() {
	case json.Null, json.End:
		return false
	case json.String:
	default:
		d.l.wrong(model.Error, "bitmap", "a bitmap is not a string; it was left out")
		return false
	}
	if len(d.l.Text()) == 0 {
		d.l.wrong(model.Warning, "bitmap", "a bitmap is empty; it was left out")
		return false
	}
	var faults hexFault
	t.Runs, faults = appendHex(t.Runs, d.l.Text())
	if faults&hexOdd != 0 {
		d.l.wrong(model.Error, "bitmap", "a bitmap has an odd number of digits; the last one is read as a byte")
	}
	if faults&hexStrange != 0 {
		d.l.wrong(model.Error, "bitmap", "a bitmap has characters that are not hex digits; they are read as 0")
	}
	return true
}

// freeList reads ranges; invalid ones are left out.
func (d *jsonLayout) freeList() {
	d.free = d.free[:0]
	for first := true; d.l.Element(&first); {
		if d.l.Peek() != '[' {
			d.l.Value()
			d.l.wrong(model.Error, "freelist", badRange)
			continue
		}
		d.l.Next()
		var ends [2]float64
		n := 0
		for first := true; d.l.Element(&first); n++ {
			if f, kind := d.l.numeric(); n < 2 {
				if ends[n] = f; kind != json.Number {
					ends[n] = math.NaN()
				}
			}
		}
		d.addRange(ends, n)
	}
}

const badRange = "a range of a free list is not a start and an end; it was left out"

func (d *jsonLayout) addRange(ends [2]float64, n int) {
	start, okStart := rangeEnd(ends[0])
	end, okEnd := rangeEnd(ends[1])
	switch {
	case d.l.Dead():
	case n != 2 || !okStart || !okEnd:
		d.l.wrong(model.Error, "freelist", badRange)
	case end < start:
		d.l.wrong(model.Error, "freelist", "a range of a free list ends before it starts; it was left out")
	case len(d.free) >= d.l.limits.free().n:
		d.tooLarge(d.l.limits.free())
	default:
		if start%8 != 0 {
			d.l.wrong(model.Warning, "freelist", "a range of a free list does not start at a multiple of 8; bits are rounded down")
		}
		d.free = append(d.free, freeRange{start, end})
	}
}

func (d *jsonLayout) occupancy() float32 {
	f, kind := d.l.numeric()
	if kind == json.Null || kind == json.End {
		return -1
	}
	known, fits := occupancyOf(f)
	if !fits || kind != json.Number {
		d.l.wrong(model.Error, "occupancy", badOccupancy)
	}
	return known
}

// jsonDecoder decodes layouts of a JSON file: each is a range of its bytes.
type jsonDecoder struct{ src *loaders.Source }

// decode implements decoder.
func (j jsonDecoder) decode(ctx context.Context, _ int, ref layoutRef) (out *model.Layout, err error) {
	var found findings
	chunk := int(min(max(ref.n, 1), directChunk))
	l := newReader(ctx, j.src, &found, ref.off, ref.n, chunk)
	l.SetLine(int64(ref.line))
	err = j.src.Guard(func() error {
		d := jsonLayout{l: l}
		if l.Next() == '{' {
			out = d.read()
		}
		if d.reached != "" {
			l.limits.report(&found, l.Offset(), l.Line(), d.reached)
		}
		return l.Err()
	})
	if err != nil {
		return nil, err
	}
	if out == nil {
		out = &model.Layout{}
	}
	out.Problems = found.list
	return out, nil
}
