package folded

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"unicode/utf8"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/lines"
	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

// reader reads one file.
type reader struct {
	*weighted.Reading
	event  uint16
	weight model.MetricID

	at     map[model.NodeID]int
	nodes  []model.NodeID // of the stacks, in order of appearance
	offset []int64
	sums   []model.Amount
	wide   bool // the text was UTF-16: offsets would be wrong

	frames []model.FrameID // of the current line
	last   []byte          // the stack of the previous line, whose sum is number latest; nil for none
	latest int
	empty  int64 // empty names that were skipped
}

func newReader(of *weighted.Reading) *reader {
	r := &reader{Reading: of, at: map[model.NodeID]int{}}
	r.AddUp = r.emit
	r.weight, _ = r.Metric(model.ProfileMetric{Name: "weight", Unit: r.Opt.Unit})
	r.event = r.Event(model.ProfileEvent{Name: r.Src.Name(), Primary: r.weight, PrimaryName: "weight"})
	r.Meta.FrameNote = "root first: as the format says"
	r.Fact("unit", "Unit of weights", r.Opt.Unit)
	return r
}

// read reads all lines, or as many as needed.
func (r *reader) read() error {
	src, closing, err := r.text()
	if err != nil {
		return err
	}
	defer closing()
	in := lines.New(r.Ctx, src)
	for err == nil && in.Next() {
		r.line(in)
		err = r.Step()
		in.SkipEmpty()
	}
	if err == nil {
		err = in.Err()
	}
	r.emit()
	if r.empty > 0 {
		r.AddProblem(model.Problem{Severity: model.Note, Code: "empty-frame", Count: r.empty, Offset: model.NoOffset,
			Message: "frames without a name were skipped"})
	}
	if err == nil {
		r.Fact("lines", "Lines", model.Group(uint64(in.Number())))
	}
	return err
}

// text returns the source, or one with its text in UTF-8 if it is UTF-16.
func (r *reader) text() (src *loaders.Source, closing func() error, err error) {
	head := make([]byte, 2)
	if _, err := r.Src.ReadAt(head, 0); err != nil && err != io.EOF {
		return nil, nil, err
	}
	order := wideOrder(head)
	if order == nil {
		return r.Src, func() error { return nil }, nil
	}
	r.wide = true
	r.Say(model.Note, "utf-16", 0, 0, "the text is UTF-16: positions are given as lines")
	src, err = loaders.OpenStream(r.Ctx, r.Src.Path(), &narrowing{ctx: r.Ctx, src: r.Src, at: 2, order: order})
	if err != nil {
		return nil, nil, err
	}
	return src, src.Close, nil
}

// narrowing converts UTF-16 to UTF-8.
type narrowing struct {
	ctx   context.Context
	src   *loaders.Source
	at    int64
	order binary.ByteOrder
	done  []byte
}

// Read implements [io.Reader].
func (n *narrowing) Read(p []byte) (int, error) {
	for len(n.done) == 0 {
		buf := make([]byte, 64<<10)
		got := 0
		for got < 4 { // a complete character
			k, err := n.src.ReadSome(n.ctx, buf[got:], n.at+int64(got))
			if got += k; err != nil && got < 2 {
				return 0, err
			} else if err != nil {
				break
			}
		}
		got &^= 1
		if last := rune(n.order.Uint16(buf[got-2:])); got > 2 && last >= 0xd800 && last < 0xdc00 {
			got -= 2 // the first half of a character
		}
		n.at += int64(got)
		n.done = narrow(buf[:got], n.order)
	}
	k := copy(p, n.done)
	n.done = n.done[k:]
	return k, nil
}

// line adds a line to the sum of its stack.
func (r *reader) line(in *lines.Reader) {
	text, offset := in.Bytes(), in.Offset()
	if r.wide {
		offset = model.NoOffset
	}
	if in.Number() == 1 {
		text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	}
	if in.Long() {
		r.Say(model.Error, "line-length", offset, in.Number(),
			"a line is longer than the limit of %s: it was left out; it cannot be raised", model.Bytes(lines.MaxLine))
		return
	}
	if text = bytes.TrimSpace(text); len(text) == 0 || text[0] == '#' {
		return
	}
	stack, number, ok := split(text)
	if ok && r.last != nil && bytes.Equal(stack, r.last) {
		r.sums[r.latest].Add(number)
		return
	}
	r.last = nil
	if !ok {
		r.Say(model.Error, "line", offset, in.Number(), "a line does not end in a number")
		r.Lost += int64(len(text))
		return
	}
	whole, empty := utf8.Valid(text), r.empty
	if !whole {
		r.Say(model.Warning, "utf-8", offset, in.Number(), "a name is not UTF-8")
	}
	if !r.split(stack) {
		whole = false
		r.Say(model.Warning, "stack-depth", offset, in.Number(),
			"a stack has more frames than the limit of %d: the others were left out; it cannot be raised", weighted.MaxDepth)
	}
	if len(r.frames) == 0 {
		r.Say(model.Error, "line", offset, in.Number(), "a line has a number and no frame")
		r.Lost += int64(len(text))
		return
	}
	node := r.Stack(r.frames)
	i, known := r.at[node]
	if !known {
		i = len(r.nodes)
		r.at[node] = i
		r.nodes, r.offset, r.sums = append(r.nodes, node), append(r.offset, in.Offset()), append(r.sums, model.Amount{})
	}
	r.sums[i].Add(number)
	if r.latest = i; whole && r.empty == empty { // the line has no problem of its own
		r.last = stack
	}
}

// split stores the frames of a stack; false if there are too many.
func (r *reader) split(stack []byte) bool {
	r.frames = r.frames[:0]
	for stack = bytes.TrimRight(stack, "; \t"); len(stack) > 0; {
		if len(r.frames) == weighted.MaxDepth {
			return false
		}
		var name []byte
		name, stack, _ = bytes.Cut(stack, []byte(";"))
		if name = bytes.TrimSpace(name); len(name) == 0 {
			r.empty++
			continue
		}
		f := weighted.Frame{Function: string(name), Line: model.NoLine}
		switch {
		case bytes.HasSuffix(name, []byte("_[k]")):
			f.Kind = model.FrameKernel
		case bytes.HasSuffix(name, []byte("_[i]")):
			f.Flags = model.FrameInlined
		}
		r.frames = append(r.frames, r.Frame(f))
	}
	return true
}

// split splits a line without surrounding blanks at its last blank; ok is false if no number follows.
func split(text []byte) (stack []byte, n model.Number, ok bool) {
	i := bytes.LastIndexAny(text, " \t")
	if i < 0 {
		return nil, n, false
	}
	stack, digits := bytes.TrimRight(text[:i], " \t"), text[i+1:]
	n, ok = weighted.Number(digits)
	return stack, n, ok
}

// emit converts the sums to records.
func (r *reader) emit() {
	r.Forget()
	for i, n := range r.nodes {
		r.Weigh(r.weight, r.sums[i].Number())
		r.Add(weighted.Record{Node: n, Event: r.event, CPU: model.NoCPU, Offset: r.offset[i]})
	}
}
