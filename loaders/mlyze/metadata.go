package mlyze

import (
	"bytes"
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"unicode/utf8"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

// Orders of frames that metadata can state, with a key beyond the specification that this program writes into files
// whose stacks alone would mislead.
const (
	leafToRoot = "leaf_to_root"
	rootToLeaf = "root_to_leaf"
)

// tables is the metadata as in the file: ids are the file's own, sparse and unchecked.
type tables struct {
	stacks   map[uint64]span // by stack id; spans of flat
	flat     []uint32        // frames of all stacks, in the file's order: indexes into frames
	order    []uint64        // stack ids in the file's order
	frames   []rawFrame      // distinct
	frameAt  []uint32        // position of the first occurrence of each in the metadata
	files    nameTable
	funcs    nameTable
	recorded recorded
	present  [3]bool // tables in the JSON: stack_traces, files, functions
	states   string  // the order of frames that the file states, "" for none
	end      int     // length of the JSON value, or of its readable part
	broken   string  // why the JSON cannot be read to its end, "" if it can
	cut      bool    // because the bytes end within it
	full     bool    // because there is no memory for more
	limited  bool    // because of a limit, that of memory or another: missing entries are not damage
}

// empty reports whether the file names nothing at all, like those of the reference tracer.
func (t *tables) empty() bool {
	return len(t.stacks) == 0 && len(t.files.index) == 0 && len(t.funcs.index) == 0
}

// known returns the tables for checking events: none if only some ids were read.
func (t *tables) known() *tables {
	if t == nil || t.limited {
		return &tables{}
	}
	return t
}

// partial reports whether the file may define more than was read: missing entries are not reported then.
func (t *tables) partial() bool { return t.limited || t.broken != "" }

// span is a run of tables.flat.
type span struct{ from, to int }

// rawFrame is one frame as in the file.
type rawFrame struct {
	file, fn         uint64
	line             int64 // model.NoLine if absent
	hasFile, hasFunc bool
}

// nameTable maps the ids of one of the file's tables to names; the last entry of an id counts.
type nameTable struct {
	index map[uint64]int
	names []string // in the file's order
}

func (n *nameTable) reset() { *n = nameTable{index: map[uint64]int{}} }

func (n *nameTable) set(id uint64, name string) {
	if i, ok := n.index[id]; ok {
		n.names[i] = name
		return
	}
	n.index[id] = len(n.names)
	n.names = append(n.names, name)
}

func (n *nameTable) get(id uint64) (string, bool) {
	i, ok := n.index[id]
	if !ok {
		return "", false
	}
	return n.names[i], true
}

// metaParser reads the metadata JSON into tables.
type metaParser struct {
	*json.Cursor
	tables
	b      []byte
	found  *findings
	base   int64 // offset of the JSON in the file
	intern frameSet
	budget *model.Budget // of memory, nil for no bound

	entries int // of name tables, so far
}

// The budget is checked after so many names, stacks or frames, and before a larger name.
const (
	checkEvery = 1 << 10
	largeName  = 64 << 10
)

// usualFrame is the minimum size of a frame, as writers write it, with the comma after it.
const usualFrame = 40

// parseMetadata reads the JSON object at the start of b, which is at offset base. Problems go to found, except for an
// early end: the tables state that, and have what precedes it. The same applies if ctx is done, or if the rest of the
// budget is needed to process the tables.
func parseMetadata(ctx context.Context, b []byte, base int64, found *findings, budget *model.Budget) *tables {
	m := &metaParser{Cursor: json.NewBytes(ctx, b), b: b, found: found, base: base, budget: budget}
	m.OnFault, m.MaxText = m.fault, largeName
	m.flat = make([]uint32, 0, budget.Part(int64(len(b)), 8)/usualFrame)
	m.resetStacks()
	m.files.reset()
	m.funcs.reset()
	m.root()
	m.tables.frames, m.tables.frameAt = m.intern.frames, m.intern.at
	switch {
	case m.Err() != nil:
		m.fail("reading was stopped", m.Offset())
	case m.broken == "":
		m.end = int(m.Offset())
	}
	return &m.tables
}

// faults are the messages of JSON faults in metadata. A control character in a name is not reported.
var faults = [...]string{
	json.NoValue: "a value is missing", json.BadByte: "a value is missing", json.BadWord: "a value is missing",
	json.NoName: "a string is missing", json.NoColon: "':' is missing", json.NoComma: "',' or ']' is missing",
	json.NoMember:   "',' or '}' is missing",
	json.ExtraComma: "there is an extra comma", json.BadEscape: "an unknown escape",
	json.TooDeep: "it is nested deeper than the limit of 1,000, which cannot be raised", json.LongText: "", json.Truncated: "",
}

// fault ends reading, except at a control character, and at a long text that fits the budget.
func (m *metaParser) fault(f json.Fault) bool {
	code, at := f.Code, f.At
	switch {
	case code == json.Control:
		return true
	case code == json.LongText:
		if m.spend(2 * m.MaxText) {
			m.MaxText *= 2
			return true
		}
		return false
	case f.Want != 0:
		code = f.Want
	case code == json.ExtraComma:
		at = f.Byte
	case code == json.BadEscape:
		at = int64(bytes.LastIndexByte(m.b[:f.Byte], '\\'))
	case code == json.Truncated || code == json.BadWord && m.Offset() == int64(len(m.b)):
		at = int64(len(m.b))
	}
	m.limited = m.limited || code == json.TooDeep
	return m.fail(faults[code], at)
}

// fail ends reading; the first reason counts.
func (m *metaParser) fail(reason string, at int64) bool {
	if m.Stop(); m.broken != "" {
		return false
	}
	m.broken, m.end = reason, int(at)
	if m.cut = m.end >= len(m.b); m.cut {
		m.broken = "it ends too early"
	}
	return false
}

// spend reports whether n more bytes fit, and what is computed from everything read. If not, reading ends.
func (m *metaParser) spend(n int) bool {
	if m.full = m.full || m.budget.Full(model.BudgetOfTables) || !m.budget.Fits(4*int64(n)); m.full {
		m.limited = true
		return m.fail("not enough memory for more", m.Offset())
	}
	return true
}

// warn reports a fault, unless reading has ended: missing parts were not read then.
func (m *metaParser) warn(code string, at int64, message string) {
	if !m.Dead() {
		m.found.add(model.Warning, code, m.base+at, message)
	}
}

func (m *metaParser) resetStacks() {
	m.stacks, m.flat, m.order = map[uint64]span{}, m.flat[:0], m.order[:0]
}

func (m *metaParser) root() {
	if m.Peek() != '{' {
		m.wrongType("the metadata is not a JSON object")
		return
	}
	m.Next()
	for first := true; ; {
		key, ok := m.Member(&first)
		if !ok {
			break
		}
		at, _ := m.At()
		switch string(key) {
		case "stack_traces":
			m.present[0] = true
			m.resetStacks()
			m.table("stack_traces", m.stack)
		case "files":
			m.present[1] = true
			m.files.reset()
			m.table("files", func(id uint64, ok bool) { m.name(&m.files, id, ok) })
		case "functions":
			m.present[2] = true
			m.funcs.reset()
			m.table("functions", func(id uint64, ok bool) { m.name(&m.funcs, id, ok) })
		case "frame_order":
			if text, _ := m.scalar(); string(text) == leafToRoot || string(text) == rootToLeaf {
				m.states = string(text)
			}
		default:
			if m.recordedKey(string(key)) {
				break
			}
			m.warn("metadata-keys", at, "the metadata has a key of unknown meaning")
			m.Value()
		}
	}
	m.recorded.problems(m.found)
	if !m.Dead() {
		m.reportMissing()
	}
}

func (m *metaParser) reportMissing() {
	for i, name := range []string{"stack_traces", "files", "functions"} {
		if !m.present[i] {
			m.found.add(model.Error, "metadata-tables", m.base, "the metadata has no table "+name)
		}
	}
}

// wrongType skips a value of a wrong type.
func (m *metaParser) wrongType(message string) {
	if m.Value(); !m.Dead() {
		at, _ := m.At()
		m.found.add(model.Error, "metadata-types", m.base+at, message)
	}
}

// table reads an object whose keys are ids; value reads one entry, ok reports that the id is valid.
func (m *metaParser) table(name string, value func(id uint64, ok bool)) {
	if m.Peek() != '{' {
		m.wrongType(name + " is not an object")
		return
	}
	m.Next()
	for first := true; ; {
		key, ok := m.Member(&first)
		if !ok {
			return
		}
		id, ok := parseID(key)
		if !ok {
			code := "table-key"
			if name == "stack_traces" {
				code = "stack-key"
			}
			at, _ := m.At()
			m.warn(code, at, "a key of "+name+" is not an id; its entry is ignored")
		}
		value(id, ok)
	}
}

// parseID reads an id as in keys: decimal, without sign or leading zero, below 2^64.
func parseID(b []byte) (uint64, bool) {
	if len(b) == 0 || len(b) > 20 || b[0] == '0' && len(b) > 1 {
		return 0, false
	}
	var v uint64
	for _, c := range b {
		d := uint64(c - '0')
		hi, lo := bits.Mul64(v, 10)
		if d > 9 || hi != 0 || lo > math.MaxUint64-d {
			return 0, false
		}
		v = lo + d
	}
	return v, true
}

// name reads one entry of a name table.
func (m *metaParser) name(t *nameTable, id uint64, ok bool) {
	k := m.Value()
	at, _ := m.At()
	if k != json.String {
		m.warn("metadata-types", at, "a name is not a string")
		return
	}
	b := m.Text()
	if !utf8.Valid(b) {
		m.warn("name-encoding", at, "a name is not valid UTF-8")
	}
	if !ok {
		return
	}
	if m.entries++; (m.entries%checkEvery == 0 || len(b) > largeName) && !m.spend(len(b)) {
		return
	}
	if len(b) > model.MaxName {
		m.warn("name-length", at, model.LongName)
	}
	t.set(id, string(model.KeptName(b)))
}

// stack reads one entry of stack_traces.
func (m *metaParser) stack(id uint64, ok bool) {
	if m.Peek() != '[' {
		m.wrongType("a stack is not an array")
		return
	}
	m.Next()
	from := len(m.flat)
	for first := true; m.Element(&first); {
		at := m.Offset()
		f, quick := m.quickFrame()
		if !quick && m.Peek() != '{' {
			m.wrongType("a frame is not an object")
			continue
		}
		if !quick {
			if f = m.frame(); m.Dead() {
				return
			}
		}
		if m.flat = append(m.flat, m.intern.add(f, int(at))); len(m.flat)%checkEvery == 0 && !m.spend(0) {
			return
		}
	}
	if m.Dead() {
		return
	}
	if !ok {
		m.flat = m.flat[:from]
		return
	}
	if _, again := m.stacks[id]; !again {
		if m.order = append(m.order, id); len(m.order)%checkEvery == 0 && !m.spend(0) {
			return
		}
	}
	m.stacks[id] = span{from, len(m.flat)}
}

// quickFrame reads a frame with the three fields in the order and spacing of usual writers; anything else it leaves
// unread. It halves the time for metadata.
func (m *metaParser) quickFrame() (f rawFrame, ok bool) {
	b := m.Rest()
	if len(b) < 128 { // a little more than the longest
		return f, false
	}
	p := 0
	next := func(literal string) (v uint64) {
		if ok = string(b[p:p+len(literal)]) == literal; !ok {
			return 0
		}
		p += len(literal)
		from := p
		for c := b[p] - '0'; c <= 9 && p-from < 18; c = b[p] - '0' {
			v = v*10 + uint64(c)
			p++
		}
		ok = p > from && (b[from] != '0' || p == from+1)
		return v
	}
	if f.file = next(`{"file_id": `); !ok {
		return f, false
	}
	if f.line = int64(next(`, "line": `)); !ok {
		return f, false
	}
	if f.fn = next(`, "func_id": `); !ok || b[p] != '}' {
		return f, false
	}
	f.hasFile, f.hasFunc = true, true
	m.Pass(p + 1)
	return f, true
}

// frame reads one frame object.
func (m *metaParser) frame() (f rawFrame) {
	m.Next()
	at, _ := m.At()
	f.line = model.NoLine
	fields := 0
	for first := true; ; {
		key, ok := m.Member(&first)
		if !ok {
			break
		}
		switch string(key) {
		case "file_id":
			f.file, f.hasFile = m.id()
			fields |= 1
		case "func_id":
			f.fn, f.hasFunc = m.id()
			fields |= 2
		case "line":
			f.line = m.line()
			fields |= 4
		default:
			m.Value()
		}
	}
	if fields != 7 && !(m.recorded.ours && fields == 3) {
		m.warn("frame-fields", at, "a frame lacks file_id, line or func_id")
	}
	return f
}

// id reads the id of a file or function: a number, or what can be converted to one.
func (m *metaParser) id() (v uint64, ok bool) {
	text, isNumber := m.scalar()
	if v, ok = parseID(text); ok && isNumber {
		return v, true
	}
	if !ok && isNumber {
		if f, err := strconv.ParseFloat(string(text), 64); err == nil && f >= 0 && f < 1<<53 && f == math.Trunc(f) {
			v, ok = uint64(f), true
		}
	}
	at, _ := m.At()
	m.warn("frame-fields", at, "an id in a frame is not an unsigned integer")
	return v, ok
}

// line reads a line number; model.NoLine if it is invalid.
func (m *metaParser) line() int64 {
	text, isNumber := m.scalar()
	if v, ok := json.Int(text); ok && isNumber && v >= 0 {
		return v
	}
	at, _ := m.At()
	m.warn("frame-fields", at, "a line in a frame is not an unsigned integer")
	if v, ok := json.Int(text); ok {
		return v
	}
	if f, err := strconv.ParseFloat(string(text), 64); err == nil && math.Abs(f) < 1<<53 && f == math.Trunc(f) {
		return int64(f)
	}
	return model.NoLine
}

// scalar reads any value and returns the bytes of a number or string, nil for others.
func (m *metaParser) scalar() (text []byte, isNumber bool) {
	switch m.Value() {
	case json.String:
		return m.Text(), false
	case json.Number:
		return m.Text(), true
	}
	return nil, false
}

// frameSet numbers distinct frames. It is a hash table of its own because it is used for every frame of every stack:
// half of the time for metadata.
type frameSet struct {
	frames []rawFrame
	at     []uint32 // offset of the first occurrence
	slots  []uint32 // number+1; length a power of two, at most half full
	seed   uint64
}

// add returns the number of f; at is its position, used for the first occurrence.
func (s *frameSet) add(f rawFrame, at int) uint32 {
	if 2*len(s.frames) >= len(s.slots) {
		s.grow()
	}
	mask := uint64(len(s.slots) - 1)
	for i := s.hash(&f) & mask; ; i = (i + 1) & mask {
		n := s.slots[i]
		if n == 0 {
			s.frames = append(s.frames, f)
			s.at = append(s.at, uint32(at))
			s.slots[i] = uint32(len(s.frames))
			return uint32(len(s.frames) - 1)
		}
		if s.frames[n-1] == f {
			return n - 1
		}
	}
}

func (s *frameSet) grow() {
	if s.slots == nil {
		s.seed = rand.Uint64()
	}
	s.slots = make([]uint32, max(64, 2*len(s.slots)))
	mask := uint64(len(s.slots) - 1)
	for n := range s.frames {
		i := s.hash(&s.frames[n]) & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = uint32(n + 1)
	}
}

func (s *frameSet) hash(f *rawFrame) uint64 {
	return mix(mix(f.file, f.fn^s.seed), uint64(f.line)^bits.RotateLeft64(s.seed, 32))
}

// mix hashes two words; b must hold a random seed, so that no file can provoke collisions.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15^bits.RotateLeft64(b, 17), b|1)
	return hi ^ lo
}
