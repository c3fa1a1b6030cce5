package loaders

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// written returns a file that is locked as by its writer.
func written(t *testing.T, content string) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "growing"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(content); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestGrowingFilesAreReadOn(t *testing.T) {
	f := written(t, "abcd")
	if !Written(f.Name()) {
		t.Fatal("its writer is not noticed")
	}
	src, err := OpenGrowing(t.Context(), f.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	b := make([]byte, 8)
	if n, err := src.ReadSome(t.Context(), b, 0); n != 4 || err != nil || src.Size() != -1 || !src.Growing() {
		t.Errorf("%d bytes, %v, size %d", n, err, src.Size())
	}
	if n, err := src.ReadAtLeast(b, 2, 1); n != 2 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	go func() {
		time.Sleep(50 * time.Millisecond)
		_, _ = f.WriteString("efgh")
	}()
	if n, err := src.ReadAt(b, 0); n != 8 || err != nil || string(b) != "abcdefgh" || src.StoredSize() != 8 {
		t.Errorf("%q, %v, size %d", b[:n], err, src.StoredSize())
	}
	_, _ = f.WriteString("i")
	_ = f.Close() // which frees the lock
	if n, err := src.ReadAt(b, 8); n != 1 || !errors.Is(err, io.EOF) {
		t.Errorf("%d bytes, %v at the end", n, err)
	}
	if src.Size() != 9 || src.Growing() || !src.Followed() || src.Changed() || Written(f.Name()) {
		t.Errorf("size %d, growing %v, changed %v", src.Size(), src.Growing(), src.Changed())
	}
	if r, err := src.Range(t.Context(), 7, 10); string(r) != "hi" || err != nil {
		t.Errorf("%q, %v", r, err)
	}
}

func TestWaitingForAGrowingFileEnds(t *testing.T) {
	f := written(t, "abcd")
	src, err := OpenGrowing(t.Context(), f.Name())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := src.ReadSome(ctx, make([]byte, 1), 4); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	done := make(chan error)
	go func() {
		_, err := src.ReadAt(make([]byte, 1), 4)
		done <- err
	}()
	time.Sleep(10 * time.Millisecond)
	if err := src.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

func TestFileWithoutALockIsFollowedUntilItIsClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(path, []byte("abcd"), 0o600); err != nil || Written(path) {
		t.Fatal(err)
	}
	src, err := OpenGrowing(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * growBusy)
	if !src.Growing() {
		t.Error("it has ended by itself")
	}
	_ = src.Close()
}

func TestOnlyPlainFilesAreFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.gz")
	if err := os.WriteFile(path, []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, t.TempDir(), path + ".missing"} {
		if src, err := OpenGrowing(t.Context(), path); err == nil {
			src.Close()
			t.Errorf("%s is followed", path)
		}
	}
}
