package model

import (
	"context"
	"strconv"
	"strings"

	"github.com/memtui/memtui/model/sections"
)

// Row is the number of an object within one snapshot. It is meaningless in another one. Rows, references, counts and
// sizes go up to 2^63.
type Row uint64

// Ref is the number of a reference within one snapshot.
type Ref uint64

// RootRow is the row of the root, where all paths begin.
const RootRow Row = 0

// HeapSource is the facet of files that hold heap snapshots. Any goroutine may use it.
type HeapSource interface {
	// Schema describes what the snapshots consist of.
	Schema() *HeapSchema
	// Len is the number of snapshots, including one that is cut off.
	Len() int
	// Info returns what the headers state about snapshot i, without decoding it.
	Info(i int) HeapInfo
	// Open decodes snapshot i: seconds and hundreds of megabytes for large ones. The caller may keep the heap, which
	// never changes. progress may be nil; it is called from any goroutine, one call at a time, with fractions from 0 to
	// 1 that never fall.
	Open(ctx context.Context, i int, progress func(done float64)) (*Heap, error)
	// Scores returns the highest types and frames of snapshot i as counted by the recorder, read without decoding the
	// snapshot; ok is false if the format has none.
	Scores(ctx context.Context, i int) (s HeapScores, ok bool, err error)
	// Tables returns the names of types and frames of snapshot i and of those before it.
	Tables(ctx context.Context, i int) (*HeapTables, error)
}

// HeapTexts is implemented by sources whose files hold the contents of objects, such as strings. They are read when
// they are shown, and not kept.
type HeapTexts interface {
	// Text returns the text of row r of snapshot i, decoded as h: at most its first bytes, as in the file, not cleaned.
	// whole reports whether that is all; ok is false for rows without a text.
	Text(ctx context.Context, i int, h *Heap, r Row, bytes int) (text string, whole, ok bool, err error)
}

// HeapInfo is a snapshot's headline figures. Unknown ones are NoCount.
type HeapInfo struct {
	Time     Time  // since the start of the recording; NoTime if the format has none
	GC       int64 // collection number, NoCount if unknown
	Complete bool  // no column is missing

	File string // the name of the file that has it, where a recording consists of several; else ""

	Rows, References                    int64   // NoCount if headers do not state it
	Counts                              []int64 // rows by HeapSchema.Sets; NoCount where unknown
	Bytes, ManagedBytes, UnmanagedBytes int64   // Bytes = managed + unmanaged
}

// NoCount is a count that is unknown.
const NoCount = int64(-1)

// NoHeapInfo returns the figures of a complete snapshot whose headers state none.
func NoHeapInfo() HeapInfo {
	return HeapInfo{Time: NoTime, GC: NoCount, Complete: true, Rows: NoCount, References: NoCount, Bytes: NoCount,
		ManagedBytes: NoCount, UnmanagedBytes: NoCount}
}

// Count returns the number of rows of a set of the schema.
func (f *HeapInfo) Count(set int) int64 {
	if set < 0 || set >= len(f.Counts) {
		return NoCount
	}
	return f.Counts[set]
}

// Heap is one decoded snapshot: a graph stored in columns.
type Heap struct {
	Schema *HeapSchema

	Kinds      []HeapKind // by Row
	Size       []uint16   // by Row: managed bytes, or LargeSize if they are in LargeSizes
	Extra      []uint32   // by Row: unmanaged bytes, or LargeExtra if they are in Large; empty unless Schema.Split
	Large      map[Row]uint64
	LargeSizes map[Row]uint64
	Entity     []uint32   // by Row: a type, a frame, or nothing, depending on Schema.Kinds
	About      []uint32   // by Row, only for rows that describe types, which come first: the type described
	Axes       [][]uint32 // by axis that is ByRow, by Row: an index into HeapTables.Strings; empty if not in the file
	IDs        []uint64   // by Row: the identity of objects, 0 for none; empty unless Schema.IDs has a form
	Names      []uint32   // by Row: an index into HeapTables.Strings, a row's text or name; empty if the format has none
	Moved      []uint16   // by Row: like Size, under policies that are Moved; empty if equal
	LargeMoved map[Row]uint64

	// Tally sums rows by kind and entity, so that sums need no walk over all rows; nil if they were not counted.
	// MovedTally does so with the sizes of Moved, and is nil without those.
	Tally, MovedTally []HeapTally

	Start Column[Ref] // by Row, and one more: the references of r are [Start[r], Start[r+1])
	To    Column[Row] // by Ref
	Label []EdgeLabel // by Ref
	// LargeIndex holds index labels that do not fit into an EdgeLabel, by reference.
	LargeIndex map[Ref]uint64

	Tables *HeapTables
	// Kept stores results computed from the snapshot for the next run; nil where there is no such store.
	Kept sections.Cache
	// From verifies the file that the snapshot was read from; nil if it was decoded.
	From     *sections.Sums
	Complete bool // false if the file ends within the snapshot; missing parts are empty

	recorded *Heap // with the sizes of the file, of a heap with those of a policy
}

