package objects

import (
	"fmt"

	"github.com/memtui/memtui/model"
)

// MaxExtra is the most columns of its own that a loader may have.
const MaxExtra = 4

// Unit is a part of a file, and its parsed lines. References of a row end at RefEnd.
type Unit struct {
	Names *Names // of the goroutine that read it
	From  int64  // offset of its first byte

	IDs    []uint64
	Class  []uint64 // identity of the class, 0 for none
	Kind   []model.HeapKind
	Name   []uint32 // index of the name by which the loader names the row's type
	Size   []uint64
	Extra  [MaxExtra][]uint32 // of the loader
	line   []uint32           // where the line starts, after From
	refEnd []uint32
	refs   []uint64 // identities, 0 for none
	labels []model.EdgeLabel

	Roots []Root

	problems []model.Problem
	first    uint32   // row of the first object
	to       []uint32 // rows, once those are known
	dangling int64
}

// Root is a parsed line of roots.
type Root struct {
	Group, Name uint32 // among the names
	Refs        []uint64
	Labels      []model.EdgeLabel
	Call        *Call // the call of a thread; nil for other roots
}

// Call is a call of a thread.
type Call struct {
	Thread, Object uint64 // number, and identity of the thread's object or 0
	ThreadName     string
	Function, File string
	Line           int64
}

// Object is a parsed line of an object.
type Object struct {
	ID, Class, Size uint64
	Kind            model.HeapKind
	Name            uint32
	Extra           [MaxExtra]uint32
}

// Add adds an object whose line starts at an offset, with the references added since the last one.
func (u *Unit) Add(o *Object, at int64, extras int) {
	u.IDs, u.Class = append(u.IDs, o.ID), append(u.Class, o.Class)
	u.Kind, u.Name, u.Size = append(u.Kind, o.Kind), append(u.Name, o.Name), append(u.Size, o.Size)
	for i := range extras {
		u.Extra[i] = append(u.Extra[i], o.Extra[i])
	}
	u.line = append(u.line, uint32(at-u.From))
	u.refEnd = append(u.refEnd, uint32(len(u.refs)))
}

// Ref adds a reference of the object that is added next.
func (u *Unit) Ref(id uint64, label model.EdgeLabel) {
	u.refs, u.labels = append(u.refs, id), append(u.labels, label)
}

// Refs returns the references so far of the object that is added next; they may be changed.
func (u *Unit) Refs() ([]uint64, []model.EdgeLabel) {
	from := u.pending()
	return u.refs[from:], u.labels[from:]
}

// RefsOf returns the references of an object by its index, before rows are known; they may be changed.
func (u *Unit) RefsOf(i int) ([]uint64, []model.EdgeLabel) {
	from := uint32(0)
	if i > 0 {
		from = u.refEnd[i-1]
	}
	return u.refs[from:u.refEnd[i]], u.labels[from:u.refEnd[i]]
}

// Drop removes the references of an object that is not added.
func (u *Unit) Drop() {
	from := u.pending()
	u.refs, u.labels = u.refs[:from], u.labels[:from]
}

func (u *Unit) pending() uint32 {
	if n := len(u.refEnd); n > 0 {
		return u.refEnd[n-1]
	}
	return 0
}

// Len returns how many objects there are.
func (u *Unit) Len() int { return len(u.IDs) }

// First returns the row of the first object.
func (u *Unit) First() model.Row { return model.Row(u.first) }

// Problem records a problem of a line.
func (u *Unit) Problem(severity model.Severity, code string, at int64, format string, args ...any) {
	u.problems = model.AddProblem(u.problems, model.Problem{Severity: severity, Code: code, Offset: at,
		Message: fmt.Sprintf(format, args...)})
}
