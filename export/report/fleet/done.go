package fleet

import (
	"strconv"

	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
)

// SQL is the object of a question as SQL.
type SQL struct {
	Schema  string `json:"schema"`
	Dialect string `json:"dialect"`
	SQL     string `json:"sql"`
}

// NewSQL returns the object of a question.
func NewSQL(dialect, text string) *SQL { return &SQL{"memtui.fleet-sql/1", dialect, text} }

// Added is what was added to a fleet.
type Added struct {
	Schema string      `json:"schema"`
	Files  []AddedFile `json:"files"`
}

// NewAdded returns an object without files.
func NewAdded() *Added { return &Added{Schema: "memtui.fleet-add/1", Files: []AddedFile{}} }

// AddedFile is a file, and what became of it.
type AddedFile struct {
	File   string `json:"file"`
	ID     string `json:"id,omitzero"`
	Result string `json:"result"` // "added", "known", "failed"
	Rows   int    `json:"rows"`
	Reason string `json:"reason,omitzero"`   // of what failed
	Note   string `json:"note,omitzero"`     // what of it answers no question
	Was    *Of    `json:"known_as,omitzero"` // what the fleet has, or had, it as
	given  Of
}

// NewAddedFile returns a file that is to be added as what is given.
func NewAddedFile(file string, given Of) AddedFile { return AddedFile{File: file, given: given} }

// Of is what was recorded.
type Of struct {
	Service string `json:"service"`
	Version string `json:"version"`
	Host    string `json:"host"`
}

// String returns it as "shop 1.4 on host-1".
func (o Of) String() string {
	text := o.Service
	if o.Version != "" {
		text += " " + o.Version
	}
	return text + " on " + o.Host
}

// moves reports whether the fleet has the file as another service, version or host than is given.
func (f *AddedFile) moves() bool { return f.Was != nil && *f.Was != f.given }

// Line returns the file as a line of text.
func (f *AddedFile) Line() string {
	text := cells.Pad(f.Result, 8, false) + f.File
	switch f.Result {
	case "added":
		text += "  " + model.Group(uint64(f.Rows)) + " rows"
		if f.Note != "" {
			text += ": " + f.Note
		}
		if f.moves() {
			text += "; it was " + f.Was.String()
		}
	case "known":
		text += "  as " + f.Was.String()
		if f.moves() {
			text += ": --force makes it " + f.given.String()
		}
	case "failed":
		text += ": " + f.Reason
	}
	return model.Clean(text)
}

// Merged is what compacting did.
type Merged struct {
	Schema string `json:"schema"`
	Before int    `json:"files_before"`
	After  int    `json:"files_after"`
	Old    int64  `json:"bytes_before"`
	New    int64  `json:"bytes_after"`

	Damaged []string `json:"damaged,omitzero"` // files that stay as they are, and why
}

// NewMerged returns the object about files and their bytes.
func NewMerged(before, after int, from, to int64, damaged []string) *Merged {
	return &Merged{"memtui.fleet-compact/1", before, after, from, to, damaged}
}

// Line returns it as a line of text.
func (m *Merged) Line(s cells.Style) string {
	return strconv.Itoa(m.Before) + " files, " + s.Bytes(uint64(m.Old)) + " → " + strconv.Itoa(m.After) + " files, " +
		s.Bytes(uint64(m.New))
}
