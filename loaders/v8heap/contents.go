package v8heap

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memtui/memtui/model"
)

const (
	cutText   = 1024    // characters after which V8 cuts strings
	maxPieces = 1 << 14 // of a concatenated string that are joined
)

// textOf returns the text of a row, at most so many bytes; cut reports that the file has only the beginning of it.
func textOf(h *model.Heap, r model.Row, most int) (text string, whole, cut, ok bool) {
	switch h.Kinds[r] {
	case kindConcatenated:
		return joined(h, r, most)
	case kindString, kindSliced, kindSymbol, kindNumber, kindBigInt, kindRegExp:
	default:
		return "", false, false, false
	}
	if int(r) >= len(h.Names) || int(h.Names[r]) >= h.Tables.NumStrings() {
		return "", false, false, false
	}
	text = h.Tables.String(h.Names[r])
	cut = h.Kinds[r] == kindString && isCut(text)
	if len(text) > most {
		return firstBytes(text, most), false, cut, true
	}
	return text, !cut, cut, true
}

// isCut reports whether a text has the maximum length that V8 writes.
func isCut(s string) bool { return len(s) >= cutText && utf8.RuneCountInString(s) >= cutText }

// joined joins the parts of a concatenated string.
func joined(h *model.Heap, r model.Row, most int) (text string, whole, cut, ok bool) {
	var b strings.Builder
	queue := []model.Row{r}
	for n := 0; len(queue) > 0; n++ {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if n >= maxPieces || b.Len() > most {
			return firstBytes(b.String(), most), false, true, true
		}
		if h.Kinds[at] == kindConcatenated {
			first, second := partsOf(h, at)
			if first != at && second != at && (first != model.RootRow || second != model.RootRow) {
				queue = append(queue, second, first)
			}
			continue
		}
		if at == model.RootRow {
			continue
		}
		part, _, short, _ := textOf(h, at, most)
		b.WriteString(part)
		cut = cut || short
	}
	if b.Len() > most {
		return firstBytes(b.String(), most), false, cut, true
	}
	return b.String(), !cut, cut, true
}

// partsOf returns the two parts of a concatenated string, the root for a missing one.
func partsOf(h *model.Heap, r model.Row) (first, second model.Row) {
	to, e := h.Out(r)
	for i := range to.Len() {
		switch h.EdgeText(e + model.Ref(i)) {
		case "first":
			first = to.At(i)
		case "second":
			second = to.At(i)
		}
	}
	return first, second
}

// Text implements [model.HeapTexts].
func (f *file) Text(_ context.Context, _ int, h *model.Heap, r model.Row, bytes int) (text string, whole, ok bool, err error) {
	if !h.Has(r) {
		return "", false, false, nil
	}
	text, whole, _, ok = textOf(h, r, bytes)
	return text, whole, ok, nil
}

// Fields implements [model.HeapContents]: the references of a row.
func (f *file) Fields(ctx context.Context, _ int, h *model.Heap, r model.Row, from,
	most int) (fields []model.HeapField, total int, err error) {
	if !h.Has(r) || from < 0 {
		return nil, 0, nil
	}
	to, first := h.Out(r)
	total = to.Len()
	for i := from; i < total && len(fields) < most; i++ {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		fields = append(fields, fieldOf(h, first+model.Ref(i), to.At(i)))
	}
	return fields, total, nil
}

// fieldOf describes a reference as a field of the row that it leaves.
func fieldOf(h *model.Heap, e model.Ref, to model.Row) model.HeapField {
	x := model.HeapField{Form: model.FieldRow, Row: to}
	switch l := h.Label[e]; l.Form() {
	case model.LabelIndex:
		x.Index = int64(h.Schema.LabelValue(l))
	case model.LabelLarge:
		x.Index = int64(min(h.LargeIndex[e], 1<<63-1))
	default:
		x.Name = h.EdgeText(e)
	}
	switch k := h.Schema.LabelKind(h.Label[e]); k {
	case edgeElement:
	case edgeHidden:
		x.Name = "hidden " + strconv.FormatInt(x.Index, 10)
	case edgeContext:
		x.Of = "captured"
	case edgeProperty:
	default:
		x.Of = h.Schema.Edges[k].Name
	}
	return x
}

// Texts implements [model.HeapWaste]: strings with characters of their own. Concatenated and sliced ones share theirs.
func (f *file) Texts(ctx context.Context, _ int, h *model.Heap, visit func(t *model.HeapText) error) error {
	for r, kind := range h.Kinds {
		if r%model.AskEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if kind != kindString || r >= len(h.Names) || int(h.Names[r]) >= h.Tables.NumStrings() {
			continue
		}
		text := h.Tables.String(h.Names[r])
		t := model.HeapText{Row: model.Row(r), Storage: model.Row(r), Content: []byte(text), Cut: isCut(text)}
		if err := visit(&t); err != nil {
			return err
		}
	}
	return nil
}

