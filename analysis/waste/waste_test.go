package waste

import (
	"context"
	"errors"
	"testing"

	"github.com/memtui/memtui/model"
)

// source has texts and collections of its own.
type source struct {
	texts       []model.HeapText
	collections []model.HeapCollection
	err         error
}

func (s *source) Texts(_ context.Context, _ int, _ *model.Heap, visit func(*model.HeapText) error) error {
	for i := range s.texts {
		if err := visit(&s.texts[i]); err != nil {
			return err
		}
	}
	return s.err
}

func (s *source) Collections(_ context.Context, _ int, _ *model.Heap, visit func(*model.HeapCollection) error) error {
	for i := range s.collections {
		if err := visit(&s.collections[i]); err != nil {
			return err
		}
	}
	return s.err
}

// heap has rows of so many bytes, of two types in turn: row 0 is List.
func heap(sizes ...uint16) *model.Heap {
	h := &model.Heap{
		Schema: &model.HeapSchema{
			Kinds: []model.HeapKindInfo{{Name: "object", Naming: model.NamedByType}, {Name: "class", Naming: model.NamedByType, About: true}},
			Axes:  []model.HeapAxis{{Key: "type"}, {Key: "loader"}},
			Edges: []model.HeapEdgeInfo{{Name: "strong"}, {Name: "weak", Marked: true}},
		},
		Size:   sizes,
		Tables: &model.HeapTables{Strings: []string{"List", "Table", "app", "plugin"}, Types: []model.HeapType{{Name: 0}, {Name: 1}, {Name: 0}}, Axes: [][]uint32{nil, {2, 2, 3}}},
	}
	for i := range sizes {
		h.Kinds, h.Entity = append(h.Kinds, 0), append(h.Entity, uint32(i%2))
	}
	return h
}

func text(row, storage model.Row, content string) model.HeapText {
	return model.HeapText{Row: row, Storage: storage, Content: []byte(content)}
}

