package export

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/memtui/memtui/model"
)

// WriteFolded writes the main metric of s as folded stacks, the lines that Brendan Gregg's flamegraph.pl and many
// others read: the functions from the root on, separated by semicolons, a space, the sum. Stacks of equal functions are
// one line.
func WriteFolded(ctx context.Context, w io.Writer, s *Stacks) ([]Loss, error) {
	frames, err := newFrameTable(ctx, s)
	if err != nil {
		return nil, err
	}
	f := &folder{nodes: []foldedNode{{}}, children: map[foldedEdge]int32{}, frames: frames}
	if err := f.nameFrames(ctx); err != nil {
		return nil, err
	}
	for i := range s.Rows {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f.add(&s.Rows[i], s.Main)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	f.lost.add("files, lines and figures other than " + s.Metrics[s.Main].Name + " are not written")
	for i := range f.nodes {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := f.write(out, int32(i)); err != nil {
			return nil, err
		}
	}
	return f.lost.list, out.Flush()
}

// folder sums up stacks of equal functions in a tree.
type folder struct {
	frames   *frameTable
	name     []int32 // by frame: of its function, an index of names
	names    []string
	nodes    []foldedNode // a parent is before its children; the root is 0
	children map[foldedEdge]int32
	path     []int32
	lost     losses
}

type foldedNode struct {
	parent, name int32
	sum          model.Amount // of the stacks that end here
}

type foldedEdge struct{ parent, name int32 }

// nameFrames numbers the names of functions as they are written. The error is that of ctx.
func (f *folder) nameFrames(ctx context.Context) error {
	known := map[string]int32{}
	for i, frame := range f.frames.list {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		// A semicolon would split the frame; the stackcollapse scripts write colons, too.
		name := strings.TrimSpace(strings.ReplaceAll(model.Clean(frame.function), ";", ":"))
		n, ok := known[name]
		if !ok {
			n = int32(len(f.names))
			known[name] = n
			f.names = append(f.names, name)
		}
		f.name = append(f.name, n)
	}
	return nil
}

func (f *folder) add(r *StackRow, main int) {
	n := r.Values[main]
	switch v := n.Float64(); {
	case v < 0:
		f.lost.add("a stack with a negative weight was left out")
		return
	case v == 0:
		return
	}
	at := int32(0)
	for _, frame := range slices.Backward(f.frames.of(r)) {
		edge := foldedEdge{at, f.name[frame]}
		next, ok := f.children[edge]
		if !ok {
			next = int32(len(f.nodes))
			f.children[edge] = next
			f.nodes = append(f.nodes, foldedNode{parent: at, name: edge.name})
		}
		at = next
	}
	f.nodes[at].sum.Add(n)
}

// write writes the line of a node where a stack ends.
func (f *folder) write(out *bufio.Writer, node int32) error {
	if f.nodes[node].sum.IsZero() {
		return nil
	}
	f.path = f.path[:0]
	for n := node; n != 0; n = f.nodes[n].parent {
		f.path = append(f.path, f.nodes[n].name)
	}
	for i, name := range slices.Backward(f.path) {
		out.WriteString(f.names[name]) // the writer keeps an error until the end of the line
		if i > 0 {
			out.WriteByte(';')
		}
	}
	_, err := out.WriteString(" " + decimal(f.nodes[node].sum) + "\n")
	return err
}
