package indexcache

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model/sections"
)

const (
	Suffix       = ".memtui-index" // of index files
	TempSuffix   = ".tmp"          // of files being written
	WorthKeeping = 1 << 20         // events from which the cache stores an index: fewer are quickly read again

	MaxFiles = 32      // maximum number of index files in the cache
	MaxBytes = 2 << 30 // maximum bytes of index files in the cache, in addition to the newest
	tempAge  = time.Hour
)

// Place is where the index of one file is stored. It implements [traceindex.Place].
type Place struct {
	Path        string // of the index file
	NextToInput bool   // it is next to the input
	Always      bool   // it is stored in the cache, too, even for a small trace

	src  *loaders.Source
	anew bool // stored files are not read
	once sync.Once
	key  sections.Key
}

// NextToInput returns the place next to a file. With anew, a stored index is not read.
func NextToInput(src *loaders.Source, anew bool) *Place {
	return &Place{src: src, Path: src.Path() + Suffix, NextToInput: true, anew: anew}
}

// InCache returns the place of a file in the cache's folder: its name has the file's name, and a hash of its path.
func InCache(src *loaders.Source, dir string, anew bool) (*Place, error) {
	path, err := filepath.Abs(src.Path())
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	sum := sha256.Sum256([]byte(path))
	base := src.Name()
	base = base[:min(len(base), 100)]
	return &Place{src: src, Path: filepath.Join(dir, base+"-"+hex.EncodeToString(sum[:8])+Suffix), anew: anew}, nil
}

// Dir returns the program's cache folder, "" if there is no home.
func Dir(getenv func(string) string) string {
	if dir := getenv("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "memtui")
	}
	home := getenv("HOME")
	switch {
	case home == "":
		return ""
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Caches", "memtui")
	}
	return filepath.Join(home, ".cache", "memtui")
}

// Key implements [traceindex.Place]: size, time of modification, and samples of the bytes as stored.
func (k *Place) Key() sections.Key {
	k.once.Do(func() { k.key = keyOf(k.src.Stored()) })
	return k.key
}

const (
	keyEnds    = 64 << 10 // bytes of the beginning and of the end in the key
	keySample  = 4 << 10  // bytes of each sample between them
	keySamples = 32
)

func keyOf(file io.ReaderAt, info os.FileInfo) (key sections.Key) {
	h := sha256.New()
	size := info.Size()
	var b []byte
	b = binary.LittleEndian.AppendUint64(b, uint64(size))
	b = binary.LittleEndian.AppendUint64(b, uint64(info.ModTime().UnixNano()))
	h.Write(b)
	buf := make([]byte, keyEnds)
	sample := func(from, n int64) {
		got, _ := file.ReadAt(buf[:min(n, size-from)], from)
		h.Write(buf[:got])
	}
	sample(0, keyEnds)
	sample(max(size-keyEnds, 0), keyEnds)
	for i := range int64(keySamples) {
		sample(size/keySamples*i, keySample)
	}
	return sections.Key(h.Sum(nil))
}

// errAnew is why an index file is not used, though it may be good: a verdict must not depend on the results of an
// earlier run.
var errAnew = errors.New("the trace itself is read")

// existing returns why an index file is not used, if there is one.
func (k *Place) existing(why error) error {
	if _, err := os.Lstat(k.Path); errors.Is(err, fs.ErrNotExist) {
		return ErrNone
	}
	return why
}

// ErrNone is why an index file is not used: there is none.
var ErrNone = errors.New("there is none yet")