// The most bytes that a row and a reference take, in addition to the snapshot, while dominators are computed. A
// snapshot with columns of eight bytes takes twice as many.
const (
	GraphRowBytes = 30
	GraphRefBytes = 8
)

// HeapTally is the sum over the rows of one kind and one type or frame.
type HeapTally struct {
	Kind, Entity              uint32
	Count, Managed, Unmanaged uint64
}

// Add adds the sums of other rows.
func (t *HeapTally) Add(o *HeapTally) {
	t.Count += o.Count
	t.Managed, _ = SaturatingAdd(t.Managed, o.Managed)
	t.Unmanaged, _ = SaturatingAdd(t.Unmanaged, o.Unmanaged)
}

// Count computes the tallies of a heap whose columns are complete.
func (h *Heap) Count() {
	if n := h.Len(); len(h.Size) != n || len(h.Entity) != n || len(h.Extra) != 0 && len(h.Extra) != n {
		return
	}
	h.Tally = h.tally()
	if len(h.Moved) == h.Len() {
		h.MovedTally = h.moved().tally()
	}
}

func (h *Heap) tally() []HeapTally {
	var of [MaxHeapKinds]tallies
	list := []HeapTally{}
	for r, k := range h.Kinds {
		i := of[k%MaxHeapKinds].number(h.Entity[r], len(list))
		if i == len(list) {
			list = append(list, HeapTally{Kind: uint32(k), Entity: h.Entity[r]})
		}
		t := &list[i]
		t.Count++
		t.Managed, _ = SaturatingAdd(t.Managed, h.Managed(Row(r)))
		t.Unmanaged, _ = SaturatingAdd(t.Unmanaged, h.Unmanaged(Row(r)))
	}
	return list
}

// tallies finds the tallies of one kind: by entity, with a map for entities beyond all tables.
type tallies struct {
	dense []uint32 // index + 1
	rest  map[uint32]int
}

// denseTallies bounds the entities found by index: files have fewer, and damaged ones any number.
const denseTallies = 1 << 16

func (t *tallies) number(entity uint32, next int) int {
	if entity < denseTallies {
		if t.dense == nil {
			t.dense = make([]uint32, denseTallies)
		}
		if t.dense[entity] == 0 {
			t.dense[entity] = uint32(next + 1)
		}
		return int(t.dense[entity]) - 1
	}
	i, ok := t.rest[entity]
	if !ok {
		if t.rest == nil {
			t.rest = map[uint32]int{}
		}
		i = next
		t.rest[entity] = i
	}
	return i
}

// LargeExtra in Heap.Extra means that the unmanaged size is in Heap.Large.
const LargeExtra = ^uint32(0)

// LargeSize in Heap.Size means that the managed size is in Heap.LargeSizes.
const LargeSize = ^uint16(0)

// HeapTables names the types and frames of rows. Indexes beyond a table are possible in damaged files: use the methods.
type HeapTables struct {
	Packed  Texts      // the first strings, where there are very many or they come from a file that was kept
	Strings []string   // the others. Both are as in the file: not cleaned
	Types   []HeapType // their names
	Axes    [][]uint32 // by axis of the schema that is neither the first nor ByRow, by type: an index into the strings
	Frames  []HeapFrame
}

// HeapType is a type: its name, as an index into the strings.
type HeapType struct{ Name uint32 }

// HeapFrame is a frame's static part. Name, ID and File are indexes into the strings; ID distinguishes frames of the
// same name.
type HeapFrame struct{ Name, ID, Line, File uint32 }

// NoHeapLine is the line of a HeapFrame that is unknown.
const NoHeapLine = ^uint32(0)

