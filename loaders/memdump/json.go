package memdump

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"unicode/utf8"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const jsonName = "memdump-json"

var errUTF16 = errors.New("the file is UTF-16 or UTF-32; only UTF-8 can be read (iconv -t UTF-8 converts it)")

// jsonFile reads a JSON file from the front.
type jsonFile struct {
	l      *lexer
	a      *assembly
	found  *findings
	strict bool // decode every layout, to find what is wrong with it
	lost   int64
}

// readJSON reads everything but layouts; those too, to judge them, when strict. Points go to a sink where there is one.
func readJSON(ctx context.Context, src *loaders.Source, strict bool, to *sink) (*jsonFile, error) {
	f := &jsonFile{found: &findings{}, strict: strict}
	f.a = newAssembly(limits{src}, f.found)
	f.a.sink = to
	f.l = newLexer(ctx, src, f.found, jsonChunk)
	f.l.strict = strict
	if err := f.mark(src); err != nil {
		return nil, err
	}
	f.root()
	if err := cmp.Or(f.l.err(), ctx.Err()); err != nil {
		return nil, err
	}
	if f.a.reached != "" {
		f.a.limits.tell(f.found, f.l.offset(), f.l.line, f.a.reached)
	}
	if f.l.dead || f.a.overflow {
		f.lost = max(0, src.Size()-f.l.offset())
	}
	if len(f.a.series) == 0 && !f.l.dead && !f.found.broken() {
		f.found.add(model.Warning, "series", 0, 1, "the file holds no series")
	}
	return f, nil
}

// mark skips a byte order mark; that of another encoding is refused.
func (f *jsonFile) mark(src *loaders.Source) error {
	l := f.l
	l.more()
	if err := l.err(); err != nil {
		return err
	}
	switch {
	case bytes.HasPrefix(l.buf, []byte("\xef\xbb\xbf")):
		l.pos = 3
	case wide(l.buf):
		return &loaders.FormatError{Format: jsonName, Path: src.Path(), Offset: 0, Line: 1, Field: "json", Err: errUTF16}
	}
	return nil
}

// wide recognizes JSON in UTF-16 or UTF-32, with or without a mark.
func wide(b []byte) bool {
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return true
	}
	return len(b) > 3 && (b[0] == 0 || b[1] == 0) && bytes.ContainsAny(b[:4], "[{")
}

// root reads the whole file.
func (f *jsonFile) root() {
	switch f.l.next() {
	case '[':
		for first := true; !f.a.overflow && f.l.element(&first); {
			if f.l.peek() != '{' {
				f.l.value()
				f.l.wrong(model.Error, "series", "a series is not an object; it was left out")
				continue
			}
			f.l.next()
			f.series()
		}
	case '{':
		f.series()
	case tokEnd:
	default:
		f.l.stop("root", "the root is neither an array nor an object")
	}
	if !f.l.dead && !f.a.overflow && f.l.space() {
		f.found.add(model.Error, "trailing", f.l.offset(), f.l.line, "something follows the JSON")
	}
}

// series reads a series whose bracket was read.
func (f *jsonFile) series() {
	l, at, line := f.l, f.l.at, f.l.atLine
	if f.a.begin() == nil {
		return
	}
	hasData := false
	for first := true; !f.a.overflow; {
		k, ok := l.member(&first)
		if !ok {
			break
		}
		if k == keyData && l.peek() == '[' {
			hasData = true
			l.next()
			f.points()
			continue
		}
		f.field(k)
	}
	if !hasData && !l.dead {
		f.found.add(model.Error, "series", at, line, "a series has no array of data")
	}
	f.a.end(l.r.ctx, at, line)
}

// field reads a member of a series that is not its data.
func (f *jsonFile) field(k key) {
	s := &f.a.series[len(f.a.series)-1]
	t := f.l.value()
	switch k {
	case keyID:
		s.ID = f.text(t, "series", "the id of a series is not a string")
		if !formalUUID(s.ID) {
			f.l.wrong(model.Error, "uuid", "the id of a series is not a UUID")
		}
	case keyName:
		s.Name = f.text(t, "series", "the name of a series is not a string")
	case keyColor:
		s.Color = f.text(t, "series", "the color of a series is not a string")
		if !colorful(s.Color) {
			f.l.wrong(model.Warning, "color", "the color of a series is not like #1a73e8")
		}
	case keyVisible:
		s.Visible, s.HasVisible = t == tokTrue, t == tokTrue || t == tokFalse
		if !s.HasVisible && t != tokNull {
			f.l.wrong(model.Warning, "series", "whether a series is visible is neither true nor false")
		}
	}
}

