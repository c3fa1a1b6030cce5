package heap

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

const (
	// maxFields is how many fields or elements of an object are listed: the first ones.
	maxFields = 1000
	// maxText is the number of bytes of an object's text that are shown with it, maxRefText with a reference to it.
	maxText    = 200
	maxRefText = 60
)

// fieldKey identifies the row whose contents are requested.
type fieldKey struct {
	graph  *ui.HeapGraph
	row    model.Row
	values bool // values are shown; otherwise they are not even read
}

// fieldSet is the contents of an object. Read-only once made.
type fieldSet struct {
	fieldKey
	has     bool // the format has fields
	rows    []refRow
	total   int
	hasText bool
	text    string // not cleaned; "" where values are hidden
	more    string // "…" where it is longer
}

// stated is what a row of fields has in addition to a reference.
type stated struct {
	none  bool   // it is not a reference to an object
	kind  string // the type as the file has it
	value string // if it is not a reference
	quote string // the text of the object
}

// readFields reads the contents of a row from the file.
func readFields(ctx context.Context, k fieldKey) (*fieldSet, error) {
	out, h := &fieldSet{fieldKey: k}, k.graph.Heap
	texts, _ := model.HeapFacet[model.HeapTexts](k.graph.Heaps.Source())
	if texts == nil {
		return out, nil
	}
	text, whole, hasText, err := texts.Text(ctx, k.graph.I, h, k.row, maxText)
	if out.hasText = hasText; hasText && k.values {
		out.text = text
		if !whole {
			out.more = "…"
		}
	}
	contents, ok := model.HeapFacet[model.HeapContents](k.graph.Heaps.Source())
	if out.has = ok; !ok || err != nil {
		return out, err
	}
	fields, total, err := contents.Fields(ctx, k.graph.I, h, k.row, 0, maxFields)
	if out.total = total; err != nil {
		return out, err
	}
	for i := range fields {
		v := fieldRow(h, &fields[i], k.values)
		if v.edge = model.Ref(i); k.values && !v.none {
			if v.quote, err = quoteOf(ctx, texts, k.graph, v.end); err != nil {
				return out, err
			}
		}
		out.rows = append(out.rows, v)
	}
	return out, nil
}

// quoteOf returns the beginning of a row's text in quotes, "" for rows without text.
func quoteOf(ctx context.Context, texts model.HeapTexts, g *ui.HeapGraph, r model.Row) (string, error) {
	return quoted(ctx, texts, g.I, g.Heap, r, maxRefText)
}

// quoted returns at most most bytes of the text of a row of snapshot n in quotes, "" for rows without text.
func quoted(ctx context.Context, texts model.HeapTexts, n int, h *model.Heap, r model.Row, most int) (string, error) {
	text, whole, ok, err := texts.Text(ctx, n, h, r, most)
	if !ok || err != nil {
		return "", err
	}
	if !whole {
		text += "…"
	}
	return "“" + text + "”", nil
}

// hiddenValue represents values that are not shown.
const hiddenValue = "hidden"

// fieldRow returns a field as a row of the list.
func fieldRow(h *model.Heap, f *model.HeapField, values bool) refRow {
	v := refRow{text: f.Name, count: 1, stated: stated{kind: f.Type}}
	if f.Name == "" {
		v.text = fmt.Sprintf("[%d]", f.Index)
	}
	switch {
	case f.Of == model.StaticField:
		v.text += " (static)"
	case f.Of != "":
		v.text += " (" + f.Of + ")"
	}
	switch f.Form {
	case model.FieldRow:
		v.end, v.bytes = f.Row, h.Bytes(f.Row)
		return v
	case model.FieldNull:
		v.value = "null"
	case model.FieldDangling:
		v.value = f.Value + ", which is not in the file"
	default:
		if v.value = hiddenValue; values {
			v.value = f.Value
		}
	}
	v.none, v.count = true, 0
	return v
}

// heading returns the heading of the list of fields.
func (s *fieldSet) heading(shown int) string {
	text := model.Counted(s.total, "field")
	if n := len(s.rows); n > 0 && s.rows[n-1].text[0] == '[' {
		text = model.Counted(s.total, "element")
		if s.rows[0].text[0] != '[' {
			text = model.Group(uint64(s.total)) + " fields and elements"
		}
	}
	if len(s.rows) < s.total {
		text = "first " + model.Group(uint64(len(s.rows))) + " of " + text
	}
	if shown != len(s.rows) {
		text += ", " + model.Group(uint64(shown)) + " matching"
	}
	return text
}

// secret reports whether the row has hidden contents.
func (s *fieldSet) secret() bool {
	if s.hasText {
		return true
	}
	for i := range s.rows {
		if s.rows[i].value == hiddenValue {
			return true
		}
	}
	return false
}
