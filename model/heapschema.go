package model

import (
	"math/bits"
	"slices"
)

// HeapSchema says what the snapshots of a source are made of, in data: kinds of rows, what types are grouped by, kinds
// of references and which of them hold memory. Its texts are the loader's own words, in small letters where they stand
// within a sentence, and never bytes of a file. It is the same for all snapshots of a source, and never changes.
type HeapSchema struct {
	Kinds    []HeapKindInfo // by HeapKind, at most MaxHeapKinds
	Sets     []HeapSet      // what tables list and snapshots count; the first is of types: the objects of the heap
	Axes     []HeapAxis     // what types are grouped by; the first is their name
	Edges    []HeapEdgeInfo // by HeapEdgeKind, at least one and at most MaxHeapKinds
	Policies []HeapPolicy   // at least one; the first is the default
	Split    bool           // sizes have two parts, managed and unmanaged; without, Heap.Extra is empty
	Garbage  bool           // snapshots also hold rows that nothing reaches: they are counted apart
	IDs      HeapIDForm     // how identities of objects are written; Heap.IDs has them
}

// MaxHeapKinds is how many kinds of rows, and how many of references, a schema may have.
const MaxHeapKinds = 64

// HeapKind is what a row is: an index into [HeapSchema.Kinds].
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

// HeapNaming is what names the rows of a kind.
type HeapNaming uint8

const (
	NamedByKind  HeapNaming = iota // all rows of the kind have its title; Heap.Entity means nothing
	NamedByType                    // Heap.Entity is a type
	NamedByFrame                   // Heap.Entity is a frame
)

// HeapKindInfo describes a kind of rows.
type HeapKindInfo struct {
	Name    string // as JSON and flags name it: "type-object"
	Title   string // a row of it in words: "type object"; of rows that are named by their kind, the name: "Thread Roots"
	Naming  HeapNaming
	Virtual bool // no memory of the program's but one of the recorder's roots
	Marked  bool // the title follows a row's name in brackets: "List (type object)"
	Meta    bool // describes types: what hangs below is the runtime's rather than the program's
	About   bool // a row of it describes a type, by which it is named: Heap.About says which
	Named   bool // a row of it is called what Heap.Names says, rather than by its type
}

// HeapSet is rows that one table lists together: those of some kinds.
type HeapSet struct {
	Key       string // of their number in JSON: "type_objects"
	One, Many string // "type object", "type objects"
	Kinds     HeapKinds
	Naming    HeapNaming // of all its kinds: NamedByType or NamedByFrame
	Column    bool       // lists of snapshots have a column of their number
}

// HeapAxis is something that types are grouped by: the name of a representation, a package, a loader, a file.
type HeapAxis struct {
	Key       string // as JSON and flags name it: "repr"
	One, Many string // as titles and columns name it: "REPR", "REPRs"
	Word      string // as sentences name it: "representation"
	// Distinct says that types of one name are different ones where they differ here; at most one axis is so, and not
	// the first.
	Distinct bool
	// Runtime lists what types are here that the runtime keeps for itself, such as code and symbol tables.
	Runtime []string
	// ByRow says that rows of one type may differ: values stand in Heap.Axes, not in HeapTables.Axes.
	ByRow bool
}

// HeapEdgeKind is what a reference is: an index into [HeapSchema.Edges].
type HeapEdgeKind uint8

// HeapEdgeKinds is a set of kinds of references: 1<<k of each.
type HeapEdgeKinds uint64

// Has reports whether a kind is in the set.
func (s HeapEdgeKinds) Has(k HeapEdgeKind) bool { return s>>(k%MaxHeapKinds)&1 != 0 }

// HeapEdgeInfo describes a kind of references.
type HeapEdgeInfo struct {
	Name   string // as JSON names it: "weak"
	Marked bool   // the name follows a reference's text in brackets: "referent (weak)"
}

// HeapPolicy says which references hold memory. Unless it is Lost, a reference that it leaves out counts again where no
// other reaches its target, so that no row becomes unreachable by it.
type HeapPolicy struct {
	Name     string // as --edges names it: "roots"
	About    string // in a few words, beside the name of a screen: "all edges"; "" for the default
	Note     string // in reports: "retained through all references"; "" for the default
	Help     string // a clause that explains it
	Skip     HeapEdgeKinds
	SkipFrom HeapKinds // references that leave rows of these kinds are left out, whatever they are
	// Lost says that references that are left out never count: rows that only they reach are unreachable. As in Chrome
	// DevTools these hold what they lead to as if the root held them.
	Lost  bool
	Moved bool // rows weigh what Heap.Moved says
}

// HeapIDForm is how the identity of an object is written.
type HeapIDForm struct {
	Prefix string // "0x", "@"; "" where rows have no identity
	Base   int    // 10 or 16
	// Moves says that an object may have another identity in the next snapshot, such as an address that the collector
	// changes: identities find objects within one, and tell nothing over several.
	Moves bool
}

// Kind describes a kind; one that the schema does not have is virtual and without a name.
func (s *HeapSchema) Kind(k HeapKind) *HeapKindInfo {
	if int(k) < len(s.Kinds) {
		return &s.Kinds[k]
	}
	return &unknownKind
}

var unknownKind = HeapKindInfo{Name: "unknown", Title: "<unknown>", Virtual: true}

// KindNamed finds the kind of a name.
func (s *HeapSchema) KindNamed(name string) (HeapKind, bool) {
	i := slices.IndexFunc(s.Kinds, func(k HeapKindInfo) bool { return k.Name == name })
	return HeapKind(max(i, 0)), i >= 0
}

// Real returns the kinds that are memory of the program's.
func (s *HeapSchema) Real() (real HeapKinds) {
	for k := range s.Kinds {
		if !s.Kinds[k].Virtual {
			real |= 1 << k
		}
	}
	return real
}

// Frames returns the first set of frames; ok is false where the format has none.
func (s *HeapSchema) Frames() (set *HeapSet, ok bool) {
	i := slices.IndexFunc(s.Sets, func(x HeapSet) bool { return x.Naming == NamedByFrame })
	if i < 0 {
		return &HeapSet{Key: "frames", One: "frame", Many: "frames", Naming: NamedByFrame}, false
	}
	return &s.Sets[i], true
}

// Objects returns the first set: what tables of types list.
func (s *HeapSchema) Objects() *HeapSet { return &s.Sets[0] }

// Distinct returns the axis in which types of one name can differ, 0 for none.
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
// two lowest, and what the form says in between.
type EdgeLabel uint32

// The forms of labels, in the two low bits.
const (
	LabelUnknown EdgeLabel = 0 // the recorder does not say
	LabelIndex   EdgeLabel = 1 // slot of an array
	LabelString  EdgeLabel = 2 // the name of a field or variable, the text of a key: an index into HeapTables.Strings
	LabelLarge   EdgeLabel = 3 // an index that stands in Heap.LargeIndex
)

// Form returns what the label says the reference's text is.
func (l EdgeLabel) Form() EdgeLabel { return l & 3 }

// Indexed reports whether the label is an index of an array.
func (l EdgeLabel) Indexed() bool { return l&1 != 0 }

// kindBits returns how many bits of a label are its kind.
func (s *HeapSchema) kindBits() int { return bits.Len(uint(max(len(s.Edges), 1) - 1)) }

// Label makes the label of a reference; ok is false where the value is too large, and then stands in Heap.LargeIndex if
// it is an index.
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