// NumStrings returns how many strings there are.
func (t *HeapTables) NumStrings() int { return t.Packed.Len() + len(t.Strings) }

// String resolves a string; one that is missing is "<string 77?>".
func (t *HeapTables) String(i uint32) string {
	n := t.Packed.Len()
	switch {
	case int(i) < n:
		return t.Packed.At(int(i))
	case int(i)-n < len(t.Strings):
		return t.Strings[int(i)-n]
	}
	return "<string " + strconv.FormatUint(uint64(i), 10) + "?>"
}

// Type resolves a type's name.
func (t *HeapTables) Type(i uint32) string {
	if int(i) < len(t.Types) {
		return t.String(t.Types[i].Name)
	}
	return "<type " + strconv.FormatUint(uint64(i), 10) + "?>"
}

// OnAxis returns the value of a type on an axis: its name on the first, "" if the file does not state it.
func (t *HeapTables) OnAxis(axis int, i uint32) string {
	switch {
	case axis == 0:
		return t.Type(i)
	case axis < len(t.Axes) && int(i) < len(t.Axes[axis]):
		return t.String(t.Axes[axis][i])
	}
	return ""
}

// Frame resolves a frame. The name may be empty: an anonymous block.
func (t *HeapTables) Frame(i uint32) (name, file string, line int64) {
	if int(i) >= len(t.Frames) {
		return "<frame " + strconv.FormatUint(uint64(i), 10) + "?>", "", NoLine
	}
	f := t.Frames[i]
	line = int64(f.Line)
	if f.Line == NoHeapLine {
		line = NoLine
	}
	return t.String(f.Name), t.String(f.File), line
}

// Len returns the number of rows.
func (h *Heap) Len() int { return len(h.Kinds) }

// Kind describes the kind of a row.
func (h *Heap) Kind(r Row) *HeapKindInfo { return h.Schema.Kind(h.Kinds[r]) }

// Managed returns the memory of a row that the collector manages.
func (h *Heap) Managed(r Row) uint64 {
	if s := h.Size[r]; s != LargeSize {
		return uint64(s)
	}
	return h.LargeSizes[r]
}

// Unmanaged returns the memory of a row that the collector does not manage.
func (h *Heap) Unmanaged(r Row) uint64 {
	if len(h.Extra) == 0 {
		return 0
	}
	if e := h.Extra[r]; e != LargeExtra {
		return uint64(e)
	}
	return h.Large[r]
}

// Bytes returns the memory of a row, managed and unmanaged.
func (h *Heap) Bytes(r Row) uint64 {
	s, _ := SaturatingAdd(h.Managed(r), h.Unmanaged(r))
	return s
}

// SetSize stores the managed size of a row of a heap under construction.
func (h *Heap) SetSize(r Row, bytes uint64) {
	if bytes < uint64(LargeSize) {
		h.Size[r] = uint16(bytes)
		return
	}
	if h.LargeSizes == nil {
		h.LargeSizes = map[Row]uint64{}
	}
	h.Size[r], h.LargeSizes[r] = LargeSize, bytes
}

// MovedSize returns the managed memory of a row under policies that are Moved.
func (h *Heap) MovedSize(r Row) uint64 {
	switch {
	case len(h.Moved) == 0:
		return h.Managed(r)
	case h.Moved[r] != LargeSize:
		return uint64(h.Moved[r])
	}
	return h.LargeMoved[r]
}

// SetMoved stores the size of a row under policies that are Moved, of a heap under construction that has the column
// Moved.
func (h *Heap) SetMoved(r Row, bytes uint64) {
	delete(h.LargeMoved, r)
	if bytes < uint64(LargeSize) {
		h.Moved[r] = uint16(bytes)
		return
	}
	if h.LargeMoved == nil {
		h.LargeMoved = map[Row]uint64{}
	}
	h.Moved[r], h.LargeMoved[r] = LargeSize, bytes
}

// Under returns the heap with the row sizes of a policy. It shares its columns.
func (h *Heap) Under(p *HeapPolicy) *Heap {
	if !p.Moved || len(h.Moved) == 0 {
		return h
	}
	return h.moved()
}

func (h *Heap) moved() *Heap {
	moved := *h
	moved.Size, moved.LargeSizes, moved.Tally = h.Moved, h.LargeMoved, h.MovedTally
	moved.Moved, moved.LargeMoved, moved.MovedTally = nil, nil, nil
	moved.recorded = h
	return &moved
}

