package heap

import (
	"fmt"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

// heapText names a row as tables show it: its type or frame, and what it is where that is no plain object. Not cleaned.
func heapText(h *model.Heap, r model.Row, full bool) string {
	if int(r) >= h.Len() {
		return ui.RowText(r) + "?"
	}
	switch h.Kinds[r] {
	case model.KindTypeObject:
		return ui.HeapName(heapgraph.HeapLabel(h, r)) + " (type object)"
	case model.KindSTable:
		return ui.HeapName(heapgraph.HeapLabel(h, r)) + " (STable)"
	case model.KindFrame:
		name, file, line := h.Tables.Frame(h.Entity[r])
		return frameText(name, file, line, full)
	}
	return ui.HeapName(heapgraph.HeapLabel(h, r))
}

// frameText names a static frame: "name (file:line)", with the last part of the path only unless full.
func frameText(name, file string, line int64, full bool) string {
	if where := frameWhere(file, line, full); where != "" {
		return ui.HeapName(name) + " (" + where + ")"
	}
	return ui.HeapName(name)
}

// frameWhere is a frame's place, "" when the file does not say.
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

// namedRow is a row with its number ("NQPArray #40,211").
func namedRow(h *model.Heap, r model.Row, full bool) string {
	if int(r) < h.Len() && h.Kinds[r].Virtual() {
		return heapText(h, r, full)
	}
	return heapText(h, r, full) + " " + ui.RowText(r)
}

// kindText says what a row is in words.
func kindText(h *model.Heap, r model.Row) string {
	switch h.Kinds[r] {
	case model.KindObject:
		return "object"
	case model.KindTypeObject:
		return "type object"
	case model.KindSTable:
		return "STable"
	case model.KindFrame:
		return "frame"
	}
	return "a root, no memory itself"
}

// reprText is the representation of a row's type, "" for rows without one.
func reprText(h *model.Heap, r model.Row) string {
	switch h.Kinds[r] {
	case model.KindObject, model.KindTypeObject, model.KindSTable:
		_, repr := h.Tables.Type(h.Entity[r])
		return repr
	}
	return ""
}

// edgeText is a reference's description in quotes where it is a word of the file's.
func edgeText(h *model.Heap, e uint32) string {
	if h.Label[e].Kind() == model.LabelUnknown {
		return "?"
	}
	return h.EdgeText(e)
}

// rowsText is a number of rows in words.
func rowsText(n uint64) string {
	if n == 1 {
		return "1 row"
	}
	return model.Group(n) + " rows"
}
