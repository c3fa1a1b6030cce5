package memdump

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/memtui/memtui/model"
)

// value reads any value, leaving out what is inside objects and arrays, and returns the kind of its first token.
func (l *lexer) value() byte {
	t := l.next()
	switch t {
	case '{', '[':
		at, line := l.at, l.atLine
		l.skip(t)
		l.at, l.atLine = at, line
	case '}', ']', ',', ':':
		return l.stop("json", "a value is missing")
	}
	return t
}

// skip leaves out the rest of an object or array whose first character was read.
func (l *lexer) skip(open byte) {
	if l.strict {
		l.skipStrict(open)
		return
	}
	depth, quoted := 1, false
	for depth > 0 {
		if l.pos == len(l.buf) && !l.more() {
			l.cut()
			return
		}
		depth, quoted = l.skipChunk(depth, quoted)
	}
}

// Classes of bytes for skipping.
const (
	byteOther = iota
	byteQuote
	byteEscape
	byteOpen
	byteClose
	byteLine
)

var byteClass = [256]uint8{'"': byteQuote, '\\': byteEscape, '{': byteOpen, '[': byteOpen, '}': byteClose, ']': byteClose, '\n': byteLine}

// skipChunk skips within the buffer, which holds something; depth is 0 behind the last bracket.
func (l *lexer) skipChunk(depth int, quoted bool) (int, bool) {
	b, i := l.buf, l.pos
	defer func() { l.pos = i }()
	for i < len(b) {
		c := byteClass[b[i]]
		i++
		switch {
		case c == byteOther:
		case c == byteLine:
			l.line++
		case c == byteQuote:
			quoted = !quoted
		case quoted && c == byteEscape:
			if i == len(b) {
				l.pos = i
				l.char()
				i = l.pos
				return depth, quoted
			}
			i++
		case quoted:
		case c == byteOpen:
			depth++
		case c == byteClose:
			if depth--; depth == 0 {
				return 0, false
			}
		}
	}
	return depth, quoted
}

// skipStrict is skip that checks the grammar.
func (l *lexer) skipStrict(open byte) {
	if l.depth++; l.depth > maxDepth {
		l.stop("too-large", "brackets are nested deeper than the limit of 1,000, which nothing lifts: what follows was not read")
		return
	}
	for first := true; !l.dead; {
		if open == '{' {
			if _, ok := l.member(&first); !ok {
				break
			}
		} else if !l.element(&first) {
			break
		}
		l.value()
	}
	l.depth--
}

// key is the name of a member that means something.
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

// member reads the next key of an object, and its colon; false at the object's end. The caller reads the value.
func (l *lexer) member(first *bool) (key, bool) {
	if !*first {
		switch l.next() {
		case '}':
			return keyOther, false
		case ',':
		default:
			l.stop("json", "a comma or a closing bracket is missing")
			return keyOther, false
		}
	}
	switch l.next() {
	case tokString:
	case '}':
		if !*first {
			l.wrong(model.Error, "json", "a comma in front of a closing bracket")
		}
		return keyOther, false
	default:
		l.stop("json", "a name is missing")
		return keyOther, false
	}
	*first = false
	k := keyOf(l.text)
	if l.next() != ':' {
		l.stop("json", "a colon is missing")
		return k, false
	}
	return k, true
}

// element goes to the next element of an array; false at the array's end. The caller reads it.
func (l *lexer) element(first *bool) bool {
	if !*first {
		switch l.next() {
		case ']':
			return false
		case ',':
		default:
			l.stop("json", "a comma or a closing bracket is missing")
			return false
		}
	}
	if l.peek() == ']' {
		if !*first {
			l.wrong(model.Error, "json", "a comma in front of a closing bracket")
		}
		l.next()
		return false
	}
	*first = false
	return !l.dead
}

// number64 converts a number token. Whole numbers of up to 18 digits are exact in i.
func number64(text []byte) (f float64, i int64, exact bool) {
	digits := text
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	if len(digits) <= 18 {
		for _, c := range digits {
			if c < '0' || c > '9' {
				f, _ = strconv.ParseFloat(string(text), 64)
				return f, 0, false
			}
			i = i*10 + int64(c-'0')
		}
		if len(digits) < len(text) {
			i = -i
		}
		return float64(i), i, true
	}
	f, _ = strconv.ParseFloat(string(text), 64) // out of range is infinite
	return f, 0, false
}

// The forms of ISO 8601 that stand in files. A fraction may follow the seconds of any.
var (
	zoned   = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00"}
	unzoned = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04"}
)

// parseISO reads a timestamp, its microseconds kept; noStamp for what is none. local says that it has a time but no zone.
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

// numeric reads a value that should be a number: NaN for what is none. A string that holds a number counts as that.
func (l *lexer) numeric() (f float64, kind byte) {
	switch kind = l.value(); kind {
	case tokNumber:
		f, _, _ = number64(l.text)
		return f, kind
	case tokString:
		if text := bytes.TrimSpace(l.text); validNumber(text) {
			f, _, _ = number64(text)
			return f, kind
		}
	}
	return math.NaN(), kind
}
