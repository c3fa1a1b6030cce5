package loaders

import (
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// AddressSpace returns how many bytes of address space the process may still take, by `ulimit -v`, and whether that is
// limited at all.
func AddressSpace() (left int64, limited bool) { return resourceLeft(unix.RLIMIT_AS, 0) }

// DataSpace returns how many bytes of private memory the process may still map, by `ulimit -d`, and whether that is
// limited at all.
func DataSpace() (left int64, limited bool) { return resourceLeft(unix.RLIMIT_DATA, 5) }

// resourceLeft returns the rest of a limit after the pages counted by a field of /proc/self/statm; on systems without
// that file nothing counts as used.
func resourceLeft(resource, field int) (left int64, limited bool) {
	var limit unix.Rlimit
	if unix.Getrlimit(resource, &limit) != nil || limit.Cur > 1<<62 {
		return 0, false
	}
	used := int64(0)
	statm, err := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(statm)); err == nil && field < len(fields) {
		pages, _ := strconv.ParseInt(fields[field], 10, 64)
		used = pages * int64(os.Getpagesize())
	}
	return max(0, int64(limit.Cur)-used), true
}

// freeSpace returns how many bytes a program without privileges may still write to the disk of a file.
func freeSpace(f *os.File) int64 {
	var disk unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &disk) != nil {
		return math.MaxInt64
	}
	return int64(min(uint64(disk.Bavail), math.MaxInt64/uint64(disk.Bsize)) * uint64(disk.Bsize))
}

// mappable reports whether the mapping of a file leaves the process enough address space to work in.
func mappable(size int64) bool {
	left, limited := AddressSpace()
	return !limited || size <= left/2
}
