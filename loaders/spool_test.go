package loaders

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/memtui/memtui/model"
)

// panicking is an input that has a defect after its first bytes.
type panicking struct{ read bool }

func (p *panicking) Read(b []byte) (int, error) {
	if p.read {
		panic("a mistake")
	}
	p.read = true
	return copy(b, "some bytes that no compression begins with"), nil
}

// A defect in reading a stream ends it, and is not taken for damage.
func TestDefectInStream(t *testing.T) {
	s := startSpool(t.Context(), 0, func() (io.Reader, error) { return &panicking{}, nil })
	<-s.opened
	s.mu.Lock()
	for !s.done {
		s.arrived.Wait()
	}
	s.mu.Unlock()
	p := s.problems()
	if len(p) != 1 || p[0].Code != model.CodeInternal || p[0].Message != "internal error in memtui: a mistake" {
		t.Errorf("%+v", p)
	}
}

// small is a budget by which a spool keeps one chunk in memory.
func small(t *testing.T) context.Context {
	return model.WithBudget(t.Context(), model.NewBudget(8*spoolChunk))
}

// TestRepeatedChunksAreStoredOnce fills a spool with chunks of which some repeat the one before, in pieces of any size,
// and reads it back from everywhere.
func TestRepeatedChunksAreStoredOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var all []byte
	for _, fill := range []byte{1, 1, 2, 2, 2, 3, 2, 2} {
		all = append(all, bytes.Repeat([]byte{fill}, spoolChunk)...)
	}
	all = append(all, "the end"...)
	s := startSpool(small(t), 0, func() (io.Reader, error) { return &pieces{bytes.NewReader(all), rand.New(rand.NewPCG(3, 4))}, nil })
	defer s.close()
	for range 200 {
		off := r.Int64N(int64(len(all)))
		b := make([]byte, r.Int64N(min(3*spoolChunk, int64(len(all))-off+1)))
		if n, err := s.readAt(t.Context(), b, off, len(b)); n != len(b) || !bytes.Equal(b, all[off:off+int64(n)]) {
			t.Fatalf("%d bytes at %d: %d, %v", len(b), off, n, err)
		}
	}
	if info, err := s.file.Stat(); err != nil || info.Size() != 4*spoolChunk || s.finalSize() != int64(len(all)) {
		t.Errorf("%d bytes are stored for %d: %v", info.Size(), s.finalSize(), err)
	}
}

// zeros is an input that never ends.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// TestEndlessPipeLeavesSpace reads a pipe that never ends: reading does, before the disk is full.
func TestEndlessPipeLeavesSpace(t *testing.T) {
	s := &spool{opened: make(chan struct{}), memory: spoolChunk, free: func(*os.File) int64 { return 32 * spoolChunk }, detached: func() bool { return true }}
	s.arrived = sync.NewCond(&s.mu)
	defer s.close()
	s.run(func() (io.Reader, error) { return zeros{}, nil })
	said := s.problems()
	if s.finalSize() != 31*spoolChunk || len(said) != 1 || said[0].Code != "too-large" || !strings.Contains(said[0].Message, "30.0 MiB") {
		t.Errorf("%d MiB: %+v", s.finalSize()/spoolChunk, said)
	}
}

// pieces is an input that gives pieces of any size.
type pieces struct {
	from *bytes.Reader
	r    *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) { return p.from.Read(b[:1+p.r.IntN(len(b))]) }

