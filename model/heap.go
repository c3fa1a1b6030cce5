package model

import (
	"context"
	"strconv"
)

// Row is a collectable's number within one snapshot. It means nothing in another one.
type Row uint32

// RootRow is the row that everything hangs off.
const RootRow Row = 0

// HeapKind says what a row is. The numbers are those of the format.
type HeapKind uint8

const (
	KindUnknown       HeapKind = 0
	KindObject        HeapKind = 1
	KindTypeObject    HeapKind = 2
	KindSTable        HeapKind = 3
	KindFrame         HeapKind = 4
	KindPermRoots     HeapKind = 5
	KindInstanceRoots HeapKind = 6
	KindCStackRoots   HeapKind = 7
	KindThreadRoots   HeapKind = 8
	KindRoot          HeapKind = 9
	KindInterGenRoots HeapKind = 10
	KindCallStack     HeapKind = 11
)

// String returns the kind as JSON and flags name it.
func (k HeapKind) String() string {
	names := [...]string{"unknown", "object", "type-object", "stable", "frame", "permanent-roots", "instance-roots", "c-stack-roots",
		"thread-roots", "root", "inter-generational-roots", "call-stack-roots"}
	if int(k) < len(names) {
		return names[k]
	}
	return "kind-" + strconv.Itoa(int(k))
}

// Virtual reports whether a row of this kind is no memory of the program's but one of the recorder's roots.
func (k HeapKind) Virtual() bool { return k == KindUnknown || k > KindFrame }

// HeapSource is the facet of files that hold heap snapshots. Any goroutine may use it.
type HeapSource interface {
	// Len is the number of snapshots, whole ones and what there is of a cut one.
	Len() int
	// Info is what headers tell of snapshot i, without decoding it.
	Info(i int) HeapInfo
	// Open decodes snapshot i: seconds and hundreds of megabytes for large ones. The heap is the caller's to keep and
	// never changes. progress may be nil and is called from any goroutine, one call at a time, with shares of the whole, 0 … 1,
	// that never fall.
	Open(ctx context.Context, i int, progress func(done float64)) (*Heap, error)
	// Scores are the highest types and frames of snapshot i as the recorder counted them, decoded without the snapshot;
	// ok is false where the format has none.
	Scores(ctx context.Context, i int) (s HeapScores, ok bool, err error)
	// Tables names the types and frames of snapshot i and of those before it.
	Tables(ctx context.Context, i int) (*HeapTables, error)
}

// HeapInfo is a snapshot's headline figures. Where Counted is false only Rows … UnmanagedBytes that are not NoCount are known.
type HeapInfo struct {
	Time     Time  // since the start of the recording; NoTime when the format has none
	GC       int64 // collection number, NoCount when unknown
	Complete bool  // every column is there

	Rows, References                      int64 // NoCount when headers do not tell
	Objects, TypeObjects, STables, Frames int64
	Bytes, ManagedBytes, UnmanagedBytes   int64 // Bytes = managed + unmanaged
}

// NoCount is a count that is not known.
const NoCount = int64(-1)

// Heap is one decoded snapshot: a graph in columns.
type Heap struct {
	Kinds  []HeapKind // by Row
	Size   []uint16   // by Row: managed bytes
	Extra  []uint32   // by Row: unmanaged bytes, or LargeExtra where they stand in Large
	Large  map[Row]uint64
	Entity []uint32 // by Row: TypeIndex for kinds 1 to 3, FrameIndex for kind 4, meaningless for others

	Start []uint32    // by Row, one more than there are rows: references of r are [Start[r], Start[r+1])
	To    []Row       // by reference
	Label []EdgeLabel // by reference
	// LargeIndex holds index labels that do not fit, by reference.
	LargeIndex map[uint32]uint64

	Tables   *HeapTables
	Complete bool // false when the file ends within the snapshot; what is missing is empty
}

