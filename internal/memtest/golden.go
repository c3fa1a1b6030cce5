package memtest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// update rewrites the golden files instead of comparing with them. Test binaries that import memtest have the flag;
// .ci/update runs all of them with it.
var update = flag.Bool("update", false, "rewrite golden files")

// Updating reports whether the user wants golden files to be rewritten.
func Updating() bool { return *update }

// Golden compares got with the file testdata/NAME.golden of the package under
// test, line by line.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	GoldenFile(t, filepath.Join("testdata", filepath.FromSlash(name)+".golden"), got)
}

// GoldenFile compares got with a file, line by line.
func GoldenFile(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to write it)", err)
	}
	if d := diff(string(want), got); d != "" {
		t.Errorf("%s differs (-want +got; -update rewrites it):\n%s", path, d)
	}
}

// diff lists the lines that differ at the same position, "" if none do. Screens keep their height, so nothing cleverer
// is needed.
func diff(want, got string) string {
	if want == got {
		return ""
	}
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	var out strings.Builder
	for i := range max(len(a), len(b)) {
		line := func(mark string, lines []string) {
			if i < len(lines) {
				out.WriteString(mark + lines[i] + "\n")
			}
		}
		if i < len(a) && i < len(b) && a[i] == b[i] {
			continue
		}
		line("-", a)
		line("+", b)
	}
	return out.String()
}
