package indexcache

import (
	"os"
	"path/filepath"
	"time"
)

const debugSuffix = ".memtui-debug"

// DebugFiles stores files of debug information, by keys like those of [Names], in the user's cache.
type DebugFiles struct{ Dir string }

// Path returns the path of a stored file that no other user can have written, "" if there is none.
func (d DebugFiles) Path(key string) string {
	if _, err := nameOf(key); err != nil {
		return ""
	}
	root, err := openFolder(d.Dir)
	if err != nil {
		return ""
	}
	defer root.Close()
	name := key + debugSuffix
	f, info, err := openTrusted(root, name)
	if err != nil {
		return ""
	}
	f.Close()
	if !info.Mode().IsRegular() {
		return ""
	}
	now := time.Now()
	_ = root.Chtimes(name, now, now) // the least recently used one is removed first
	return filepath.Join(d.Dir, name)
}

// Write stores the file that content writes, for the user only, and returns its path. content writes to a temporary
// file, which is renamed if it returns no error.
func (d DebugFiles) Write(key string, content func(f *os.File) error) (path string, err error) {
	if _, err := nameOf(key); err != nil {
		return "", err
	}
	if err := makeFolder(d.Dir); err != nil {
		return "", err
	}
	root, err := openFolder(d.Dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	name := key + debugSuffix
	f, temp, err := createTemp(root, name)
	if err != nil {
		return "", err
	}
	err = content(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		_ = root.Remove(temp)
		return "", err
	}
	evict(d.Dir, debugSuffix, name, time.Now())
	return filepath.Join(d.Dir, name), nil
}
