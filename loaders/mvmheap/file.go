package mvmheap

import (
	"fmt"
	"sync"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// snapshot is the position of the blocks of one snapshot.
type snapshot struct {
	blocks   [numKinds]span
	meta     snapMeta
	complete bool  // no column is missing, nor the tables after them
	rows     int64 // version 2: rows of coll in the file
	refs     int64 // version 2: rows of refs
}

// there reports whether all of kinds are in the file.
func (s *snapshot) there(kinds ...kind) bool {
	for _, k := range kinds {
		if !s.blocks[k].there() {
			return false
		}
	}
	return true
}

// file is an open file: the source of its snapshots.
type file struct {
	src     *loaders.Source
	size    int64
	version int
	meta    fileMeta
	snaps   []snapshot

	problems []model.Problem // found while opening
	lost     int64

	large  int // how many sizes and indexes of one snapshot may not fit their columns
	tables tables
	kits   sync.Pool // of *kit

	kept  sections.Cache // where decoded snapshots stay for the next run; nil for none
	state loaders.HeapState
}

func (f *file) problem(severity model.Severity, code string, offset int64, format string, args ...any) {
	f.problems = model.AddProblem(f.problems, model.Problem{Severity: severity, Code: code,
		Message: fmt.Sprintf(format, args...), Offset: offset})
}

// cut reports a problem with the end of the file. There is none if that is the limit of decompression.
func (f *file) cut(rule string, offset int64, format string, args ...any) {
	if rule != "truncated" || !f.src.Limited() {
		f.problem(model.Error, rule, offset, format, args...)
	}
}

// refuse returns the error of a file that cannot be used at all.
func (f *file) refuse(offset int64, field string, err error) error {
	return &loaders.FormatError{Format: formatName, Path: f.src.Path(), Offset: offset, Field: field, Err: err}
}

// maxRows and maxRefs bound the contents of a file of this size: even the columns that compress best need bytes for
// each row and reference in one of the others. Real files have a third of a row and one reference per byte. If the user
// allows more memory, as much as fits is read.
func (f *file) maxRows() int64 { return min(max(4*f.size+1<<20, f.src.Allowed()/rowBytes), 1<<32-2) }
func (f *file) maxRefs() int64 { return min(max(8*f.size+4<<20, f.src.Allowed()/refBytes), 1<<32-2) }

// rowBytes and refBytes are the most bytes that a row and a reference take while they are decoded.
const (
	rowBytes = 24
	refBytes = 12
)

// raiseHint states how to raise a limit of n things, each of so many bytes: rows and references share the memory.
func raiseHint(n, each int64) string {
	return "; " + model.RaiseHint(2*n*each*model.BudgetPerKept)
}
