package memdump

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const (
	mbName     = "memdump-mb"
	mbMagic    = "MEMD"
	headerSize = 8
	newest     = 2 // newest known version
	flagGzip   = 1
)

// Sections and flags of points.
const (
	sectionStrings = 1
	sectionSeries  = 2

	pointMeta = 1
	pointName = 2
	pointUUID = 4
)

var errShort = errors.New("the file is too small to be a Memory Dump")

// mbHeader is the part of a file before the body.
type mbHeader struct {
	version, flags uint16
	size           int64 // 0 for a body without a header
	gzip           bool  // by the body's first bytes
}

// readHeader reads the first bytes.
func readHeader(ctx context.Context, src *loaders.Source, found *findings) (h mbHeader, err error) {
	head := make([]byte, headerSize+2)
	n, err := fill(&fileReader{ctx: ctx, src: src}, head)
	if err != nil && !errors.Is(err, io.EOF) {
		return h, err
	}
	head = head[:n]
	cut := n < headerSize && strings.HasPrefix(string(head)+mbMagic[min(n, 4):], mbMagic)
	if !cut && !strings.HasPrefix(string(head), mbMagic) {
		found.add(model.Error, "magic", 0, 0, "the header is missing: the file begins with what should follow it")
		return h, nil
	}
	if cut {
		return h, &loaders.FormatError{Format: mbName, Path: src.Path(), Offset: int64(n), Field: "truncated", Err: errShort}
	}
	h.version, h.flags = binary.LittleEndian.Uint16(head[4:]), binary.LittleEndian.Uint16(head[6:])
	h.size, h.gzip = headerSize, n > headerSize+1 && head[8] == 0x1f && head[9] == 0x8b
	h.judge(found, n > headerSize)
	return h, nil
}

func (h mbHeader) judge(found *findings, hasBody bool) {
	switch {
	case h.version == 0 && h.flags&flagGzip == 0:
		found.add(model.Error, "version", 4, 0, "version 0 without the gzip flag: the application rejects it")
	case h.version == 0 || h.version > newest:
		found.add(model.Warning, "version", 4, 0, "the version is neither 1 nor 2; the file is read as version 2")
	}
	if h.flags&flagGzip != 0 && !h.gzip && hasBody {
		found.add(model.Error, "flags", 6, 0, "the flags say gzip, but the body is not compressed")
	}
	if h.flags&^flagGzip != 0 {
		found.add(model.Warning, "flags", 6, 0, "unknown flags are set")
	}
}

// mbBody reads the body of a .mb from the beginning.
type mbBody struct {
	ctx     context.Context
	s       *stream
	a       *assembly
	found   *findings
	strings []string
	tables  []tableAt
	text    int  // bytes of strings
	strict  bool // decode every layout, to find its problems
	scratch []byte
}

// tableAt is the number of strings when a layout was read: later ones are not its own.
type tableAt struct{ layout, strings int }

// read reads all sections. An error is one of reading; problems of the file are in found.
func (b *mbBody) read() error {
	for !b.s.atEnd() && !b.a.overflow {
		at := b.s.offset()
		switch id := b.s.u8(); id {
		case sectionStrings:
			b.readStrings()
		case sectionSeries:
			b.tables = append(b.tables, tableAt{len(b.a.layouts), len(b.strings)})
			b.readSeries()
		default:
			b.found.add(model.Error, "section", at, 0, "an unknown section: it has no length, so the rest cannot be read")
			return nil
		}
		if b.s.big {
			b.found.add(model.Error, "varint", at, 0, bigNumber)
			b.s.big = false
		}
	}
	if err := b.ctx.Err(); err != nil {
		return err
	}
	var broken *damage
	switch err := b.s.err(); {
	case b.a.reached != "":
		b.a.limits.report(b.found, b.s.offset(), 0, b.a.reached)
	case b.a.overflow:
	case errors.As(err, &broken):
		b.found.add(model.Error, "gzip", b.s.offset(), 0, broken.Error())
	case err != nil:
		return err
	case b.s.ended && !b.a.limits.src.Limited():
		b.found.add(model.Error, "truncated", b.s.offset(), 0, "the file ends in the middle of a record")
	}
	return nil
}

func (b *mbBody) readStrings() {
	n := b.s.uvarint()
	for i := uint64(0); i < n && !b.s.ended; i++ {
		at := b.s.offset()
		length := b.s.uvarint()
		if l := b.a.limits.text(); length > uint64(l.n-b.text) {
			b.tooLong(length, l)
			return
		}
		if l := b.a.limits.strings(); len(b.strings) >= l.n {
			b.tooLong(length, l)
			return
		}
		if len(b.strings)%checkEvery == checkEvery-1 && b.a.limits.full() {
			b.a.reach(b.a.limits.short())
			return
		}
		b.scratch = b.s.appendTo(b.scratch[:0], length)
		if b.s.ended {
			return
		}
		if !utf8.Valid(b.scratch) {
			b.found.add(model.Warning, "name-encoding", at, 0, "a string is not UTF-8")
		}
		b.text += len(b.scratch)
		if len(b.scratch) > model.MaxName {
			b.found.add(model.Warning, "name-length", at, 0, model.LongName)
		}
		b.strings = append(b.strings, string(model.KeptName(b.scratch)))
	}
}

// tooLong ends reading at a string that is too long, or missing.
func (b *mbBody) tooLong(length uint64, l limit) {
	if b.s.skip(length); !b.s.ended {
		b.a.reach(l.String())
	}
}

// name resolves an index; a missing string is "".
func (b *mbBody) name(index uint64, at int64, code, message string) string {
	if index < uint64(len(b.strings)) {
		return b.strings[index]
	}
	if !b.s.ended {
		b.found.add(model.Error, code, at, 0, message)
	}
	return ""
}

