package weighted

import (
	"context"
	"io"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

const (
	jsonChunk = 256 << 10
	jsonText  = 16 << 20 // bytes of a string that may be copied
)

// JSON returns a cursor over all of the source, after a byte order mark. It stops soon after ctx is done. Faults become
// problems with the code json.
func (b *Builder) JSON(ctx context.Context) *json.Cursor {
	b.src.KeepsInMemory()
	begin := int64(0)
	mark := make([]byte, 3)
	if n, _ := b.src.ReadAt(mark, 0); n == 3 && string(mark) == "\xef\xbb\xbf" {
		begin = 3
	}
	c := json.NewReader(&sourceReader{ctx, b.src, begin}, begin, jsonChunk)
	c.MaxText = jsonText
	c.OnFault = func(f json.Fault) bool {
		b.Say(model.Error, "json", f.Byte, f.Line, "%s", faultText(f.Code))
		return true
	}
	return c
}

// Unread counts the input after a cursor that had to stop as lost.
func (b *Builder) Unread(c *json.Cursor) {
	if c.Dead() && c.Err() == nil {
		b.Lost += max(0, b.src.Size()-c.Offset())
	}
}

// sourceReader reads a source starting at an offset.
type sourceReader struct {
	ctx context.Context
	src *loaders.Source
	off int64
}

// Read implements [io.Reader].
func (r *sourceReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.src.ReadSome(r.ctx, p, r.off)
	r.off += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

// faultText describes a fault.
func faultText(code json.Code) string {
	switch code {
	case json.Truncated:
		return "the text ends within JSON"
	case json.NoValue, json.BadByte:
		return "a value is missing"
	case json.NoName:
		return "the name of a member is missing"
	case json.NoColon:
		return "a colon is missing"
	case json.NoComma, json.NoMember:
		return "a comma or closing bracket is missing"
	case json.TooDeep:
		return "arrays and objects are nested deeper than the limit of 1,000, which cannot be raised: the rest was not read"
	case json.LongWord:
		return "a number is longer than the limit of 64 KiB, or a string than 1 GiB, which cannot be raised: the rest was not read"
	case json.LongText:
		return "a string is longer than the limit of " + model.Bytes(jsonText).String() + ", which cannot be raised: it was cut"
	case json.ExtraComma:
		return "a comma before a closing bracket"
	case json.BadWord:
		return "this is neither a number nor true, false or null"
	case json.BadEscape:
		return "an unknown escape"
	}
	return "a control character inside a string"
}

// Number reads a JSON number: an integer of 64 bits stays exact. ok is false for anything else.
func Number(text []byte) (n model.Number, ok bool) {
	if u, ok := json.Uint(text); ok {
		return model.Unsigned(u), true
	}
	if i, ok := json.Int(text); ok {
		return model.Signed(i), true
	}
	f, ok := json.Float(text)
	if f-f != 0 { // infinite
		return n, false
	}
	return model.Float(f), ok
}
