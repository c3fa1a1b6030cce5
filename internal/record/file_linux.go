package record

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// insert makes room for n bytes at an offset without copying what follows, where the file system can.
func insert(f *os.File, at, n int64) error {
	return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_INSERT_RANGE, at, n)
}

// insertable reports whether the file system of a file of so many bytes can insert. It tries beyond the end, where one that
// can must refuse.
func insertable(f *os.File, size int64) bool {
	return errors.Is(insert(f, (size/reserve+1)*reserve, reserve), unix.EINVAL)
}