// compressed writes a file of n equal lines.
func compressed(t *testing.T, n int64, line string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.zst")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewWriter(f)
	if err != nil {
		t.Fatal(err)
	}
	many := []byte(strings.Repeat(line, spoolChunk/len(line)))
	for ; n > 0; n -= int64(len(many)) {
		z.Write(many)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	return path
}

// TestExpansionEnds reads a file that becomes thousands of times as large, which only a word of the user's lets be read
// to its end.
func TestExpansionEnds(t *testing.T) {
	const size = spoolUnasked + 64<<20
	path := compressed(t, size, "all the same\n")
	for _, allowed := range []int64{0, 2 * size} {
		src, err := OpenSource(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		src.Allow(allowed)
		_, err = src.ReadAt(make([]byte, 1), 2*size) // waits for the end
		said, limited := src.Problems(), allowed == 0
		if limited != (len(said) == 1) || limited && (said[0].Code != "too-large" || !strings.Contains(said[0].Message, "--max-memory")) {
			t.Errorf("with %d bytes allowed: %+v, %v", allowed, said, err)
		}
		if got := src.Size(); limited != (got < size) || got < spoolUnasked {
			t.Errorf("with %d bytes allowed: %d bytes of %d were read", allowed, got, size)
		}
	}
}

// TestExpansionOfLargeFiles reads a file so large that the limit is 200 times its size: more is not read.
func TestExpansionOfLargeFiles(t *testing.T) {
	const stored = 2 << 20 // bytes that do not compress
	noise := make([]byte, stored)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(noise); i++ {
		noise[i] = byte(r.Uint32())
	}
	path := filepath.Join(t.TempDir(), "a.zst")
	if err := os.WriteFile(path, append(zstded(t, noise), zstded(t, make([]byte, 600<<20))...), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	limit := 200 * src.StoredSize()
	if _, err := src.ReadAt(make([]byte, 1), 1<<40); err != io.EOF { // waits for the end
		t.Error(err)
	}
	said := src.Problems()
	if got := src.Size(); got < limit || got > limit+spoolChunk || len(said) != 1 || !strings.Contains(said[0].Message, model.Bytes(limit).String()) {
		t.Errorf("%d bytes, limit %d: %+v", got, limit, said)
	}
}

// wideFrame begins a zstd frame that makes its decoder remember 256 MiB.
const wideFrame = "\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00"

// TestWideWindowIsALimit reads a stream whose second frame takes a larger window than any reader's memory should: that
// is not damage.
func TestWideWindowIsALimit(t *testing.T) {
	src, err := OpenSource(t.Context(), "-", strings.NewReader(string(zstded(t, []byte("some text")))+wideFrame))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	got := make([]byte, 100)
	n, err := src.ReadAt(got, 0)
	said := src.Problems()
	if string(got[:n]) != "some text" || err != io.EOF || len(said) != 1 || said[0].Code != "too-large" || !strings.Contains(said[0].Message, "limit of 128") {
		t.Errorf("%q, %v: %+v", got[:n], err, said)
	}
	if !src.Limited() {
		t.Error("not limited")
	}
}

// endlessly is a stream without an end.
type endlessly struct{}

func (endlessly) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestEndlessPipesEnd reads a pipe that never ends, whose contents are kept in memory.
func TestEndlessPipesEnd(t *testing.T) {
	src, err := OpenSource(model.WithBudget(t.Context(), model.NewBudget(256<<20)), "-", endlessly{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	src.KeepsInMemory()
	if got := src.spool.kept.Load(); got != spoolKeptLeast {
		t.Errorf("it ends after %d bytes", got)
	}
	const limit = 256 << 20 // which takes less time
	src.spool.kept.Store(limit)
	_, err = src.ReadAt(make([]byte, 1), 2*limit) // waits for the end
	said := src.Problems()
	if len(said) != 1 || said[0].Code != "too-large" || !strings.Contains(said[0].Message, "256 MiB") || !strings.Contains(said[0].Message, "--max-memory") {
		t.Errorf("%+v, %v", said, err)
	}
	if got := src.Size(); got < limit || got > spoolKeptLeast {
		t.Errorf("%d bytes were read", got)
	}
}

// TestReadOnce reads a stream that is far longer than what is kept in memory, in order and slowly: nothing is written to
// a file, no more is held than memory allows, and a second read of the start is an error.
func TestReadOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	all := make([]byte, 20*spoolChunk+77)
	for i := range all {
		all[i] = byte(r.Uint32())
	}
	began := make(chan struct{})
	s := startSpool(model.WithBudget(t.Context(), model.NewBudget(3*8*spoolChunk)), 0, func() (io.Reader, error) {
		<-began
		return &pieces{bytes.NewReader(all), rand.New(rand.NewPCG(3, 4))}, nil
	})
	defer s.close()
	s.readOnce()
	close(began)
	var got []byte
	for buf := make([]byte, 700_000); ; {
		n, err := s.readAt(t.Context(), buf[:1+r.IntN(len(buf))], int64(len(got)), 1)
		got = append(got, buf[:n]...)
		s.mu.Lock()
		if len(s.chunks) > 3 || s.file != nil {
			t.Fatalf("%d chunks in memory, file %v", len(s.chunks), s.file)
		}
		s.mu.Unlock()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(got, all) {
		t.Errorf("%d bytes differ from the %d written", len(got), len(all))
	}
	if _, err := s.readAt(t.Context(), make([]byte, 9), 5, 1); err != errReadTwice {
		t.Errorf("reading the start again: %v", err)
	}
}

// TestReadOnceStops closes a spool that waits for its reader.
func TestReadOnceStops(t *testing.T) {
	began := make(chan struct{})
	s := startSpool(small(t), 0, func() (io.Reader, error) {
		<-began
		return bytes.NewReader(make([]byte, 5*spoolChunk)), nil
	})
	s.readOnce()
	close(began)
	if n, err := s.readAt(t.Context(), make([]byte, 10), 0, 10); n != 10 || err != nil {
		t.Fatal(n, err)
	}
	s.close()
	if _, err := s.readAt(t.Context(), make([]byte, 10), 10, 10); err != os.ErrClosed {
		t.Errorf("after closing: %v", err)
	}
}
