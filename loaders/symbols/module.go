package symbols

import (
	"slices"
	"strings"
)

// Module is a recorded mapped binary. Either Segments or Mappings state where it is.
type Module struct {
	Path    string // as in the recording
	BuildID string // hexadecimal, "" if not recorded

	Base     uint64    // added to the file's virtual addresses in Segments
	Segments []Segment // all that were loaded

	Mappings []Mapping // mapped parts of the file, as in /proc/PID/maps
}

// Segment is a loaded part of a binary, in virtual addresses of its file.
type Segment struct{ Addr, Size uint64 }

// Mapping is a range of addresses to which a file is mapped, starting at an offset.
type Mapping struct{ Start, End, Offset uint64 }

// span is a range of addresses of a module.
type span struct {
	start, end uint64
	module     int
}

// spans returns the ranges of the module.
func (m *Module) spans(id int) (list []span) {
	for _, s := range m.Segments {
		start := m.Base + s.Addr
		if end := start + s.Size; end > start {
			list = append(list, span{start, end, id})
		}
	}
	for _, p := range m.Mappings {
		if p.End > p.Start {
			list = append(list, span{p.Start, p.End, id})
		}
	}
	return list
}

// equal reports whether two modules are the same file at the same address.
func (m *Module) equal(o *Module) bool {
	return m.Path == o.Path && m.BuildID == o.BuildID && m.Base == o.Base && slices.Equal(m.Segments, o.Segments) &&
		slices.Equal(m.Mappings, o.Mappings)
}

// filePath returns the path of the file, without the suffix that the system adds if it was removed, and whether there
// can be a file.
func (m *Module) filePath() (path string, ok bool) {
	path = strings.TrimSuffix(m.Path, " (deleted)")
	switch {
	case path == "" || strings.ContainsRune(path, 0):
		return path, false
	case strings.HasPrefix(path, "["), strings.HasPrefix(path, "//anon"), strings.HasPrefix(path, "anon_inode:"),
		strings.HasPrefix(path, "/memfd:"):
		return path, false
	case strings.HasPrefix(path, "linux-vdso"), strings.HasPrefix(path, "linux-gate"):
		return path, false
	}
	return path, true
}
