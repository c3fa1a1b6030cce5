package journal

import (
	"context"
	"errors"
	"slices"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/symbols"
	"github.com/memtui/memtui/model"
)

// Names are what is known of a recording's stacks. They are for one goroutine.
type Names struct {
	Program  string // path of the executable, which modules call ""
	Period   int64  // mean bytes between samples, at first
	Longest  int64  // the same at most
	Rate     float64
	Attached bool    // the program ran before
	Looked   bool    // addresses are made up, and times are those of looks at what lives
	Ended    *Ending // nil while the program runs, and where its end is not known
	table    *symbols.Table
	known    []symbols.Frame // by number - 1
	stacks   [][]int         // by ID - 1: IDs for Frames, leaf first
	curves   []Curve
	markers  []string // by ID - FirstMarker
	marker   map[string]uint64
}

// FirstMarker is the first ID of names of markers: in the table that they share with functions, above those.
const FirstMarker = 1 << 32

// maxMarkers is how many different names of markers are kept. Others are those of the last.
const maxMarkers = 1 << 16

// MarkerID returns the ID that the name of a marker has or, if it is not known, gets with the next note.
func (n *Names) MarkerID(name string) (id uint64, known bool) {
	if id, known = n.marker[name]; known {
		return id, true
	}
	last := uint64(len(n.markers))
	return FirstMarker + min(last, maxMarkers-1), last == maxMarkers
}

// Markers returns the names of markers, from FirstMarker on. They must not be changed.
func (n *Names) Markers() []string { return n.markers }

func (n *Names) addMarker(name string) {
	if len(n.markers) == maxMarkers {
		return
	}
	if n.marker == nil {
		n.marker = map[string]uint64{}
	}
	n.marker[name] = FirstMarker + uint64(len(n.markers))
	n.markers = append(n.markers, name)
}

// Curve is a series of a trace's metadata.
type Curve struct {
	Name   string      `json:"name"`
	Unit   string      `json:"unit"`
	Points [][2]uint64 `json:"points"` // microseconds since the start, and the value
	keep   int         // every how many points one is kept
	seen   int
}

// Long recordings keep fewer points of each curve, and there are few curves.
const (
	maxPoints = 20_000
	maxCurves = 16
)

// add adds a point. Those whose time falls back are left out.
func (c *Curve) add(at, v uint64) {
	c.keep = max(c.keep, 1)
	if c.seen++; (c.seen-1)%c.keep != 0 || len(c.Points) > 0 && c.Points[len(c.Points)-1][0] > at {
		return
	}
	if len(c.Points) == maxPoints {
		for i := range maxPoints / 2 {
			c.Points[i] = c.Points[2*i]
		}
		c.Points = c.Points[:maxPoints/2]
		c.keep *= 2
	}
	c.Points = append(c.Points, [2]uint64{at, v})
}

// Curves returns the curves so far. They must not be changed.
func (n *Names) Curves() []Curve { return n.curves }

func (n *Names) point(p *Point) {
	i := slices.IndexFunc(n.curves, func(c Curve) bool { return c.Name == p.Curve })
	if i < 0 {
		if len(n.curves) == maxCurves {
			return
		}
		i = len(n.curves)
		n.curves = append(n.curves, Curve{Name: p.Curve, Unit: "bytes"})
	}
	n.curves[i].add(p.At, p.Value)
}

// NewNames returns names that look up functions as options say.
func NewNames(look loaders.Symbols) *Names { return &Names{table: symbols.NewTable(look)} }

// errFrame is the error of a stack that names a frame which was not stated before.
var errFrame = errors.New("a stack names a frame that is not known")

// Take takes the next note. The error is that of one that does not fit those before.
func (n *Names) Take(note *Note) error {
	switch {
	case note.Start != 0:
		n.Program, n.Period, n.Rate, n.Looked, n.Attached = note.Program, note.Period, note.Rate, note.Looked, note.Attached
		n.Longest = n.Period
	case note.Longest != 0:
		n.Longest = max(n.Longest, note.Longest)
	case note.Forget:
		n.table.Forget()
	case note.Module != nil:
		n.module(note.Module)
	case note.Stack != nil:
		return n.stack(note.Stack)
	case note.Frame != nil:
		f := note.Frame
		n.known = append(n.known, symbols.Frame{Function: f.Function, File: f.File, Line: f.Line})
	case note.Ended != nil:
		n.Ended = note.Ended
	case note.Marker != "":
		n.addMarker(note.Marker)
	case note.Point != nil:
		n.point(note.Point)
	}
	return nil
}

// stack keeps a stack. IDs of frames that the table names are even, those of known ones odd.
func (n *Names) stack(words []uint64) error {
	ids := make([]int, len(words))
	for i, word := range words {
		number := word &^ Known
		switch {
		case word == number:
			ids[i] = n.table.Address(word, false) << 1
		case number == 0 || number > uint64(len(n.known)):
			return errFrame
		default:
			ids[i] = int(number-1)<<1 | 1
		}
	}
	n.stacks = append(n.stacks, ids)
	return nil
}

func (n *Names) module(m *Module) {
	of := symbols.Module{Path: m.Path, Base: m.Base}
	for i := 0; i+1 < len(m.Segments); i += 2 {
		of.Segments = append(of.Segments, symbols.Segment{Addr: m.Segments[i], Size: m.Segments[i+1]})
	}
	n.table.Add(of)
}

// Known returns the number of frames that were stated.
func (n *Names) Known() int { return len(n.known) }

// Len returns the number of stacks. Their IDs in the trace count from 1.
func (n *Names) Len() int { return len(n.stacks) }

// Resolve finds the functions of the stacks that were taken since it was last called. Problems are those of naming.
func (n *Names) Resolve(ctx context.Context) ([]model.Problem, error) { return n.table.Resolve(ctx) }

// Stack returns the code of a stack that was resolved, leaf first, as IDs for [Names.Frames]. It must not be
// changed.
func (n *Names) Stack(i int) []int { return n.stacks[i] }

// Frames returns the frames of some code, leaf first: functions inlined there have frames of their own. There is at
// least one.
func (n *Names) Frames(id int) []symbols.Frame {
	if id&1 == 1 {
		return n.known[id>>1 : id>>1+1]
	}
	return n.table.Named(id >> 1)
}
