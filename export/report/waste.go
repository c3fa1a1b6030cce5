package report

import (
	"fmt"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/waste"
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// HeapWaste holds what wastes memory in a snapshot: duplicate strings, unused capacity, classes loaded twice, and
// objects that wait to be finalized.
type HeapWaste struct {
	Bytes       uint64          `json:"wasted_bytes"`
	Strings     *HeapStrings    `json:"duplicate_strings,omitzero"`
	Collections []HeapRoom      `json:"collections,omitzero"` // most wasted first
	Doubled     []DoubledClass  `json:"classes_loaded_twice"`
	Referents   []HeapReferents `json:"referents"`
	Finalizers  *HeapFinalizers `json:"finalizers,omitzero"` // nil if no object has a finalizer that is still to run
	Counts      WasteLengths    `json:"row_counts"`          // before the limit
}

// HeapFinalizers holds Java objects that are kept until their finalize method has run.
type HeapFinalizers struct {
	Count    uint64    `json:"count"`        // objects with such a method
	Queued   uint64    `json:"queued_count"` // those of Count that only wait for the finalizer thread
	Bytes    uint64    `json:"bytes"`        // of the objects and of what keeps them
	Retained *uint64   `json:"retained_bytes,omitzero"`
	Row      model.Row `json:"row"` // the first instance of Finalizer
	members.ID
}

// WasteLengths holds the length of each list before the limit.
type WasteLengths struct {
	Strings     *uint64 `json:"duplicate_strings,omitzero"`
	Collections *int    `json:"collections,omitzero"`
	Doubled     int     `json:"classes_loaded_twice"`
}

// HeapStrings holds the strings of a snapshot.
type HeapStrings struct {
	Objects    uint64       `json:"objects"`
	Distinct   uint64       `json:"distinct"`
	Duplicated uint64       `json:"duplicated_values"`
	Bytes      uint64       `json:"bytes"`
	Wasted     uint64       `json:"wasted_bytes"`
	Maybe      uint64       `json:"maybe_count"` // strings with equal beginnings, if the file has only these
	Top        []HeapString `json:"top"`
}

// HeapString is a text that several strings have.
type HeapString struct {
	Value    *string   `json:"value,omitzero"` // its beginning, if texts were requested
	Complete *bool     `json:"value_whole,omitzero"`
	Row      model.Row `json:"row"` // the first one
	Label    string    `json:"label"`
	Count    uint64    `json:"count"`
	Bytes    uint64    `json:"bytes"`
	Wasted   uint64    `json:"wasted_bytes"`
	Maybe    *bool     `json:"maybe,omitzero"`

	// The first object that refers to that one, and how; absent if none does.
	Holder *model.Row `json:"holder_row,omitzero"`
	HeldBy *string    `json:"holder_label,omitzero"`
	Edge   *string    `json:"edge,omitzero"`
	members.ID
}

// HeapRoom holds all collections of one type.
type HeapRoom struct {
	Type     string    `json:"type"`
	Form     string    `json:"form"` // "list", "table", "array", "box"
	Count    uint64    `json:"count"`
	Empty    uint64    `json:"empty_count"`
	Sparse   uint64    `json:"sparse_count"`
	Elements uint64    `json:"elements"`
	Capacity uint64    `json:"capacity"`
	Bytes    uint64    `json:"bytes"`
	Wasted   uint64    `json:"wasted_bytes"`
	Row      model.Row `json:"row"` // the one that wastes most
	members.ID
}

// DoubledClass is a class that several loaders have loaded.
type DoubledClass struct {
	Type    string    `json:"type"`
	Count   uint64    `json:"count"`
	Loaders []string  `json:"loaders"`
	Row     model.Row `json:"row"`
	members.ID
}

// HeapReferents holds the targets of references of one kind.
type HeapReferents struct {
	Kind       string `json:"kind"`
	References uint64 `json:"reference_count"`
	Count      uint64 `json:"count"`
	Bytes      uint64 `json:"bytes"`
}

// SetWaste adds what is wasted in a snapshot, at most n rows of each list, or all if n is 0. texts has the beginnings
// of strings, and whole reports which of them are complete. Without texts, strings have no values.
func (r *Report) SetWaste(h *model.Heap, x *waste.Waste, texts map[model.Row]string, whole map[model.Row]bool, n int) {
	out := &HeapWaste{Bytes: x.Bytes(), Doubled: []DoubledClass{}, Referents: []HeapReferents{}}
	lacks := func(what string) bool {
		for _, name := range x.LeftOut {
			if name == what {
				return true
			}
		}
		return false
	}
	if lacks("duplicate_strings") {
		r.Heap.left = append(r.Heap.left, "duplicate_strings")
	} else {
		out.Strings, out.Counts.Strings = newStrings(h, &x.Strings, texts, whole, n), &x.Strings.Duplicated
	}
	if lacks("collections") {
		r.Heap.left = append(r.Heap.left, "collections")
	} else {
		all := len(x.Collections)
		out.Collections, out.Counts.Collections = []HeapRoom{}, &all
	}
	for _, c := range limit(x.Collections, n) {
		out.Collections = append(out.Collections, HeapRoom{
			Type: c.Type, Form: waste.FormName(c.Form), Count: c.Count, Empty: c.Empty, Sparse: c.Sparse, Elements: c.Elements,
			Capacity: c.Capacity, Bytes: c.Bytes, Wasted: c.Wasted, Row: c.Row, ID: members.NewID(h, c.Row),
		})
	}
	out.Counts.Doubled = len(x.Doubled)
	for _, d := range limit(x.Doubled, n) {
		out.Doubled = append(out.Doubled, DoubledClass{d.Type, d.Count, d.Loaders, d.Row, members.NewID(h, d.Row)})
	}
	for _, e := range x.Referents {
		out.Referents = append(out.Referents, HeapReferents{e.Kind, e.References, e.Objects, e.Bytes})
	}
	if f := &x.Finalizers; f.Count > 0 {
		out.Finalizers = &HeapFinalizers{Count: f.Count, Queued: f.Queued, Bytes: f.Bytes, Row: f.Row, ID: members.NewID(h, f.Row)}
	}
	r.Heap.Waste = out
}

func newStrings(h *model.Heap, s *waste.Strings, texts map[model.Row]string, whole map[model.Row]bool, n int) *HeapStrings {
	out := &HeapStrings{Objects: s.Objects, Distinct: s.Distinct, Duplicated: s.Duplicated, Bytes: s.Bytes,
		Wasted: s.Wasted, Maybe: s.Maybe, Top: []HeapString{}}
	for _, t := range limit(s.Top, n) {
		x := HeapString{Row: t.Row, Label: h.Tables.Type(h.Entity[t.Row]), Count: t.Count, Bytes: t.Bytes,
			Wasted: t.Wasted, ID: members.NewID(h, t.Row)}
		if text, ok := texts[t.Row]; ok {
			all := whole[t.Row]
			x.Value, x.Complete = &text, &all
		}
		if t.Maybe {
			x.Maybe = &t.Maybe
		}
		if t.Held {
			label, edge := heapgraph.Label(h, t.Holder), h.EdgeText(t.Edge)
			x.Holder, x.HeldBy, x.Edge = &t.Holder, &label, &edge
		}
		out.Top = append(out.Top, x)
	}
	return out
}

// lists returns the tables of what is wasted, for orders and filters.
func (w *HeapWaste) lists() (list []namedList) {
	list = append(list, namedList{"collections", &w.Collections})
	if w.Strings != nil {
		list = append(list, namedList{"duplicate_strings", &w.Strings.Top})
	}
	return append(list, namedList{"classes_loaded_twice", &w.Doubled})
}

// waste returns the tables of what is wasted.
func (w heapWriter) waste(x *HeapWaste) []table {
	list := []table{w.strings(x), w.room(x)}
	doubled := table{
		name: "classes_loaded_twice", title: "Loaded more than once",
		answer: model.CountedAs(x.Counts.Doubled, "class", "classes"), more: x.Counts.Doubled - len(x.Doubled),
		cols: []col{{titles.Count, number}, {titles.Row, number}, {titles.What, name}, {titles.Loaders, word}},
	}
	for _, d := range x.Doubled {
		doubled.rows = append(doubled.rows, []string{w.style.Count(d.Count), fmt.Sprint(d.Row), w.name(d.Type),
			model.Clean(strings.Join(d.Loaders, ", "))})
	}
	weak := table{
		name: "referents", title: "Held by other than strong references",
		cols: []col{{titles.References, number}, {titles.Count, number}, {titles.Bytes, number}, {titles.Kind, word}},
	}
	refs := uint64(0)
	for _, e := range x.Referents {
		refs, _ = model.SaturatingAdd(refs, e.References)
		weak.answer = model.Counted(refs, "reference")
		weak.rows = append(weak.rows, []string{w.style.Count(e.References), w.style.Count(e.Count), w.style.Bytes(e.Bytes), e.Kind})
	}
	return append(list, doubled, weak, w.finalizers(x.Finalizers))
}

// finalizers returns how many objects wait to be finalized.
func (w heapWriter) finalizers(f *HeapFinalizers) table {
	out := table{
		name: "finalizers", title: "Objects with a finalize method",
		cols: []col{{titles.Count, number}, {titles.Queued, number}, {titles.Bytes, number},
			{titles.Retained, number}, {titles.Row, number}},
	}
	if f != nil {
		out.answer = model.Counted(f.Queued, "object") + " wait for the thread that runs it"
		out.rows = append(out.rows, []string{w.style.Count(f.Count), w.style.Count(f.Queued), w.style.Bytes(f.Bytes),
			w.bytes(f.Retained), fmt.Sprint(f.Row)})
	}
	return out
}

// strings returns a table of texts that several strings have. The texts are there only if they were requested.
func (w heapWriter) strings(x *HeapWaste) table {
	out := table{
		name: "duplicate_strings", title: "Duplicate strings",
		cols: []col{{titles.Wasted, number}, {titles.Share, number}, {titles.Count, number}, {titles.Bytes, number},
			{titles.Row, number}, {titles.What, name}, {titles.HeldBy, name}},
	}
	if x.Strings == nil {
		return out
	}
	s := x.Strings
	one, many := waste.Words(w.h.schema)
	out.answer = fmt.Sprintf("%s in %s of %s, %s of them distinct", w.style.Bytes(s.Wasted),
		model.Counted(s.Duplicated, "content"), model.CountedAs(s.Objects, one, many), w.style.Count(s.Distinct))
	out.more = int(s.Duplicated) - len(s.Top)
	for _, t := range s.Top {
		what := w.name(t.Label)
		if t.Value != nil {
			what = w.style.Shorten("“" + model.Clean(*t.Value) + "”")
			if !*t.Complete {
				what += "…"
			}
		}
		if t.Maybe != nil {
			what += " (beginnings)"
		}
		out.rows = append(out.rows, []string{w.style.Bytes(t.Wasted), w.style.Share(t.Wasted, w.total()),
			w.style.Count(t.Count), w.style.Bytes(t.Bytes), fmt.Sprint(t.Row), what, w.holder(&t)})
	}
	return out
}

// holder returns what refers to a string, and how: "" for nothing.
func (w heapWriter) holder(t *HeapString) string {
	if t.Holder == nil {
		return ""
	}
	return w.name(heapgraph.Through(*t.HeldBy, *t.Edge))
}

// room returns a table of collections by type.
func (w heapWriter) room(x *HeapWaste) table {
	out := table{
		name: "collections", title: "Collections",
		cols: []col{{titles.Wasted, number}, {titles.Share, number}, {titles.Count, number}, {titles.Empty, number},
			{titles.Sparse, number},
			{titles.Filled, number}, {titles.Bytes, number}, {titles.What, name}, {titles.Kind, word}},
	}
	if x.Counts.Collections == nil {
		return out
	}
	sum := uint64(0)
	for _, c := range x.Collections {
		sum, _ = model.SaturatingAdd(sum, c.Wasted)
	}
	out.answer, out.more = w.style.Bytes(sum)+" in "+model.Counted(*x.Counts.Collections, "type"), *x.Counts.Collections-len(x.Collections)
	for _, c := range x.Collections {
		filled, empty, sparse := "", "", ""
		if c.Form != "box" {
			filled, empty, sparse = w.style.Share(min(c.Elements, c.Capacity), c.Capacity), w.style.Count(c.Empty), w.style.Count(c.Sparse)
		}
		if c.Capacity == 0 {
			filled = ""
		}
		out.rows = append(out.rows, []string{w.style.Bytes(c.Wasted), w.style.Share(c.Wasted, w.total()),
			w.style.Count(c.Count), empty, sparse, filled, w.style.Bytes(c.Bytes), w.name(c.Type), c.Form})
	}
	return out
}
