package memtest

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/gzip"
)

// DumpSpec describes a made-up Memory Dump. The same spec always gives the same bytes, and the same contents in both
// formats.
type DumpSpec struct {
	Series  int
	Points  int // of each series, one every 10 ms
	Layouts int // of each series, spread over its points
	Pages   int // of each layout, half of them in a type with a uniform size
	Runs    int // of each page, at most, so many bits apart that all fit; 0 means 4
	Seed    uint64
	Step    int // microseconds between points, 0 means 10,000
}

const (
	dumpStart   = 1_763_613_840_000_000
	dumpPage    = 64 << 10
	dumpUniform = "Heap"
	dumpSized   = "Stack"
)

func (s DumpSpec) time(point int) float64 {
	step := s.Step
	if step == 0 {
		step = 10_000
	}
	return float64(dumpStart + point*step)
}

func (s DumpSpec) value(series, point int) float64 {
	h := mix(s.Seed ^ uint64(series)<<40 ^ uint64(point))
	return float64(64<<20+series<<20) + 1<<20*math.Floor(32*math.Sin(float64(point)/500)) + float64(h%(1<<16))
}

// layout returns the number of the layout of a point, -1 for none.
func (s DumpSpec) layout(point int) int {
	if s.Layouts == 0 {
		return -1
	}
	every := max(1, s.Points/s.Layouts)
	if point%every != 0 || point/every >= s.Layouts {
		return -1
	}
	return point / every
}

// page returns made-up size and runs of a page: occupied, free, and so on.
func (s DumpSpec) page(series, layout, page int, runs []byte) (size uint64, out []byte) {
	h := mix(s.Seed ^ uint64(series)<<48 ^ uint64(layout)<<24 ^ uint64(page))
	size = dumpPage
	if page >= s.Pages/2 {
		size = 4096 << (h % 5)
	}
	bits := size / 8
	n := s.Runs
	if n == 0 {
		n = 4
	}
	for i := range n {
		h = mix(h)
		run := 1 + h%max(1, 2*bits/uint64(n)-1)
		if i == 0 && h>>60 == 0 {
			run = 0
		}
		if i == n-1 || run >= bits {
			run = bits
		}
		runs = binary.AppendUvarint(runs, run)
		if bits -= run; bits == 0 {
			break
		}
	}
	return size, runs
}

// strings returns the table: names of series, a color, events, and types.
func (s DumpSpec) strings() []string {
	list := []string{"", "#1a73e8", "GC", dumpUniform, dumpSized}
	for i := range s.Series {
		list = append(list, fmt.Sprintf("series %d", i))
	}
	return list
}

func dumpID(series int) (id [16]byte) {
	binary.BigEndian.PutUint32(id[:], uint32(series+1))
	copy(id[4:], "\x11\x11\x42\x22\x83\x33")
	return id
}

// WriteDumpBody writes the body of a .mb, not compressed.
func WriteDumpBody(out io.Writer, s DumpSpec) error {
	w := bufio.NewWriterSize(out, 1<<18)
	var b []byte
	b = append(b, 1)
	names := s.strings()
	b = binary.AppendUvarint(b, uint64(len(names)))
	for _, name := range names {
		b = append(binary.AppendUvarint(b, uint64(len(name))), name...)
	}
	b = append(b, 2)
	b = binary.AppendUvarint(b, uint64(s.Series))
	for i := range s.Series {
		id := dumpID(i)
		b = append(b, id[:]...)
		b = append(binary.AppendUvarint(b, uint64(i+5)), 1, 1)
		b = binary.AppendUvarint(b, uint64(s.Points))
		for p := range s.Points {
			b = s.appendPoint(b, i, p)
			if len(b) > 1<<16 {
				if _, err := w.Write(b); err != nil {
					return err
				}
				b = b[:0]
			}
		}
	}
	if _, err := w.Write(b); err != nil {
		return err
	}
	return w.Flush()
}

func (s DumpSpec) appendPoint(b []byte, series, point int) []byte {
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(s.time(point)))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(s.value(series, point)))
	layout := s.layout(point)
	if layout < 0 {
		return append(b, 0)
	}
	b = append(b, 1, 3, 1, 2) // metadata; event 2, plus one; a layout; of two types
	for t := range 2 {
		first, end := 0, s.Pages/2
		b = append(b, byte(3+t))
		if t == 0 {
			b = binary.AppendUvarint(b, dumpPage)
		} else {
			first, end = s.Pages/2, s.Pages
			b = append(b, 0)
		}
		b = binary.AppendUvarint(b, uint64(end-first))
		var runs []byte
		for p := first; p < end; p++ {
			var size uint64
			size, runs = s.page(series, layout, p, runs[:0])
			if t == 1 {
				b = binary.AppendUvarint(b, size)
			}
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(-1))
			b = append(binary.AppendUvarint(b, uint64(len(runs))), runs...)
		}
	}
	return b
}

// DumpHeader is the header that the application writes: version 2, gzip.
const DumpHeader = "MEMD\x02\x00\x01\x00"

// WriteDump writes a .mb like the application.
func WriteDump(out io.Writer, s DumpSpec) error {
	if _, err := io.WriteString(out, DumpHeader); err != nil {
		return err
	}
	z := gzip.NewWriter(out)
	if err := WriteDumpBody(z, s); err != nil {
		return err
	}
	return z.Close()
}

// WriteDumpJSON writes the same as JSON.
func WriteDumpJSON(out io.Writer, s DumpSpec) error {
	w := bufio.NewWriterSize(out, 1<<18)
	io.WriteString(w, "[")
	for i := range s.Series {
		id := dumpID(i)
		x := hex.EncodeToString(id[:])
		fmt.Fprintf(w, "%s\n{\"id\": \"%s-%s-%s-%s-%s\", \"name\": \"series %d\", \"color\": \"#1a73e8\", \"visible\": true, \"data\": [",
			comma(i), x[:8], x[8:12], x[12:16], x[16:20], x[20:], i)
		for p := range s.Points {
			fmt.Fprintf(w, "%s\n{\"timestamp\": %.0f, \"value\": %.0f", comma(p), s.time(p), s.value(i, p))
			if layout := s.layout(p); layout >= 0 {
				s.writeMeta(w, i, layout)
			}
			io.WriteString(w, "}")
		}
		io.WriteString(w, "]}")
	}
	io.WriteString(w, "\n]\n")
	return w.Flush()
}

func comma(i int) string {
	if i > 0 {
		return ","
	}
	return ""
}

func (s DumpSpec) writeMeta(w io.Writer, series, layout int) {
	fmt.Fprintf(w, ", \"meta\": {\"event\": \"GC\", \"memory\": {\"pageTypes\": [{\"name\": %q, \"uniformPageSize\": %d, \"pages\": [", dumpUniform, dumpPage)
	var runs []byte
	for p := range s.Pages {
		if p == s.Pages/2 {
			fmt.Fprintf(w, "]}, {\"name\": %q, \"pages\": [", dumpSized)
		} else {
			io.WriteString(w, comma(p))
		}
		var size uint64
		size, runs = s.page(series, layout, p, runs[:0])
		fmt.Fprintf(w, "\n{\"size\": %d, \"bitmap\": \"%x\"}", size, runs)
	}
	if s.Pages < 2 {
		fmt.Fprintf(w, "]}, {\"name\": %q, \"pages\": [", dumpSized)
	}
	io.WriteString(w, "]}]}}")
}
