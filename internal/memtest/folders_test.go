package memtest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder is a subject: one that holds more, or files named after the same thing, wants to be divided.
const (
	maxFiles  = 40
	maxLines  = 9000
	maxPrefix = 4 // files of a folder that begin with the same word
	wordStart = 4 // letters that make a word
)

// sources returns the paths of all files or of the product's, by folder as in allowed.
func sources(t *testing.T, tests bool) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || !tests && strings.HasSuffix(path, "_test.go") {
			return err
		}
		dir, err := filepath.Rel(root(t), filepath.Dir(path))
		dir = filepath.ToSlash(dir)
		files[dir] = append(files[dir], path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestFoldersAreSubjects(t *testing.T) {
	for dir, paths := range sources(t, false) {
		lines, prefixes := 0, map[string]int{}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(text, []byte("\n"))
			if name := filepath.Base(path); len(name) >= wordStart {
				prefixes[name[:wordStart]]++
			}
		}
		if len(paths) > maxFiles || lines > maxLines {
			t.Errorf("%s: %d files, %d lines", dir, len(paths), lines)
		}
		for prefix, n := range prefixes {
			if n > maxPrefix {
				t.Errorf("%s: %d files begin with %s", dir, n, prefix)
			}
		}
	}
}
