package export

import (
	"bufio"
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
)

// WriteStacksCSV writes every row of s with all its figures and, in one cell, its frames, leaf first. Numbers are
// exact, unknown values empty, names cleaned; semicolons in them become colons.
func WriteStacksCSV(ctx context.Context, w io.Writer, s *Stacks) ([]Loss, error) {
	frames, err := newFrameTable(ctx, s)
	if err != nil {
		return nil, err
	}
	out := csv.NewWriter(w)
	header := []string{"stack", "function", "file", "line"}
	if s.Profile.Weights != nil {
		header = append(header, "dso", "thread")
	}
	for _, m := range s.Metrics {
		header = append(header, model.Clean(m.Name))
	}
	if s.Profile.Weights != nil {
		header = append(header, "labels")
	}
	if err := out.Write(append(header, "frames")); err != nil {
		return nil, err
	}
	for i := range s.Rows {
		if err := firstOf(ctx.Err(), out.Write(csvStack(s, frames, &s.Rows[i]))); err != nil {
			return nil, err
		}
	}
	out.Flush()
	return nil, out.Error()
}

func csvStack(s *Stacks, frames *frameTable, r *StackRow) []string {
	path := frames.of(r)
	leaf := &frames.list[path[0]]
	cells := []string{model.Clean(r.ID), model.Clean(leaf.function), model.Clean(leaf.file), lineText(leaf)}
	if w := s.Profile.Weights; w != nil {
		cells = append(cells, model.Clean(w.DSOs[leaf.dso].Name), model.Clean(weights.ThreadName(&w.Threads[r.Thread])))
	}
	for _, v := range r.Values {
		cells = append(cells, decimal(amount(v)))
	}
	if w := s.Profile.Weights; w != nil {
		cells = append(cells, model.Clean(model.LabelText(w.LabelSet(r.Labels))))
	}
	var stack strings.Builder
	for i, n := range path {
		if i > 0 {
			stack.WriteByte(';')
		}
		f := &frames.list[n]
		name := f.function
		if f.file != "" {
			name += " (" + f.file
			if line := lineText(f); line != "" {
				name += ":" + line
			}
			name += ")"
		}
		stack.WriteString(strings.ReplaceAll(model.Clean(name), ";", ":"))
	}
	return append(cells, stack.String())
}

func lineText(f *stackFrame) string {
	if f.line == 0 {
		return ""
	}
	return strconv.FormatInt(f.line, 10)
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// WriteStacksNDJSON writes every row of s as a JSON object in a line of its own: "stack", the figures, and "frames",
// leaf first. What is unknown is absent.
func WriteStacksNDJSON(ctx context.Context, w io.Writer, s *Stacks) ([]Loss, error) {
	frames, err := newFrameTable(ctx, s)
	if err != nil {
		return nil, err
	}
	n := &stackLines{frames: frames, s: s}
	for i := range n.frames.list {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		n.texts = append(n.texts, n.frame(&n.frames.list[i]))
	}
	out := bufio.NewWriterSize(w, 1<<16)
	for i := range s.Rows {
		n.row(&s.Rows[i])
		if _, err := out.Write(n.buf); firstOf(err, ctx.Err()) != nil {
			return nil, firstOf(err, ctx.Err())
		}
	}
	return nil, out.Flush()
}

type stackLines struct {
	s      *Stacks
	frames *frameTable
	texts  [][]byte // by frame: its object
	buf    []byte
}

func (n *stackLines) row(r *StackRow) {
	n.buf = append(n.buf[:0], '{')
	if r.ID != "" {
		n.member("stack")
		if _, err := strconv.ParseUint(r.ID, 10, 64); err == nil {
			n.buf = append(n.buf, r.ID...)
		} else {
			n.buf = model.AppendJSONString(n.buf, r.ID)
		}
	}
	if w := n.s.Profile.Weights; w != nil {
		if name := weights.ThreadName(&w.Threads[r.Thread]); name != "" {
			n.member("thread")
			n.buf = model.AppendJSONString(n.buf, name)
		}
		n.labels(w.LabelSet(r.Labels))
	}
	for i, m := range n.s.Metrics {
		n.member(m.Name)
		n.buf = append(n.buf, decimal(amount(r.Values[i]))...)
	}
	if r.Node != 0 {
		n.member("frames")
		for i, f := range n.frames.of(r) {
			n.buf = append(append(n.buf, "[,"[min(i, 1)]), n.texts[f]...)
		}
		n.buf = append(n.buf, ']')
	}
	n.buf = append(n.buf, "}\n"...)
}

// labels writes the labels of a stack as the report does: an object each, with a text or a number.
func (n *stackLines) labels(set []model.Label) {
	if len(set) == 0 {
		return
	}
	n.member("labels")
	for i := range set {
		l := &set[i]
		n.buf = model.AppendJSONString(appendMember(append(n.buf, "[,"[min(i, 1)], '{'), "key"), l.Key)
		if l.Numeric {
			n.member("number")
			n.buf = strconv.AppendInt(n.buf, l.Number, 10)
		} else if l.Text != "" {
			n.member("text")
			n.buf = model.AppendJSONString(n.buf, l.Text)
		}
		if l.Unit != "" {
			n.member("unit")
			n.buf = model.AppendJSONString(n.buf, l.Unit)
		}
		n.buf = append(n.buf, '}')
	}
	n.buf = append(n.buf, ']')
}

// member begins a member of the object in buf.
func (n *stackLines) member(name string) { n.buf = appendMember(n.buf, name) }

func appendMember(dst []byte, name string) []byte {
	if last := dst[len(dst)-1]; last != '{' {
		dst = append(dst, ',')
	}
	return append(model.AppendJSONString(dst, name), ':')
}

// frame returns a frame as an object.
func (n *stackLines) frame(f *stackFrame) []byte {
	out := []byte{'{'}
	text := func(name, value string) {
		if value != "" {
			out = model.AppendJSONString(appendMember(out, name), value)
		}
	}
	if f.id != 0 {
		text("function", n.s.Profile.Stacks.At(f.id).Function)
	}
	text("file", f.file)
	if f.line != 0 {
		out = strconv.AppendInt(appendMember(out, "line"), f.line, 10)
	}
	if w := n.s.Profile.Weights; w != nil {
		text("dso", w.DSOs[f.dso].Name)
		text("kind", w.FrameKind[f.id].String())
		if f.inlined {
			out = append(appendMember(out, "inlined"), "true"...)
		}
	}
	return append(out, '}')
}
