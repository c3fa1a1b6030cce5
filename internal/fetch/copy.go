package fetch

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/memtui/memtui/loaders"
)

// NewCopy begins to save a response of an address to a folder, nil if dir is "". Errors are those of [Copy.Finish].
func NewCopy(dir, address string) *Copy {
	if dir == "" {
		return nil
	}
	k := &Copy{dir: dir, address: address}
	k.file, k.err = os.CreateTemp(dir, ".memtui-*")
	return k
}

// Copy is a response being saved to a folder; nil saves nothing.
type Copy struct {
	file    *os.File // under a temporary name
	err     error
	dir     string
	address string
}

// Write implements [io.Writer]. Errors are reported at the end: the response is read nevertheless.
func (k *Copy) Write(p []byte) (int, error) {
	if k.err == nil {
		_, k.err = k.file.Write(p)
	}
	return len(p), nil
}

// Writer returns where a response is copied, nil for none.
func (k *Copy) Writer() io.Writer {
	if k == nil {
		return nil
	}
	return k
}

// Drop discards a response.
func (k *Copy) Drop() {
	if k != nil && k.file != nil {
		k.file.Close()
		os.Remove(k.file.Name())
	}
}

// Finish waits for the end of a response of that format, and gives its file a name with the time when it was fetched.
// It replaces no file.
func (k *Copy) Finish(src *loaders.Source, format string, at time.Time) error {
	if k == nil {
		return nil
	}
	defer k.Drop()
	src.ReadAt(make([]byte, 1), 1<<62) // waits for the end
	if k.err != nil {
		return k.err
	}
	dir := filepath.Dir(k.file.Name())
	for n := 1; ; n++ {
		out, err := os.OpenFile(filepath.Join(dir, k.name(src, format, at, n)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) && n < 1000 {
			continue
		}
		if err != nil {
			return err
		}
		_, err = k.file.Seek(0, io.SeekStart)
		if err == nil {
			_, err = io.Copy(out, k.file)
		}
		return errors.Join(err, out.Close())
	}
}

// name returns the nth name for a response: the last part of the address, the time, and the format.
func (k *Copy) name(src *loaders.Source, format string, at time.Time, n int) string {
	base := "profile"
	if u, err := url.Parse(k.address); err == nil && len(path.Base(u.Path)) > 1 {
		base = path.Base(u.Path)
	}
	base = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, base[:min(len(base), 64)])
	suffix := map[string]string{"pprof": ".pb"}[format]
	if suffix == "" {
		suffix = "." + format
	}
	suffix += map[string]string{"gzip": ".gz", "zstd": ".zst", "lz4": ".lz4"}[src.Outer()]
	name := strings.TrimLeft(base, "-") + "-" + at.UTC().Format("20060102T150405Z")
	if n > 1 {
		name += fmt.Sprintf("-%d", n)
	}
	return name + suffix
}