// Equal strings waste all but one of them, and all arrays but the largest: those that share an array waste it only
// once.
func TestStrings(t *testing.T) {
	h := heap(0, 24, 24, 24, 100, 40, 24, 32)
	src := &source{texts: []model.HeapText{text(1, 4, "x"), text(2, 4, "x"), text(3, 5, "x"), text(6, 7, "y")}}
	w, err := Find(t.Context(), src, 0, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := w.Strings
	if s.Objects != 4 || s.Distinct != 2 || s.Duplicated != 1 || s.Bytes != 3*24+140+24+32 || s.Wasted != 2*24+40 {
		t.Errorf("%+v", s)
	}
	if len(s.Top) != 1 || s.Top[0] != (Text{Row: 1, Count: 3, Bytes: 212, Wasted: 88}) {
		t.Errorf("%+v", s.Top)
	}
	texts, whole, err := Contents(t.Context(), src, 0, h, []model.Row{6}, 1)
	if err != nil || texts[6] != "y" || !whole[6] || len(texts) != 1 {
		t.Errorf("%v %v %v", texts, whole, err)
	}
	for i := range src.texts[:3] {
		src.texts[i].Cut = true
	}
	if w, _ = Find(t.Context(), src, 0, h, nil); w.Strings.Maybe != 2 || w.Strings.Top[0] != (Text{Row: 1, Count: 2, Bytes: 148, Wasted: 24, Maybe: true}) {
		t.Errorf("strings of which only beginnings are known are equal if they take different bytes, or sure to be: %+v", w.Strings)
	}
}

// Only so many contents are kept, those that waste most; the sums have all.
func TestManyStrings(t *testing.T) {
	h, src := heap(make([]uint16, 40*maxTop)...), &source{}
	for r := range h.Size {
		h.Size[r] = uint16(10 + r/2%100)
		src.texts = append(src.texts, text(model.Row(r), model.Row(r), string([]byte{byte(r / 2), byte(r / 512), byte(r >> 17)})))
	}
	w, err := Find(t.Context(), src, 0, h, nil)
	if err != nil || len(w.Strings.Top) != maxTop || w.Strings.Top[0].Wasted != 109 || w.Strings.Duplicated != 20*maxTop {
		t.Errorf("%v: %d, %+v, %d", err, len(w.Strings.Top), w.Strings.Top[0], w.Strings.Duplicated)
	}
}

// Collections are put together by type and form, what several share counts once.
func TestCollections(t *testing.T) {
	h := heap(24, 48, 24, 48, 100)
	list := func(row, storage model.Row, n, room int64, wasted uint64) model.HeapCollection {
		return model.HeapCollection{Row: row, Storage: storage, Len: n, Capacity: room, Wasted: wasted}
	}
	src := &source{collections: []model.HeapCollection{
		list(0, 4, 1, 10, 36), list(2, 4, 0, 10, 24), list(99, 4, 0, 10, 24),
		{Row: 1, Storage: 1, Form: model.CollectionBox, Len: 1, Capacity: 1, Wasted: 40},
	}}
	last := 0.0
	w, err := Find(t.Context(), src, 0, h, func(done float64) {
		if done < last || done > 1 {
			t.Errorf("%v after %v", done, last)
		}
		last = done
	})
	want := []Collection{
		{Type: "List", Row: 0, Count: 2, Empty: 1, Sparse: 1, Elements: 1, Capacity: 20, Bytes: 148, Wasted: 60, most: 36},
		{Type: "Table", Form: model.CollectionBox, Row: 1, Count: 1, Elements: 1, Capacity: 1, Bytes: 48, Wasted: 40, most: 40},
	}
	if err != nil || len(w.Collections) != 2 || w.Collections[0] != want[0] || w.Collections[1] != want[1] || w.Bytes() != 100 {
		t.Errorf("%v %+v", err, w.Collections)
	}
}

// Classes of one name are told with who loaded each; references that do not hold are counted by kind.
func TestClassesAndReferents(t *testing.T) {
	h := heap(8, 8, 8, 8)
	h.Kinds, h.About = []model.HeapKind{1, 1, 1, 0}, []uint32{0, 1, 2}
	h.Start, h.To = model.Column[model.Ref]{Narrow: make([]uint32, 4)}, model.Column[model.Row]{Narrow: make([]uint32, 4)}
	for _, to := range []model.Row{1, 2, 2} {
		h.To.Append(to)
		l, _ := h.Schema.Label(model.HeapEdgeKind(min(to, 2)-1), model.LabelUnknown, 0)
		h.Label = append(h.Label, l)
	}
	w, err := Find(t.Context(), &source{}, 0, h, nil)
	if err != nil || len(w.Doubled) != 1 || w.Doubled[0].Type != "List" || w.Doubled[0].Count != 2 || w.Doubled[0].Loaders[1] != "plugin" {
		t.Errorf("%v %+v", err, w.Doubled)
	} else if rows := w.Doubled[0].Rows(h); len(rows) != 2 || rows[0] != w.Doubled[0].Row {
		t.Errorf("the classes are %d", rows)
	}
	if len(w.Referents) != 1 || w.Referents[0] != (Referents{"weak", 2, 1, 8}) {
		t.Errorf("%+v", w.Referents)
	}
}

// Instances of Finalizer are counted, and those of them whose objects wait for the thread of finalizers.
func TestFinalizers(t *testing.T) {
	h := heap(8, 8, 8, 40, 40, 40, 100, 200)
	h.Schema.Sets = []model.HeapSet{{Kinds: model.KindsOf(0, 1), Naming: model.NamedByType}}
	h.Tables = &model.HeapTables{
		Strings: []string{"java.lang.ref.Finalizer", "java.lang.ref.ReferenceQueue", "Res", "ENQUEUED", "NULL", "queue", "referent", "next"},
		Types:   []model.HeapType{{Name: 0}, {Name: 1}, {Name: 2}}, Axes: [][]uint32{nil, {2, 2, 2}},
	}
	// 0 is the class Finalizer, 1 that of queues with the statics NULL, which is row 2, and ENQUEUED, which is row 7.
	h.Kinds, h.About = []model.HeapKind{1, 1, 0, 0, 0, 0, 0, 0}, []uint32{0, 1}
	h.Entity = []uint32{2, 2, 1, 0, 0, 0, 2, 1}
	h.Start, h.To = model.Column[model.Ref]{Narrow: make([]uint32, 0)}, model.Column[model.Row]{Narrow: make([]uint32, 0)}
	out := map[model.Row][][2]uint64{1: {{2, 4}, {7, 3}}, 3: {{7, 5}, {6, 6}, {4, 7}}, 4: {{7, 5}, {6, 6}}, 5: {{2, 5}, {6, 6}}}
	h.Start.Append(0)
	for r := range model.Row(8) {
		for _, e := range out[r] {
			h.To.Append(model.Row(e[0]))
			l, _ := h.Schema.Label(0, model.LabelString, e[1])
			h.Label = append(h.Label, l)
		}
		h.Start.Append(model.Ref(h.To.Len()))
	}
	w, err := Find(t.Context(), &source{}, 0, h, nil)
	if want := (Finalizers{Count: 3, Queued: 2, Bytes: 3*40 + 100, Row: 3}); err != nil || w.Finalizers != want {
		t.Errorf("%v %+v, want %+v", err, w.Finalizers, want)
	}
}

// What there is no memory for is left out, the rest is told; other errors end it.
func TestLeftOut(t *testing.T) {
	b := model.NewBudget(100)
	b.Measured(90)
	src := &source{texts: []model.HeapText{text(0, 0, "x")}, collections: []model.HeapCollection{{Row: 0, Storage: 0}}}
	w, err := Find(model.WithBudget(t.Context(), b), src, 0, heap(8), nil)
	if err != nil || len(w.LeftOut) != 1 || w.LeftOut[0] != "duplicate_strings" || len(w.Collections) != 1 {
		t.Errorf("%v %+v", err, w)
	}
	src.err = errors.New("no disk")
	if _, err := Find(t.Context(), src, 0, heap(8), nil); !errors.Is(err, src.err) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Find(ctx, src, 0, heap(8), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The first object that refers to a text is found; roots are none, nor are references of other rows.
func TestHoldersOfTexts(t *testing.T) {
	h := heap(0, 24, 24, 24, 32, 32)
	h.Schema.Kinds = append(h.Schema.Kinds, model.HeapKindInfo{Name: "root", Virtual: true})
	h.Kinds[0] = 2
	for _, to := range [][]model.Row{{1}, {}, {}, {}, {5}, {3, 1}, {}} {
		h.Start.Append(model.Ref(h.To.Len()))
		for _, t := range to {
			h.To.Append(t)
			h.Label = append(h.Label, 0)
		}
	}
	src := &source{texts: []model.HeapText{text(1, 1, "x"), text(2, 2, "y"), text(3, 3, "x"), text(4, 4, "y")}}
	w, err := Find(t.Context(), src, 0, h, nil)
	if err != nil || len(w.Strings.Top) != 2 {
		t.Fatalf("%v, %+v", err, w)
	}
	for _, x := range w.Strings.Top {
		if held := x.Row == 1; x.Held != held || held && (x.Holder != 5 || x.Edge != 3) {
			t.Errorf("%+v", x)
		}
	}
}
