package places

import (
	"context"
	"iter"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// Frames is a stack, leaf first. It is resolved only while it is written, because stacks may be 50,000 frames deep and
// many rows may show the same one. The zero Frames is a stack that the file does not define.
type Frames struct {
	Stacks *model.Stacks // nil in the zero Frames
	Leaf   model.NodeID
}

// NewFrames returns the stack with that id; s may be nil.
func NewFrames(s *model.Stacks, id model.StackID) Frames {
	leaf, ok := s.Node(id)
	if !ok {
		return Frames{}
	}
	return Frames{Stacks: s, Leaf: leaf}
}

// IsZero reports whether the file does not define the stack.
func (f Frames) IsZero() bool { return f.Stacks == nil }

// All yields the frames, leaf first.
func (f Frames) All() iter.Seq[Place] {
	return func(yield func(Place) bool) {
		for n := f.Leaf; n != 0; n = f.Stacks.Parent[n] {
			if !yield(Of(f.Stacks, f.Stacks.Frame[n])) {
				return
			}
		}
	}
}

// Site returns the stack without the allocation functions at its leaf; screens name the site after its first frame. It
// is empty if f is.
func (f Frames) Site() Frames {
	if f.Stacks == nil || f.Leaf == 0 {
		return f
	}
	return Frames{f.Stacks, calltree.SiteNode(f.Stacks, f.Leaf)}
}

// From returns the stack starting at its owner. If the owner is not on the stack, as after filtering, it returns the
// site's stack and false.
func (f Frames) From(owner Owner) (Frames, bool) {
	if f.Stacks == nil {
		return f, false
	}
	for n := f.Leaf; n != 0; n = f.Stacks.Parent[n] {
		if p := Of(f.Stacks, f.Stacks.Frame[n]); p.Name() == owner.Name() && p.Where() == owner.Place.Where() {
			return Frames{f.Stacks, n}, true
		}
	}
	return f.Site(), false
}

// SitePlace returns the place that a site is named after: the first frame of its stack that is not an allocation
// function, or p if there is none.
func SitePlace(p Place, f Frames) Place {
	if f = f.Site(); f.Depth() > 0 {
		return f.Place(0)
	}
	return p
}

// Depth returns the number of frames.
func (f Frames) Depth() int {
	if f.Stacks == nil {
		return 0
	}
	return int(f.Stacks.Depth[f.Leaf])
}

// Place returns the leaf frame, or a placeholder for a stack that the file does not define.
func (f Frames) Place(id model.StackID) Place {
	if f.Stacks == nil {
		name := model.UnknownStack(id)
		return Place{Function: &name}
	}
	for p := range f.All() {
		return p
	}
	return Place{}
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

// String returns the filter and similar names, cleaned.
func (u Unmatched) String() string {
	text := model.Clean(u.Filter) + " matches nothing in this file"
	if len(u.Near) > 0 {
		text += "; near: " + model.Clean(strings.Join(u.Near, ", "))
	}
	return text
}

// AppendJSON writes the frames without reflection: there may be fifty thousand.
func (f Frames) AppendJSON(dst []byte) []byte {
	if f.Stacks == nil {
		return append(dst, "[]"...)
	}
	dst = append(dst, '[')
	sep := ""
	for p := range f.All() {
		dst = append(dst, sep...)
		dst = appendPlace(dst, p)
		sep = ", "
	}
	return append(dst, ']')
}

// Cell returns the stack in one line: "leaf (file:line);caller (file:line)".
func (f Frames) Cell() string {
	var out strings.Builder
	if f.IsZero() {
		return ""
	}
	for p := range f.All() {
		if out.Len() > 0 {
			out.WriteByte(';')
		}
		out.WriteString(p.Name())
		if at := p.Where(); at != "" {
			out.WriteString(" (" + at + ")")
		}
	}
	return out.String()
}
