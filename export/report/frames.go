package report

import (
	"context"
	"iter"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/model"
)

// Frames is a stack, leaf first. It is resolved only while it is written, because stacks may be 50,000 frames deep and
// many rows may show the same one. The zero Frames is a stack that the file does not define.
type Frames struct {
	stacks *model.Stacks // nil in the zero Frames
	leaf   model.NodeID
}

// newFrames returns the stack with that id; s may be nil.
func newFrames(s *model.Stacks, id model.StackID) Frames {
	leaf, ok := s.Node(id)
	if !ok {
		return Frames{}
	}
	return Frames{stacks: s, leaf: leaf}
}

// IsZero reports whether the file does not define the stack.
func (f Frames) IsZero() bool { return f.stacks == nil }

// All yields the frames, leaf first.
func (f Frames) All() iter.Seq[Place] {
	return func(yield func(Place) bool) {
		for n := f.leaf; n != 0; n = f.stacks.Parent[n] {
			if !yield(placeOf(f.stacks, f.stacks.Frame[n])) {
				return
			}
		}
	}
}

// site returns the stack without the allocation functions at its leaf; screens name the site after its first frame. It
// is empty if f is.
func (f Frames) site() Frames {
	if f.stacks == nil || f.leaf == 0 {
		return f
	}
	return Frames{f.stacks, calltree.SiteNode(f.stacks, f.leaf)}
}

// from returns the stack starting at its owner. If the owner is not on the stack, as after filtering, it returns the
// site's stack and false.
func (f Frames) from(owner Owner) (Frames, bool) {
	if f.stacks == nil {
		return f, false
	}
	for n := f.leaf; n != 0; n = f.stacks.Parent[n] {
		if p := placeOf(f.stacks, f.stacks.Frame[n]); p.Name() == owner.Name() && p.Where() == owner.place.Where() {
			return Frames{f.stacks, n}, true
		}
	}
	return f.site(), false
}

// SitePlace returns the place that a site is named after: the first frame of its stack that is not an allocation
// function, or p if there is none.
func SitePlace(p Place, f Frames) Place {
	if f = f.site(); f.Depth() > 0 {
		return f.place(0)
	}
	return p
}

// Depth returns the number of frames.
func (f Frames) Depth() int {
	if f.stacks == nil {
		return 0
	}
	return int(f.stacks.Depth[f.leaf])
}

// place returns the leaf frame, or a placeholder for a stack that the file does not define.
func (f Frames) place(id model.StackID) Place {
	if f.stacks == nil {
		name := model.UnknownStack(id)
		return Place{Function: &name}
	}
	for p := range f.All() {
		return p
	}
	return Place{}
}

// placeOf resolves one frame. Parts that the file omits are nil.
func placeOf(s *model.Stacks, id model.FrameID) Place {
	var p Place
	if f := s.FrameFunc[id]; f != 0 {
		p.Function = &s.Functions[f]
	}
	if f := s.FrameFile[id]; f != 0 {
		p.File = &s.Files[f]
	}
	if line := s.FrameLine[id]; line != model.NoLine {
		p.Line = &s.FrameLine[id]
	}
	return p
}

// Name returns the function, cleaned, or a placeholder if the file has none.
func (p Place) Name() string {
	if p.Function == nil || *p.Function == "" {
		return calltree.NoFunction
	}
	return model.Clean(*p.Function)
}

// Where returns file:line, cleaned, or "" if the file is unknown. A line of 0 or less is unknown and omitted.
func (p Place) Where() string {
	if p.File == nil {
		return ""
	}
	if p.Line == nil || *p.Line <= 0 {
		return model.Clean(*p.File)
	}
	return model.Clean(*p.File) + ":" + strconv.FormatInt(*p.Line, 10)
}

// Base returns Where without directories.
func (p Place) Base() string {
	where := p.Where()
	return where[strings.LastIndexByte(where, '/')+1:]
}

// Unmatched is a stack filter that matches nothing in a file.
type Unmatched struct {
	Filter string   `json:"filter"` // "focus main"
	Near   []string `json:"near"`   // similar names in the file, nearest first
}

// UnmatchedIn returns the filters that match nothing, as [calltree.FindUnmatched] finds them.
func UnmatchedIn(ctx context.Context, filter calltree.Filter, all ...*model.Stacks) (out []Unmatched, err error) {
	lost, err := calltree.FindUnmatched(ctx, filter, all...)
	for _, u := range lost {
		out = append(out, Unmatched{u.Step.String(), append([]string{}, u.Near...)})
	}
	return out, err
}

// UnmatchedCell returns the rectangle of a cell in which no trace has a block, with the nearest ones that have some. The
// error is that of ctx or of a trace; whether a cell is empty is unknown where memory is short.
func UnmatchedCell(ctx context.Context, c analysis.Cell, traces ...analysis.Trace) (out []Unmatched, err error) {
	if c = c.Rectangle(); c.IsAll() {
		return nil, nil
	}
	_, err = fits(ctx, nil, func(ctx context.Context) error {
		found, cells, err := analysis.FindCell(ctx, c, near.Names, traces...)
		if found || err != nil {
			return err
		}
		u := Unmatched{"cell " + c.Argument(), []string{}}
		for _, other := range cells {
			u.Near = append(u.Near, other.Argument())
		}
		out = []Unmatched{u}
		return nil
	})
	return out, err
}

// emptied returns the parts of a cell that match nothing in a trace: filters of stacks, and the rectangle.
func emptied(ctx context.Context, c analysis.Cell, stacks *model.Stacks, trace analysis.Trace) (out []Unmatched, err error) {
	if stacks != nil {
		if out, err = UnmatchedIn(ctx, c.Stacks, stacks); err != nil {
			return nil, err
		}
	}
	cells, err := UnmatchedCell(ctx, c, trace)
	return append(out, cells...), err
}

// String returns the filter and similar names, cleaned.
func (u Unmatched) String() string {
	text := model.Clean(u.Filter) + " matches nothing in this file"
	if len(u.Near) > 0 {
		text += "; near: " + model.Clean(strings.Join(u.Near, ", "))
	}
	return text
}

// unmatchedText describes the filters that match nothing, for the line about filters.
func (h *Header) unmatchedText() (out []string) {
	for _, u := range h.NoMatch {
		out = append(out, u.String())
	}
	return out
}
