package model

import (
	"math/bits"
	"slices"
)

// HeapSchema describes what the snapshots of a source consist of, as data: kinds of rows, what types are grouped by,
// kinds of references and which of them keep objects alive. Its texts are the loader's own words, in lower case if they
// appear within a sentence, and never bytes of a file. It is the same for all snapshots of a source, and never changes.
type HeapSchema struct {
	Kinds    []HeapKindInfo // by HeapKind, at most MaxHeapKinds
	Sets     []HeapSet      // what tables list and snapshots count; the first is of types: the objects of the heap
	Axes     []HeapAxis     // what types are grouped by; the first is their name
	Edges    []HeapEdgeInfo // by HeapEdgeKind, at least one and at most MaxHeapKinds
	Policies []HeapPolicy   // at least one; the first is the default
	Split    bool           // sizes have two parts, managed and unmanaged; otherwise Heap.Extra is empty
	Garbage  bool           // snapshots also hold unreachable rows, which are counted separately
	Fields   string         // name of the reference from an object to the dictionary of its fields, "" if there is none
	IDs      HeapIDForm     // how identities of objects are written, if Heap.IDs has them
}

// MaxHeapKinds is the most kinds of rows, and of references, that a schema may have.
const MaxHeapKinds = 64

// HeapKind is the kind of a row: an index into [HeapSchema.Kinds].
type HeapKind uint8

// HeapKinds is a set of kinds of rows.
type HeapKinds uint64

// KindsOf returns a set of kinds.
func KindsOf(kinds ...HeapKind) (s HeapKinds) {
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}

// Has reports whether a kind is in the set.
func (s HeapKinds) Has(k HeapKind) bool { return s>>(k%MaxHeapKinds)&1 != 0 }

// HeapNaming states what names the rows of a kind.
type HeapNaming uint8

const (
	NamedByKind  HeapNaming = iota // all rows of the kind have its title; Heap.Entity is unused
	NamedByType                    // Heap.Entity is a type
	NamedByFrame                   // Heap.Entity is a frame
)

// HeapKindInfo describes a kind of rows.
type HeapKindInfo struct {
	Name    string // as in JSON and flags: "type-object"
	Title   string // one row in words: "type object"; for rows that are named by their kind, the name: "Thread Roots"
	Naming  HeapNaming
	Virtual bool // not memory of the program but one of the recorder's roots
	Marked  bool // the title is added to a row's name in parentheses: "List (type object)"
	Meta    bool // describes types: memory retained through it is the runtime's rather than the program's
	About   bool // each row describes a type, given by Heap.About, and has its name
	Named   bool // rows are named by Heap.Names rather than by their type
}

// HeapSet is the rows that one table lists together: those of some kinds.
type HeapSet struct {
	Key       string // of their number in JSON: "type_objects"
	One, Many string // "type object", "type objects"
	Kinds     HeapKinds
	Naming    HeapNaming // of all its kinds: NamedByType or NamedByFrame
	Column    bool       // lists of snapshots have a column with their number
}

// HeapAxis is a property that types are grouped by: the name of a representation, a package, a loader, a file.
type HeapAxis struct {
	Key       string // as in JSON and flags: "repr"
	One, Many string // as in titles and columns: "REPR", "REPRs"
	Word      string // as in sentences: "representation"
	// Distinct reports that types of the same name are different ones if they differ here. At most one axis is
	// Distinct, and not the first.
	Distinct bool
	// Runtime lists the values of types that the runtime keeps for itself, such as code and symbol tables.
	Runtime []string

	// Containers lists the types, of the first axis, that hold what belongs to their owner: arrays, collections and what
	// those consist of. A "*" at the beginning or the end represents any text.
	Containers []string
	// ByRow reports that rows of one type may differ: values are in Heap.Axes, not in HeapTables.Axes.
	ByRow bool
	// Recorded is what a program or a person does so that files state the values, as a clause; "" if every file states
	// them.
	Recorded string
	// Unstated reports that a row without a value has one that the file does not state, such as a place of allocation.
	// Otherwise there is none, such as the module of a type outside of modules.
	Unstated bool
}

// Text returns a value as tables show it: what rows without one have instead is in angle brackets.
func (a *HeapAxis) Text(value string) string {
	switch {
	case value != "":
		return value
	case a.Unstated:
		return "<unknown>"
	}
	return "<none>"
}

// NotStated says that no object of a file has a value, and what makes files have them.
func (a *HeapAxis) NotStated(file string) string {
	text := file + " does not state the " + a.Word + " of its objects"
	if a.Recorded != "" {
		text += ": " + a.Recorded
	}
	return text
}

// HeapEdgeKind is the kind of a reference: an index into [HeapSchema.Edges].
type HeapEdgeKind uint8

// HeapEdgeKinds is a set of kinds of references: bit 1<<k for each kind k.
type HeapEdgeKinds uint64

// Has reports whether a kind is in the set.
func (s HeapEdgeKinds) Has(k HeapEdgeKind) bool { return s>>(k%MaxHeapKinds)&1 != 0 }

// HeapEdgeInfo describes a kind of references.
type HeapEdgeInfo struct {
	Name   string // as in JSON: "weak"
	Marked bool   // the name is added to a reference's text in parentheses: "referent (weak)"
}

