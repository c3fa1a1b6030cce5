package hprof

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/memtui/memtui/model"
)

// storedString is the position of the characters of a string.
type storedString struct {
	array, row uint32
	from, n    int32 // of an array that strings share; n is negative for all of it
	wide       bool  // the bytes are UTF-16
}

// javaStrings finds the strings of a dump, in the order of their arrays. It leaves out those for which wanted, unless
// it is nil, is false.
func (f *file) javaStrings(ctx context.Context, p *places, h *model.Heap, wanted func(r uint32) bool) ([]storedString, error) {
	l, err := f.layouts(ctx, p)
	if err != nil {
		return nil, err
	}
	at, ok := l.k.named(stringClass)
	if !ok {
		return nil, nil
	}
	var slots [3]slot
	for i, field := range [3]string{"coder", "offset", "count"} {
		if slots[i], err = l.slot(at, stringClass, field); err != nil {
			return nil, err
		}
	}
	var list []storedString
	w := walk{classes: make([]bool, len(l.k.list))}
	w.classes[at] = true
	w.instance = func(r uint32, values []byte) error {
		array, ok := referred(h, r, "value")
		if !ok || wanted != nil && !wanted(r) || h.Kinds[array] != kindPrimitives {
			return nil
		}
		s := storedString{array: array, row: r, n: -1, wide: slots[0].number(values, f.ids) == 1}
		if slots[1].kind != 0 && slots[2].kind != 0 {
			s.from, s.n = int32(slots[1].number(values, f.ids)), int32(slots[2].number(values, f.ids))
		}
		if list = append(list, s); len(list)%(1<<16) == 0 && f.src.Budget().Full(model.BudgetOfFile) {
			return f.src.Budget().Error("the strings of the dump")
		}
		return nil
	}
	if err := w.run(ctx, f, p, h); err != nil {
		return nil, err
	}
	sortStrings(list)
	return list, nil
}

func sortStrings(list []storedString) {
	slices.SortFunc(list, func(a, b storedString) int { return cmp.Or(cmp.Compare(a.array, b.array), cmp.Compare(a.row, b.row)) })
}

// read calls visit with the contents of strings, which are in the order of their arrays.
func (f *file) read(ctx context.Context, p *places, h *model.Heap, list []storedString, visit func(*model.HeapText) error) error {
	var buf []byte
	w := walk{}
	w.wants = func(r uint32, kind byte, _ uint32) bool {
		for len(list) > 0 && list[0].array < r {
			list = list[1:]
		}
		return len(list) > 0 && list[0].array == r && (kind == typeByte || kind == typeChar)
	}
	w.content = func(r uint32, kind byte, b []byte, cut bool) error {
		for ; len(list) > 0 && list[0].array == r; list = list[1:] {
			s := &list[0]
			t := model.HeapText{Row: model.Row(s.row), Storage: model.Row(r), Cut: cut}
			t.Content = s.decode(b, kind, &buf)
			if err := visit(&t); err != nil {
				return err
			}
		}
		return nil
	}
	return w.run(ctx, f, p, h)
}

// decode returns the text as UTF-8: in buf, or in b if it is ASCII.
func (s *storedString) decode(b []byte, kind byte, buf *[]byte) []byte {
	out := (*buf)[:0]
	switch {
	case kind == typeChar:
		out = appendWide(out, s.part(b), binary.BigEndian, math.MaxInt)
	case s.wide:
		out = appendWide(out, b, binary.LittleEndian, math.MaxInt)
	case !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf }):
		return b
	default:
		for _, c := range b {
			out = utf8.AppendRune(out, rune(c))
		}
	}
	*buf = out
	return out
}

// part returns the bytes of the string's characters.
func (s *storedString) part(b []byte) []byte {
	if s.n < 0 {
		return b
	}
	from := min(max(2*int64(s.from), 0), int64(len(b)))
	return b[from:min(from+2*int64(s.n), int64(len(b)))]
}

// Texts implements [model.HeapWaste].
func (f *file) Texts(ctx context.Context, i int, h *model.Heap, visit func(t *model.HeapText) error) error {
	p, err := f.placesOf(i, h)
	if err != nil {
		return err
	}
	list, err := f.javaStrings(ctx, p, h, nil)
	if err != nil {
		return err
	}
	return f.read(ctx, p, h, list, visit)
}
