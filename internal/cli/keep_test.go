package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/indexcache"
)

const keptSample = "../../testdata/small_kvleak.mlyze"

// reportOf runs the report of a file, with a home of its own.
func reportOf(t *testing.T, home, path string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	env := Env{
		Args: append([]string{"report", "-f", "json"}, append(args, path)...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Getenv: func(name string) string { return map[string]string{"HOME": home}[name] },
	}
	if status := Main(t.Context(), env); status != fail.Done {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	return out.String()
}

// infoOf is what info says about a file.
func infoOf(t *testing.T, home, path string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	env := Env{
		Args: append([]string{"info", "-f", "json"}, append(args, path)...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
		Getenv: func(name string) string { return map[string]string{"HOME": home}[name] },
	}
	if status := Main(t.Context(), env); status != fail.Done {
		t.Fatal(out.String())
	}
	return out.String()
}

// copied is the sample in a folder of its own.
func copied(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(keptSample)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.mlyze")
	if err := os.Chmod(filepath.Dir(path), 0o700); err != nil { // whatever this process usually makes
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestIndexBeside(t *testing.T) {
	path, home := copied(t), t.TempDir()
	want := reportOf(t, home, path, "--index", "none")
	if names := filesIn(t, filepath.Dir(path)); len(names) != 1 {
		t.Fatal(names)
	}
	reportOf(t, home, path) // in the cache: the trace is too small for that
	if names := filesIn(t, filepath.Join(home, ".cache")); len(names) != 0 {
		t.Fatal(names)
	}
	index := path + indexcache.Suffix
	for i := range 3 {
		if got := reportOf(t, home, path, "--index", "beside"); got != want {
			t.Errorf("report %d differs", i)
		}
		info, err := os.Stat(index)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Fatal(info, err)
		}
	}
	if s := infoOf(t, home, path, "--index", "beside"); !strings.Contains(s, `"state": "ready"`) || !strings.Contains(s, index) {
		t.Error(s)
	}
	for _, spoil := range []func(b []byte) []byte{
		func(b []byte) []byte { return b[:len(b)/2] },
		func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		func([]byte) []byte { return nil },
		func([]byte) []byte { return []byte(strings.Repeat("something else\n", 100)) },
	} {
		b, err := os.ReadFile(index)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(index, spoil(b), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := reportOf(t, home, path, "--index", "beside"); got != want {
			t.Error("report after damage differs")
		}
		if s := infoOf(t, home, path, "--index", "beside"); !strings.Contains(s, `"state": "ready"`) {
			t.Error("it was not written again", s)
		}
	}
	if names := filesIn(t, filepath.Dir(path)); len(names) != 2 {
		t.Error(names)
	}
}

// The trace changes behind the index's back.
func TestIndexOfAChangedFile(t *testing.T) {
	path, home := copied(t), t.TempDir()
	reportOf(t, home, path, "--index", "beside")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(){
		"shorter": func() { os.WriteFile(path, b[:len(b)-1000], 0o600) },
		"later":   func() { os.Chtimes(path, time.Time{}, info.ModTime().Add(time.Second)) },
		"other bytes": func() {
			c := bytes.Clone(b)
			c[len(c)-20] ^= 0xff
			os.WriteFile(path, c, 0o600)
			os.Chtimes(path, time.Time{}, info.ModTime())
		},
	} {
		change()
		if s := infoOf(t, home, path, "--index", "beside"); !strings.Contains(s, `"state": "stale"`) {
			t.Error(what, s)
		}
		if got, want := reportOf(t, home, path, "--index", "beside"), reportOf(t, home, path, "--index", "none"); got != want {
			t.Error(what, "differs")
		}
		os.WriteFile(path, b, 0o600)
		os.Chtimes(path, time.Time{}, info.ModTime())
		reportOf(t, home, path, "--index", "beside")
	}
}

func TestIndexOfSeveralWriters(t *testing.T) {
	path, home := copied(t), t.TempDir()
	want := reportOf(t, home, path, "--index", "none")
	var writing sync.WaitGroup
	for range 8 {
		writing.Go(func() {
			for range 4 {
				if got := reportOf(t, home, path, "--index", "beside"); got != want {
					t.Error("differs")
				}
				os.Remove(path + indexcache.Suffix)
			}
		})
	}
	writing.Wait()
	for _, name := range filesIn(t, filepath.Dir(path)) {
		if strings.HasSuffix(name, indexcache.TempSuffix) {
			t.Error(name, "is left")
		}
	}
}

func TestIndexWhereNothingCanBeWritten(t *testing.T) {
	path, home := copied(t), t.TempDir()
	want := reportOf(t, home, path, "--index", "none")
	if err := os.Mkdir(path+indexcache.Suffix, 0o700); err != nil { // root may write anywhere else
		t.Fatal(err)
	}
	for range 5 {
		if got := reportOf(t, home, path, "--index", "beside"); got != want {
			t.Error("differs")
		}
	}
	os.Chmod(filepath.Dir(path), 0o500)
	defer os.Chmod(filepath.Dir(path), 0o700)
	if got := reportOf(t, home, path, "--index", "beside"); got != want {
		t.Error("differs")
	}
}
