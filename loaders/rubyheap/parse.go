package rubyheap

import (
	"bytes"
	"strconv"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/loaders/internal/objects"
	"github.com/memtui/memtui/model"
)

// The columns of rows in addition to those of all dumps.
const (
	extraSite       = iota // where it was allocated, as an index of the names
	extraGeneration        // plus one, 0 if unknown
	extraShape             // number of its shape plus one, 0 if unknown
	numExtra
)

// The first bytes of lines that the interpreter writes.
var (
	beginObject = []byte(`{"address":"0x`)
	beginRoot   = []byte(`{"type":"ROOT"`)
)

// super is a class and its superclass.
type super struct{ class, super uint64 }

// shape is a step from one layout of an object's variables to the next.
type shape struct {
	parent uint64
	name   string // "" if the step adds no variable
}

// parser belongs to one goroutine.
type parser struct {
	names  *objects.Names
	supers []super
	shapes map[uint64]shape
	empty  int64 // slots without an object
	label  struct{ class, super, value, shared model.EdgeLabel }

	line parsed
	site []byte

	flags  []byte           // of the last line that had some
	places [knownSites]site // where objects were allocated, by the low bits of the line's number
}

// parsed is a parsed line.
type parsed struct {
	kind, root, name, inner          []byte // raw values: type, category, name, kind of objects without a class
	file, method                     []byte
	rawFile, rawMethod               []byte // values that are to be decoded only where the site is new
	id, class, super, value, size    uint64
	number, generation, shape        uint64 // number is that of the line of code
	length, shapeID, parentID        uint64
	realClass, edge                  []byte
	shapeNumber                      bool
	singleton, shared, odd           bool
	hasRefs, hasGeneration, hasShape bool
	hasLength                        bool
}

func newParser(n *objects.Names) *parser {
	p := &parser{names: n, shapes: map[uint64]shape{}}
	name := func(text string) model.EdgeLabel { return objects.StringLabel(n.Add([]byte(text))) }
	p.label.class, p.label.super, p.label.value, p.label.shared = name("<class>"), name("<superclass>"), name("<default>"), name("<shared>")
	return p
}

// Line implements [objects.Parser].
func (p *parser) Line(u *objects.Unit, line []byte, at int64, cut bool) {
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		return
	}
	if text[0] != '{' {
		i := bytes.Index(text, beginObject)
		if i < 0 {
			i = bytes.Index(text, beginRoot)
		}
		if i < 0 {
			p.foreign(u, at, cut)
			return
		}
		u.Problem(model.Warning, "foreign-line", at, "output of the program is mixed with the lines of the dump: it was left out")
		text = text[i:]
	}
	u.Ref(0, p.label.class) // its place
	if !p.quick(u, text) {
		u.Drop()
		u.Ref(0, p.label.class)
		p.members(u, text, at, cut)
	}
	p.finish(u, at, cut)
}

// foreign records a line that is not an object.
func (p *parser) foreign(u *objects.Unit, at int64, cut bool) {
	if cut {
		u.Problem(model.Error, objects.CodeTruncated, at, "the file ends within a line")
		return
	}
	u.Problem(model.Warning, "foreign-line", at, "output of the program is mixed with the lines of the dump: it was left out")
}

// members reads the members of a line, including those that can be salvaged from one that is not JSON.
func (p *parser) members(u *objects.Unit, text []byte, at int64, cut bool) {
	p.line = parsed{}
	v := json.Members(text)
	last := 1
	for {
		name, value, ok := v.Member()
		if !ok {
			break
		}
		p.member(u, name, value)
		last = len(text) - len(v.Rest())
	}
	switch {
	case v.Bad:
		p.salvage(u, text[last:])
		if cut {
			u.Problem(model.Error, objects.CodeTruncated, at, "the file ends within a line")
			return
		}
		p.line.odd = true
	case len(bytes.TrimSpace(v.Rest())) > 0:
		u.Problem(model.Warning, "foreign-line", at, "output of the program is mixed with the lines of the dump: it was left out")
	}
}

