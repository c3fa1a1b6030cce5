package memory

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve sets the length of a file, and allocates all of it on the disk.
func reserve(f *os.File, bytes int64) error {
	return unix.Fallocate(int(f.Fd()), 0, 0, bytes)
}
