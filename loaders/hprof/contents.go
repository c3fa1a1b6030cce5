package hprof

import (
	"context"
	"encoding/binary"
	"sort"
	"strings"

	"github.com/memtui/memtui/model"
)

// window selects the requested fields while all of them are counted.
type window struct {
	from, most, total int
	fields            []model.HeapField
}

// wants counts the next field and reports whether it is requested.
func (w *window) wants() bool {
	w.total++
	return w.total > w.from && w.total-w.from <= w.most
}

// references iterates over the references of a row in the order of the values they come from: null and dangling ones
// are not among them.
type references struct {
	h  *model.Heap
	to model.Column[model.Row]
	at int
}

func referencesOf(h *model.Heap, r model.Row) references {
	to, _ := h.Out(r)
	return references{h, to, 0}
}

// take returns the row of an id if the next reference leads to it.
func (x *references) take(id uint64) (model.Row, bool) {
	if x.at < x.to.Len() {
		if r := x.to.At(x.at); x.h.IDs[r] == id && id != 0 {
			x.at++
			return r, true
		}
	}
	return 0, false
}

// refer sets the target of an id in a field.
func (x *references) refer(f *model.HeapField, id uint64) {
	row, ok := x.take(id)
	switch {
	case id == 0:
		f.Form = model.FieldNull
	case ok:
		f.Form, f.Row = model.FieldRow, row
	default:
		f.Form, f.Value = model.FieldDangling, hexID(id)
	}
}