// member reads a member of a line.
func (p *parser) member(u *objects.Unit, name, value []byte) {
	l := &p.line
	switch string(name) {
	case "address":
		l.id, _ = address(value)
	case "type":
		l.kind = inside(value)
	case "class":
		l.class, _ = address(value)
	case "references":
		l.hasRefs = true
		p.references(u, value)
	case "memsize":
		l.size, _ = json.Uint(value)
	case "file":
		l.file = p.unescaped(value)
	case "line":
		l.number, _ = json.Uint(value)
	case "method":
		l.method = p.unescaped(value)
	case "generation":
		l.generation, l.hasGeneration = json.Uint(value)
	case "name":
		l.name = p.unescaped(value)
	case "shared":
		l.shared = string(value) == "true"
	default:
		p.rare(name, value)
	}
}

// rare reads members that few lines have.
func (p *parser) rare(name, value []byte) {
	l := &p.line
	switch string(name) {
	case "superclass":
		l.super, _ = address(value)
	case "default":
		l.value, _ = address(value)
	case "root":
		l.root = inside(value)
	case "imemo_type", "struct", "node_type":
		l.inner = inside(value)
	case "length":
		l.length, l.hasLength = json.Uint(value)
	case "shape_id":
		l.shape, l.hasShape = json.Uint(value)
	case "singleton":
		l.singleton = string(value) == "true"
	case "real_class_name":
		l.realClass = p.unescaped(value)
	case "id":
		l.shapeID, l.shapeNumber = json.Uint(value)
	case "parent_id":
		l.parentID, _ = json.Uint(value)
	case "edge_name":
		l.edge = p.unescaped(value)
	}
}

// inside returns the part between the quotes of a value.
func inside(value []byte) []byte {
	if len(value) < 2 || value[0] != '"' {
		return nil
	}
	return value[1 : len(value)-1]
}

// unescaped decodes a name, up to a byte that no name has.
func (p *parser) unescaped(value []byte) []byte {
	text, ok := json.Text(value)
	if !ok {
		return nil
	}
	if controlAt(text) >= 0 {
		p.line.odd = true
		return cutName(text)
	}
	return text
}

// controlAt returns the index of the first control character, -1 for none.
func controlAt(text []byte) int {
	for i, c := range text {
		if c < ' ' {
			return i
		}
	}
	return -1
}

// cutName returns the known part of a name: without the replacements of characters beyond ASCII.
func cutName(text []byte) []byte {
	kept := text
	for _, rubbish := range []string{`\u00ff`, "ÿ", `"`} {
		if i := bytes.Index(kept, []byte(rubbish)); i >= 0 {
			kept = kept[:i]
		}
	}
	if i := controlAt(kept); i >= 0 {
		kept = kept[:i]
	}
	if len(kept) == len(text) {
		return text
	}
	return append(bytes.Clone(kept), "…"...)
}

// address reads an address in quotes; ok is false for anything else.
func address(value []byte) (id uint64, ok bool) {
	if len(value) < 5 || len(value) > 20 || string(value[:3]) != `"0x` || value[len(value)-1] != '"' {
		return 0, false
	}
	return hex(value[3 : len(value)-1])
}

// hexDigits are the values of bytes as digits, noDigit for others.
var hexDigits = func() (t [256]byte) {
	for i := range t {
		t[i] = noDigit
	}
	for i, c := range "0123456789abcdef" {
		t[c] = byte(i)
	}
	for i, c := range "ABCDEF" {
		t[c] = byte(10 + i)
	}
	return t
}()

const noDigit = 255

func hex(digits []byte) (id uint64, ok bool) {
	for _, c := range digits {
		d := hexDigits[c]
		if d == noDigit {
			return 0, false
		}
		id = id<<4 | uint64(d)
	}
	return id, len(digits) > 0 && len(digits) <= 16
}

