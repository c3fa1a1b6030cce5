package report

import (
	"io"
	"strconv"

	"github.com/memtui/memtui/export/report/object"
)

// WriteJSON writes v, a struct of this package's kind, as [object.Write] does.
func WriteJSON(w io.Writer, v any) error { return object.Write(w, v) }

// AppendJSON writes the frames without reflection: there may be fifty thousand.
func (f Frames) AppendJSON(dst []byte) []byte {
	if f.stacks == nil {
		return append(dst, "[]"...)
	}
	dst = append(dst, '[')
	sep := ""
	for p := range f.All() {
		dst = append(dst, sep...)
		dst = appendPlace(dst, p)
		sep = ", "
	}
	return append(dst, ']')
}

// appendPlace is not a method: the rows that embed a Place would inherit it.
func appendPlace(dst []byte, p Place) []byte {
	dst = append(dst, '{')
	sep := ""
	if p.Function != nil {
		dst = object.Quote(append(dst, `"function": `...), *p.Function)
		sep = ", "
	}
	if p.File != nil {
		dst = object.Quote(append(append(dst, sep...), `"file": `...), *p.File)
		sep = ", "
	}
	if p.Line != nil {
		dst = strconv.AppendInt(append(append(dst, sep...), `"line": `...), *p.Line, 10)
	}
	return append(dst, '}')
}
