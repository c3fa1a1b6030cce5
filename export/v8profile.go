package export

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/memtui/memtui/model"
)

// WriteHeapProfile writes the main metric of s as a sampling heap profile of V8, which Chrome DevTools opens: a tree of
// calls from the root on, with what the stacks weigh that end there. Stacks of equal frames are one node. The tree is
// held in memory: a node for each call.
func WriteHeapProfile(ctx context.Context, w io.Writer, s *Stacks) ([]Loss, error) {
	frames, err := newFrameTable(ctx, s)
	if err != nil {
		return nil, err
	}
	t := &v8Profile{ctx: ctx, out: bufio.NewWriterSize(w, 1<<16), s: s, frames: frames, nodes: []v8Call{{frame: -1}},
		known: map[v8Step]int32{}}
	for i := range s.Rows {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t.add(&s.Rows[i])
	}
	t.lost.add("figures other than " + s.Metrics[s.Main].Name + " are not written")
	if unit := s.Metrics[s.Main].Unit; unit != "bytes" {
		t.lost.add("Chrome DevTools shows any figure as bytes")
	}
	if err := t.write(); err != nil {
		return nil, err
	}
	return t.lost.list, t.out.Flush()
}

// v8Profile is a tree of calls.
type v8Profile struct {
	ctx    context.Context
	out    *bufio.Writer
	buf    []byte
	s      *Stacks
	frames *frameTable
	nodes  []v8Call
	known  map[v8Step]int32
	lost   losses
}

// v8Call is a node: the first of its children and the next sibling are 0 if there is none.
type v8Call struct {
	frame       int32
	first, next int32
	sum         model.Amount // of the stacks that end here
}

type v8Step struct{ parent, frame int32 }

// add adds a stack to the tree.
func (t *v8Profile) add(r *StackRow) {
	n := r.Values[t.s.Main]
	switch v := n.Float64(); {
	case v < 0:
		t.lost.add("a stack with a negative weight was left out")
		return
	case v == 0:
		return
	}
	at := int32(0)
	for _, frame := range slices.Backward(t.frames.of(r)) {
		edge := v8Step{at, frame}
		next, ok := t.known[edge]
		if !ok {
			next = int32(len(t.nodes))
			t.known[edge] = next
			t.nodes = append(t.nodes, v8Call{frame: frame, next: t.nodes[at].first})
			t.nodes[at].first = next
		}
		at = next
	}
	t.nodes[at].sum.Add(n)
}

// write writes the tree, without recursion: it may be deeper than any stack.
func (t *v8Profile) write() error {
	t.buf = append(t.buf, `{"head":`...)
	t.open(0)
	var parents []int32
	for at := int32(0); ; {
		if len(t.buf) > 1<<15 {
			if err := t.flush(); err != nil {
				return err
			}
		}
		if first := t.nodes[at].first; first > 0 {
			parents, at = append(parents, at), first
			t.open(at)
			continue
		}
		t.buf = append(t.buf, "]}"...)
		for t.nodes[at].next == 0 && len(parents) > 0 {
			at, parents = parents[len(parents)-1], parents[:len(parents)-1]
			t.buf = append(t.buf, "]}"...)
		}
		if len(parents) == 0 {
			break
		}
		at = t.nodes[at].next
		t.buf = append(t.buf, ",\n"...)
		t.open(at)
	}
	t.buf = append(t.buf, `,"samples":[]}`+"\n"...)
	return t.flush()
}

func (t *v8Profile) flush() error {
	_, err := t.out.Write(t.buf)
	t.buf = t.buf[:0]
	return firstOf(err, t.ctx.Err())
}

// open begins a node, up to its children. Lines and columns count from 0, -1 is unknown.
func (t *v8Profile) open(at int32) {
	n := &t.nodes[at]
	f := &stackFrame{function: "(root)"}
	if n.frame >= 0 {
		f = &t.frames.list[n.frame]
	}
	t.buf = model.AppendJSONString(append(t.buf, `{"callFrame":{"functionName":`...), model.Clean(f.function))
	t.buf = model.AppendJSONString(append(t.buf, `,"scriptId":"0","url":`...), model.Clean(f.file))
	t.buf = strconv.AppendInt(append(t.buf, `,"lineNumber":`...), max(f.line, 0)-1, 10)
	t.buf = strconv.AppendInt(append(t.buf, `,"columnNumber":`...), int64(f.column)-1, 10)
	size, exact := integer(n.sum.Number())
	if !exact {
		t.lost.add("a figure does not fit a 64-bit integer and was rounded")
	}
	t.buf = strconv.AppendInt(append(t.buf, `},"selfSize":`...), size, 10)
	t.buf = strconv.AppendInt(append(t.buf, `,"id":`...), int64(at)+1, 10)
	t.buf = append(t.buf, `,"children":[`...)
}
