package model

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/memtui/memtui/model/sections"
)

// InternalError is a defect in memtui found while it worked on an input. It does not mean that the input is damaged or
// changing.
type InternalError struct {
	Value any    // what was passed to panic, or a description of the impossible state
	About string // what was being done, "" if the caller knows
}

// Error says that this is a defect, what was being done, and what went wrong.
func (e *InternalError) Error() string {
	about := ""
	if e.About != "" {
		about = " while " + e.About
	}
	return fmt.Sprintf("internal error in memtui%s: %v", about, e.Value)
}

// CodeInternal is the code of problems that are an [InternalError].
const CodeInternal = "internal-error"

// Internal reports whether an error is or wraps an [InternalError].
func Internal(err error) bool {
	var e *InternalError
	return errors.As(err, &e)
}

// ErrGone reports that a mapped byte of a file cannot be read: the file became shorter, or its disk fails.
var ErrGone = errors.New("a part of the file that was readable when it was opened can no longer be read")

// Recovered converts a value returned by recover to an error, nil to nil. A panic caused by a missing mapped byte
// becomes [ErrGone], any other one an [InternalError].
func Recovered(r any) error {
	switch r.(type) {
	case nil:
		return nil
	case interface{ Addr() uintptr }:
		return ErrGone
	}
	return &InternalError{Value: r}
}

// Guarded runs f, on a goroutine of the program's own, and returns its error: neither a defect nor a missing byte of a
// mapping must crash the program. See [Recovered].
func Guarded(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = Recovered(r)
		}
	}()
	return f()
}

// Trusting runs f, which works on files that were taken into use under a context before all of them was verified. A
// panic becomes an error where one of them is damaged: that was discarded, see [sections.Uses.Distrust]. Others go on.
func Trusting(ctx context.Context, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	ended := false
	defer func() {
		if ended {
			return
		}
		if err = sections.UsesOf(ctx).Distrust(); err != nil {
			_ = recover()
		}
	}()
	err = f()
	ended = true
	return err
}

// Changing is an [EventSource] that can report whether its input changed since it was opened.
type Changing interface {
	Changed() bool
}
