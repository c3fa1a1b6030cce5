package heap

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

// textOf returns the name of a row as tables show it: its type or frame, with its kind if that is not an object. Not
// cleaned.
func textOf(h *model.Heap, r model.Row, full bool) string {
	if int(r) >= h.Len() {
		return ui.RowText(r) + "?"
	}
	k, label := h.Kind(r), heapgraph.Label(h, r)
	switch {
	case k.Naming == model.NamedByFrame && int(r) < len(h.Entity):
		name, file, line := h.Tables.Frame(h.Entity[r])
		return frameText(name, file, line, full)
	case k.Marked:
		return ui.HeapName(label) + " (" + k.Title + ")"
	}
	return ui.HeapName(label)
}

// frameText returns the name of a static frame: "name (file:line)", with the last part of the path only unless full.
func frameText(name, file string, line int64, full bool) string {
	if where := frameWhere(file, line, full); where != "" {
		return ui.HeapName(name) + " (" + where + ")"
	}
	return ui.HeapName(name)
}

// frameWhere returns a frame's place, "" when the file does not say.
func frameWhere(file string, line int64, full bool) string {
	if file == "" {
		return ""
	}
	if i := strings.LastIndexByte(file, '/'); i >= 0 && !full {
		file = file[i+1:]
	}
	if line == model.NoLine {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// namedRow returns a row with its number ("NQPArray #40,211").
func namedRow(h *model.Heap, r model.Row, full bool) string {
	if int(r) < h.Len() && h.Kind(r).Naming == model.NamedByKind {
		return textOf(h, r, full)
	}
	return textOf(h, r, full) + " " + ui.RowText(r)
}

// kindText returns what a row is in words.
func kindText(h *model.Heap, r model.Row) string {
	if k := h.Kind(r); !k.Virtual {
		return k.Title
	}
	return "a root, without memory of its own"
}

// secondText returns what distinguishes a row's type from others of its name, "" for rows without.
func secondText(h *model.Heap, r model.Row) string {
	if axis := h.Schema.Distinct(); axis > 0 {
		return h.OnAxis(axis, r)
	}
	return ""
}

// sizeText returns a size, by its parts where it has two.
func sizeText(s *model.HeapSchema, managed, unmanaged uint64, exact bool) string {
	if !s.Split {
		return ui.BytesText(managed, exact)
	}
	return ui.BytesText(managed, exact) + " managed + " + ui.BytesText(unmanaged, exact) + " unmanaged"
}

// edgeText describes a reference, with its kind if that matters; if the recorder does not name it, whether a root or an
// object refers.
func edgeText(h *model.Heap, e model.Ref) string {
	return markedEdge(h, e, h.EdgeText(e))
}

// markedEdge is edgeText if text is that of several references.
func markedEdge(h *model.Heap, e model.Ref, text string) string {
	if h.Label[e].Form() == model.LabelUnknown {
		text = unnamedEdge(h, e)
	}
	if k := h.EdgeKind(e); k.Marked {
		text += " (" + k.Name + ")"
	}
	return text
}

// unnamedEdge returns the text of a reference that the recorder does not name.
func unnamedEdge(h *model.Heap, e model.Ref) string {
	from := sort.Search(h.Len(), func(r int) bool { return model.Ref(h.Start.At(r+1)) > e })
	if h.Has(model.Row(from)) && h.Kind(model.Row(from)).Virtual {
		return "root"
	}
	return "<no name>"
}

// retainedText returns in words how many rows one retains. Below a root they include roots and frames:
// they are more than the objects that tables of types count.
func retainedText(g *ui.HeapGraph, r model.Row) string {
	n := g.RetainedCount(r)
	if !g.Heap.Kind(r).Virtual {
		return rowsText(n)
	}
	text := model.Counted(n, "row")
	if n > 1 {
		text += ", roots included"
	}
	return text
}

// listedText returns what a list has: how many rows of all those that a filter looked at, and their own bytes.
func listedText(p *ui.Pane, of *model.HeapSet, n, all int, bytes uint64) string {
	text := model.CountedAs(n, of.One, of.Many)
	if n != all {
		text = model.Group(uint64(n)) + " of " + model.CountedAs(all, of.One, of.Many)
	}
	return text + ", " + ui.BytesText(bytes, p.State.Exact) + " own"
}

// setOf returns the first set of the schema that has rows of a kind, the objects if none has.
func setOf(s *model.HeapSchema, kind model.HeapKind) *model.HeapSet {
	if i := slices.IndexFunc(s.Sets, func(x model.HeapSet) bool { return x.Kinds.Has(kind) }); i > 0 {
		return &s.Sets[i]
	}
	return s.Objects()
}

// rowsText returns a number of objects in words.
func rowsText(n uint64) string {
	if n == 1 {
		return "1 object"
	}
	return model.Group(n) + " objects"
}
