package memory

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/memtui/memtui/loaders"
)

// Memory that is left to Go's runtime, to the program itself and to what memory is not spent on knowingly.
const (
	leastMemory = 8 << 20  // bytes that reading takes at least: with less, Go's runtime dies of want
	extraMemory = 48 << 20 // bytes that Go's runtime takes beside what lives, and that the watch allows above the limit
	arenaMemory = 64 << 20 // bytes of address space that Go takes at a time
	spareShare  = 8        // of a limit, one part is left
)

var errTooLittle = errors.New("the limits of the system (ulimit, control groups) leave too little memory to read anything; raise them")

// System returns how many bytes reading may take by the limits that were set from outside, 0 where there are none:
// those of the process (ulimit) and those of the control groups it is in, where root has the folders /proc and /sys.
// The error says that they leave so little that nothing can be read.
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

// groupMemory returns the lowest limit of the control groups that the process is in and of those around them, in bytes,
// 0 where there is none. Both versions of control groups are asked, at the places where all systems have them.
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
		// In a container the path may be the host's, and its folders not there: the root is.
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

// readLimit reads a limit in bytes, 0 where there is none: "max", or a number that no machine reaches.
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