// Recorded returns the heap with the row sizes of the file, of one that Under returned.
func (h *Heap) Recorded() *Heap {
	if h.recorded != nil {
		return h.recorded
	}
	return h
}

// NameOf returns the name that a row has in addition to its type; ok is false for kinds of rows that are not Named, and
// if the file does not state it.
func (h *Heap) NameOf(r Row) (name string, ok bool) {
	if !h.Kind(r).Named || uint64(r) >= uint64(len(h.Names)) {
		return "", false
	}
	name = h.Tables.String(h.Names[r])
	return name, name != ""
}

// OnAxis returns the value of a row on an axis, on the first the name of its type. That of a row that describes a type,
// such as its class loader, is the described type's. It is "" for rows without a type, and if the file does not state it.
func (h *Heap) OnAxis(axis int, r Row) string {
	if axis < len(h.Schema.Axes) && h.Schema.Axes[axis].ByRow {
		if axis < len(h.Axes) && uint64(r) < uint64(len(h.Axes[axis])) {
			return h.Tables.String(h.Axes[axis][r])
		}
		return ""
	}
	if h.Kind(r).Naming != NamedByType || uint64(r) >= uint64(len(h.Entity)) {
		return ""
	}
	if axis > 0 && h.Kind(r).About && uint64(r) < uint64(len(h.About)) {
		return h.Tables.OnAxis(axis, h.About[r])
	}
	return h.Tables.OnAxis(axis, h.Entity[r])
}

// IDText returns the identity of a row's object as the format's tools write it, "" for none.
func (h *Heap) IDText(r Row) string {
	if uint64(r) >= uint64(len(h.IDs)) || h.IDs[r] == 0 || h.Schema.IDs.Prefix == "" {
		return ""
	}
	return h.Schema.IDs.Prefix + strconv.FormatUint(h.IDs[r], h.Schema.IDs.Base)
}

// RowOf finds the row of an identity as IDText writes it.
func (h *Heap) RowOf(text string) (r Row, ok bool) {
	form := h.Schema.IDs
	digits, ok := strings.CutPrefix(text, form.Prefix)
	if !ok || form.Prefix == "" {
		return 0, false
	}
	id, err := strconv.ParseUint(digits, form.Base, 64)
	if err != nil || id == 0 {
		return 0, false
	}
	for r, x := range h.IDs {
		if x == id {
			return Row(r), true
		}
	}
	return 0, false
}

// Out returns the references of a row: their targets, and the first one's index in To and Label. The column is the
// heap's.
func (h *Heap) Out(r Row) (to Column[Row], first Ref) {
	first = h.Start.At(int(r))
	return h.To.Slice(int(first), int(h.Start.At(int(r)+1))), first
}

// Has reports whether the row exists in the snapshot.
func (h *Heap) Has(r Row) bool { return uint64(r) < uint64(len(h.Kinds)) }

// EdgeKind describes the kind of reference e.
func (h *Heap) EdgeKind(e Ref) *HeapEdgeInfo {
	if k := h.Schema.LabelKind(h.Label[e]); int(k) < len(h.Schema.Edges) {
		return &h.Schema.Edges[k]
	}
	return &HeapEdgeInfo{}
}

// UnnamedEdge is the text of a reference without a name.
const UnnamedEdge = "Unknown"

// EdgeText describes reference e: its string, "[7]" for an element, or UnnamedEdge.
func (h *Heap) EdgeText(e Ref) string {
	switch l := h.Label[e]; l.Form() {
	case LabelIndex:
		return "[" + strconv.FormatUint(uint64(h.Schema.LabelValue(l)), 10) + "]"
	case LabelLarge:
		return "[" + strconv.FormatUint(h.LargeIndex[e], 10) + "]"
	case LabelString:
		return h.Tables.String(h.Schema.LabelValue(l))
	}
	return UnnamedEdge
}

// HeapScores are the recorder's own high scores of one snapshot, each list sorted descending.
type HeapScores struct {
	TypesByCount, FramesByCount, TypesBySize, FramesBySize []HeapScore
}

// HeapScore is the value of one type or frame, given by its index.
type HeapScore struct {
	ID    uint32
	Score uint64
}
