package rubyheap

import (
	"bytes"
	"context"
	"strings"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

// structural are the members of a line that are not contents: rows and columns have them.
var structural = map[string]bool{"address": true, "type": true, "class": true, "superclass": true, "references": true, "memsize": true,
	"flags": true, "value": true, "default": true}

// Text implements [model.HeapTexts]: strings and symbols of seven-bit characters that do not share their text with
// others.
func (f *file) Text(ctx context.Context, _ int, h *model.Heap, r model.Row, most int) (text string, whole, ok bool, err error) {
	if k := h.Kinds[r]; k != kindString && k != kindSymbol {
		return "", false, false, nil
	}
	line, err := f.Line(ctx, r)
	if err != nil || line == nil {
		return "", false, false, err
	}
	value, ok := textOf(line)
	if !ok {
		return "", false, false, nil
	}
	return string(value[:min(len(value), most)]), len(value) <= most, true, nil
}

// textOf returns the value of a line if it is a text.
func textOf(line []byte) ([]byte, bool) {
	v := json.Members(line)
	for name, value, ok := v.Member(); ok; name, value, ok = v.Member() {
		if string(name) == "value" {
			return json.Text(value)
		}
	}
	return nil, false
}

// Fields implements [model.HeapContents]: the members of the line, then the references.
func (f *file) Fields(ctx context.Context, _ int, h *model.Heap, r model.Row, from, most int) ([]model.HeapField, int, error) {
	line, err := f.Line(ctx, r)
	if err != nil {
		return nil, 0, err
	}
	var all []model.HeapField
	v := json.Members(bytes.TrimSpace(line))
	for name, value, ok := v.Member(); ok; name, value, ok = v.Member() {
		if text, isText := json.Text(value); isText {
			value = text
		}
		if structural[string(name)] && (string(name) != "value" || h.Kinds[r] == kindString || h.Kinds[r] == kindSymbol) {
			continue
		}
		all = append(all, model.HeapField{Name: string(name), Value: string(value)})
	}
	to, first := h.Out(r)
	total := len(all) + to.Len()
	fields := all[min(from, len(all)):min(from+most, len(all))]
	for i := max(from-len(all), 0); i < to.Len() && len(fields) < most; i++ {
		fields = append(fields, reference(h, first+model.Ref(i), to.At(i), i))
	}
	return fields, total, nil
}

// reference returns the field of a reference.
func reference(h *model.Heap, e model.Ref, to model.Row, i int) model.HeapField {
	x := model.HeapField{Form: model.FieldRow, Row: to, Type: h.OnAxis(0, to)}
	switch h.Label[e].Form() {
	case model.LabelIndex:
		x.Index = int64(h.Schema.LabelValue(h.Label[e]))
	case model.LabelString:
		x.Name = h.EdgeText(e)
	default:
		x.Index = int64(i)
	}
	return x
}

// Threads implements [model.HeapThreads]: the objects of threads. Dumps of Ruby have no calls.
func (f *file) Threads(_ context.Context, _ int, h *model.Heap) (threads []model.HeapThread, err error) {
	for r, k := range h.Kinds {
		if row := model.Row(r); k == kindData && h.OnAxis(0, row) == "Thread" {
			threads = append(threads, model.HeapThread{Row: row, ID: h.IDText(row)})
		}
	}
	return threads, nil
}

// Texts implements [model.HeapWaste].
func (f *file) Texts(ctx context.Context, _ int, h *model.Heap, visit func(t *model.HeapText) error) error {
	return f.Lines(ctx, func(r model.Row, line []byte) error {
		if h.Kinds[r] != kindString {
			return nil
		}
		value, ok := textOf(line)
		if !ok {
			return nil
		}
		return visit(&model.HeapText{Row: r, Storage: r, Content: value})
	})
}

// The sizes of arrays and hashes of CRuby on machines of 64 bits.
const (
	slotBytes    = 40
	slotHead     = 16
	wordBytes    = 8
	smallEntries = 8 // of a hash without a table of its own
	smallBytes   = 128
	tableBytes   = 56
	entryBytes   = 24
	mostPower    = 40
)

// Collections implements [model.HeapWaste]: arrays and hashes, whose sizes determine their capacity.
func (f *file) Collections(ctx context.Context, _ int, h *model.Heap, visit func(c *model.HeapCollection) error) error {
	return f.Lines(ctx, func(r model.Row, line []byte) error {
		kind := h.Kinds[r]
		if kind == kindNumber {
			if strings.HasPrefix(h.OnAxis(0, r), "(") {
				return nil
			}
			return visit(&model.HeapCollection{Row: r, Storage: r, Form: model.CollectionBox, Len: 1, Capacity: 1,
				Wasted: max(h.Bytes(r), wordBytes) - wordBytes})
		}
		if kind != kindArray && kind != kindHash {
			return nil
		}
		n, slot, shared, ok := lengthOf(line)
		if !ok || shared {
			return nil
		}
		c := model.HeapCollection{Row: r, Storage: r, Len: int64(min(n, 1<<62)), Form: model.CollectionList}
		unit := uint64(wordBytes)
		if kind == kindHash {
			c.Form, unit = model.CollectionTable, entryBytes
			c.Capacity = hashRoom(h.Bytes(r), slot)
		} else {
			c.Capacity = arrayRoom(h.Bytes(r), slot)
		}
		c.Capacity = max(c.Capacity, c.Len)
		c.Wasted = min(uint64(c.Capacity-c.Len)*unit, h.Bytes(r))
		return visit(&c)
	})
}

// lengthOf returns how many elements a line of an array or hash states, and the size of its slot.
func lengthOf(line []byte) (n, slot uint64, shared, ok bool) {
	slot = slotBytes
	v := json.Members(bytes.TrimSpace(line))
	for name, value, more := v.Member(); more; name, value, more = v.Member() {
		switch string(name) {
		case "length", "size":
			n, ok = json.Uint(value)
		case "slot_size":
			if s, is := json.Uint(value); is && s >= slotBytes {
				slot = s
			}
		case "shared":
			shared = string(value) == "true"
		}
	}
	return n, slot, shared, ok
}

// arrayRoom returns the capacity of an array, in its slot or outside of it.
func arrayRoom(bytes, slot uint64) int64 {
	if bytes <= slot {
		return 0 // the rest of a slot cannot be used otherwise
	}
	return int64(min((bytes-slot)/wordBytes, 1<<60))
}

// hashRoom returns the capacity of a hash: eight without a table, otherwise a power of two with its bins.
func hashRoom(bytes, slot uint64) int64 {
	if bytes <= slot {
		return 0
	}
	if bytes <= slot+smallBytes {
		return smallEntries
	}
	room := int64(0)
	for power := range mostPower {
		entries := uint64(1) << power
		bins := 2 * entries
		switch { // the width of a bin depends on their number
		case power <= 2:
			bins = 0
		case power > 15:
			bins *= 4
		case power > 7:
			bins *= 2
		}
		if slot+tableBytes+entryBytes*entries+bins <= bytes {
			room = int64(entries)
		}
	}
	return room
}
