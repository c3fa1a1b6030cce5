package pprof

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/loaders/symbols"
	"github.com/memtui/memtui/model"
)

// Fields of a Profile.
const (
	fieldSampleType = 1 + iota
	fieldSample
	fieldMapping
	fieldLocation
	fieldFunction
	fieldString
	fieldDrop
	fieldKeep
	fieldTime
	fieldDuration
	fieldPeriodType
	fieldPeriod
	fieldComment
	fieldDefaultType
	fieldDocURL
)

// tables is everything in a profile except its samples. Names are indexes of strings.
type tables struct {
	strings   []string
	types     []valueType
	period    valueType
	hasPeriod bool // there is a period type

	mappings  map[uint64]mapping
	functions map[uint64]function
	locations map[uint64]*location

	drop, keep, defaultType, docURL uint64
	comments                        []uint64
	time, duration, periodValue     int64
	samples                         int64
}

type valueType struct{ name, unit uint64 }

type mapping struct {
	file, buildID    uint64
	start, end, from uint64 // addresses, and the place of start in the file
}

type function struct{ name, systemName, file uint64 }

type line struct {
	function uint64
	line     int64
	column   uint64
}

type location struct {
	mapping, address uint64
	lines            []line
	offset           int64
	made             bool
	frames           []model.FrameID // leaf first, once computed
}

// take reads a field of the profile that is not a sample.
func (r *reader) take(m *message) {
	t := &r.tables
	switch m.number {
	case fieldSampleType, fieldPeriodType:
		v := r.valueType(m.inner())
		if m.number == fieldPeriodType {
			t.period, t.hasPeriod = v, true
		} else {
			t.types = append(t.types, v)
		}
	case fieldSample:
		t.samples++
	case fieldMapping:
		r.mapping(m.inner())
	case fieldLocation:
		r.location(m.inner())
	case fieldFunction:
		r.function(m.inner())
	case fieldString:
		r.string(m)
	case fieldDrop:
		t.drop = m.value
	case fieldKeep:
		t.keep = m.value
	case fieldTime:
		t.time = int64(m.value)
	case fieldDuration:
		t.duration = int64(m.value)
	case fieldPeriod:
		t.periodValue = int64(m.value)
	case fieldComment:
		if !m.numbers(func(v uint64) { t.comments = append(t.comments, v) }) {
			r.damaged(m, "a list of comments is truncated")
		}
	case fieldDefaultType:
		t.defaultType = m.value
	case fieldDocURL:
		t.docURL = m.value
	}
}

// wireOf returns the wire type of a field of Profile; known is false for other fields.
func wireOf(number uint64) (wire uint8, known bool) {
	switch number {
	case fieldSampleType, fieldSample, fieldMapping, fieldLocation, fieldFunction, fieldString, fieldPeriodType:
		return wireBytes, true
	case fieldDrop, fieldKeep, fieldTime, fieldDuration, fieldPeriod, fieldDefaultType, fieldDocURL, fieldComment:
		return wireVarint, true
	}
	return 0, false
}

// string adds a name; the first one must be empty, otherwise it is reported.
func (r *reader) string(m *message) {
	if len(r.tables.strings) == 0 && len(m.body) > 0 {
		r.Say(model.Error, "first-string", m.offset(), 0, "the first string is not empty")
	}
	if !utf8.Valid(m.body) {
		r.Say(model.Warning, "utf-8", m.offset(), 0, "a string is not UTF-8")
	}
	r.tables.strings = append(r.tables.strings, string(m.body[:min(len(m.body), 4*model.MaxName)]))
}

func (r *reader) valueType(m message) (v valueType) {
	for m.next() {
		switch m.number {
		case 1:
			v.name = m.value
		case 2:
			v.unit = m.value
		}
	}
	r.checkComplete(&m)
	return v
}

func (r *reader) mapping(m message) {
	var x mapping
	id, at := uint64(0), m.of
	for m.next() {
		switch m.number {
		case 1:
			id = m.value
		case 2:
			x.start = m.value
		case 3:
			x.end = m.value
		case 4:
			x.from = m.value
		case 5:
			x.file = m.value
		case 6:
			x.buildID = m.value
		}
	}
	r.checkComplete(&m)
	if _, known := r.tables.mappings[id]; r.newID("mapping", id, known, at) {
		r.tables.mappings[id] = x
	}
}

