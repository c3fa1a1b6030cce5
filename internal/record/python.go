package record

import "github.com/memtui/memtui/loaders/mlyze/journal"

// pyFrame returns a line of a Python program.
func (r record) pyFrame() (f journal.Frame, ok bool) {
	text := r.b[grain:]
	file, function := r.addr()&0xffffffff, r.addr()>>32
	if file > uint64(len(text)) || function > uint64(len(text))-file || r.size() > 1<<31 {
		return f, false
	}
	return journal.Frame{File: string(text[:file]), Function: string(text[file:][:function]), Line: int64(r.size())}, true
}

// What became of Python in a program, as hook/src/python.h has it.
const (
	pyNone = iota
	pyFound
	pyFrames
	pyDebug
	pyFreeThreaded
	pyOld
	pyUnknown
)

// unreadable returns why the frames of Python are not in the stacks of a recording, "" where they are, or there are
// none.
func unreadable(state uint32) string {
	switch state {
	case pyDebug:
		return "this Python is a debug build"
	case pyFreeThreaded:
		return "this Python is built without a global lock (free threading)"
	case pyOld:
		return "this Python is older than 3.8"
	case pyUnknown:
		return "this Python differs from those that are known"
	}
	return ""
}
