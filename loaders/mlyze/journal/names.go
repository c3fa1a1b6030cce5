package journal

import (
	"context"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/symbols"
	"github.com/memtui/memtui/model"
)

// Names are what is known of a recording's stacks. They are for one goroutine.
type Names struct {
	Program string // path of the executable, which modules call ""
	Period  int64
	Rate    float64
	table   *symbols.Table
	stacks  [][]int // by ID - 1: IDs of table, leaf first
}

// NewNames returns names that look up functions as options say.
func NewNames(look loaders.Symbols) *Names { return &Names{table: symbols.NewTable(look)} }

// Take takes the next note.
func (n *Names) Take(note *Note) {
	switch {
	case note.Start != 0:
		n.Program, n.Period, n.Rate = note.Program, note.Period, note.Rate
	case note.Forget:
		n.table.Forget()
	case note.Module != nil:
		n.module(note.Module)
	case note.Stack != nil:
		ids := make([]int, len(note.Stack))
		for i, ip := range note.Stack {
			ids[i] = n.table.Address(ip, false)
		}
		n.stacks = append(n.stacks, ids)
	}
}

func (n *Names) module(m *Module) {
	of := symbols.Module{Path: m.Path, Base: m.Base}
	for i := 0; i+1 < len(m.Segments); i += 2 {
		of.Segments = append(of.Segments, symbols.Segment{Addr: m.Segments[i], Size: m.Segments[i+1]})
	}
	n.table.Add(of)
}

// Len returns the number of stacks. Their IDs in the trace count from 1.
func (n *Names) Len() int { return len(n.stacks) }

// Resolve finds the functions of the stacks that were taken since it was last called. Problems are those of naming.
func (n *Names) Resolve(ctx context.Context) ([]model.Problem, error) { return n.table.Resolve(ctx) }

// Stack returns the addresses of a stack that was resolved, leaf first, as IDs for [Names.Frames]. It must not be
// changed.
func (n *Names) Stack(i int) []int { return n.stacks[i] }

// Frames returns the frames at an address, leaf first: functions inlined there have frames of their own. There is at
// least one.
func (n *Names) Frames(id int) []symbols.Frame { return n.table.Named(id) }
