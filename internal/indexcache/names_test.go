package indexcache

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memtui/memtui/loaders"
)

func TestNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memtui")
	var n loaders.NameCache = Names{dir}
	if b, err := n.Load("names-12ab"); err == nil {
		t.Errorf("%q before anything was stored", b)
	}
	for _, want := range []string{"one", "two"} {
		if err := n.Store("names-12ab", []byte(want)); err != nil {
			t.Fatal(err)
		}
		if b, err := n.Load("names-12ab"); string(b) != want || err != nil {
			t.Errorf("%q %v", b, err)
		}
	}
	file := filepath.Join(dir, "names-12ab"+namesSuffix)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != ownFile {
		t.Error(info.Mode(), err)
	}
	if names := entriesOf(t, dir); len(names) != 1 {
		t.Error(names)
	}
	for _, key := range []string{"", "../up", "a/b", "a.b"} {
		if n.Store(key, nil) == nil {
			t.Errorf("%q is a key", key)
		}
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	if b, err := n.Load("names-12ab"); err == nil {
		t.Errorf("%q from a file that others can write", b)
	}
}
