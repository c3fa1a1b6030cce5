package memdump

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/memtui/memtui/model"
)

// runFault is a set of faults of the runs of a page.
type runFault uint8

const (
	runCut   runFault = 1 << iota // a varint ends in the middle, or does not fit
	runOver                       // runs exceed the page
	runShort                      // the page has more bits
	runZero                       // an empty run after the first
)

// checkRuns checks the runs of a page of the given bits. No runs at all mean a full page.
func checkRuns(runs []byte, bits uint64) (f runFault) {
	if len(runs) == 0 {
		return 0
	}
	left := bits
	for first := true; len(runs) > 0; first = false {
		run, n := uint64(runs[0]), 1
		if run >= 0x80 {
			run, n = binary.Uvarint(runs)
		}
		if n <= 0 {
			return f | runCut
		}
		runs = runs[n:]
		if run == 0 && !first {
			f |= runZero
		}
		if run > left {
			f |= runOver
			run = left
		}
		left -= run
	}
	if left > 0 {
		f |= runShort
	}
	return f
}

// reportRuns counts the faults of a page.
func (f *findings) reportRuns(faults runFault, offset, line int64) {
	if faults&runCut != 0 {
		f.add(model.Error, "varint", offset, line, "the runs of a page end inside a number; the rest of the page counts as occupied")
	}
	if faults&runOver != 0 {
		f.add(model.Error, "rle-overrun", offset, line, "the runs of a page extend beyond it; the excess is ignored")
	}
	if faults&runShort != 0 {
		f.add(model.Warning, "rle-short", offset, line, "the runs of a page do not fill it; the rest counts as occupied")
	}
	if faults&runZero != 0 {
		f.add(model.Warning, "rle-zero", offset, line, "a page has runs of length 0")
	}
}

// hexFault is a set of faults of a bitmap in hex.
type hexFault uint8

const (
	hexOdd     hexFault = 1 << iota // a single digit at the end: it counts as a byte
	hexStrange                      // a pair with another character: 0, or its first digit only, as the application reads it
)

// appendHex appends the decoded bytes of text.
func appendHex(b, text []byte) (out []byte, f hexFault) {
	for ; len(text) > 1; text = text[2:] {
		hi, lo := hexDigit(text[0]), hexDigit(text[1])
		switch {
		case hi < 0:
			f |= hexStrange
			b = append(b, 0)
		case lo < 0:
			f |= hexStrange
			b = append(b, byte(hi))
		default:
			b = append(b, byte(hi<<4|lo))
		}
	}
	if len(text) == 1 {
		f |= hexOdd
		b = append(b, byte(max(hexDigit(text[0]), 0)))
	}
	return b, f
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// freeRange is a range of bytes of a page, without the end.
type freeRange struct{ start, end uint64 }

// rangeEnd converts a JSON number to a position in a page.
func rangeEnd(f float64) (at uint64, ok bool) {
	switch {
	case math.IsNaN(f):
		return 0, false
	case f < 0:
		return 0, false
	case f >= 1<<62:
		return 1 << 62, true
	}
	return uint64(f), true
}

// appendFree appends the runs of a page with free ranges, which it sorts; overlaps count once. Gaps and ranges are cut
// to whole bits each; the end of the page is left occupied.
func appendFree(b []byte, free []freeRange) (out []byte, overlap bool) {
	slices.SortFunc(free, func(x, y freeRange) int { return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.end, y.end)) })
	at := uint64(0)
	for _, r := range free {
		if r.start < at {
			overlap = true
			r.start = at
		}
		if r.end <= r.start {
			continue
		}
		b = binary.AppendUvarint(b, (r.start-at)/8)
		b = binary.AppendUvarint(b, (r.end-r.start)/8)
		at = r.end
	}
	return b, overlap
}
