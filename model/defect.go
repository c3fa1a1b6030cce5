package model

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// InternalError is a defect in memtui that showed while it worked on an input. It says nothing about the input: that is
// neither damaged nor changing for all we know.
type InternalError struct {
	Value any    // what was passed to panic, or why something cannot be
	About string // what was being done, "" where who says so knows
}

// Error says that it is a defect, what was being done, and what went wrong.
func (e *InternalError) Error() string {
	about := ""
	if e.About != "" {
		about = " while " + e.About
	}
	return fmt.Sprintf("internal error in memtui%s: %v", about, e.Value)
}

// CodeInternal is that of problems that are an [InternalError].
const CodeInternal = "internal-error"

// Internal reports whether an error is or holds an [InternalError].
func Internal(err error) bool {
	var e *InternalError
	return errors.As(err, &e)
}

// ErrGone is why a mapped byte of a file cannot be read: the file became shorter, or its disk fails.
var ErrGone = errors.New("a part of the file that was readable when it was opened can no longer be read")

// Recovered makes an error of what recover returned; it is nil for nil. A panic because a mapped byte is gone is
// [ErrGone], any other one an [InternalError].
func Recovered(r any) error {
	switch r.(type) {
	case nil:
		return nil
	case interface{ Addr() uintptr }:
		return ErrGone
	}
	return &InternalError{Value: r}
}

// Guarded returns the error of f, which runs on a goroutine of the program's own: neither a defect nor a byte of a
// mapping that is gone must take the program down. See [Recovered].
func Guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = Recovered(r)
		}
	}()
	return f()
}

// Changing is an [EventSource] that can tell whether its input is still what it was when it was opened.
type Changing interface {
	Changed() bool
}