// HeapPolicy states which references keep objects alive. Unless it is Lost, a reference that it leaves out still counts
// if no other one reaches its target, so that it makes no row unreachable.
type HeapPolicy struct {
	Name     string // as given to --edges: "roots"
	About    string // in a few words, shown with the name of a screen: "all edges"; "" for the default
	Note     string // in reports: "retained through all references"; "" for the default
	Help     string // a clause that explains it
	Skip     HeapEdgeKinds
	SkipFrom HeapKinds // all references from rows of these kinds are left out
	// Lost reports that references that are left out never count: rows that only they reach are unreachable. As in
	// Chrome DevTools, unreachable rows keep their targets alive as if the root referred to them.
	Lost  bool
	Moved bool // rows have the sizes of Heap.Moved
}

// HeapIDForm is how the identity of an object is written.
type HeapIDForm struct {
	Prefix string // "0x", "@"; "" if rows have no identity
	Base   int    // 10 or 16
	// Moves reports that an object may have another identity in the next snapshot, such as an address that the
	// collector changes: identities are valid within one snapshot only.
	Moves bool
}

// Kind describes a kind; one that the schema does not have is virtual and has no name.
func (s *HeapSchema) Kind(k HeapKind) *HeapKindInfo {
	if int(k) < len(s.Kinds) {
		return &s.Kinds[k]
	}
	return &unknownKind
}

var unknownKind = HeapKindInfo{Name: "unknown", Title: "<unknown>", Virtual: true}

// KindNamed finds a kind by its name.
func (s *HeapSchema) KindNamed(name string) (HeapKind, bool) {
	i := slices.IndexFunc(s.Kinds, func(k HeapKindInfo) bool { return k.Name == name })
	return HeapKind(max(i, 0)), i >= 0
}

// Real returns the kinds that are memory of the program.
func (s *HeapSchema) Real() (real HeapKinds) {
	for k := range s.Kinds {
		if !s.Kinds[k].Virtual {
			real |= 1 << k
		}
	}
	return real
}

// Frames returns the first set of frames; ok is false if the format has none.
func (s *HeapSchema) Frames() (set *HeapSet, ok bool) {
	i := slices.IndexFunc(s.Sets, func(x HeapSet) bool { return x.Naming == NamedByFrame })
	if i < 0 {
		return &HeapSet{Key: "frames", One: "frame", Many: "frames", Naming: NamedByFrame}, false
	}
	return &s.Sets[i], true
}

// Objects returns the first set: what tables of types list.
func (s *HeapSchema) Objects() *HeapSet { return &s.Sets[0] }

// Distinct returns the axis in which types of the same name can differ, 0 for none.
func (s *HeapSchema) Distinct() int {
	return max(0, slices.IndexFunc(s.Axes, func(x HeapAxis) bool { return x.Distinct }))
}

// AxisNamed finds an axis by its key.
func (s *HeapSchema) AxisNamed(key string) (axis int, ok bool) {
	i := slices.IndexFunc(s.Axes, func(x HeapAxis) bool { return x.Key == key })
	return max(i, 0), i >= 0
}

// PolicyNamed finds a policy by its name.
func (s *HeapSchema) PolicyNamed(name string) (policy int, ok bool) {
	i := slices.IndexFunc(s.Policies, func(p HeapPolicy) bool { return p.Name == name })
	return max(i, 0), i >= 0
}

// EdgeLabel describes a reference: its kind in as many of the highest bits as the schema's kinds need, its form in the
// two lowest, and a value that depends on the form in between.
type EdgeLabel uint32

// The forms of labels, in the two low bits.
const (
	LabelUnknown EdgeLabel = 0 // not in the file
	LabelIndex   EdgeLabel = 1 // slot of an array
	LabelString  EdgeLabel = 2 // name of a field or variable, or text of a key: an index into HeapTables.Strings
	LabelLarge   EdgeLabel = 3 // an index that is in Heap.LargeIndex
)

// Form returns the form of the reference's text.
func (l EdgeLabel) Form() EdgeLabel { return l & 3 }

// Indexed reports whether the label is an index of an array.
func (l EdgeLabel) Indexed() bool { return l&1 != 0 }

// kindBits returns the number of bits of a label that are its kind.
func (s *HeapSchema) kindBits() int { return bits.Len(uint(max(len(s.Edges), 1) - 1)) }

// Label makes the label of a reference. ok is false if the value is too large; if it is an index, it belongs into
// Heap.LargeIndex then.
func (s *HeapSchema) Label(k HeapEdgeKind, form EdgeLabel, value uint64) (l EdgeLabel, ok bool) {
	n := 30 - s.kindBits()
	if form == LabelUnknown || form == LabelLarge {
		value = 0
	}
	if value >= 1<<n {
		return LabelLarge | EdgeLabel(k)<<(n+2), false
	}
	return form | EdgeLabel(value)<<2 | EdgeLabel(k)<<(n+2), true
}

// LabelKind returns the kind of the reference that has the label.
func (s *HeapSchema) LabelKind(l EdgeLabel) HeapEdgeKind {
	return HeapEdgeKind(uint64(l) >> (32 - s.kindBits()))
}

// LabelValue returns the index, or the number of the string.
func (s *HeapSchema) LabelValue(l EdgeLabel) uint32 {
	n := s.kindBits()
	return uint32(l) << n >> (n + 2)
}
