package indexcache

import (
	"errors"
	"io"
	"os"
	"strings"
	"time"
)

const (
	namesSuffix = ".memtui-names"
	maxNames    = 64 << 20 // bytes of one file
)

// Names stores data about binaries in files of the user's cache. It implements [loaders.NameCache].
type Names struct{ Dir string }

var errNames = errors.New("no such names are kept")

// nameOf returns the file of a key.
func nameOf(key string) (string, error) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
	if key == "" || len(key) > 200 || strings.Trim(key, letters) != "" {
		return "", errNames
	}
	return key + namesSuffix, nil
}

// Load returns the data stored under a key, from a file that no other user can have written.
func (n Names) Load(key string) ([]byte, error) {
	name, err := nameOf(key)
	if err != nil {
		return nil, err
	}
	root, err := openFolder(n.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, info, err := openTrusted(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !info.Mode().IsRegular() || info.Size() > maxNames {
		return nil, errNames
	}
	now := time.Now()
	_ = root.Chtimes(name, now, now) // the least recently used one is removed first
	return io.ReadAll(io.LimitReader(f, maxNames))
}

// Store stores data under a key, atomically: others see the old file or the new one.
func (n Names) Store(key string, data []byte) error {
	name, err := nameOf(key)
	if err != nil || len(data) > maxNames {
		return errNames
	}
	if err := makeFolder(n.Dir); err != nil {
		return err
	}
	root, err := openFolder(n.Dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := writeNames(root, name, data); err != nil {
		return err
	}
	evict(n.Dir, namesSuffix, name, time.Now())
	return nil
}

// writeNames writes a temporary file and renames it.
func writeNames(root *os.Root, name string, data []byte) error {
	f, temp, err := createTemp(root, name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		_ = root.Remove(temp)
	}
	return err
}
