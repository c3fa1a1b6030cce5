// Package sources finds and reads the source files that recordings name.
//
// A recording is not trusted: what it names is looked for only below folders that the user gave and in the git checkout
// of the current folder, or, as named, if the name is that of a source file. Links that lead out of such a folder are
// not followed. Files are read when they are shown, never before.
package sources

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// Map replaces the beginning of names: what was built in From is in To.
type Map struct{ from, To string }

// ParseMap parses a Map, "FROM=TO".
func ParseMap(text string) (Map, error) {
	from, to, ok := strings.Cut(text, "=")
	if !ok || from == "" || to == "" {
		return Map{}, fmt.Errorf("invalid path mapping %q: want FROM=TO, such as /build/shop=/home/ann/shop", text)
	}
	return Map{from, to}, nil
}

// Finder looks for source files. Any number of goroutines may use it.
type Finder struct {
	roots  []string // given by the user, then the git checkout
	given  int      // of them by the user
	maps   []Map
	closed bool // nothing outside of roots and maps is opened

	mu     sync.Mutex
	listed map[string]*list // files by root
	last   *File            // read last, as it is needed often
	asked  string           // its name
}

// NewFinder returns a Finder that looks below roots, and below the git checkout that work is in, "" for none.
func NewFinder(roots []string, maps []Map, work string) *Finder {
	f := &Finder{roots: roots, given: len(roots), maps: maps, listed: map[string]*list{}}
	if dir := checkout(work); dir != "" {
		f.roots = append(f.roots[:len(roots):len(roots)], dir)
	}
	return f
}

// NewClosedFinder returns a Finder that opens nothing outside of roots and of the folders of maps.
func NewClosedFinder(roots []string, maps []Map) *Finder {
	f := NewFinder(roots, maps, "")
	f.closed = true
	return f
}

// Flags returns the flags of a command line that say where sources are.
func (f *Finder) Flags() (words []string) {
	for _, dir := range f.roots[:f.given] {
		words = append(words, "--source", dir)
	}
	for _, m := range f.maps {
		words = append(words, "--map-path", m.from+"="+m.To)
	}
	return words
}

// checkout returns the top folder of the git checkout that a folder is in, "" for none.
func checkout(dir string) string {
	for dir != "" {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
	return ""
}

// File is a source file. It is read-only.
type File struct {
	Path  string   // on this machine
	Lines []string // without ends; as in the file, so not cleaned
	Cut   bool     // there are more
	Also  []string // other files that fit the name as well
}

// Limits of files: longer ones are cut off.
const (
	maxSize  = 16 << 20
	maxLines = 1 << 20
)

// NotFoundError reports where a source file was looked for.
type NotFoundError struct {
	name   string
	looked []string // places, with what was wrong there
}

func (e *NotFoundError) Error() string {
	switch {
	case strings.HasPrefix(e.name, "<"): // as interpreters name what has none
		return fmt.Sprintf("no source of %q: that is not a file", e.name)
	case len(e.looked) == 0:
		return fmt.Sprintf("no source of %q: --source DIR says where sources are", e.name)
	}
	return fmt.Sprintf("no source of %q: looked in %s; --source DIR adds a folder", e.name, strings.Join(e.looked, "; "))
}

// Short says the same without the name.
func (e *NotFoundError) Short() string {
	if len(e.looked) == 0 {
		return "no source found: --source DIR says where to look"
	}
	return "no source found: looked in " + strings.Join(e.looked, "; ") + "; --source DIR adds a folder"
}

// Open returns the source file of a name in a recording. The error is a [*NotFoundError] or that of ctx.
func (f *Finder) Open(ctx context.Context, name string) (*File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last != nil && f.asked == name {
		return f.last, nil
	}
	file, err := f.open(ctx, name)
	if err == nil {
		f.last, f.asked = file, name
	}
	return file, err
}

// Has reports whether there is a file of a name in a recording. It reads none, so that it may be a text or not. The
// error is that of ctx.
func (f *Finder) Has(ctx context.Context, name string) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.first(ctx, name, exists)
	if missing := (*NotFoundError)(nil); errors.As(err, &missing) {
		return false, nil
	}
	return err == nil, err
}

// exists returns an error if there is no file below a folder.
func exists(root, rel string) error {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer dir.Close()
	return regular(dir, rel)
}

// regular returns an error if what is below a folder is no file: a pipe must not be opened, as that waits.
func regular(dir *os.Root, rel string) error {
	info, err := dir.Stat(rel)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a file")
	}
	return err
}

