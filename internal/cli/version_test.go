package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/cli/fail"
)

// TestNoVersionIsNotZero expects formats without a version to be named alone.
func TestNoVersionIsNotZero(t *testing.T) {
	files, err := filepath.Glob("../../loaders/*/testdata/*")
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	for _, file := range files {
		if status, out, _ := run(t, Env{}, "info", "--index", "none", file); status == fail.Done {
			_, format, _ := strings.Cut(out, "format ")
			if line, _, _ := strings.Cut(format, "\n"); strings.HasSuffix(line, " 0") || strings.HasSuffix(line, " -1") {
				t.Errorf("%s: %q", file, line)
			}
		}
	}
}

// The line about heap names all of its verbs.
func TestHeapNamesItsVerbs(t *testing.T) {
	a := parserOf([]string{"version"}, nil)
	_, parser, err := a.parseBy(&grammar{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range parser.Model.Children {
		for _, verb := range c.Children {
			if c.Name == "heap" && !strings.Contains(c.Help, verb.Name) {
				t.Errorf("%q does not name %s", c.Help, verb.Name)
			}
		}
	}
}