// leading reads an address in quotes at the start of b, and returns its length, 0 if there is none.
func leading(b []byte) (id uint64, n int) {
	if len(b) < 5 || b[0] != '"' || b[1] != '0' || b[2] != 'x' {
		return 0, 0
	}
	for i, c := range b[3:min(len(b), 20)] {
		d := hexDigits[c]
		if d != noDigit {
			id = id<<4 | uint64(d)
			continue
		}
		if c == '"' && i > 0 {
			return id, i + 4
		}
		break
	}
	return 0, 0
}

// references reads an array of addresses, which may be cut.
func (p *parser) references(u *objects.Unit, value []byte) {
	for i := 1; i < len(value); {
		if c := value[i]; c == ',' || c == ' ' {
			i++
			continue
		}
		if id, n := leading(value[i:]); n > 0 {
			u.Ref(id, model.LabelUnknown)
			i += n
			continue
		}
		open := bytes.IndexByte(value[i:], '"')
		if open < 0 {
			return
		}
		i += open
		end := bytes.IndexByte(value[i+1:], '"')
		if end < 0 {
			return
		}
		end += i + 2
		if id, ok := address(value[i:end]); ok {
			u.Ref(id, model.LabelUnknown)
		}
		i = end
	}
}

// salvage reads the part after a member that is not JSON.
func (p *parser) salvage(u *objects.Unit, tail []byte) {
	l := &p.line
	if n, ok := lastNumber(tail, `"memsize":`); ok {
		l.size = n
	}
	if n, ok := lastNumber(tail, `"generation":`); ok {
		l.generation, l.hasGeneration = n, true
	}
	if n, ok := lastNumber(tail, `"line":`); ok {
		l.number = n
	}
	if text, ok := between(tail, `"file":"`, `", "line":`); ok {
		l.file = cutControls(text)
	}
	if text, ok := between(tail, `"method":"`, `", "generation":`); ok {
		l.method = cutName(text)
	}
	if text, ok := between(tail, `"name":"`, `", "`); ok && l.name == nil {
		l.name = cutName(text)
	}
	if i := bytes.Index(tail, []byte(`"references":[`)); i >= 0 && !l.hasRefs {
		list := tail[i+len(`"references":`):]
		if end := bytes.IndexByte(list, ']'); end >= 0 {
			list = list[:end+1]
		}
		l.hasRefs = true
		p.references(u, list)
	}
}

// cutControls returns a name up to the first control character.
func cutControls(text []byte) []byte {
	if i := controlAt(text); i >= 0 {
		return append(bytes.Clone(text[:i]), "…"...)
	}
	return text
}

// lastNumber returns the number after the last occurrence of a key.
func lastNumber(b []byte, key string) (uint64, bool) {
	i := lastIndex(b, key)
	if i < 0 {
		return 0, false
	}
	digits := b[json.Blank(b, i+len(key)):]
	n := 0
	for n < len(digits) && digits[n] >= '0' && digits[n] <= '9' {
		n++
	}
	if n == len(digits) { // it may be cut
		return 0, false
	}
	return json.Uint(digits[:n])
}

// lastIndex is [bytes.LastIndex], which takes many times as long as searching from the start where a line is long and
// has no key.
func lastIndex(b []byte, key string) int {
	last := -1
	for from := 0; ; from = last + len(key) {
		i := bytes.Index(b[from:], []byte(key))
		if i < 0 {
			return last
		}
		last = from + i
	}
}

// between returns the part between the first occurrence of from and the last of to.
func between(b []byte, from, to string) ([]byte, bool) {
	i := bytes.Index(b, []byte(from))
	if i < 0 {
		return nil, false
	}
	b = b[i+len(from):]
	end := lastIndex(b, to)
	if end < 0 {
		return nil, false
	}
	return b[:end], true
}

// siteName returns the name of the place where an object was allocated, 0 for none.
func (p *parser) siteName() uint32 {
	l := &p.line
	if l.rawFile != nil {
		return p.knownSite()
	}
	if len(l.file) == 0 {
		return 0
	}
	b := append(p.site[:0], l.file...)
	b = strconv.AppendUint(append(b, ':'), l.number, 10)
	if len(l.method) > 0 {
		b = append(append(b, ' '), l.method...)
	}
	p.site = b
	return p.names.Add(b)
}
