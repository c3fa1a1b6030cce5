package memtest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// designName matches the names of folders in the first cell of a row.
var designName = regexp.MustCompile("`([^`]+)`")

// designFolders returns the folders that the table of docs/design.md names. After the first name of a row, others may
// leave out the folder that they share with it; the text of a row names folders below it in the same way.
func designFolders(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "design.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	named := map[string]bool{}
	for row := range strings.Lines(table) {
		first, about, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		base := ""
		for _, m := range designName.FindAllStringSubmatch(first, -1) {
			name := m[1]
			if base == "" {
				base = name
			} else if !isFolder(t, name) {
				name = path.Join(path.Dir(base), name)
			}
			named[name] = true
		}
		for _, m := range designName.FindAllStringSubmatch(about, -1) {
			for _, name := range []string{m[1], path.Join(base, m[1])} {
				if strings.Contains(name, "/") && isFolder(t, name) {
					named[name] = true
				}
			}
		}
	}
	return named
}

func isFolder(t *testing.T, name string) bool {
	t.Helper()
	info, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// The table of folders is that of the tree. A folder of formats stands for all of them.
func TestDesignNamesEveryFolder(t *testing.T) {
	named := designFolders(t)
	for name := range named {
		if !isFolder(t, name) {
			t.Errorf("docs/design.md names %s, which there is not", name)
		}
	}
	for _, p := range packages(t) {
		dir := folder(p.ImportPath)
		if dir != "." && path.Dir(dir) != "loaders" && !named[dir] {
			t.Errorf("docs/design.md does not say what %s holds", dir)
		}
	}
}
