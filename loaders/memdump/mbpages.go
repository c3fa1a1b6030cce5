package memdump

import (
	"math"

	"github.com/memtui/memtui/model"
)

// skipLayout skips a memory record and reports whether it has no page.
func skipLayout(s *stream) (empty bool) {
	empty = true
	for types := s.uvarint(); types > 0 && !s.ended; types-- {
		s.uvarint()
		uniform := s.uvarint()
		for pages := s.uvarint(); pages > 0 && !s.ended; pages-- {
			empty = false
			if uniform == 0 {
				s.uvarint()
			}
			s.skip(4)
			s.skip(s.uvarint())
		}
	}
	return empty
}

// mbLayout decodes a memory record.
type mbLayout struct {
	s       *stream
	strings []string
	limits  limits
	found   *findings
	pages   int    // of all types
	runs    int    // bytes, of all types
	reached string // the limit that ended reading, "" for none
}

// read returns the readable part of the layout.
func (d *mbLayout) read() *model.Layout {
	l := &model.Layout{}
	for types := d.s.uvarint(); types > 0 && !d.s.ended && d.reached == ""; types-- {
		at := d.s.offset()
		name, uniform, pages := d.s.uvarint(), d.s.uvarint(), d.s.uvarint()
		if d.s.ended {
			break
		}
		if most := d.limits.types(); len(l.Types) >= most.n {
			d.reached = most.String()
			break
		}
		t := model.PageType{Uniform: uniform, Start: make([]uint32, 1, 1+min(pages, 1<<10))}
		if name < uint64(len(d.strings)) {
			t.Name = d.strings[name]
		} else {
			d.found.add(model.Error, "string-index", at, 0, "the name of a page type is undefined")
		}
		d.found.reportSize(uniform, at, 0)
		for range pages {
			if !d.page(&t, pages) {
				break
			}
		}
		l.Types = append(l.Types, t)
	}
	return l
}

// page reads one page; false if it is missing, or one too many.
func (d *mbLayout) page(t *model.PageType, stated uint64) bool {
	at, size := d.s.offset(), t.Uniform
	if t.Uniform == 0 {
		size = d.s.uvarint()
	}
	occupancy := d.s.f32()
	length := d.s.uvarint()
	if d.s.ended {
		return false
	}
	if d.pages++; d.over(length) {
		return false
	}
	start := len(t.Runs)
	t.Runs = d.s.appendTo(t.Runs, length)
	d.runs += len(t.Runs) - start
	t.Start = append(grow(t.Start, stated+1), uint32(len(t.Runs)))
	if t.Uniform == 0 {
		t.Sizes = append(grow(t.Sizes, stated), size)
		d.found.reportSize(size, at, 0)
	}
	known, fits := occupancyOf(float64(occupancy))
	if !fits {
		d.found.add(model.Error, "occupancy", at, 0, badOccupancy)
	}
	setOccupancy(t, known, stated)
	if faults := checkRuns(t.Runs[start:], size/8+min(size%8, 1)); faults != 0 && !d.s.ended {
		d.found.reportRuns(faults, at, 0)
	}
	return !d.s.ended
}

// over reports whether the next page, whose runs have length bytes, exceeds a limit, and skips its runs then.
func (d *mbLayout) over(length uint64) bool {
	l := d.limits.pages()
	if d.pages <= l.n {
		if l = d.limits.runs(); length <= uint64(l.n-d.runs) {
			return false
		}
	}
	if d.s.skip(length); !d.s.ended {
		d.reached = l.String()
	}
	return true
}

const (
	badOccupancy = "the occupancy of a page is not between 0 and 1; it was cut to that"
	maxPage      = 1 << 48 // bytes: more than processors address
)

// reportSize reports problems with the size of a page or of all pages of a type.
func (f *findings) reportSize(size uint64, offset, line int64) {
	if size > maxPage {
		f.add(model.Warning, "size", offset, line, "a page is larger than any memory")
	}
}

// occupancyOf reads an occupancy: -1 for unknown.
func occupancyOf(f float64) (known float32, fits bool) {
	switch {
	case f == -1:
		return -1, true
	case math.IsNaN(f):
		return -1, false
	case f < 0:
		return 0, false
	case f > 1:
		return 1, false
	}
	return float32(f), true
}

// setOccupancy stores the occupancy of the page that was last added to Start. The column begins with the first known
// one.
func setOccupancy(t *model.PageType, known float32, stated uint64) {
	if t.Occupancy == nil && known < 0 {
		return
	}
	for len(t.Occupancy) < t.Len()-1 {
		t.Occupancy = append(grow(t.Occupancy, stated), -1)
	}
	t.Occupancy = append(grow(t.Occupancy, stated), known)
}
