// Package output writes files as their names say.
package output

import (
	"cmp"
	"compress/gzip"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/memtui/memtui/export"
)

// Suffix returns the compression in a file's name: ".zst", ".gz", ".lz4" or "".
func Suffix(path string) string {
	for _, s := range []string{".zst", ".gz", ".lz4"} {
		if strings.HasSuffix(strings.ToLower(path), s) {
			return s
		}
	}
	return ""
}

// Compressed lets f write through the compression that a suffix names. blocks reports that it is one of blocks that can
// be read one by one, of zstd unless the suffix names another.
func Compressed(w io.Writer, suffix string, blocks bool, f func(io.Writer) error) error {
	var z io.WriteCloser
	switch {
	case blocks:
		b, err := export.NewBlockWriter(w, suffix == ".lz4")
		if err != nil {
			return err
		}
		z = b
	case suffix == ".lz4":
		z = lz4.NewWriter(w)
	case suffix == ".zst":
		e, err := zstd.NewWriter(w)
		if err != nil {
			return err
		}
		z = e
	case suffix == ".gz":
		z = gzip.NewWriter(w)
	default:
		return f(w)
	}
	err := f(z)
	return cmp.Or(err, z.Close())
}

// Same reports whether two names are the same existing file. "-" is not a file.
func Same(in, out string) bool {
	if in == "-" || out == "-" {
		return false
	}
	a, err := os.Stat(in)
	if err != nil {
		return false
	}
	b, err := os.Stat(out)
	return err == nil && a.Mode().IsRegular() && os.SameFile(a, b)
}

// Permission returns the permission of the file of that name, or that of new files.
func Permission(path string) os.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}
