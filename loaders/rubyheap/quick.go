package rubyheap

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/loaders/internal/objects"
	"github.com/memtui/memtui/model"
)

// knownSites is how many sites are found without their texts being decoded: a power of two.
const knownSites = 256

// site is where objects were allocated, as a line states it.
type site struct {
	file, method []byte // values, method without a byte where there is none
	line         uint64
	name         uint32 // among the names
}

// quick reads a line of the form that the interpreter writes, without a look at what does not matter. It is false for
// any other one, which [parser.members] is for; what it has added then has to be taken back.
func (p *parser) quick(u *objects.Unit, text []byte) bool {
	p.line = parsed{}
	for i := 1; ; {
		end := nameEnd(text, i)
		if end < 0 {
			return false
		}
		value := end + 2
		if i = p.quickMember(u, text[i+1:end], text[value:]); i < 0 {
			return false
		}
		i += value
		switch {
		case i+2 < len(text) && text[i] == ',':
			if i++; text[i] == ' ' {
				i++
			}
		default:
			return i+1 == len(text) && text[i] == '}' && p.isUsual()
		}
	}
}

// isUsual reports whether nothing is odd about a line's names, as far as those are decoded: those of its site are when
// an object is added.
func (p *parser) isUsual() bool {
	l := &p.line
	if l.rawFile == nil {
		return !l.odd && l.rawMethod == nil
	}
	_, known := kindOf(l.kind)
	return !l.odd && known && l.id != 0
}

// nameEnd returns where the closing quote stands of a short name that begins at i, before a colon and a value, -1 where
// that is not so.
func nameEnd(text []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	if i >= len(text) || text[i] != '"' {
		return -1
	}
	i++
	for range 2 {
		if i+8 > len(text) {
			return -1
		}
		x := binary.LittleEndian.Uint64(text[i:])
		quotes := x ^ ones*'"'
		escapes := x ^ ones*'\\'
		if hit := (quotes - ones) &^ quotes & highs; hit != 0 {
			end := i + bits.TrailingZeros64(hit)/8
			if text[end-1] == '\\' || end+2 >= len(text) || text[end+1] != ':' {
				return -1
			}
			return end
		}
		if (escapes-ones)&^escapes&highs != 0 {
			return -1
		}
		i += 8
	}
	return -1
}

// quickMember takes a member whose value b begins with, and returns how many bytes that takes, -1 for anything else.
func (p *parser) quickMember(u *objects.Unit, name, b []byte) int {
	l := &p.line
	switch b[0] {
	case '"':
		switch string(name) {
		case "address":
			return quickAddress(&l.id, b)
		case "class":
			return quickAddress(&l.class, b)
		}
	case '[':
		if string(name) == "references" {
			return p.quickReferences(u, b)
		}
	case '{':
		if string(name) == "flags" {
			return p.quickFlags(b)
		}
	}
	n := json.ValueEnd(b, 0)
	if n < 0 {
		return -1
	}
	switch string(name) {
	case "file":
		l.rawFile = b[:n]
	case "method":
		l.rawMethod = b[:n]
	case "bytesize", "capacity", "encoding", "value", "frozen", "fstring", "embedded", "ivars", "size":
	default:
		p.member(u, name, b[:n])
	}
	return n
}

func quickAddress(to *uint64, b []byte) int {
	id, n := leading(b)
	if n == 0 {
		return -1
	}
	*to = id
	return n
}

// quickReferences reads an array of nothing but addresses.
func (p *parser) quickReferences(u *objects.Unit, b []byte) int {
	p.line.hasRefs = true
	for i := 1; i < len(b); {
		id, n := leading(b[i:])
		if n == 0 {
			return -1
		}
		u.Ref(id, model.LabelUnknown)
		i += n
		switch {
		case i+1 < len(b) && b[i] == ',':
			if i++; b[i] == ' ' {
				i++
			}
		case i < len(b) && b[i] == ']':
			return i + 1
		default:
			return -1
		}
	}
	return -1
}

// quickFlags passes the flags of an object, which are mostly those of the last one.
func (p *parser) quickFlags(b []byte) int {
	if len(p.flags) > 0 && bytes.HasPrefix(b, p.flags) {
		return len(p.flags)
	}
	n := json.ValueEnd(b, 0)
	if n > 0 {
		p.flags = append(p.flags[:0], b[:n]...)
	}
	return n
}

// knownSite returns the name of the site whose texts are not decoded.
func (p *parser) knownSite() uint32 {
	l := &p.line
	s := &p.places[l.number%knownSites]
	if s.line == l.number && bytes.Equal(s.file, l.rawFile) && bytes.Equal(s.method, l.rawMethod) {
		return s.name
	}
	file, method := l.rawFile, l.rawMethod
	l.file, l.rawFile = p.unescaped(file), nil
	if method != nil {
		l.method = p.unescaped(method)
	}
	name := p.siteName()
	if !l.odd {
		*s = site{append(s.file[:0], file...), append(s.method[:0], method...), l.number, name}
	}
	return name
}
