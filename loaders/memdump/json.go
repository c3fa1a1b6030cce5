package memdump

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"unicode/utf8"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

const jsonName = "memdump-json"

var errUTF16 = errors.New("the file is UTF-16 or UTF-32; only UTF-8 can be read (iconv -t UTF-8 converts it)")

// jsonFile reads a JSON file from the beginning.
type jsonFile struct {
	l      *reader
	a      *assembly
	found  *findings
	strict bool // decode every layout, to find its problems
	lost   int64
}

// readJSON reads everything but layouts; with strict it also checks those. Points go to a sink if there is one.
func readJSON(ctx context.Context, src *loaders.Source, strict bool, to *sink) (*jsonFile, error) {
	src.KeepsInMemory()
	f := &jsonFile{found: &findings{}, strict: strict}
	f.a = newAssembly(limits{src}, f.found)
	f.a.sink = to
	begin, err := passMark(ctx, src)
	if err != nil {
		return nil, err
	}
	f.l = newReader(ctx, src, f.found, begin, -1, jsonChunk)
	f.l.Loose = !strict
	f.root()
	if err := cmp.Or(f.l.Err(), ctx.Err()); err != nil {
		return nil, err
	}
	if f.a.reached != "" {
		f.a.limits.report(f.found, f.l.Offset(), f.l.Line(), f.a.reached)
	}
	if f.l.Dead() || f.a.overflow {
		f.lost = max(0, src.Size()-f.l.Offset())
	}
	if len(f.a.series) == 0 && !f.l.Dead() && !f.found.broken() {
		f.found.add(model.Warning, "series", 0, 1, "the file holds no series")
	}
	return f, nil
}

// passMark returns where JSON begins: after a byte order mark. That of another encoding is refused.
func passMark(ctx context.Context, src *loaders.Source) (begin int64, err error) {
	head := make([]byte, 4)
	n, err := fill(&fileReader{ctx: ctx, src: src}, head)
	head = head[:n]
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return 0, err
	case bytes.HasPrefix(head, []byte(byteOrderMark)):
		return int64(len(byteOrderMark)), nil
	case wide(head):
		return 0, &loaders.FormatError{Format: jsonName, Path: src.Path(), Offset: 0, Line: 1, Field: "json", Err: errUTF16}
	}
	return 0, nil
}

// byteOrderMark begins UTF-8 files of some programs, though JSON does not allow it.
const byteOrderMark = "\xef\xbb\xbf"

// wide recognizes JSON in UTF-16 or UTF-32, with or without a mark.
func wide(b []byte) bool {
	if bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")) {
		return true
	}
	return len(b) > 3 && (b[0] == 0 || b[1] == 0) && bytes.ContainsAny(b[:4], "[{")
}

// root reads the complete file.
func (f *jsonFile) root() {
	switch f.l.Next() {
	case '[':
		for first := true; !f.a.overflow && f.l.Element(&first); {
			if f.l.Peek() != '{' {
				f.l.Value()
				f.l.wrong(model.Error, "series", "a series is not an object; it was left out")
				continue
			}
			f.l.Next()
			f.series()
		}
	case '{':
		f.series()
	case json.End:
	default:
		f.found.add(model.Error, "root", f.l.Offset(), f.l.Line(), "the root is neither an array nor an object")
		f.l.Stop()
	}
	if !f.a.overflow && f.l.More() {
		f.found.add(model.Error, "trailing", f.l.Offset(), f.l.Line(), "data follows the JSON")
	}
}

// series reads a series whose bracket was read.
func (f *jsonFile) series() {
	l := f.l
	at, line := l.At()
	if f.a.begin() == nil {
		return
	}
	hasData := false
	for first := true; !f.a.overflow; {
		k, ok := l.member(&first)
		if !ok {
			break
		}
		if k == keyData && l.Peek() == '[' {
			hasData = true
			l.Next()
			f.points()
			continue
		}
		f.field(k)
	}
	if !hasData && !l.Dead() {
		f.found.add(model.Error, "series", at, line, "a series has no data array")
	}
	f.a.end(l.ctx, at, line)
}

// field reads a member of a series other than its data.
func (f *jsonFile) field(k key) {
	s := &f.a.series[len(f.a.series)-1]
	t := f.l.Value()
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
		s.Visible, s.HasVisible = t == json.True, t == json.True || t == json.False
		if !s.HasVisible && t != json.Null {
			f.l.wrong(model.Warning, "series", "the visibility of a series is neither true nor false")
		}
	}
}

