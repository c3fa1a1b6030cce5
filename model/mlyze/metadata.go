package mlyze

import (
	"strconv"

	"github.com/memtui/memtui/model"
)

// Metadata encodes the JSON of a trace from front to back: members, then tables with their entries. The zero value is
// empty and ready to use. A table lasts until the next one begins.
type Metadata struct {
	json  []byte
	table bool // a table has begun and not ended
}

// Member adds a member of the outer object. The value is JSON. Members come before tables.
func (m *Metadata) Member(name string, value []byte) {
	m.key(name)
	m.json = append(m.json, value...)
}

// LeafFirst states that stacks begin at their leaves.
func (m *Metadata) LeafFirst() { m.Member("frame_order", []byte(`"leaf_to_root"`)) }

// Stacks begins the table of stacks.
func (m *Metadata) Stacks() { m.begin("stack_traces") }

// Files begins the table of the names of files.
func (m *Metadata) Files() { m.begin("files") }

// Functions begins the table of the names of functions and markers.
func (m *Metadata) Functions() { m.begin("functions") }

// Stack adds a stack to the table of stacks. Its frames come from [AppendFrame].
func (m *Metadata) Stack(id uint64, frames []byte) {
	m.key(strconv.FormatUint(id, 10))
	m.json = append(append(append(m.json, '['), frames...), ']')
}

// Name adds a name to a table of names. Bytes that are not valid UTF-8 are replaced.
func (m *Metadata) Name(id uint64, name string) {
	m.key(strconv.FormatUint(id, 10))
	m.json = model.AppendJSONString(m.json, name)
}

// Finish ends the tables and returns the JSON.
func (m *Metadata) Finish() []byte {
	if m.json == nil {
		m.json = append(m.json, '{')
	}
	m.end()
	return append(m.json, '}')
}

func (m *Metadata) begin(name string) {
	m.end()
	m.key(name)
	m.json, m.table = append(m.json, '{'), true
}

func (m *Metadata) end() {
	if m.table {
		m.json, m.table = append(m.json, '}'), false
	}
}

// key begins an entry of the current table, or a member of the outer object.
func (m *Metadata) key(name string) {
	switch {
	case m.json == nil:
		m.json = append(m.json, '{')
	case m.json[len(m.json)-1] != '{':
		m.json = append(m.json, ", "...)
	}
	m.json = append(model.AppendJSONString(m.json, name), ": "...)
}

// Frame is one frame of a stack.
type Frame struct {
	File     int64 // id in the table of files, negative for none
	Line     int64 // model.NoLine if it is not known
	Function int64 // id in the table of functions, negative for none
}

// AppendFrame appends a frame to those of a stack, which come leaf first and may be none yet.
func AppendFrame(stack []byte, f Frame) []byte {
	stack = AppendFrames(stack, []byte{'{'})
	if f.File >= 0 {
		stack = appendMember(stack, "file_id", f.File)
	}
	if f.Line != model.NoLine {
		stack = appendMember(stack, "line", f.Line)
	}
	if f.Function >= 0 {
		stack = appendMember(stack, "func_id", f.Function)
	}
	return append(stack, '}')
}

// AppendFrames appends frames that [AppendFrame] made to those of a stack.
func AppendFrames(stack, frames []byte) []byte {
	if len(stack) > 0 {
		stack = append(stack, ", "...)
	}
	return append(stack, frames...)
}

func appendMember(dst []byte, name string, value int64) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ", "...)
	}
	return strconv.AppendInt(append(append(append(dst, '"'), name...), `": `...), value, 10)
}