func (b *mbBody) readSeries() {
	n := b.s.uvarint()
	for i := uint64(0); i < n && !b.s.ended && !b.a.overflow; i++ {
		at := b.s.offset()
		id := b.uuid("a series")
		name, color := b.s.uvarint(), b.s.uvarint()
		visible, points := b.s.u8(), b.s.uvarint()
		if b.s.ended {
			return
		}
		s := b.a.begin()
		if s == nil {
			return
		}
		s.ID, s.Visible, s.HasVisible = id, visible == 1, true
		s.Name = b.name(name, at, "string-index", "the name of a series is undefined")
		s.Color = b.name(color, at, "string-index", "the color of a series is undefined")
		if !colorful(s.Color) {
			b.found.add(model.Warning, "color", at, 0, "the color of a series is not like #1a73e8")
		}
		if visible > 1 {
			b.found.add(model.Warning, "series", at, 0, "the visibility of a series is neither 0 nor 1; only 1 means visible")
		}
		for k := uint64(0); k < points && !b.a.overflow && b.readPoint(points); k++ {
		}
		b.a.end(b.ctx, at, 0)
	}
}

// uuid reads 16 bytes; zeros are "".
func (b *mbBody) uuid(of string) string {
	at := b.s.offset()
	if !b.s.need(16) {
		return ""
	}
	id := [16]byte(b.s.buf[b.s.pos:])
	b.s.pos += 16
	if id == ([16]byte{}) {
		return ""
	}
	if !legalUUID(id) {
		b.found.add(model.Error, "uuid", at, 0, "the uuid of "+of+" does not conform to RFC 9562: the application rejects the file")
	}
	if of != "a series" && b.a.sink == nil {
		return "" // those of points are not used
	}
	return formatUUID(id)
}

func formatUUID(id [16]byte) string {
	var out [36]byte
	at := 0
	for i, c := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			out[at] = '-'
			at++
		}
		hex.Encode(out[at:], []byte{c})
		at += 2
	}
	return string(out[:])
}

// legalUUID reports whether version and variant are those of RFC 9562.
func legalUUID(id [16]byte) bool {
	v := id[6] >> 4
	return v >= 1 && v <= 8 && id[8]>>6 == 2 || id == [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
}

// colorful reports whether s is a color as on the web, or empty.
func colorful(s string) bool {
	if s == "" {
		return true
	}
	for _, c := range []byte(s[1:]) {
		if hexDigit(c) < 0 {
			return false
		}
	}
	return s[0] == '#' && (len(s) == 4 || len(s) == 5 || len(s) == 7 || len(s) == 9)
}

// readPoint reads one point; false if it is missing. A point that is cut off after its value is kept.
func (b *mbBody) readPoint(stated uint64) bool {
	if !b.s.need(17) {
		return false
	}
	at, rec := b.s.offset(), b.s.buf[b.s.pos:]
	us := math.Float64frombits(binary.LittleEndian.Uint64(rec))
	p := point{at: stampOf(us), value: math.Float64frombits(binary.LittleEndian.Uint64(rec[8:]))}
	flags := rec[16]
	b.s.pos += 17
	if b.a.sink != nil {
		b.a.exact = exactPoint{us: us}
	}
	if p.odd() {
		b.found.reportPoint(&p, at, 0)
	}
	if flags != 0 {
		b.readRest(&p, at, flags)
	}
	b.a.add(&p, stated)
	return !b.s.ended
}

// odd reports whether a point has a problem.
func (p *point) odd() bool {
	return uint64(p.at) > year9999 || p.value < 0 || p.value-p.value != 0
}

// reportPoint reports problems with the time or value of a point.
func (f *findings) reportPoint(p *point, offset, line int64) {
	if p.at == noStamp {
		f.add(model.Error, "timestamp", offset, line, "a point has no usable time; it was left out")
	} else if uint64(p.at) > year9999 {
		f.add(model.Warning, "timestamp", offset, line, "a time is before 1970 or after 9999")
	}
	if p.value-p.value != 0 {
		f.add(model.Error, "value", offset, line, "a point has no usable value; it was left out")
	}
	if p.value < 0 && !math.IsInf(p.value, 0) {
		f.add(model.Warning, "value", offset, line, "a value is negative")
	}
}

// readRest reads the parts of a point given by its flags.
func (b *mbBody) readRest(p *point, at int64, flags uint8) {
	if flags&^(pointMeta|pointName|pointUUID) != 0 {
		b.found.add(model.Warning, "point", at, 0, "a point has unknown flags")
	}
	if flags&pointName != 0 {
		p.event = b.name(b.s.uvarint(), at, "string-index", "the name of a point is undefined")
		b.a.exact.name, b.a.exact.hasName = p.event, true
	}
	if flags&pointUUID != 0 {
		b.a.exact.id = b.uuid("a point")
	}
	if flags&pointMeta == 0 {
		return
	}
	b.a.exact.hasMeta = true
	if event := b.s.uvarint(); event > 0 {
		name := b.name(event-1, at, "event-index", "the event of a point is undefined")
		if name != "" {
			p.event = name
		}
		b.a.exact.event, b.a.exact.hasEvent = name, true
	}
	if b.s.u8() != 1 || b.s.ended {
		return
	}
	p.layout, p.off = true, b.s.offset()
	if b.strict {
		d := mbLayout{s: b.s, strings: b.strings, limits: b.a.limits, found: b.found}
		d.read()
		if d.reached != "" {
			b.a.reach(d.reached)
		}
	} else {
		p.empty = skipLayout(b.s)
	}
	p.n = b.s.offset() - p.off
}
