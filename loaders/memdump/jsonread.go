package memdump

import (
	"bytes"
	"context"
	"io"
	"math"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

const jsonChunk = 256 << 10

// reader reads JSON and reports its problems. Only one goroutine may use it.
type reader struct {
	*json.Cursor
	src    *loaders.Source
	ctx    context.Context
	found  *findings
	limits limits
}

// newReader reads n bytes starting at an offset, or all for -1, in chunks.
func newReader(ctx context.Context, src *loaders.Source, found *findings, off, n int64, chunk int) *reader {
	var in io.Reader = &fileReader{ctx: ctx, src: src, off: off}
	if n >= 0 {
		in = io.LimitReader(in, n)
	}
	l := &reader{Cursor: json.NewReader(in, off, chunk), src: src, ctx: ctx, found: found, limits: limits{src}}
	l.OnFault, l.MaxText, l.Loose = l.fault, l.limits.text().n, true
	return l
}

// faults are the messages of JSON faults.
var faults = [...]string{
	json.Truncated:  "the file ends in the middle of its JSON",
	json.NoValue:    "a value is missing",
	json.NoName:     "a name is missing",
	json.NoColon:    "a colon is missing",
	json.NoComma:    "a comma or a closing bracket is missing",
	json.NoMember:   "a comma or a closing bracket is missing",
	json.BadByte:    "an unexpected character",
	json.TooDeep:    "brackets are nested deeper than the limit of 1,000, which cannot be raised: the rest was not read",
	json.LongWord:   "a word is longer than the limit of 64 KiB, which cannot be raised: the rest was not read",
	json.ExtraComma: "a comma before a closing bracket",
	json.BadWord:    "a word that is not JSON, such as NaN; it is read as null",
	json.BadEscape:  "an unknown escape",
	json.Control:    "a control character inside a string",
}

// fault reports a fault, and continues if possible.
func (l *reader) fault(f json.Fault) bool {
	switch f.Code {
	case json.ExtraComma, json.BadWord, json.BadEscape, json.Control:
		l.found.add(model.Error, "json", f.At, f.Line, faults[f.Code])
		return true
	case json.LongText:
		limit := l.limits.text() // which rises while a pipe delivers
		if limit.n > l.MaxText {
			l.MaxText = limit.n
			return true
		}
		l.limits.report(l.found, l.Offset(), l.Line(), limit.String())
		return false
	}
	code := "json"
	switch f.Code {
	case json.Truncated:
		if l.src.Limited() {
			return false // the limit was reported
		}
		code = "truncated"
	case json.TooDeep, json.LongWord:
		code = "too-large"
	}
	l.found.add(model.Error, code, l.Offset(), l.Line(), faults[f.Code])
	return false
}

// wrong counts a problem of the current token that can be ignored. After the end of reading it counts none: missing
// parts were not read then.
func (l *reader) wrong(severity model.Severity, code, message string) {
	if !l.Dead() {
		at, line := l.At()
		l.found.add(severity, code, at, line, message)
	}
}

// member reads the next key of an object, and its colon; false at the object's end. The caller reads the value.
func (l *reader) member(first *bool) (key, bool) {
	name, ok := l.Member(first)
	return keyOf(name), ok
}

// numeric reads a value that should be a number: NaN for anything else. A string that contains a number counts as that.
func (l *reader) numeric() (f float64, kind json.Kind) {
	switch kind = l.Value(); kind {
	case json.Number:
		f, _ = json.Float(l.Text())
		return f, kind
	case json.String:
		if text := bytes.TrimSpace(l.Text()); json.IsNumber(text) {
			f, _ = json.Float(text)
			return f, kind
		}
	}
	return math.NaN(), kind
}

// key is the name of a known member.
type key uint8

const (
	keyOther key = iota
	keyID
	keyName
	keyColor
	keyVisible
	keyData
	keyTimestamp
	keyPointID
	keyValue
	keyMeta
	keyEvent
	keyMemory
	keyPageTypes
	keyUniform
	keyPages
	keySize
	keyBitmap
	keyFreeList
	keyOccupancy
)

func keyOf(text []byte) key {
	switch string(text) {
	case "id":
		return keyID
	case "name":
		return keyName
	case "color":
		return keyColor
	case "visible":
		return keyVisible
	case "data":
		return keyData
	case "timestamp":
		return keyTimestamp
	case "pointId":
		return keyPointID
	case "value":
		return keyValue
	case "meta":
		return keyMeta
	case "event":
		return keyEvent
	case "memory":
		return keyMemory
	}
	return layoutKeyOf(text)
}

func layoutKeyOf(text []byte) key {
	switch string(text) {
	case "pageTypes":
		return keyPageTypes
	case "uniformPageSize":
		return keyUniform
	case "pages":
		return keyPages
	case "size":
		return keySize
	case "bitmap":
		return keyBitmap
	case "freeList":
		return keyFreeList
	case "occupancy":
		return keyOccupancy
	}
	return keyOther
}

// The forms of ISO 8601 in files. A fraction may follow the seconds of any.
var (
	zoned   = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00"}
	unzoned = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04"}
)

// parseISO reads a timestamp with its microseconds; noStamp if it is invalid. local reports that it has a time but no
// zone.
func parseISO(text []byte) (us int64, local bool) {
	s := string(bytes.TrimSpace(text))
	if len(s) < len("2006-01-02") || len(s) > 64 {
		return noStamp, false
	}
	for _, form := range zoned {
		if t, err := time.Parse(form, s); err == nil {
			return t.UnixMicro(), false
		}
	}
	for _, form := range unzoned {
		if t, err := time.Parse(form, s); err == nil {
			return t.UnixMicro(), true
		}
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		return t.UnixMicro(), false
	}
	return noStamp, false
}
