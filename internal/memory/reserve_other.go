//go:build !linux

package memory

import "os"

// reserve sets the length of a file, and allocates all of it on the disk.
func reserve(f *os.File, bytes int64) error {
	zeros := make([]byte, 1<<20)
	for at := int64(0); at < bytes; at += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(int64(len(zeros)), bytes-at)], at); err != nil {
			return err
		}
	}
	return nil
}
