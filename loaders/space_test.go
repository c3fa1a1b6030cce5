package loaders

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/memtui/memtui/model"
	"golang.org/x/sys/unix"
)

// limit lowers a limit of this process until the test ends.
func limit(t *testing.T, resource int, bytes uint64) {
	t.Helper()
	var old unix.Rlimit
	if err := unix.Getrlimit(resource, &old); err != nil {
		t.Skip(err)
	}
	lower := old
	if lower.Cur = bytes; lower.Cur > old.Max {
		t.Skip("the limit is lower already")
	}
	if err := unix.Setrlimit(resource, &lower); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := unix.Setrlimit(resource, &old); err != nil {
			t.Error(err)
		}
	})
}

func TestSpaceIsWhatLimitsLeave(t *testing.T) {
	const bytes = 1 << 46 // more than the test can use
	for resource, left := range map[int]func() (int64, bool){unix.RLIMIT_AS: AddressSpace, unix.RLIMIT_DATA: DataSpace} {
		limit(t, resource, bytes)
		if n, limited := left(); !limited || n <= bytes/2 || n > bytes {
			t.Errorf("of %d bytes %d are left, %v", int64(bytes), n, limited)
		}
	}
	if !mappable(bytes/4) || mappable(bytes) {
		t.Error("a file is mapped where there is no room, or is not where there is")
	}
}

// What cannot be mapped is read, where the memory for it is there.
func TestRangeOfWhatIsNotMapped(t *testing.T) {
	const size = 20 << 20
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, bytes.Repeat([]byte("0123456789abcdef"), size/16), 0o600); err != nil {
		t.Fatal(err)
	}
	for budget, whole := range map[int64]bool{0: true, 64 << 20: true, 16 << 20: false} {
		ctx, cancel := context.WithCancel(model.WithBudget(context.Background(), model.NewBudget(budget)))
		src, err := OpenSource(ctx, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		src.mapOnce.Do(func() { src.mapErr = unix.ENOMEM })
		b, err := src.Range(ctx, 3, 1<<40)
		if short := (*model.MemoryError)(nil); whole != (err == nil) || !whole && !errors.As(err, &short) {
			t.Errorf("with %d bytes: %v", budget, err)
		}
		if whole && (len(b) != size-3 || string(b[:4]) != "3456" || string(b[len(b)-2:]) != "ef") {
			t.Errorf("with %d bytes: %d bytes", budget, len(b))
		}
		cancel()
		if b, err := src.Range(ctx, 0, 100); err == nil {
			t.Errorf("%d bytes when nobody wants them any more", len(b))
		}
		src.Close()
	}
}
