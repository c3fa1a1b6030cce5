package redact

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/memtui/memtui/model"
)

// errHidden replaces errors whose text may quote names.
var errHidden = errors.New("it cannot be read (the reason is left out because it may contain names)")

// hide returns the context's own errors unchanged, and hides the text of all others.
func hide(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return errHidden
}

// events is a source without the names of markers.
type events struct {
	model.EventSource
	r *Redactor
}

// Replay passes on every batch, with its problems in general words.
func (e events) Replay(ctx context.Context, yield func(*model.EventBatch) error) error {
	return e.EventSource.Replay(ctx, func(b *model.EventBatch) error {
		if len(b.Problems) == 0 {
			return yield(b)
		}
		clean := *b
		clean.Problems = e.r.problems(b.Problems)
		return yield(&clean)
	})
}

// MarkerName resolves a name to its stand-in.
func (e events) MarkerName(id uint64) (string, bool) {
	name, ok := e.EventSource.MarkerName(id)
	return e.r.Name("marker", name), ok
}

// pages is a source without the names of page types.
type pages struct {
	model.PageSource
	r *Redactor
}

// Open decodes a layout and replaces its names.
func (p pages) Open(ctx context.Context, i int) (*model.Layout, error) {
	l, err := p.PageSource.Open(ctx, i)
	if err != nil {
		return nil, hide(ctx, err)
	}
	out := &model.Layout{Types: append([]model.PageType{}, l.Types...), Problems: p.r.problems(l.Problems)}
	for k := range out.Types {
		out.Types[k].Name = p.r.Name("pages", out.Types[k].Name)
	}
	return out, nil
}

// heaps is a source without the names of types, frames and references.
type heaps struct {
	model.HeapSource
	r *Redactor

	mu   sync.Mutex
	from *model.HeapTables // the last ones that were replaced
	to   *model.HeapTables
}

// Open decodes a snapshot and replaces its names.
func (h *heaps) Open(ctx context.Context, i int, progress func(float64)) (*model.Heap, error) {
	in, err := h.HeapSource.Open(ctx, i, progress)
	if err != nil {
		return nil, hide(ctx, err)
	}
	out := *in
	out.Tables, out.Kept = h.tables(in.Tables), nil // what is kept about the snapshot has its names
	return &out, nil
}

// Info replaces the name of the snapshot's file.
func (h *heaps) Info(i int) model.HeapInfo {
	info := h.HeapSource.Info(i)
	if info.File != "" {
		info.File = h.r.Name("file", info.File)
	}
	return info
}

// Wraps implements [model.HeapWrapper].
func (h *heaps) Wraps() model.HeapSource { return h.HeapSource }

// named returns a snapshot with the original names, which the source may need to identify objects.
func (h *heaps) named(ctx context.Context, i int, in *model.Heap) *model.Heap {
	out := *in
	h.mu.Lock()
	from, last := h.from, h.to == in.Tables
	h.mu.Unlock()
	if !last {
		var err error
		if from, err = h.HeapSource.Tables(ctx, i); err != nil {
			from = in.Tables
		}
	}
	out.Tables = from
	return &out
}

// Text replaces the complete text of an object.
func (h *heaps) Text(ctx context.Context, i int, in *model.Heap, r model.Row,
	bytes int) (text string, whole, ok bool, err error) {
	texts, ok := h.HeapSource.(model.HeapTexts)
	if !ok {
		return "", false, false, nil
	}
	text, whole, ok, err = texts.Text(ctx, i, h.named(ctx, i, in), r, bytes)
	return h.r.Name("text", text), whole, ok, hide(ctx, err)
}

// Fields replaces the names, types and values of an object's fields. Identities stay.
func (h *heaps) Fields(ctx context.Context, i int, in *model.Heap, r model.Row,
	from, most int) (fields []model.HeapField, total int, err error) {
	contents, ok := h.HeapSource.(model.HeapContents)
	if !ok {
		return nil, 0, nil
	}
	fields, total, err = contents.Fields(ctx, i, h.named(ctx, i, in), r, from, most)
	fields = slices.Clone(fields)
	for i := range fields {
		f := &fields[i]
		f.Name, f.Type = h.r.Name("text", f.Name), h.r.Name("type", f.Type)
		if f.Of != model.StaticField {
			f.Of = h.r.Name("type", f.Of)
		}
		if f.Form == model.FieldValue {
			f.Value = h.r.Name("value", f.Value)
		}
	}
	return fields, total, hide(ctx, err)
}

// Tables returns the tables with stand-ins as names.
func (h *heaps) Tables(ctx context.Context, i int) (*model.HeapTables, error) {
	t, err := h.HeapSource.Tables(ctx, i)
	if err != nil {
		return nil, hide(ctx, err)
	}
	return h.tables(t), nil
}

func (h *heaps) tables(t *model.HeapTables) *model.HeapTables {
	if t == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.from != t {
		h.from, h.to = t, h.r.tables(h.Schema(), t)
	}
	return h.to
}

// tables replaces strings by what they are used for; equal ones are one string in the file, and stay one.
func (r *Redactor) tables(s *model.HeapSchema, t *model.HeapTables) *model.HeapTables {
	out := &model.HeapTables{Types: t.Types, Axes: t.Axes, Frames: t.Frames, Strings: make([]string, t.NumStrings())}
	done := make([]bool, t.NumStrings())
	put := func(i uint32, replace func(string) string) {
		if int(i) < len(done) && !done[i] {
			out.Strings[i], done[i] = replace(t.String(i)), true
		}
	}
	as := func(kind string) func(string) string { return func(s string) string { return r.Name(kind, s) } }
	for i, x := range t.Types {
		for axis, column := range t.Axes {
			if i < len(column) && axis < len(s.Axes) {
				put(column[i], as(s.Axes[axis].Word))
			}
		}
		put(x.Name, as("type"))
	}
	for _, f := range t.Frames {
		put(f.Name, as("frame"))
		put(f.File, r.Path)
		put(f.ID, as("id"))
	}
	for i := range t.NumStrings() {
		put(uint32(i), as("text"))
	}
	return out
}