// Open implements [traceindex.Place].
func (k *Place) Open() (*sections.File, error) {
	if k.anew {
		return nil, errAnew
	}
	root, err := openFolder(filepath.Dir(k.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, k.existing(err)
	}
	defer root.Close()
	name := filepath.Base(k.Path)
	f, info, err := openTrusted(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 || info.Size() != int64(int(info.Size())) {
		err = sections.ErrForeign
	}
	var data []byte
	if err == nil {
		data, err = unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	if !k.NextToInput {
		now := time.Now()
		_ = root.Chtimes(name, now, now) // the least recently used one is removed first
	}
	return &sections.File{
		Data: data, At: f,
		Close: func() {
			_ = unix.Munmap(data)
			f.Close()
		},
		Forget: func() { _ = unix.Madvise(data, unix.MADV_DONTNEED) }, // errors are harmless
	}, nil
}

// Discard implements [traceindex.Place].
func (k *Place) Discard() { os.Remove(k.Path) }

// ErrSmall is returned for traces too small for an index to save time.
var ErrSmall = errors.New("the trace is small")

// writeAtOnce is how many bytes of an index are collected for one write.
const writeAtOnce = 256 << 10

// Write writes an index atomically: others see the old file or the new one.
func (k *Place) Write(ctx context.Context, ix *traceindex.KeptIndex) (err error) {
	if !k.NextToInput && !k.Always && ix.Status().Events < WorthKeeping {
		return ErrSmall
	}
	return k.write(func(w io.Writer) error { return ix.Write(ctx, w) })
}

// write writes a file atomically: others see the old one or the new one.
func (k *Place) write(content func(w io.Writer) error) error {
	if len(k.src.Problems()) > 0 {
		return errors.New("the compressed stream is damaged")
	}
	dir, name := filepath.Dir(k.Path), filepath.Base(k.Path)
	if !k.NextToInput {
		if err := makeFolder(dir); err != nil {
			return err
		}
	}
	root, err := openFolder(dir)
	if err != nil {
		return err // it would not be used
	}
	defer root.Close()
	if err := k.replace(root, name, content); err != nil {
		return err
	}
	if !k.NextToInput {
		evict(dir, Suffix, name, time.Now())
	}
	return nil
}

// replace writes a temporary file and gives it the name when it is complete.
func (k *Place) replace(root *os.Root, name string, content func(w io.Writer) error) (err error) {
	f, temp, err := createTemp(root, name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temp)
		}
	}()
	w := bufio.NewWriterSize(f, writeAtOnce)
	if err = content(w); err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil && !k.unchanged() {
		err = errors.New("the file changed while it was read")
	}
	if err != nil {
		return err
	}
	return root.Rename(temp, name)
}

// unchanged reports whether the input has not changed since it was opened.
func (k *Place) unchanged() bool {
	_, was := k.src.Stored()
	is, err := os.Stat(k.src.Path())
	return err == nil && is.Size() == was.Size() && is.ModTime().Equal(was.ModTime())
}

// evict removes files with a suffix from the cache until the rest is small enough, the least recently used ones first,
// and files left by writers that died. newest stays, with the other files of its input.
func evict(dir, suffix, newest string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []os.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case strings.HasSuffix(e.Name(), TempSuffix) && strings.Contains(e.Name(), suffix+"."):
			if now.Sub(info.ModTime()) > tempAge {
				os.Remove(filepath.Join(dir, e.Name()))
			}
		case strings.HasSuffix(e.Name(), suffix) && inputOf(e.Name()) != inputOf(newest):
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	total := int64(0)
	for i, info := range files {
		if total += info.Size(); total > MaxBytes || i >= MaxFiles-1 {
			os.Remove(filepath.Join(dir, info.Name()))
		}
	}
}

// inputOf returns the common prefix of the names of all files stored for one input.
func inputOf(name string) string {
	name = strings.TrimSuffix(name, Suffix)
	if at := strings.LastIndex(name, partMark); at >= 0 {
		return name[:at]
	}
	return name
}

// State describes the stored index of the input, reading only its ends.
func (k *Place) State() (state string, size int64, err error) {
	info, err := os.Stat(k.Path)
	if err != nil {
		return "none", 0, ErrNone
	}
	file, err := k.Open()
	if err == nil {
		defer file.Close()
		err = traceindex.CheckIndex(file, k.Key())
	}
	switch {
	case err == nil:
		return "ready", info.Size(), nil
	case errors.Is(err, sections.ErrStale):
		return "stale", info.Size(), err
	}
	return "unusable", info.Size(), err
}

// Where returns the name of a place for the flag --index.
func (k *Place) Where() string {
	if k.NextToInput {
		return "beside"
	}
	return "cache"
}