// formalUUID reports whether s has the form of a UUID, or is none.
func formalUUID(s string) bool {
	if s == "" {
		return true
	}
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash && c != '-' || !dash && hexDigit(c) < 0 {
			return false
		}
	}
	return true
}

// text is the string that was read as token t; null is "".
func (f *jsonFile) text(t byte, code, message string) string {
	switch {
	case t == tokNull:
	case t != tokString:
		f.l.wrong(model.Error, code, message)
	case !utf8.Valid(f.l.text):
		f.l.wrong(model.Warning, "name-encoding", "a string is not UTF-8")
		fallthrough
	default:
		if len(f.l.text) > model.MaxName {
			f.l.wrong(model.Warning, "name-length", model.LongName)
		}
		return string(model.KeptName(f.l.text))
	}
	return ""
}

// points reads the data of a series whose bracket was read.
func (f *jsonFile) points() {
	for first := true; !f.a.overflow && f.l.element(&first); {
		if f.l.peek() != '{' {
			if f.l.value(); f.l.dead {
				return
			}
			f.l.wrong(model.Error, "point", "a point is not an object; it was left out")
			f.a.exact = noPoint()
			f.a.add(&point{at: noStamp, value: math.NaN()}, 0)
			continue
		}
		f.l.next()
		p := point{at: noStamp, value: math.NaN()}
		f.a.exact = noPoint()
		at, line := f.l.at, f.l.atLine
		if f.point(&p); f.l.dead {
			return // a point that is cut is none
		}
		if p.odd() {
			f.found.tellPoint(&p, at, line)
		}
		f.a.add(&p, 0)
	}
}

// point reads a point whose bracket was read.
func (f *jsonFile) point(p *point) {
	name := ""
	for first := true; ; {
		k, ok := f.l.member(&first)
		if !ok {
			break
		}
		switch k {
		case keyTimestamp:
			p.at = f.timestamp()
		case keyValue:
			var kind byte
			p.value, kind = f.l.numeric()
			if kind == tokString && p.value == p.value {
				f.l.wrong(model.Error, "value", "a value is a string; it counts as the number in it")
			}
		case keyName:
			t := f.l.value()
			name = f.text(t, "point", "the name of a point is not a string")
			f.a.exact.name, f.a.exact.hasName = name, t == tokString
		case keyPointID:
			if t := f.l.value(); t == tokString && f.a.sink != nil {
				f.a.exact.id = string(f.l.text)
			}
		case keyMeta:
			f.meta(p)
		default:
			f.l.value()
		}
	}
	if p.event == "" {
		p.event = name
	}
}

// timestamp reads microseconds or a string of ISO 8601.
func (f *jsonFile) timestamp() int64 {
	switch f.l.value() {
	case tokNumber:
		us, i, exact := number64(f.l.text)
		f.a.exact.us = us
		if exact {
			return i
		}
		return stampOf(us)
	case tokString:
		us, local := parseISO(f.l.text)
		if local {
			f.l.wrong(model.Warning, "timestamp", "a time has no zone; it counts as UTC")
		}
		if us != noStamp {
			f.a.exact.us = float64(us)
		}
		return us
	}
	return noStamp
}

// meta reads event and layout of a point.
func (f *jsonFile) meta(p *point) {
	if f.l.peek() != '{' {
		if t := f.l.value(); t != tokNull && t != tokEnd {
			f.l.wrong(model.Error, "point", "the metadata of a point are not an object")
		}
		return
	}
	f.l.next()
	f.a.exact.hasMeta = true
	for first := true; ; {
		k, ok := f.l.member(&first)
		if !ok {
			return
		}
		switch {
		case k == keyEvent:
			t := f.l.value()
			p.event = f.text(t, "point", "the event of a point is not a string")
			f.a.exact.event, f.a.exact.hasEvent = p.event, t == tokString
		case k == keyMemory && f.l.peek() == '{':
			f.memory(p)
		case k == keyMemory:
			if t := f.l.value(); t != tokNull && t != tokEnd {
				f.l.wrong(model.Error, "page-types", "a memory layout is not an object; it was left out")
			}
		default:
			f.l.value()
		}
	}
}

// memory notes where a layout stands, and skips or checks it.
func (f *jsonFile) memory(p *point) {
	f.l.next()
	p.layout, p.off, p.line = true, f.l.at, f.l.atLine
	if f.strict {
		d := jsonLayout{l: f.l}
		d.read()
		if d.reached != "" {
			f.a.reach(d.reached)
		}
	} else {
		f.l.skip('{')
	}
	p.n = f.l.offset() - p.off
	p.empty = p.n < int64(len(`{"pageTypes":[{"pages":[{}]}]}`))
}
