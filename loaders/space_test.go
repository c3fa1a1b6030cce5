package loaders

import (
	"testing"

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
