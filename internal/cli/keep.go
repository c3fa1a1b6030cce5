package cli

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/internal/reading"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const (
	indexSuffix = ".memtui-index" // of index files
	tempSuffix  = ".tmp"          // of those that are being written
	worthIndex  = 1 << 20         // events from which on the cache keeps an index: fewer are read again in a moment

	cacheFiles = 32      // index files in the cache at most
	cacheBytes = 2 << 30 // bytes of index files in the cache at most, beside the newest
	tempAge    = time.Hour
)

// keeper is where the index of one file is kept. It implements [analysis.IndexPlace].
type keeper struct {
	src    *loaders.Source
	path   string // of the index file
	beside bool   // it lies beside the input
	always bool   // it is kept in the cache, too, of a small trace
	anew   bool   // what is kept is not read
	once   sync.Once
	key    traceindex.IndexKey
}

// keeper returns where the index of an input is kept, nil and the reason if nowhere.
func (a *app) keeper(src *loaders.Source, format string) (k *keeper, why string) {
	switch {
	case format != "mlyze":
		return nil, "only traces have one"
	case a.flags.Index == "none":
		return nil, "none is kept (--index none)"
	case src.Piped() || src.Path() == "-":
		return nil, "none is kept of an input that is no file"
	case a.flags.Index == "beside":
		return &keeper{src: src, path: src.Path() + indexSuffix, beside: true, anew: a.anew}, ""
	}
	dir := cacheDir(a.env.Getenv)
	if dir == "" {
		return nil, "none is kept: there is no folder for caches"
	}
	path, err := filepath.Abs(src.Path())
	if err != nil {
		return nil, "none is kept: " + err.Error()
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	sum := sha256.Sum256([]byte(path))
	base := src.Name()
	base = base[:min(len(base), 100)]
	return &keeper{src: src, path: filepath.Join(dir, base+"-"+hex.EncodeToString(sum[:8])+indexSuffix), always: a.always, anew: a.anew}, ""
}

// cacheDir is the program's folder for what can be made again, "" when there is no home.
func cacheDir(getenv func(string) string) string {
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

// Key implements [analysis.IndexPlace]: size, time of modification, and samples of the bytes as they are stored.
func (k *keeper) Key() traceindex.IndexKey {
	k.once.Do(func() { k.key = keyOf(k.src.Stored()) })
	return k.key
}

const (
	keyEnds    = 64 << 10 // bytes of the begin and of the end that the key is about
	keySample  = 4 << 10  // bytes of each sample between them
	keySamples = 32
)

func keyOf(file io.ReaderAt, info os.FileInfo) (key traceindex.IndexKey) {
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
	return traceindex.IndexKey(h.Sum(nil))
}

// errAnew says why an index file is not used, though it may be good: a verdict must not depend on what an earlier run says.
var errAnew = errors.New("the trace itself is read")

// existing returns why an index file is not used, where there is one.
func (k *keeper) existing(why error) error {
	if _, err := os.Lstat(k.path); errors.Is(err, fs.ErrNotExist) {
		return errNoIndex
	}
	return why
}

// errNoIndex says why an index file is not used: there is none.
var errNoIndex = errors.New("there is none yet")

// Open implements [analysis.IndexPlace].
func (k *keeper) Open() (*traceindex.IndexFile, error) {
	if k.anew {
		return nil, errAnew
	}
	root, err := openFolder(filepath.Dir(k.path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoIndex
	}
	if err != nil {
		return nil, k.existing(err)
	}
	defer root.Close()
	name := filepath.Base(k.path)
	f, info, err := openTrusted(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoIndex
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() == 0 || info.Size() != int64(int(info.Size())) {
		err = traceindex.ErrIndexForeign
	}
	var data []byte
	if err == nil {
		data, err = unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	if !k.beside {
		now := time.Now()
		_ = root.Chtimes(name, now, now) // the one not used for longest goes first
	}
	return &traceindex.IndexFile{
		Data: data, At: f,
		Close: func() {
			_ = unix.Munmap(data)
			f.Close()
		},
		Forget: func() { _ = unix.Madvise(data, unix.MADV_DONTNEED) }, // or it stays
	}, nil
}

// Discard implements [analysis.IndexPlace].
func (k *keeper) Discard() { os.Remove(k.path) }

// errSmall says why no index is written: nobody would notice.
var errSmall = errors.New("the trace is small")

// writeAtOnce is how many bytes of an index are collected for one write.
const writeAtOnce = 256 << 10

// write writes an index in one step: others see the old file or the new one.
func (k *keeper) write(ctx context.Context, ix *traceindex.KeptIndex) (err error) {
	if !k.beside && !k.always && ix.Status().Events < worthIndex {
		return errSmall
	}
	if len(k.src.Problems()) > 0 {
		return errors.New("the compressed stream is damaged")
	}
	dir, name := filepath.Dir(k.path), filepath.Base(k.path)
	if !k.beside {
		if err := makeFolder(dir); err != nil {
			return err
		}
	}
	root, err := openFolder(dir)
	if err != nil {
		return err // it would not be used
	}
	defer root.Close()
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
	if err = ix.Write(ctx, w); err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil && !k.unchanged() {
		err = errors.New("the file changes while it is read")
	}
	if err != nil {
		return err
	}
	if err := root.Rename(temp, name); err != nil {
		return err
	}
	if !k.beside {
		evict(dir, name, time.Now())
	}
	return nil
}

// unchanged reports whether the input is still what it was when it was opened.
func (k *keeper) unchanged() bool {
	_, was := k.src.Stored()
	is, err := os.Stat(k.src.Path())
	return err == nil && is.Size() == was.Size() && is.ModTime().Equal(was.ModTime())
}

// evict removes index files from the cache until the rest is small enough, those not used for longest first, and what
// writers that died have left. newest stays.
func evict(dir, newest string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []os.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
		case strings.HasSuffix(e.Name(), tempSuffix) && strings.Contains(e.Name(), indexSuffix+"."):
			if now.Sub(info.ModTime()) > tempAge {
				os.Remove(filepath.Join(dir, e.Name()))
			}
		case strings.HasSuffix(e.Name(), indexSuffix) && e.Name() != newest:
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	total := int64(0)
	for i, info := range files {
		if total += info.Size(); total > cacheBytes || i >= cacheFiles-1 {
			os.Remove(filepath.Join(dir, info.Name()))
		}
	}
}

// state says what is there for the input, without reading more than its ends.
func (k *keeper) state() (state string, size int64, err error) {
	info, err := os.Stat(k.path)
	if err != nil {
		return "none", 0, errNoIndex
	}
	file, err := k.Open()
	if err == nil {
		defer file.Close()
		err = traceindex.CheckIndex(file, k.Key())
	}
	switch {
	case err == nil:
		return "ready", info.Size(), nil
	case errors.Is(err, traceindex.ErrIndexStale):
		return "stale", info.Size(), err
	}
	return "unusable", info.Size(), err
}

// relieve gives back the memory that building a large index took, while that is being written.
func (s *session) relieve() {
	if used, _ := s.index.Used(); !used && s.index.Status().Events >= worthIndex {
		go debug.FreeOSMemory()
	}
}

// keep writes the session's index unless it came from a file. That it cannot be written is worth a note and nothing more: on
// the screen of problems, or behind a report, whose content must not depend on who is faster.
func (s *session) keep(ctx context.Context) {
	if s.place == nil || s.err != nil || !s.index.Status().Final {
		return
	}
	if used, _ := s.index.Used(); used {
		return
	}
	err := s.place.write(ctx, s.index)
	s.unkept = err
	if err == nil || errors.Is(err, errSmall) || ctx.Err() != nil {
		return
	}
	note := fmt.Sprintf("the index was not kept, so that the file is read again the next time: %v", err)
	if s.stderr != nil {
		s.note = note
		return
	}
	reading.Remark(s.store, model.Problem{Severity: model.Note, Code: "index-not-kept", Message: note, Count: 1, Offset: model.NoOffset})
}

// indexFact says in words where the index comes from.
func (s *session) indexFact() (model.Fact, bool) {
	f := model.Fact{Key: "index", Label: "Index"}
	if s.place == nil {
		f.Value = s.noPlace
		return f, s.noPlace != ""
	}
	used, why := s.index.Used()
	switch {
	case used:
		f.Value = "from " + s.place.path
	case !s.index.Status().Final:
		f.Value = "being built, to be kept in " + s.place.path
	case errors.Is(why, errNoIndex):
		f.Value = "built"
	default:
		f.Value = fmt.Sprintf("built, as that in %s is not usable: %v", s.place.path, why)
	}
	return f, true
}