// formalUUID reports whether s has the form of a UUID, or is empty.
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

// text returns the string in the current token t; null is "".
func (f *jsonFile) text(t json.Kind, code, message string) string {
	switch {
	case t == json.Null:
	case t != json.String:
		f.l.wrong(model.Error, code, message)
	case !utf8.Valid(f.l.Text()):
		f.l.wrong(model.Warning, "name-encoding", "a string is not UTF-8")
		fallthrough
	default:
		if len(f.l.Text()) > model.MaxName {
			f.l.wrong(model.Warning, "name-length", model.LongName)
		}
		return string(model.KeptName(f.l.Text()))
	}
	return ""
}

// points reads the data of a series whose bracket was read.
func (f *jsonFile) points() {
	for first := true; !f.a.overflow && f.l.Element(&first); {
		if f.l.Peek() != '{' {
			if f.l.Value(); f.l.Dead() {
				return
			}
			f.l.wrong(model.Error, "point", "a point is not an object; it was left out")
			f.a.exact = noPoint()
			f.a.add(&point{at: noStamp, value: math.NaN()}, 0)
			continue
		}
		f.l.Next()
		p := point{at: noStamp, value: math.NaN()}
		f.a.exact = noPoint()
		at, line := f.l.At()
		if f.point(&p); f.l.Dead() {
			return // a point that is cut off does not count
		}
		if p.odd() {
			f.found.reportPoint(&p, at, line)
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
			var kind json.Kind
			p.value, kind = f.l.numeric()
			if kind == json.String && p.value == p.value {
				f.l.wrong(model.Error, "value", "a value is a string; it is read as the number in it")
			}
		case keyName:
			t := f.l.Value()
			name = f.text(t, "point", "the name of a point is not a string")
			f.a.exact.name, f.a.exact.hasName = name, t == json.String
		case keyPointID:
			if t := f.l.Value(); t == json.String && f.a.sink != nil {
				f.a.exact.id = string(f.l.Text())
			}
		case keyMeta:
			f.meta(p)
		default:
			f.l.Value()
		}
	}
	if p.event == "" {
		p.event = name
	}
}

// timestamp reads microseconds or a string of ISO 8601.
func (f *jsonFile) timestamp() int64 {
	switch f.l.Value() {
	case json.Number:
		if i, exact := json.Int(f.l.Text()); exact && -maxStamp < i && i < maxStamp {
			f.a.exact.us = float64(i)
			return i
		}
		us, _ := json.Float(f.l.Text())
		f.a.exact.us = us
		return stampOf(us)
	case json.String:
		us, local := parseISO(f.l.Text())
		if local {
			f.l.wrong(model.Warning, "timestamp", "a time has no zone; UTC is assumed")
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
	if f.l.Peek() != '{' {
		if t := f.l.Value(); t != json.Null && t != json.End {
			f.l.wrong(model.Error, "point", "the metadata of a point is not an object")
		}
		return
	}
	f.l.Next()
	f.a.exact.hasMeta = true
	for first := true; ; {
		k, ok := f.l.member(&first)
		if !ok {
			return
		}
		switch {
		case k == keyEvent:
			t := f.l.Value()
			p.event = f.text(t, "point", "the event of a point is not a string")
			f.a.exact.event, f.a.exact.hasEvent = p.event, t == json.String
		case k == keyMemory && f.l.Peek() == '{':
			f.memory(p)
		case k == keyMemory:
			if t := f.l.Value(); t != json.Null && t != json.End {
				f.l.wrong(model.Error, "page-types", "a memory layout is not an object; it was left out")
			}
		default:
			f.l.Value()
		}
	}
}

// memory records the position of a layout, and skips or checks it.
func (f *jsonFile) memory(p *point) {
	f.l.Next()
	p.layout = true
	p.off, p.line = f.l.At()
	if f.strict {
		d := jsonLayout{l: f.l}
		d.read()
		if d.reached != "" {
			f.a.reach(d.reached)
		}
	} else {
		f.l.Skip('{')
	}
	p.n = f.l.Offset() - p.off
	p.empty = p.n < int64(len(`{"pageTypes":[{"pages":[{}]}]}`))
}
