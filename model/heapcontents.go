package model

import (
	"context"
	"fmt"
)

// HeapContents is implemented by sources whose files hold what objects state: values of fields and elements, and the
// beginning of texts. It is read when it is shown, and kept nowhere. What it returns may be secret, and is as in the
// file: not cleaned.
type HeapContents interface {
	HeapTexts
	// Fields lists what row r of snapshot i states, in the file's order: at most `most` fields, statics or elements
	// from number `from` on. h is the decoded snapshot. total is how many there are.
	Fields(ctx context.Context, i int, h *Heap, r Row, from, most int) (fields []HeapField, total int, err error)
}

// HeapWrapper is implemented by sources that hand on what another one reads: they have the methods of facets that it
// may not have.
type HeapWrapper interface{ Wraps() HeapSource }

// HeapFacet returns a facet of a source, such as HeapTexts; ok is false where its format has none.
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
	Of    string // the class that declares it, where that is not the object's own; StaticField for what a class states
	Type  string // as the language names it; "" where the file does not say
	Form  HeapFieldForm
	Row   Row    // what a reference leads to
	Value string // of a value, as the language writes it; of a reference that leads to no row its identity
}

// StaticField in HeapField.Of says that a class states it.
const StaticField = "static"

// HeapFieldForm is what a field holds.
type HeapFieldForm uint8

const (
	FieldValue    HeapFieldForm = iota // Value
	FieldRow                           // a reference to Row
	FieldNull                          // a reference to nothing
	FieldDangling                      // a reference to what is not in the file
)

// HeapThreads is implemented by sources whose files say what the threads of the program did.
type HeapThreads interface {
	// Threads lists the threads of snapshot i in the file's order. h is the decoded snapshot.
	Threads(ctx context.Context, i int, h *Heap) ([]HeapThread, error)
}

// HeapThread is a thread of the program when the snapshot was made.
type HeapThread struct {
	Row    Row    // its object; RootRow where it has none
	Name   string // as in the file; "" where it does not say
	ID     string // as in the file
	Frames []HeapThreadFrame
}

// Title returns the name of the n-th thread of a snapshot, from 0; where the file has none its number with what the
// file has instead.
func (t *HeapThread) Title(n int) string {
	switch {
	case t.Name != "":
		return t.Name
	case t.ID != "":
		return fmt.Sprintf("thread %d (%s)", n+1, t.ID)
	}
	return fmt.Sprintf("thread %d", n+1)
}

// HeapThreadFrame is a call of a thread, the innermost first.
type HeapThreadFrame struct {
	Function, File string
	Line           int64 // NoLine where the file does not say
	Locals         []HeapLocal
}

// HeapLocal is an object that a call holds.
type HeapLocal struct {
	Name string // of the variable; "" where the file does not say
	Row  Row
}

// HeapWaste is implemented by sources that know how the language lays out its texts and collections.
type HeapWaste interface {
	// Texts calls visit with every text of snapshot i, until it returns an error, which is returned. h is the decoded
	// snapshot.
	Texts(ctx context.Context, i int, h *Heap, visit func(t *HeapText) error) error
	// Collections calls visit with every collection and every box of snapshot i, until it returns an error, which is
	// returned.
	Collections(ctx context.Context, i int, h *Heap, visit func(c *HeapCollection) error) error
}

// HeapText is a text of the program's.
type HeapText struct {
	Row     Row    // the string
	Storage Row    // what holds its characters; Row where it does that itself
	Content []byte // valid until visit returns
	Cut     bool   // Content is the beginning only: texts that begin alike may differ
}

// HeapCollection is a list, table or set of the program's, or a boxed number.
type HeapCollection struct {
	Row      Row
	Storage  Row // the array that it stands in; Row where there is none
	Form     HeapCollectionForm
	Len      int64 // elements in it
	Capacity int64 // elements that its storage has room for
	Wasted   uint64
}

// HeapCollectionForm is what a HeapCollection is.
type HeapCollectionForm uint8

const (
	CollectionList HeapCollectionForm = iota
	CollectionTable
	CollectionArray // a bare array
	CollectionBox   // a number that has an object of its own
)
