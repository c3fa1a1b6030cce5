package symbols

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/loaders"
)

// memory is a cache that counts.
type memory struct {
	kept          map[string][]byte
	loads, stores int
}

func (m *memory) Load(key string) ([]byte, error) {
	m.loads++
	if b, ok := m.kept[key]; ok {
		return b, nil
	}
	return nil, errors.New("nothing")
}

func (m *memory) Store(key string, b []byte) error {
	m.stores++
	m.kept[key] = b
	return nil
}

// What was read once is not read again, unless the file it is from is another one by then.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	file := unpacked(t, "sample.stripped", filepath.Join(dir, "shop"))
	addrs, want := expected(t, "sample.full")
	cache := &memory{kept: map[string][]byte{}}
	opt := loaders.Symbols{Names: cache}
	m := moduleOf(t, file, file, loadedAt)
	look := func() *Table {
		t.Helper()
		table, problems := resolved(t, opt, m, addrs...)
		if len(problems) > 0 {
			t.Error(problems)
		}
		return table
	}
	if table := look(); cache.stores != 1 || len(table.Frames(0)) > 1 {
		t.Error(cache.stores, table.Frames(0))
	}
	look()
	if cache.stores != 1 {
		t.Error("addresses without names are looked up again")
	}
	unpacked(t, "sample.debug", filepath.Join(dir, "sample.debug")) // now there is more to know
	check(t, look(), addrs, want)
	check(t, look(), addrs, want)
	if cache.stores != 2 {
		t.Error(cache.stores)
	}
	key := "names-" + buildIDOf(t, "sample.full")
	changed := strings.ReplaceAll(string(cache.kept[key]), "Session::open", "Session::shut")
	cache.kept[key] = []byte(changed)
	shut, table := false, look()
	for id := range table.places {
		for _, f := range table.Frames(id) {
			shut = shut || strings.Contains(f.Function, "Session::shut")
		}
	}
	if !shut {
		t.Error("names do not come out of the cache")
	}
	for n := range len(changed) {
		if n%1000 == 0 {
			cache.kept[key] = []byte(changed[:n])
			check(t, look(), addrs, want)
		}
	}
	cache.kept[key] = []byte(strings.Replace(changed, `"names":["`, `"names":[],"x":["`, 1))
	check(t, look(), addrs, want)
	if err := os.Remove(filepath.Join(dir, "shop")); err != nil {
		t.Fatal(err)
	}
	if table, _ := resolved(t, opt, m, addrs...); table.Why(0) != NoFile {
		t.Error(table.Why(0))
	}
}
