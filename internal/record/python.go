package record

import "github.com/memtui/memtui/loaders/symbols"

// pyWord marks a number of a frame of Python in a stack of addresses, as hook/src/python.h does.
const pyWord = 1 << 63

// pyFrame is a line of a Python program, as the hook reports it.
type pyFrame struct {
	File     string `json:"file"`
	Function string `json:"function"`
	Line     int64  `json:"line,omitzero"`
}

func (r record) pyFrame() (f pyFrame, ok bool) {
	text := r.b[grain:]
	file, function := r.addr()&0xffffffff, r.addr()>>32
	if file > uint64(len(text)) || function > uint64(len(text))-file || r.size() > 1<<31 {
		return f, false
	}
	return pyFrame{string(text[:file]), string(text[file:][:function]), int64(r.size())}, true
}

func (t *traceFile) pyFrame(f pyFrame) {
	t.python = append(t.python, symbols.Frame{Function: f.Function, File: f.File, Line: f.Line})
}

// stack keeps a stack of addresses and frames of Python, and reports whether all of the latter are known. Its frames
// have even numbers where the table names them, and odd ones where Python did.
func (t *traceFile) stack(words []uint64) bool {
	ids := make([]int, len(words))
	for i, word := range words {
		number := word &^ pyWord
		switch {
		case word == number:
			ids[i] = t.table.Address(word, false) << 1
		case number == 0 || number > uint64(len(t.python)):
			return false
		default:
			ids[i] = int(number-1)<<1 | 1
		}
	}
	t.stacks = append(t.stacks, ids)
	return true
}

// named returns the frames of a number that stack gave, leaf first.
func (t *traceFile) named(id int) []symbols.Frame {
	if id&1 == 1 {
		return t.python[id>>1 : id>>1+1]
	}
	return t.table.Named(id >> 1)
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
