package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// A large snapshot is kept with what was found out about it, and says the same when it comes from there, also when a
// file is damaged.
func TestLargeSnapshotsAreKept(t *testing.T) {
	modeltest.Plain(t)
	cache, file := t.TempDir(), filepath.Join(t.TempDir(), "large.hprof")
	if err := os.WriteFile(file, memtest.Java(memtest.JavaSpec{Notes: 200_000}), 0o600); err != nil {
		t.Fatal(err)
	}
	report := func(flags ...string) string {
		t.Helper()
		status, out, errs := run(t, cachedIn(cache), append([]string{"report", "-f", "json", "--limit", "7", file}, flags...)...)
		if status != fail.Done || errs != "" {
			t.Fatalf("status %d, %s", status, errs)
		}
		return out
	}
	kept := func() []string {
		list, _ := filepath.Glob(filepath.Join(cache, "*", "*.part-heap0*"))
		return list
	}
	want := report("--index", "none")
	if files := kept(); len(files) > 0 {
		t.Fatal(files)
	}
	if got := report(); got != want || len(kept()) < 4 {
		t.Fatalf("%q are kept", kept())
	}
	if report() != want {
		t.Error("what was kept says something else")
	}
	for _, path := range kept() {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)/3] ^= 1
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if report() != want {
			t.Error("damaged files say something else")
		}
	}
	if modeltest.UnderRace {
		return
	}
	soft := report("--edges", "soft", "--index", "none")
	for range 2 {
		if report("--edges", "soft") != soft || report() != want {
			t.Error("policies are mixed up")
		}
	}
	layout := report("--sizes", "layout", "--index", "none")
	for range 2 {
		if report("--sizes", "layout") != layout || report() != want {
			t.Error("ways to tell sizes are mixed up")
		}
	}
}

// A byte that changes in a large kept file, most of which is verified only after it was taken into use, changes no
// figure: it is found before anything is written, and the snapshot is read again.
func TestDamageFoundLateChangesNothing(t *testing.T) {
	if testing.Short() || modeltest.UnderRace {
		t.Skip("a large heap takes too long")
	}
	modeltest.Plain(t)
	cache, file := t.TempDir(), filepath.Join(t.TempDir(), "large.hprof")
	if err := os.WriteFile(file, memtest.Java(memtest.JavaSpec{Notes: 1_300_000}), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func() string {
		t.Helper()
		status, out, errs := run(t, cachedIn(cache), "heap", "path", "-f", "json", file, "700000")
		status2, more, errs2 := run(t, cachedIn(cache), "heap", "dominators", "-f", "json", "--limit", "3", file)
		if status+status2 != 0 || errs+errs2 != "" {
			t.Fatalf("status %d, %d: %s%s", status, status2, errs, errs2)
		}
		return out + more
	}
	want := ask()
	large := 0
	for part := range 3 {
		list, _ := filepath.Glob(filepath.Join(cache, "*", "*.part-heap0*"))
		for _, path := range list {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if len(data) <= 32<<20 {
				continue
			}
			large++
			data[len(data)*(4*part+3)/16+part] ^= 0x55
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if ask() != want {
			t.Errorf("part %d: a damaged file says something else", part)
		}
	}
	if large == 0 {
		t.Error("no kept file is large enough")
	}
}
