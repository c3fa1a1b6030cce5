package spaa

import "golang.org/x/sys/unix"

// scratch is zeroed memory that is returned to the system as soon as it is freed: the collector would keep several
// generations of a large growing object.
type scratch struct {
	b      []byte
	mapped bool
}

// largeScratch is the number of bytes from which a mapping of its own pays off.
const largeScratch = 1 << 20

func newScratch(size int) scratch {
	if size >= largeScratch {
		if b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE); err == nil {
			return scratch{b, true}
		}
	}
	return scratch{b: make([]byte, size)}
}

// free frees the memory. It may be called twice.
func (s *scratch) free() {
	if s.mapped {
		_ = unix.Munmap(s.b) // fails only for addresses that are not a mapping
	}
	*s = scratch{}
}
