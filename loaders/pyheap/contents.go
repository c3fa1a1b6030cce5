package pyheap

import (
	"bytes"
	"context"
	"strconv"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

// stated is what a line states about an object, except its references.
type stated struct {
	text      []byte
	hasText   bool
	len       uint64
	hasLength bool
	fields    []model.HeapField
}

func stateOf(line []byte) (s stated) {
	v := json.Members(bytes.TrimSpace(line))
	for name, value, ok := v.Member(); ok; name, value, ok = v.Member() {
		text, isText := json.Text(value)
		if !isText {
			text = value
		}
		switch string(name) {
		case "value":
			s.text, s.hasText = text, isText
		case "len":
			s.len, s.hasLength = json.Uint(value)
		case "name", "file", "line":
		default:
			continue
		}
		s.fields = append(s.fields, model.HeapField{Name: string(name), Value: string(text)})
	}
	return s
}

// Text implements [model.HeapTexts]: texts and bytes of dumps with values.
func (f *file) Text(ctx context.Context, _ int, h *model.Heap, r model.Row, most int) (text string, whole, ok bool, err error) {
	if h.Kinds[r] != kindText {
		return "", false, false, nil
	}
	line, err := f.Line(ctx, r)
	if err != nil || line == nil {
		return "", false, false, err
	}
	s := stateOf(line)
	if !s.hasText {
		return "", false, false, nil
	}
	whole = len(s.text) <= most && !s.cut()
	return string(s.text[:min(len(s.text), most)]), whole, true, nil
}

// cut reports whether the dump has only the beginning of the text.
func (s *stated) cut() bool { return s.hasLength && uint64(len([]rune(string(s.text)))) < s.len }

// Fields implements [model.HeapContents]: the members of the line, then the references.
func (f *file) Fields(ctx context.Context, _ int, h *model.Heap, r model.Row, from, most int) ([]model.HeapField, int, error) {
	line, err := f.Line(ctx, r)
	if err != nil {
		return nil, 0, err
	}
	all := stateOf(line).fields
	to, first := h.Out(r)
	total := len(all) + to.Len()
	fields := all[min(from, len(all)):min(from+most, len(all))]
	for i := max(from-len(all), 0); i < to.Len() && len(fields) < most; i++ {
		e := first + model.Ref(i)
		x := model.HeapField{Form: model.FieldRow, Row: to.At(i), Type: h.OnAxis(0, to.At(i)), Index: int64(i)}
		switch h.Label[e].Form() {
		case model.LabelIndex:
			x.Index = int64(h.Schema.LabelValue(h.Label[e]))
		case model.LabelString:
			x.Name = h.EdgeText(e)
		}
		fields = append(fields, x)
	}
	return fields, total, nil
}

// Threads implements [model.HeapThreads].
func (f *file) Threads(ctx context.Context, _ int, h *model.Heap) (threads []model.HeapThread, err error) {
	d, err := f.Dump(ctx)
	if err != nil {
		return nil, err
	}
	number := map[uint64]int{}
	for i, c := range d.Calls {
		n, ok := number[c.Thread]
		if !ok {
			n = len(threads)
			number[c.Thread] = n
			x := model.HeapThread{Row: model.RootRow, Name: c.ThreadName, ID: strconv.FormatUint(c.Thread, 10)}
			if row, ok := h.RowOf("@" + strconv.FormatUint(c.Object, 10)); ok {
				x.Row = row
			}
			threads = append(threads, x)
		}
		call := model.HeapThreadFrame{Function: c.Function, File: c.File, Line: c.Line, Row: d.Rows[i]}
		to, first := h.Out(d.Rows[i])
		for e, row := range to.All() {
			name := ""
			if label := h.Label[first+model.Ref(e)]; label.Form() == model.LabelString {
				name = h.EdgeText(first + model.Ref(e))
			}
			call.Locals = append(call.Locals, model.HeapLocal{Name: name, Row: row})
		}
		threads[n].Frames = append(threads[n].Frames, call)
	}
	return threads, nil
}

// Texts implements [model.HeapWaste].
func (f *file) Texts(ctx context.Context, _ int, h *model.Heap, visit func(t *model.HeapText) error) error {
	return f.Lines(ctx, func(r model.Row, line []byte) error {
		if h.Kinds[r] != kindText {
			return nil
		}
		s := stateOf(line)
		if !s.hasText {
			return nil
		}
		return visit(&model.HeapText{Row: r, Storage: r, Content: s.text, Cut: s.cut()})
	})
}
