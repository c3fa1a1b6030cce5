package indexcache

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEvict(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	make := func(name string, size int64, age time.Duration) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		os.Truncate(path, size)
		os.Chtimes(path, now.Add(-age), now.Add(-age))
	}
	for i := range 40 {
		make(fmt.Sprintf("%02d%s", i, Suffix), 1000, time.Duration(i)*time.Minute)
	}
	make("dead"+Suffix+".1"+TempSuffix, 10, 2*time.Hour)
	make("busy"+Suffix+".2"+TempSuffix, 10, time.Minute)
	make("other", 10, 100*time.Hour)
	evict(dir, Suffix, "39"+Suffix, now)
	names := entriesOf(t, dir)
	if len(names) != MaxFiles+2 || names[MaxFiles-1] != "39"+Suffix || names[MaxFiles-2] != "30"+Suffix {
		t.Error(names)
	}
	make("00"+Suffix, MaxBytes-1500, 0)
	evict(dir, Suffix, "39"+Suffix, now)
	if names := entriesOf(t, dir); len(names) != 5 {
		t.Error(names)
	}
}

// What is kept of one input goes together: none of the newest one's goes.
func TestEvictKeepsTheNewestInput(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	for _, name := range []string{"old" + partMark + "heap0" + Suffix, "new" + partMark + "heap0" + Suffix, "new" + partMark + "heap0-strong" + Suffix} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		os.Truncate(path, MaxBytes+1)
	}
	evict(dir, Suffix, "new"+partMark+"heap0"+Suffix, now)
	if names := entriesOf(t, dir); len(names) != 2 || slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "old") }) {
		t.Error(names)
	}
}

// entriesOf lists a folder.
func entriesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