func (r *reader) function(m message) {
	var x function
	id, at := uint64(0), m.of
	for m.next() {
		switch m.number {
		case 1:
			id = m.value
		case 2:
			x.name = m.value
		case 3:
			x.systemName = m.value
		case 4:
			x.file = m.value
		}
	}
	r.checkComplete(&m)
	if _, known := r.tables.functions[id]; r.newID("function", id, known, at) {
		r.tables.functions[id] = x
	}
}

func (r *reader) location(m message) {
	x := &location{offset: m.of}
	id := uint64(0)
	for m.next() {
		switch m.number {
		case 1:
			id = m.value
		case 2:
			x.mapping = m.value
		case 3:
			x.address = m.value
		case 4:
			inner := m.inner()
			x.lines = append(x.lines, r.line(&inner))
			r.checkComplete(&inner)
		}
	}
	r.checkComplete(&m)
	if _, known := r.tables.locations[id]; r.newID("location", id, known, x.offset) {
		r.tables.locations[id] = x
	}
}

func (r *reader) line(m *message) (x line) {
	for m.next() {
		switch m.number {
		case 1:
			x.function = m.value
		case 2:
			x.line = int64(m.value)
		case 3:
			x.column = m.value
		}
	}
	return x
}

// newID reports whether an id is valid and new; the first of equal ones counts.
func (r *reader) newID(what string, id uint64, known bool, at int64) bool {
	switch {
	case id == 0:
		r.Say(model.Error, "id", at, 0, "a %s has the id 0, or none", what)
		return false
	case known:
		r.Say(model.Error, "id", at, 0, "%s %d is defined again: the first definition is used", what, id)
		return false
	}
	return true
}

// name returns a string, "" if the file has none of the index.
func (r *reader) name(index uint64, at int64) string {
	if index < uint64(len(r.tables.strings)) {
		return r.tables.strings[index]
	}
	r.Say(model.Error, "string-index", at, 0, "string %d is named, but there are only %d", index, len(r.tables.strings))
	return ""
}

// framesOf returns the frames of a location, leaf first: an inlined function precedes its caller.
func (r *reader) framesOf(l *location) []model.FrameID {
	if l.made {
		return l.frames
	}
	l.made = true
	base := weighted.Frame{Line: model.NoLine, DSO: r.dsoOf(l)}
	if r.Profile.DSOs[base.DSO].Kernel {
		base.Kind = model.FrameKernel
	}
	for i, x := range l.lines[:min(len(l.lines), weighted.MaxDepth)] {
		f := base
		fn, ok := r.tables.functions[x.function]
		if !ok && x.function != 0 {
			r.Say(model.Error, "reference", l.offset, 0, "a location names function %d, which does not exist", x.function)
		}
		if f.Function = r.name(fn.name, l.offset); f.Function == "" {
			f.Function = r.name(fn.systemName, l.offset)
		}
		f.File = r.name(fn.file, l.offset)
		if x.line > 0 {
			f.Line, f.Column = x.line, uint32(min(x.column, 1<<32-1))
		}
		if i < len(l.lines)-1 {
			f.Flags = model.FrameInlined
		}
		r.address(&f, l)
		l.frames = append(l.frames, r.Frame(f))
	}
	if len(l.lines) == 0 {
		r.address(&base, l)
		l.frames = []model.FrameID{r.Frame(base)}
	}
	return l.frames
}

// address names a frame without a name by its address.
func (r *reader) address(f *weighted.Frame, l *location) {
	if f.Function == "" && l.address != 0 {
		f.Function = r.unnamedAt(l)
		f.Flags |= model.FrameUnresolved
		r.unnamed++
	}
}

// unnamedAt returns the place of a location in its binary, or its address.
func (r *reader) unnamedAt(l *location) string {
	m, ok := r.tables.mappings[l.mapping]
	file := ""
	if ok && l.mapping != 0 {
		file = r.name(m.file, l.offset)
	}
	if file != "" && m.start <= l.address && l.address < m.end && m.start > 0 {
		return symbols.Unnamed(l.address-m.start+m.from, file)
	}
	return symbols.UnnamedAt("0x"+strconv.FormatUint(l.address, 16), file)
}

func (r *reader) dsoOf(l *location) model.DSOID {
	if l.mapping == 0 {
		return 0
	}
	m, ok := r.tables.mappings[l.mapping]
	if !ok {
		r.Say(model.Error, "reference", l.offset, 0, "a location names mapping %d, which does not exist", l.mapping)
		return 0
	}
	name := r.name(m.file, l.offset)
	return r.DSO(model.DSO{Name: name, BuildID: r.name(m.buildID, l.offset), Kernel: strings.HasPrefix(name, "[kernel")})
}