// Fields implements [model.HeapContents].
func (f *file) Fields(ctx context.Context, i int, h *model.Heap, r model.Row, from,
	most int) (fields []model.HeapField, total int, err error) {
	d, err := f.reader(ctx, i, h)
	if err != nil || !h.Has(r) || from < 0 || most < 0 {
		return nil, 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begin(ctx)
	w := &window{from: from, most: most}
	switch h.Kinds[r] {
	case kindClass:
		err = d.statics(h, r, w)
	case kindInstance:
		err = d.instanceFields(h, r, w)
	case kindObjects:
		err = d.objectElements(h, r, w)
	case kindPrimitives:
		err = d.values(h, r, w)
	}
	return w.fields, w.total, err
}

// statics lists the static fields of a class.
func (d *reader) statics(h *model.Heap, r model.Row, w *window) error {
	x, err := d.class(r)
	if err != nil {
		return err
	}
	refs := referencesOf(h, r)
	for _, id := range []uint64{x.super, x.loader, x.signers, x.domain} {
		refs.take(id)
	}
	for _, s := range x.statics {
		f := model.HeapField{Of: model.StaticField, Type: primitives[s.kind]}
		if f.Name, err = d.fieldName(s.name); err != nil {
			return err
		}
		if s.kind == typeObject {
			refs.refer(&f, s.value)
		} else {
			f.Value = javaValue(s.kind, s.value)
		}
		if w.wants() {
			w.fields = append(w.fields, f)
		}
	}
	return nil
}

// instanceFields lists the fields of an instance, its own class first.
func (d *reader) instanceFields(h *model.Heap, r model.Row, w *window) error {
	row, ok := d.classRow(h, r)
	if !ok {
		return nil
	}
	b, err := d.copyOf(h, r)
	if err != nil {
		return err
	}
	own, err := d.class(row)
	if err != nil {
		return err
	}
	refs := referencesOf(h, r)
	refs.take(own.id)
	var failed error
	for s := range slots(d.chain(own, &failed), d.c.ids, len(b)) {
		f := model.HeapField{Type: primitives[s.kind]}
		if f.Name, err = d.fieldName(s.name); err != nil {
			return err
		}
		if s.of != own {
			f.Of = s.of.name
		}
		if value := bitsOf(b[s.at : s.at+typeSize(s.kind, d.c.ids)]); s.kind == typeObject {
			refs.refer(&f, value)
		} else {
			f.Value = javaValue(s.kind, value)
		}
		if w.wants() {
			w.fields = append(w.fields, f)
		}
	}
	return failed
}

// copyOf returns a copy of the values of an instance.
func (d *reader) copyOf(h *model.Heap, r model.Row) ([]byte, error) {
	if err := d.to(h, r); err != nil {
		return nil, err
	}
	b, err := d.instance()
	return append([]byte(nil), b...), err
}

func bitsOf(b []byte) (bits uint64) {
	for _, x := range b {
		bits = bits<<8 | uint64(x)
	}
	return bits
}

// objectElements lists elements of an array of objects.
func (d *reader) objectElements(h *model.Heap, r model.Row, w *window) error {
	element := ""
	if row, ok := d.classRow(h, r); ok {
		x, err := d.class(row)
		if err != nil {
			return err
		}
		element, _ = strings.CutSuffix(x.name, "[]")
	}
	if err := d.to(h, r); err != nil {
		return err
	}
	a, err := d.array()
	if err != nil {
		return err
	}
	w.total = int(a.length)
	b, err := d.elements(a, int64(w.from), int64(w.most))
	refs := elementsFrom(h, r, uint64(w.from))
	for at := 0; at+d.c.ids <= len(b); at += d.c.ids {
		f := model.HeapField{Index: int64(w.from + len(w.fields)), Type: element}
		refs.refer(&f, idAt(b[at:], d.c.ids))
		w.fields = append(w.fields, f)
	}
	return err
}

// elementsFrom returns the references of an array, starting with that of an element.
func elementsFrom(h *model.Heap, r model.Row, index uint64) references {
	to, first := h.Out(r)
	skip := 0
	if to.Len() > 0 && !h.Label[first].Indexed() {
		skip = 1 // the reference to the class
	}
	at := sort.Search(to.Len()-skip, func(i int) bool {
		e := first + model.Ref(skip+i)
		switch l := h.Label[e]; l.Form() {
		case model.LabelIndex:
			return uint64(schema.LabelValue(l)) >= index
		case model.LabelLarge:
			return h.LargeIndex[e] >= index
		}
		return true
	})
	return references{h, to, skip + at}
}

// values lists elements of an array of primitive values.
func (d *reader) values(h *model.Heap, r model.Row, w *window) error {
	if err := d.to(h, r); err != nil {
		return err
	}
	a, err := d.array()
	if err != nil || a.empty {
		return err
	}
	w.total = int(a.length)
	b, err := d.elements(a, int64(w.from), int64(w.most))
	for size := typeSize(a.kind, 0); size > 0 && len(b) >= size; b = b[size:] {
		w.fields = append(w.fields, model.HeapField{Index: int64(w.from + len(w.fields)), Type: primitives[a.kind],
			Value: javaValue(a.kind, bitsOf(b[:size]))})
	}
	return err
}

// Text implements [model.HeapTexts]: the contents of a java.lang.String.
func (f *file) Text(ctx context.Context, i int, h *model.Heap, r model.Row, bytes int) (text string, whole, ok bool, err error) {
	d, err := f.reader(ctx, i, h)
	if err != nil || !h.Has(r) || h.Kinds[r] != kindInstance {
		return "", false, false, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begin(ctx)
	class, ok := d.classRow(h, r)
	if !ok {
		return "", false, false, nil
	}
	if x, err := d.class(class); err != nil || x.name != stringClass {
		return "", false, false, err
	}
	s, err := d.stringOf(h, r)
	if err != nil || s.value == model.RootRow {
		return "", false, false, err
	}
	text, whole, err = d.characters(h, s, bytes)
	return text, whole, err == nil, err
}

const stringClass = "java.lang.String"

// javaString describes the contents of a java.lang.String.
type javaString struct {
	value  model.Row // array of its characters; the root if there is none
	utf16  bool      // in an array of bytes
	part   bool      // it is the characters [from, from+length) of the array
	from   int64
	length int64
}

// stringOf reads the fields of a string. Several strings may share an array.
func (d *reader) stringOf(h *model.Heap, r model.Row) (s javaString, err error) {
	w := &window{most: 16}
	if err := d.instanceFields(h, r, w); err != nil {
		return s, err
	}
	offset := false
	for _, f := range w.fields {
		n := int64(0)
		for _, c := range strings.TrimPrefix(f.Value, "-") {
			n = n*10 + int64(c-'0')
		}
		switch f.Name {
		case "value":
			if f.Form == model.FieldRow && h.Kinds[f.Row] == kindPrimitives {
				s.value = f.Row
			}
		case "coder":
			s.utf16 = n == 1
		case "offset":
			s.from, offset = n, true
		case "count":
			s.length, s.part = n, true
		}
	}
	s.part = s.part && offset
	return s, nil
}

// characters reads the beginning of a string.
func (d *reader) characters(h *model.Heap, s javaString, bytes int) (text string, whole bool, err error) {
	wide := s.utf16
	if wide {
		if wide, err = d.bigEndianChars(); err != nil {
			return "", false, err
		}
	}
	if err := d.to(h, s.value); err != nil {
		return "", false, err
	}
	a, err := d.array()
	if err != nil {
		return "", false, err
	}
	if s.part && s.from <= a.length {
		a.at, a.length = a.at+s.from*int64(typeSize(a.kind, 0)), min(s.length, a.length-s.from)
	}
	order := binary.ByteOrder(binary.BigEndian)
	if a.kind == typeByte && s.utf16 && !wide {
		order = binary.LittleEndian
	}
	utf16 := a.kind == typeChar || s.utf16
	most := int64(max(bytes, 0)) + 1
	if a.kind == typeByte && utf16 {
		most *= 2
	}
	b, err := d.elements(a, 0, most)
	if err != nil || a.kind != typeChar && a.kind != typeByte {
		return "", false, err
	}
	text = latin1(b, bytes)
	if utf16 {
		text = wideText(b, order, bytes)
	}
	cut := a.empty || int64(len(b)) < a.length*int64(typeSize(a.kind, 0)) || units(text) < unitsIn(b, utf16)
	return text, !cut, nil
}

// bigEndianChars reports the byte order of strings beyond Latin-1, which java.lang.StringUTF16 states.
func (d *reader) bigEndianChars() (bool, error) {
	if d.bigChars != nil {
		return *d.bigChars, nil
	}
	big := false
	row, ok, err := d.named("java/lang/StringUTF16")
	if err != nil {
		return false, err
	}
	if ok {
		x, err := d.class(row)
		if err != nil {
			return false, err
		}
		for _, s := range x.statics {
			name, err := d.fieldName(s.name)
			if err != nil {
				return false, err
			}
			big = big || name == "HI_BYTE_SHIFT" && s.kind == typeInt && s.value == 8
		}
	}
	d.bigChars = &big
	return big, nil
}