// Collections implements [model.HeapWaste]: arrays, Maps and Sets, with the capacity of their storage, and boxed
// numbers.
func (f *file) Collections(ctx context.Context, _ int, h *model.Heap, visit func(c *model.HeapCollection) error) error {
	forms := map[string]model.HeapCollectionForm{"Array": model.CollectionList, "Map": model.CollectionTable, "Set": model.CollectionTable}
	byType := make([]model.HeapCollectionForm, len(h.Tables.Types))
	is := make([]bool, len(byType))
	for i := range byType {
		byType[i], is[i] = forms[h.Tables.Type(uint32(i))]
	}
	pointer := pointerBytes(h)
	for r, kind := range h.Kinds {
		if r%model.AskEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		c := model.HeapCollection{Row: model.Row(r), Storage: model.Row(r)}
		switch {
		case kind == kindNumber && h.Managed(c.Row) > 0:
			c.Form, c.Len, c.Capacity = model.CollectionBox, 1, 1
		case kind != kindObject || int(h.Entity[r]) >= len(is) || !is[h.Entity[r]]:
			continue
		default:
			c.Form = byType[h.Entity[r]]
			if !fill(h, &c, pointer) {
				continue
			}
		}
		if err := visit(&c); err != nil {
			return err
		}
	}
	return nil
}

// pointerBytes returns the size of a reference in arrays: four bytes if pointers are compressed, as in browsers. Every
// object has at least three of them.
func pointerBytes(h *model.Heap) uint64 {
	for r, kind := range h.Kinds {
		if kind == kindClosure && h.Managed(model.Row(r))%8 != 0 {
			return 4
		}
	}
	return 8
}

// fill counts the elements of an array, a Map or a Set, and computes its capacity.
func fill(h *model.Heap, c *model.HeapCollection, pointer uint64) bool {
	wanted := "elements"
	if c.Form == model.CollectionTable {
		wanted = "table"
	}
	storage := model.RootRow
	to, first := h.Out(c.Row)
	for i := range to.Len() {
		e := first + model.Ref(i)
		if k := h.Schema.LabelKind(h.Label[e]); k == edgeElement && c.Form == model.CollectionList {
			c.Len = max(c.Len, int64(elementIndex(h, e))+1)
		}
		if h.Kinds[to.At(i)] == kindArray && h.EdgeText(e) == wanted {
			storage = to.At(i)
		}
	}
	if storage == model.RootRow {
		return c.Form == model.CollectionList && c.Len == 0
	}
	c.Storage = storage
	words := int64(h.Managed(storage)/pointer) - 2 // its map and its length
	if words < 0 {
		return false
	}
	if c.Form == model.CollectionList {
		return fillList(c, words, pointer)
	}
	return fillTable(h, c, words, pointer)
}

// elementIndex returns the index of a reference.
func elementIndex(h *model.Heap, e model.Ref) uint64 {
	if l := h.Label[e]; l.Form() == model.LabelIndex {
		return uint64(h.Schema.LabelValue(l))
	}
	return h.LargeIndex[e]
}

// fillList counts the elements of an array. Small integers are not rows: nothing is known about an array of only those.
func fillList(c *model.HeapCollection, words int64, pointer uint64) bool {
	if c.Len == 0 {
		return false
	}
	c.Capacity = max(words, c.Len)
	c.Wasted = uint64(c.Capacity-c.Len) * pointer
	return true
}

// fillTable counts the entries of a Map or a Set. Its table has three words, half as many buckets as entries, and
// entries of a key, for Maps a value, and a link. References of the table are named by the index of their word. Small
// integers are not rows: nothing is known about a table of only those, and in a mixed table only the others are
// counted.
func fillTable(h *model.Heap, c *model.HeapCollection, words int64, pointer uint64) bool {
	entry := int64(2)
	if h.Tables.Type(h.Entity[c.Row]) == "Map" {
		entry = 3
	}
	c.Capacity = max((words-3)*2/(2*entry+1), 0)
	begin, last := 3+c.Capacity/2, int64(-1)
	to, first := h.Out(c.Storage)
	var entries []int64
	for i := range to.Len() {
		slot, err := strconv.ParseInt(h.EdgeText(first+model.Ref(i)), 10, 64)
		if n := (slot - begin) / entry; err == nil && slot >= begin && n < c.Capacity && n != last {
			entries, last = append(entries, n), n
		}
	}
	slices.Sort(entries)
	c.Len = int64(len(slices.Compact(entries)))
	c.Wasted = uint64((c.Capacity-c.Len)*entry) * pointer
	return c.Len > 0
}

// firstBytes returns the beginning of a text, cut between characters.
func firstBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:max(most, 0)]
}
