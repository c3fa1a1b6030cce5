package sources

import (
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// maxListed is the maximum number of files and folders of a root that are looked at.
const maxListed = 500_000

// list has the files of a folder and those below it by the last part of their names: paths below the folder.
type list struct{ files map[string][]string }

// find returns the files of a root whose paths end like name, those with the most parts in common first, of equal ones
// the shortest. The error is that of ctx.
func (f *Finder) find(ctx context.Context, root, name string) ([]string, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, nil // what does not exist has no files: flags are checked before
	}
	defer dir.Close()
	if rel := strings.TrimPrefix(name, "/"); strings.Contains(rel, "/") { // a name alone may be that of many
		if info, err := dir.Stat(rel); err == nil && info.Mode().IsRegular() {
			return []string{rel}, nil
		}
	}
	l := f.listed[root]
	if l == nil {
		if l, err = listOf(ctx, dir.FS()); err != nil {
			return nil, err
		}
		f.listed[root] = l
	}
	found := slices.Clone(l.files[path.Base(name)])
	common := func(file string) int { return commonParts(file, name) }
	slices.SortFunc(found, func(a, b string) int {
		if d := common(b) - common(a); d != 0 {
			return d
		}
		if d := len(a) - len(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	if len(found) > 0 {
		best := common(found[0])
		found = slices.DeleteFunc(found, func(file string) bool { return common(file) < best })
	}
	return found, nil
}

// commonParts returns how many parts at the end of two paths are equal.
func commonParts(a, b string) (n int) {
	for a != "" && b != "" {
		dirA, x := path.Split(a)
		dirB, y := path.Split(b)
		if x != y {
			break
		}
		n++
		a, b = strings.TrimSuffix(dirA, "/"), strings.TrimSuffix(dirB, "/")
	}
	return n
}

// listOf lists the files below a folder; those of version control and what cannot be read are left out.
func listOf(ctx context.Context, dir fs.FS) (*list, error) {
	l := &list{files: map[string][]string{}}
	n := 0
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil
		case d.IsDir() && (d.Name() == ".git" || d.Name() == ".hg" || d.Name() == ".svn"):
			return fs.SkipDir
		}
		if n++; n > maxListed {
			return fs.SkipAll
		}
		if d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0 {
			base := path.Base(name)
			l.files[base] = append(l.files[base], name)
		}
		return nil
	})
	return l, err
}
