package loaders

import (
	"errors"
	"fmt"
	"strings"
)

// Errors of an input as a whole. Their texts say what to do or what usually happened.
var (
	ErrUnknownFormat = errors.New("no known format")
	ErrShrank        = errors.New("the file became shorter while it was being read")
	ErrEmpty         = errors.New("the file is empty: usually its recorder crashed or was killed before its first flush or snapshot")
	ErrDirectory     = errors.New("this is a directory, not a file")
)

// LimitError reports that something is larger than the program reads, which is not the file's fault.
type LimitError struct {
	What string // one sentence that names the limit and how to raise it
}

func (e *LimitError) Error() string { return e.What }

// FormatError reports that an input cannot be used at all in the format that it claims to have, and where that was
// found.
type FormatError struct {
	Format string // name of the format
	Path   string // as the user named it
	Offset int64  // byte offset after decompression, -1 if it has none
	Line   int64  // line in text formats, 0 if it has none
	Field  string // what was being read, or ""
	Err    error
}

// Error states path, format, place, field and cause, leaving out unknown ones.
func (e *FormatError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Format)
	if e.Line > 0 {
		fmt.Fprintf(&b, " line %d", e.Line)
	} else if e.Offset >= 0 {
		fmt.Fprintf(&b, " at byte %d", e.Offset)
	}
	if e.Field != "" {
		b.WriteString(" (" + e.Field + ")")
	}
	return b.String() + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *FormatError) Unwrap() error { return e.Err }
