package symbols

import (
	"slices"
	"strings"
)

// Module is a binary that a recording says was mapped. It tells where by Segments, or by Mappings.
type Module struct {
	Path    string // as the recording names it
	BuildID string // hexadecimal, "" where the recording tells none

	Base     uint64    // what was added to the file's virtual addresses, of Segments
	Segments []Segment // all that were loaded

	Mappings []Mapping // parts of the file that were mapped, as /proc/PID/maps lists them
}

// Segment is a loaded part of a binary, by the virtual addresses of its file.
type Segment struct{ Addr, Size uint64 }

// Mapping is a range of addresses that shows a file from an offset on.
type Mapping struct{ Start, End, Offset uint64 }

// span is a range of addresses of a module.
type span struct {
	start, end uint64
	module     int
}

// spans returns where the module lies.
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

// equal reports whether two modules are the same file at the same place.
func (m *Module) equal(o *Module) bool {
	return m.Path == o.Path && m.BuildID == o.BuildID && m.Base == o.Base && slices.Equal(m.Segments, o.Segments) && slices.Equal(m.Mappings, o.Mappings)
}

// filePath returns the path of the file, without what the system adds when it was removed, and whether there can be
// one.
func (m *Module) filePath() (path string, ok bool) {
	path = strings.TrimSuffix(m.Path, " (deleted)")
	switch {
	case path == "" || strings.ContainsRune(path, 0):
		return path, false
	case strings.HasPrefix(path, "["), strings.HasPrefix(path, "//anon"), strings.HasPrefix(path, "anon_inode:"), strings.HasPrefix(path, "/memfd:"):
		return path, false
	case strings.HasPrefix(path, "linux-vdso"), strings.HasPrefix(path, "linux-gate"):
		return path, false
	}
	return path, true
}