// LargeExtra in Heap.Extra says that the unmanaged size stands in Heap.Large.
const LargeExtra = ^uint32(0)

// EdgeLabel describes a reference: two low bits say what the rest is.
type EdgeLabel uint32

// The kinds of labels, in the two low bits.
const (
	LabelUnknown EdgeLabel = 0 // the recorder does not say: attributes, hash entries
	LabelIndex   EdgeLabel = 1 // slot of an array
	LabelString  EdgeLabel = 2 // index into HeapTables.Strings
	LabelLarge   EdgeLabel = 3 // an index that stands in Heap.LargeIndex
)

// Kind is one of the label kinds.
func (l EdgeLabel) Kind() EdgeLabel { return l & 3 }

// Value is the index, or the number of the string.
func (l EdgeLabel) Value() uint32 { return uint32(l >> 2) }

// HeapTables name what rows refer to. Indexes beyond a table are legal in damaged files: use the methods.
type HeapTables struct {
	Strings []string // as in the file: not cleaned
	Types   []HeapType
	Frames  []HeapFrame
}

// HeapType is a type: a pair of names, as indexes into the strings.
type HeapType struct{ Repr, Name uint32 }

// HeapFrame is a frame's static part. Name, Cuid and File are indexes into the strings.
type HeapFrame struct{ Name, Cuid, Line, File uint32 }

// String resolves a string; one that is missing is "<string 77?>".
func (t *HeapTables) String(i uint32) string {
	if int(i) < len(t.Strings) {
		return t.Strings[i]
	}
	return "<string " + strconv.FormatUint(uint64(i), 10) + "?>"
}

// Type resolves a type's name and representation.
func (t *HeapTables) Type(i uint32) (name, repr string) {
	if int(i) < len(t.Types) {
		return t.String(t.Types[i].Name), t.String(t.Types[i].Repr)
	}
	return "<type " + strconv.FormatUint(uint64(i), 10) + "?>", ""
}

// Frame resolves a frame. The name may be empty: an anonymous block.
func (t *HeapTables) Frame(i uint32) (name, file string, line int64) {
	if int(i) < len(t.Frames) {
		f := t.Frames[i]
		return t.String(f.Name), t.String(f.File), int64(f.Line)
	}
	return "<frame " + strconv.FormatUint(uint64(i), 10) + "?>", "", NoLine
}

// Len is the number of rows.
func (h *Heap) Len() int { return len(h.Kinds) }

// Unmanaged is the memory of a row outside of the collector's.
func (h *Heap) Unmanaged(r Row) uint64 {
	if e := h.Extra[r]; e != LargeExtra {
		return uint64(e)
	}
	return h.Large[r]
}

// Bytes is the memory of a row, managed and unmanaged.
func (h *Heap) Bytes(r Row) uint64 {
	s, _ := SaturatingAdd(uint64(h.Size[r]), h.Unmanaged(r))
	return s
}

// Out is the references of a row: targets, and where they stand in To and Label. The slice is the heap's.
func (h *Heap) Out(r Row) (to []Row, first uint32) {
	return h.To[h.Start[r]:h.Start[r+1]], h.Start[r]
}

// EdgeText describes reference e: its string, "Index 7", or "Unknown", as the field's tools do.
func (h *Heap) EdgeText(e uint32) string {
	switch l := h.Label[e]; l.Kind() {
	case LabelIndex:
		return "Index " + strconv.FormatUint(uint64(l.Value()), 10)
	case LabelLarge:
		return "Index " + strconv.FormatUint(h.LargeIndex[e], 10)
	case LabelString:
		return h.Tables.String(l.Value())
	}
	return "Unknown"
}

// HeapScores are the recorder's own high scores of one snapshot, each list sorted descending.
type HeapScores struct {
	TypesByCount, FramesByCount, TypesBySize, FramesBySize []HeapScore
}

// HeapScore is the figure of one type or frame, by its index.
type HeapScore struct {
	ID    uint32
	Score uint64
}
