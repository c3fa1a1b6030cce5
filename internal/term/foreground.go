//go:build unix

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// Foreground reports whether f is a terminal that the program may write to unrequested: the program is not in the
// background of a shell.
func Foreground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
