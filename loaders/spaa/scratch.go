package spaa

import "golang.org/x/sys/unix"

// scratch is zeroed memory that goes back to the system at once when it is freed: the collector would keep several
// generations of something large that grows.
type scratch struct {
	b      []byte
	mapped bool
}

// largeScratch is from how many bytes on a mapping of its own is worth it.
const largeScratch = 1 << 20

func newScratch(size int) scratch {
	if size >= largeScratch {
		if b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE); err == nil {
			return scratch{b, true}
		}
	}
	return scratch{b: make([]byte, size)}
}

// free gives the memory back. It can be called twice.
func (s *scratch) free() {
	if s.mapped {
		_ = unix.Munmap(s.b) // fails for what is no mapping only
	}
	*s = scratch{}
}
