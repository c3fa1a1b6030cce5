package term

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// ErrUnusable is wrapped by every error of Open: there is no terminal, or none that can show a full screen. A caller
// may fall back to plain text.
var ErrUnusable = errors.New("no usable terminal")

// ErrGone ends Run when the terminal can no longer be read, usually because its window was closed and the hang-up
// signal is ignored.
var ErrGone = errors.New("the terminal is gone")

// SignalError ends Run when a signal requested the process to stop.
type SignalError struct{ Signal syscall.Signal }

func (e *SignalError) Error() string {
	return "ended by " + unix.SignalName(e.Signal)
}

// Status returns the conventional exit status, 128 plus the signal's number.
func (e *SignalError) Status() int { return 128 + int(e.Signal) }

// ErrFileGone ends Run when drawing needed a mapped byte of a file that can no longer be read.
var ErrFileGone = errors.New("a part of a file that was on screen can no longer be read: the file became shorter, or its disk fails")

// PanicError ends Run when the loop or a goroutine started with Go or Background panicked. Run has already printed the
// stack; Error returns one line.
type PanicError struct {
	Value any    // what was passed to panic
	Stack []byte // the stack of the goroutine that panicked
}

func (e *PanicError) Error() string {
	return "internal error in memtui: " + printable(fmt.Sprint(e.Value))
}

// Unwrap returns the value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// printable makes text safe to print on the restored terminal: newlines and tabs stay, other control bytes and invalid
// UTF-8 become U+FFFD.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unsafeRune(r) && r != utf8.RuneError {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
