package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// Suffix is what the name of a journal adds to that of its trace.
const Suffix = ".names"

// Note is one line of a journal. It says one thing.
type Note struct {
	Start    int64    `json:"start_us,omitzero"` // microseconds since 1970; with it what follows, once
	Program  string   `json:"program,omitzero"`  // path of the executable
	Period   int64    `json:"period,omitzero"`   // mean bytes between samples
	Longest  int64    `json:"longest,omitzero"`  // the period from now on, which became longer than it ever was
	Rate     float64  `json:"rate,omitzero"`     // chance of a block to be sampled
	Looked   bool     `json:"looked,omitzero"`   // addresses are made up, and times are those of looks at what lives
	Attached bool     `json:"attached,omitzero"` // the program ran before
	Forget   bool     `json:"forget,omitzero"`   // no module is mapped any longer
	Module   *Module  `json:"module,omitzero"`
	Frame    *Frame   `json:"frame,omitzero"`
	Stack    []uint64 `json:"stack,omitzero"` // addresses of code, or numbers of frames with [Known], leaf first; may be empty
	Point    *Point   `json:"point,omitzero"`
	Marker   string   `json:"marker,omitzero"` // the name of the next ID of markers
	Ended    *Ending  `json:"ended,omitzero"`
}

// Ending is how a program has ended, where that is known: by a signal, or else with a status.
type Ending struct {
	Signal  string `json:"signal,omitzero"`
	Status  int    `json:"exit_status"`
	Running bool   `json:"running,omitzero"` // it has not: its recording has
}

// Known marks the number of a [Frame] in a stack of addresses. They count from 1.
const Known = 1 << 63

// Frame is a line of a program whose runtime states it, such as Python.
type Frame struct {
	File     string `json:"file"`
	Function string `json:"function"`
	Line     int64  `json:"line,omitzero"`
}

// Point is a point of a curve.
type Point struct {
	Curve string `json:"curve"`
	At    uint64 `json:"at_us"` // since the start
	Value uint64 `json:"bytes"`
}

// Module is what a program has mapped: a path, what was added to its addresses, and its segments as pairs of address
// and size.
type Module struct {
	Path     string   `json:"path"`
	Base     uint64   `json:"base"`
	Segments []uint64 `json:"segments"`
}

// Append appends a line.
func (n *Note) Append(dst []byte) ([]byte, error) {
	b, err := json.Marshal(n)
	return append(append(dst, b...), '\n'), err
}

// maxLine bounds a line: the longest are modules with many segments.
const maxLine = 1 << 20

// Reader reads the notes of a journal that may grow.
type Reader struct {
	r   io.Reader
	buf []byte // what was read of lines that were not taken yet
	bad bool
}

// NewReader returns a reader of r, which is read again after its end.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// errLine is the error of a line that is not a note.
var errLine = errors.New("a line of the journal cannot be read")

// Next returns the next complete note, and [io.EOF] while there is none. After a line that cannot be read there are no
// more.
func (r *Reader) Next() (n Note, err error) {
	if r.bad {
		return n, errLine
	}
	for {
		if i := bytes.IndexByte(r.buf, '\n'); i >= 0 {
			line := r.buf[:i]
			r.buf = r.buf[i+1:]
			if json.Unmarshal(line, &n) != nil {
				r.bad = true
				return Note{}, errLine
			}
			return n, nil
		}
		if len(r.buf) > maxLine {
			r.bad = true
			return n, errLine
		}
		b := make([]byte, len(r.buf)+1<<16)
		kept := copy(b, r.buf)
		got, err := r.r.Read(b[kept:])
		r.buf = b[:kept+got]
		if got == 0 {
			if err == nil {
				err = io.EOF
			}
			return n, err
		}
	}
}

// Open opens a journal, and locks it together with other readers: as long as it is open, its recorder does not move the
// events of the trace within its file.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB); err != nil { // it is being put into the trace
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// InUse reports whether a journal, which is open for writing as f, is being read. If it is not, it cannot be opened from then
// on.
func InUse(f *os.File) bool { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil }

// Lock locks a trace as its only writer: [loaders.Written] reports so until it is closed.
func Lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
