package model

import (
	"context"
	"fmt"
)

// HeapContents is implemented by sources whose files hold the contents of objects: values of fields and elements, and
// the beginning of texts. They are read when they are shown, and not kept. They may be secret, and are as in the file:
// not cleaned.
type HeapContents interface {
	HeapTexts
	// Fields lists the contents of row r of snapshot i in the file's order: up to `most` fields, statics or elements,
	// starting with number `from`. h is the decoded snapshot. total is how many there are.
	Fields(ctx context.Context, i int, h *Heap, r Row, from, most int) (fields []HeapField, total int, err error)
}

// HeapWrapper is implemented by sources that wrap another one: they have methods of facets that the wrapped one may
// lack.
type HeapWrapper interface{ Wraps() HeapSource }

// HeapFacet returns a facet of a source, such as HeapTexts; ok is false if its format has none.
func HeapFacet[T any](src HeapSource) (facet T, ok bool) {
	inner := src
	for {
		w, wraps := inner.(HeapWrapper)
		if !wraps {
			break
		}
		inner = w.Wraps()
	}
	if _, ok = inner.(T); !ok {
		return facet, false
	}
	facet, ok = src.(T)
	return facet, ok
}

// HeapField is a field, a static, a captured variable or an element of an object.
type HeapField struct {
	Name  string // "" for elements
	Index int64  // of an element
	Of    string // the declaring class, if not the object's own; StaticField for a static of a class
	Type  string // as the language names it; "" if the file does not state it
	Form  HeapFieldForm
	Row   Row    // the target of a reference
	Value string // of a value, as the language writes it; of a reference to no row its identity
}

// StaticField in HeapField.Of marks a static field of a class.
const StaticField = "static"

// HeapFieldForm is what a field holds.
type HeapFieldForm uint8

const (
	FieldValue    HeapFieldForm = iota // Value
	FieldRow                           // a reference to Row
	FieldNull                          // a reference to nothing
	FieldDangling                      // a reference to an object that is not in the file
)

// HeapThreads is implemented by sources whose files describe the threads of the program.
type HeapThreads interface {
	// Threads lists the threads of snapshot i in the file's order. h is the decoded snapshot.
	Threads(ctx context.Context, i int, h *Heap) ([]HeapThread, error)
}

// HeapThread is a thread of the program when the snapshot was made.
type HeapThread struct {
	Row    Row    // its object; RootRow if it has none
	Name   string // as in the file; "" if unknown
	ID     string // as in the file
	Frames []HeapThreadFrame
}

// Title returns the name of the n-th thread of a snapshot, from 0; without a name, its number and ID.
func (t *HeapThread) Title(n int) string {
	switch {
	case t.Name != "":
		return t.Name
	case t.ID != "":
		return fmt.Sprintf("thread %d (%s)", n+1, t.ID)
	}
	return fmt.Sprintf("thread %d", n+1)
}

// HeapThreadFrame is a call on the stack of a thread; the innermost is first.
type HeapThreadFrame struct {
	Function, File string
	Line           int64 // NoLine if unknown
	Row            Row   // of the call; RootRow if calls have none, and the thread's object refers to the locals
	Locals         []HeapLocal
}

// HeapLocal is an object referenced by a call.
type HeapLocal struct {
	Name string // of the variable; "" if unknown
	Row  Row
}

// HeapWaste is implemented by sources that know how the language lays out its strings and collections.
type HeapWaste interface {
	// Texts calls visit with every string of snapshot i, until visit returns an error, which Texts returns. h is the
	// decoded snapshot.
	Texts(ctx context.Context, i int, h *Heap, visit func(t *HeapText) error) error
	// Collections calls visit with every collection and every box of snapshot i, until visit returns an error, which
	// Collections returns.
	Collections(ctx context.Context, i int, h *Heap, visit func(c *HeapCollection) error) error
}

// HeapText is a string of the program.
type HeapText struct {
	Row     Row    // the string
	Storage Row    // the object holding its characters; Row if that is the string itself
	Content []byte // valid until visit returns
	Cut     bool   // Content is only the beginning: texts that begin alike may differ
}

// HeapCollection is a list, table or set of the program, or a boxed number.
type HeapCollection struct {
	Row      Row
	Storage  Row // its backing array; Row if there is none
	Form     HeapCollectionForm
	Len      int64 // its number of elements
	Capacity int64 // the number of elements that fit its storage
	Wasted   uint64
}

// HeapCollectionForm is what a HeapCollection is.
type HeapCollectionForm uint8

const (
	CollectionList HeapCollectionForm = iota
	CollectionTable
	CollectionArray // a bare array
	CollectionBox   // a number with an object of its own
)