func (f *Finder) open(ctx context.Context, name string) (file *File, err error) {
	also, err := f.first(ctx, name, func(root, rel string) (err error) {
		file, err = read(root, rel)
		return err
	})
	if err != nil {
		return nil, err
	}
	file.Also = also
	return file, nil
}

// first takes the first of the files that a name may mean, and returns others that fit it as well. The error is a
// [*NotFoundError] if none can be taken, or that of ctx.
func (f *Finder) first(ctx context.Context, name string, take func(root, rel string) error) (also []string, err error) {
	missing := &NotFoundError{name: name}
	try := func(root, rel, place string) bool {
		err := take(root, rel)
		if err != nil {
			missing.looked = append(missing.looked, place+reason(err))
		}
		return err == nil
	}
	clean := normal(name)
	for _, m := range f.maps {
		if rel, ok := below(clean, normal(m.from)); ok && try(m.To, rel, path.Join(m.To, rel)) {
			return nil, nil
		}
	}
	for _, root := range f.roots {
		found, err := f.find(ctx, root, clean)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			missing.looked = append(missing.looked, root)
			continue
		}
		if try(root, found[0], path.Join(root, found[0])) {
			for _, other := range found[1:] {
				also = append(also, path.Join(root, other))
			}
			return also, nil
		}
	}
	switch {
	case !path.IsAbs(clean), f.closed:
	case !isSource(clean):
		missing.looked = append(missing.looked, clean+" (not read: the name is not that of a source file)")
	case try(path.Dir(clean), path.Base(clean), clean):
		return nil, nil
	}
	return nil, missing
}

// reason returns why a file was not read, "" where it does not exist.
func reason(err error) string {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case errors.As(err, &at):
		err = at.Err
	}
	return " (" + err.Error() + ")"
}

// normal returns a name with slashes, without what recordings write before paths, and without steps upwards at its
// beginning, which are relative to an unknown folder.
func normal(name string) string {
	if scheme, rest, ok := strings.Cut(name, "://"); ok && !strings.ContainsAny(scheme, "/\\") {
		name = rest
		if scheme != "file" { // webpack://package/./src/a.js
			_, name, _ = strings.Cut(name, "/")
		}
	}
	if !strings.Contains(name, "/") || len(name) > 2 && name[1:3] == ":\\" {
		name = strings.ReplaceAll(name, "\\", "/")
	}
	name, _, _ = strings.Cut(name, "?") // of bundlers
	name = path.Clean(name)
	for strings.HasPrefix(name, "../") {
		name = name[3:]
	}
	return name
}

// below returns the rest of a path below a folder.
func below(name, dir string) (rel string, ok bool) {
	if dir == "/" {
		dir = ""
	}
	rest, ok := strings.CutPrefix(name, dir)
	return strings.TrimPrefix(rest, "/"), ok && strings.HasPrefix(rest, "/") && len(rest) > 1
}

// read reads a file below a folder, from which no link may lead out.
func read(root, rel string) (*File, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if err := regular(dir, rel); err != nil {
		return nil, err
	}
	in, err := dir.Open(rel)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxSize+1))
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0 {
		return nil, errors.New("not a text")
	}
	file := &File{Path: path.Join(root, rel), Cut: len(data) > maxSize}
	text := strings.TrimSuffix(string(data[:min(len(data), maxSize)]), "\n")
	for line := range strings.SplitSeq(text, "\n") {
		if len(file.Lines) == maxLines {
			file.Cut = true
			break
		}
		file.Lines = append(file.Lines, strings.TrimSuffix(line, "\r"))
	}
	return file, nil
}

// isSource reports whether a name is that of a file in a programming language.
func isSource(name string) bool {
	return strings.Contains(languages, " "+strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))+" ")
}

// languages are the endings of files that are read as named, with a space around each.
const languages = " asm c c++ cc clj cljs coffee cpp cr cs cu cxx d dart el elm erl ex exs f f03 f08 f77 f90 f95 for fs go groovy h h++ hh hpp hs hxx i ii " +
	"inc inl ipp java jl js jsx kt kts l lisp lua m ml mli mjs cjs mm mojo mts cts nim nqp odin p6 pas php pl pl6 pm pm6 pp py pyi pyx pxd r raku rakumod " +
	"rb rs s scala scm sol sv svelte swift t tcc tcl tpp ts tsx v vala vb vue y zig "
