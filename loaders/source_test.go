package loaders

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/model"
)

func someBytes(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32() & 15)
	}
	return b
}

func gzipped(t *testing.T, parts ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, p := range parts {
		z := gzip.NewWriter(&out)
		if _, err := z.Write(p); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func zstded(t *testing.T, parts ...[]byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var out []byte
	for _, p := range parts {
		out = z.EncodeAll(p, out)
	}
	return out
}

func write(t *testing.T, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "some.file")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string, stdin io.Reader) *Source {
	t.Helper()
	src, err := OpenSource(context.Background(), path, stdin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

// checkContent reads src in every way there is.
func checkContent(t *testing.T, src *Source, want []byte) {
	t.Helper()
	got := make([]byte, len(want)+10)
	if n, err := src.ReadAt(got, 0); n != len(want) || err != io.EOF || !bytes.Equal(got[:n], want) {
		t.Fatalf("ReadAt: %d of %d bytes, %v", n, len(want), err)
	}
	if src.Size() != int64(len(want)) {
		t.Errorf("size %d, want %d", src.Size(), len(want))
	}
	mid := int64(len(want) / 3)
	if n, err := src.ReadAt(got[:10], mid); n != 10 || err != nil || !bytes.Equal(got[:10], want[mid:mid+10]) {
		t.Errorf("ReadAt in the middle: %d, %v", n, err)
	}
	for _, c := range []struct{ off, n, want int64 }{
		{0, 5, 5}, {mid, 1 << 40, int64(len(want)) - mid}, {int64(len(want)), 1, 0}, {1 << 50, 1 << 50, 0},
	} {
		b, err := src.Range(context.Background(), c.off, c.n)
		if err != nil || int64(len(b)) != c.want {
			t.Errorf("Range(%d, %d): %d bytes, %v", c.off, c.n, len(b), err)
		} else if c.want > 0 && !bytes.Equal(b, want[c.off:c.off+c.want]) {
			t.Errorf("Range(%d, %d): other bytes", c.off, c.n)
		}
	}
	if _, err := src.ReadAt(got[:1], int64(len(want))); err != io.EOF {
		t.Error("behind the end:", err)
	}
	if _, err := src.Range(context.Background(), -1, 1); err == nil {
		t.Error("a negative range was given")
	}
}

func TestSourcesGiveTheSameBytes(t *testing.T) {
	want := someBytes(3 << 20)
	half := len(want) / 2
	for name, c := range map[string]struct {
		stored []byte
		outer  string
	}{
		"plain":            {want, ""},
		"gzip":             {gzipped(t, want), "gzip"},
		"gzip, two parts":  {gzipped(t, want[:half], want[half:]), "gzip"},
		"zstd":             {zstded(t, want), "zstd"},
		"zstd, two frames": {zstded(t, want[:half], want[half:]), "zstd"},
		"zstd, skippable":  {append([]byte{0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2}, zstded(t, want)...), "zstd"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, c.stored)
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			for kind, src := range map[string]*Source{
				"file": open(t, path, nil), "pipe": open(t, "-", bytes.NewReader(c.stored)), "redirected": open(t, "-", file),
				"byte by byte": open(t, "-", io.MultiReader(bytes.NewReader(c.stored[:1]), bytes.NewReader(c.stored[1:]))),
			} {
				checkContent(t, src, want)
				if src.Outer() != c.outer || src.StoredSize() != int64(len(c.stored)) || len(src.Problems()) > 0 {
					t.Errorf("%s: outer %q, %d bytes stored, problems %v", kind, src.Outer(), src.StoredSize(), src.Problems())
				}
			}
		})
	}
}

func TestSpoolBeyondMemory(t *testing.T) {
	want := bytes.Repeat(someBytes(1<<20), 70)
	src := open(t, "-", bytes.NewReader(want))
	checkContent(t, src, want)
	b, err := src.Range(context.Background(), spoolMemory-5, 10)
	if err != nil || !bytes.Equal(b, want[spoolMemory-5:spoolMemory+5]) {
		t.Error("across the edge:", err)
	}
}

func TestDamagedCompression(t *testing.T) {
	want := someBytes(2 << 20)
	for name, b := range map[string][]byte{"gzip": gzipped(t, want), "zstd": zstded(t, want)} {
		src := open(t, "-", bytes.NewReader(b[:len(b)/2]))
		got := make([]byte, len(want)+1) // the end must be met: only then problems are complete
		n, err := src.ReadAt(got, 0)
		if err != io.EOF || n == 0 || !bytes.Equal(got[:n], want[:n]) {
			t.Errorf("%s cut: %d bytes, %v", name, n, err)
		}
		if p := src.Problems(); len(p) != 1 || p[0].Code != "compression" || !src.Limited() ||
			!strings.Contains(p[0].Message, "too early, at byte "+model.Group(uint64(len(b)/2))) {
			t.Errorf("%s cut: %v", name, p)
		}
		bad := bytes.Clone(b)
		for i := len(b) / 2; i < len(b)/2+100; i++ {
			bad[i] ^= 0x5a
		}
		src = open(t, write(t, bad), nil)
		// What damage makes of the rest may be longer than it was.
		if n, _ := io.Copy(io.Discard, io.NewSectionReader(src, 0, 1<<40)); n > 0 && len(src.Problems()) != 1 {
			t.Errorf("%s damaged: %d bytes, %v", name, n, src.Problems())
		}
		if _, err := Detect(open(t, "-", bytes.NewReader(b[:5])), nil); err == nil || errors.Is(err, ErrUnknownFormat) {
			t.Errorf("%s without content: %v", name, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenSource(context.Background(), dir, nil); !errors.Is(err, ErrDirectory) {
		t.Error("directory:", err)
	}
	if _, err := OpenSource(context.Background(), filepath.Join(dir, "x"), nil); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error("missing:", err)
	}
	if _, err := OpenSource(context.Background(), write(t, nil), nil); !errors.Is(err, ErrEmpty) {
		t.Error("empty:", err)
	}
	if _, err := OpenSource(context.Background(), "-", nil); err == nil {
		t.Error("no standard input: no error")
	}
	if _, err := Detect(open(t, "-", strings.NewReader("")), nil); !errors.Is(err, ErrEmpty) {
		t.Error("empty pipe:", err)
	}
}

// TestSlowPipe holds that what has arrived can be read before the end, and that waiting ends with its context or the
// source.
func TestSlowPipe(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	src := open(t, "-", r)
	if _, err := w.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	p := make([]byte, 100)
	if n, err := src.ReadSome(context.Background(), p, 0); n != 5 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if src.Size() != -1 {
		t.Error("the size of a pipe is known before its end")
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := src.ReadSome(ctx, make([]byte, 1), 5)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error("canceled read:", err)
	}
	go func() {
		_, err := src.ReadAt(make([]byte, 1), 5)
		ended <- err
	}()
	src.Close()
	if err := <-ended; !errors.Is(err, os.ErrClosed) {
		t.Error("closed source:", err)
	}
}

func TestCanceledSource(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	ctx, cancel := context.WithCancel(context.Background())
	src, err := OpenSource(ctx, "-", r)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	cancel()
	if _, err := src.ReadAt(make([]byte, 1), 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFIFO(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	src := open(t, path, nil) // must not wait for the writer
	want := someBytes(100_000)
	go func() {
		if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			f.Write(want)
			f.Close()
		}
	}()
	checkContent(t, src, want)
}

// TestShrink reads a mapping whose file has been cut: that must be an error and no signal.
func TestShrink(t *testing.T) {
	path := write(t, someBytes(1<<20))
	src := open(t, path, nil)
	b, err := src.Range(context.Background(), 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if src.Changed() {
		t.Error("it has changed before it has")
	}
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	sum := 0
	err = src.Guard(func() error {
		for _, c := range b {
			sum += int(c)
		}
		return nil
	})
	if !errors.Is(err, ErrShrank) || !src.Shrunk() || src.Grown() || !src.Changed() {
		t.Errorf("%v, shrunk %v, grown %v, changed %v", err, src.Shrunk(), src.Grown(), src.Changed())
	}
	if _, err := src.ReadAt(make([]byte, 100), 0); !errors.Is(err, ErrShrank) {
		t.Error("ReadAt:", err)
	}
	if err := src.Guard(func() error { var none []int; _ = none[sum]; return nil }); !model.Internal(err) {
		t.Error("a defect:", err)
	}
}

func TestDetect(t *testing.T) {
	formats := []Format{
		{Name: "a", Extensions: []string{".file"}, Sniff: func(head []byte) Confidence {
			if head[0] == 'a' {
				return Maybe
			}
			return No
		}},
		{Name: "b", Sniff: func(head []byte) Confidence {
			if bytes.HasPrefix(head, []byte("ab")) {
				return Sure
			}
			return No
		}},
	}
	for text, want := range map[string]string{"axx": "a", "abx": "b"} {
		if f, err := Detect(open(t, write(t, []byte(text)), nil), formats); err != nil || f.Name != want {
			t.Errorf("%s: %q, %v", text, f.Name, err)
		}
	}
	_, err := Detect(open(t, write(t, []byte("zzz")), nil), formats)
	if !errors.Is(err, ErrUnknownFormat) || !strings.Contains(err.Error(), "known: a, b") || !strings.Contains(err.Error(), "name says a") {
		t.Error(err)
	}
}

func TestFormatError(t *testing.T) {
	e := &FormatError{Format: "f", Path: "p", Offset: 7, Field: "x", Err: ErrEmpty}
	if got := e.Error(); !strings.HasPrefix(got, "p: f at byte 7 (x): ") || !errors.Is(e, ErrEmpty) {
		t.Error(got)
	}
	if got := (&FormatError{Format: "f", Offset: -1, Line: 3, Err: ErrEmpty}).Error(); !strings.HasPrefix(got, "f line 3: ") {
		t.Error(got)
	}
}

// panickyReader stands for a defect in a decoder.
type panickyReader struct{}

func (panickyReader) Read([]byte) (int, error) { panic("a defect") }

func TestADefectWhileReadingIsAnErrorNotACrash(t *testing.T) {
	src, err := OpenStream(t.Context(), "x", panickyReader{})
	if err == nil {
		defer src.Close()
		_, err = src.ReadAt(make([]byte, 1), 0)
	}
	if err == nil {
		t.Error("no error")
	}
}

// A hundred kilobytes of zstd can hold gigabytes, and metadata may claim to be that large: no range is.
func TestRangeOfBomb(t *testing.T) {
	s := &spool{size: 3 << 30, done: true}
	s.arrived = sync.NewCond(&s.mu)
	var limit *LimitError
	if b, err := s.copyRange(context.Background(), 256, 1<<32-1); !errors.As(err, &limit) || len(b) > 0 {
		t.Errorf("%d bytes, error %v", len(b), err)
	}
}
