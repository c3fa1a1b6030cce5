package weighted

import (
	"regexp"

	"github.com/memtui/memtui/model"
)

// allocator matches the allocation functions that tools record as the leaf of stacks: those of C, C++ and Rust, and
// their replacements by sanitizers and valgrind.
var allocator = regexp.MustCompile(`^(__interceptor_|___interceptor_|__libc_|__GI___libc_|_*rtld_)?(malloc|calloc|realloc|reallocarray|memalign|posix_memalign|aligned_alloc|valloc|pvalloc)$|` +
	`^operator new(\[\])?(\(|$)|^_Zn[aw][mj]|^__(rust|rdl|rg)_(re)?alloc(_zeroed)?$|^alloc::alloc::|^<alloc::alloc::Global as |^<dhat::Alloc as `)

// longestAllocator bounds the matched part of a name: no allocation function has a longer one.
const longestAllocator = 256

// Callers returns a stack, leaf first, without the frames of the allocator at its leaf, which are counted, unless the
// user keeps them. A stack of only such frames is returned unchanged.
func (r *Reading) Callers(leafFirst []model.FrameID) []model.FrameID {
	own := 0
	for own < len(leafFirst) && r.allocates(leafFirst[own]) {
		own++
	}
	if r.Opt.AllocatorFrames || own == len(leafFirst) {
		return leafFirst
	}
	r.hidden += int64(own)
	return leafFirst[own:]
}

func (r *Reading) allocates(f model.FrameID) bool {
	yes, known := r.allocators[f]
	if !known {
		name := r.Function(f)
		yes = allocator.MatchString(name[:min(len(name), longestAllocator)])
		r.allocators[f] = yes
	}
	return yes
}

// CountHidden reports how many frames Callers left out.
func (r *Reading) CountHidden() {
	if r.hidden > 0 {
		r.Count("allocator_frames", "Frames of the allocator left out", r.hidden)
	}
}
