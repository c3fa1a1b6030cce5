package memory

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/memtui/memtui/loaders"
)

// Memory that is reserved for Go's runtime, the program itself and unaccounted data.
const (
	leastMemory = 8 << 20  // bytes that reading needs at least: with less, Go's runtime dies
	extraMemory = 48 << 20 // bytes of Go's runtime in addition to live memory; the watch allows them above the limit
	arenaMemory = 64 << 20 // bytes of address space that Go takes at a time
	spareShare  = 8        // this fraction of a limit is left unused
)

var errTooLittle = errors.New("the limits of the system (ulimit, control groups) leave too little memory to read anything; raise them")

// System returns how many bytes reading may take by the limits that were set from outside, 0 for none: those of the
// process (ulimit) and of its control groups, where root has the folders /proc and /sys. The error reports that they
// are too low to read anything.
func System(root fs.FS) (int64, error) {
	var limits []int64
	if left, limited := loaders.AddressSpace(); limited { // half, since files are mapped, too
		limits = append(limits, (left-arenaMemory-extraMemory)/2)
	}
	if left, limited := loaders.DataSpace(); limited {
		limits = append(limits, (left-extraMemory)*3/4)
	}
	if group := groupMemory(root); group > 0 {
		limits = append(limits, group-group/spareShare)
	}
	lowest := int64(0)
	for _, l := range limits {
		if l = max(l, 1); lowest == 0 || l < lowest {
			lowest = l
		}
	}
	if 0 < lowest && lowest < leastMemory {
		return lowest, errTooLittle
	}
	return lowest, nil
}

// groupMemory returns the lowest limit of the process's control groups and their parents, in bytes, 0 for none. It
// reads both versions of control groups, at their standard paths.
func groupMemory(root fs.FS) int64 {
	list, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return 0
	}
	lowest := int64(0)
	for line := range strings.Lines(string(list)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		base, name := "", ""
		switch {
		case parts[0] == "0" && parts[1] == "":
			base, name = "sys/fs/cgroup", "memory.max"
		case hasWord(parts[1], "memory"):
			base, name = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// In a container the path may be the host's, and its folders missing: the root exists.
		for dir := path.Clean("/" + parts[2]); ; dir = path.Dir(dir) {
			if l := readLimit(root, path.Join(base, dir, name)); l > 0 && (lowest == 0 || l < lowest) {
				lowest = l
			}
			if dir == "/" {
				break
			}
		}
	}
	return lowest
}

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return true
		}
	}
	return false
}

// readLimit reads a limit in bytes, 0 for none: "max", or a number above any machine's memory.
func readLimit(root fs.FS, name string) int64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n >= 1<<60 {
		return 0
	}
	return n
}
