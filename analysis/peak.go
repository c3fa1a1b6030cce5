package analysis

import (
	"math/bits"
	"slices"

	"github.com/memtui/memtui/model"
)

// MostPeakBlocks is the maximum number of blocks that a stack may have at the peak for [Trace.HeldAtPeak]: each is
// looked at.
const MostPeakBlocks = 500_000

// Limits of [Held].
const (
	heldShare = 20
	mostHeld  = 1 << 21
)

// Held selects the stacks of which [Trace.HeldAtPeak] is known without a walk over all blocks: those that have a twentieth
// of the peak, as long as they have few blocks together.
type Held struct {
	All    uint64 // bytes at the peak
	blocks uint64
}

// Large reports whether bytes are as much as a stack must have.
func (h *Held) Large(bytes uint64) bool { return bytes >= max(h.All/heldShare, 1) }

// Has reports whether the next stack, by what it has, most first, is one of them.
func (h *Held) Has(bytes, count uint64) bool {
	if !h.Large(bytes) || count > MostPeakBlocks {
		return false
	}
	h.blocks += count
	return h.blocks <= mostHeld
}

// PeakBlocks are the blocks of a stack that are live at the peak, in order of birth.
type PeakBlocks struct {
	all  []peakBlock
	size uint64
}

type peakBlock struct {
	size       uint64
	born, died model.Time
}

// Grow makes room for a number of blocks.
func (p *PeakBlocks) Grow(n int) { p.all = slices.Grow(p.all, n) }

// Add adds the block that is born next.
func (p *PeakBlocks) Add(size uint64, born, died model.Time) {
	p.all = append(p.all, peakBlock{size, born, died})
	p.size, _ = model.SaturatingAdd(p.size, size)
}

// Held returns for how long at least half of the bytes were live, 0 without blocks.
func (p *PeakBlocks) Held() model.Time { return max(p.halfDead()-p.halfBorn(), 0) }

// halfBorn returns when half of the bytes were allocated.
func (p *PeakBlocks) halfBorn() model.Time {
	sum := uint64(0)
	for i := range p.all {
		if sum, _ = model.SaturatingAdd(sum, p.all[i].size); sum >= p.size-p.size/2 {
			return p.all[i].born
		}
	}
	return 0
}

// halfDead returns when half of the bytes were freed. It adds up the bytes in intervals of time, and then in parts of
// the interval where the sum reaches half, rather than sort the blocks.
func (p *PeakBlocks) halfDead() model.Time {
	if len(p.all) == 0 {
		return 0
	}
	from, to := p.all[0].died, p.all[0].died
	for i := range p.all {
		from, to = min(from, p.all[i].died), max(to, p.all[i].died)
	}
	const intervals = 12 // in bits
	before := uint64(0)  // bytes of the blocks that died before from
	for from < to {
		shift := max(bits.Len64(uint64(to-from))-intervals, 0)
		var sums [1 << intervals]uint64
		for i := range p.all {
			if b := &p.all[i]; b.died >= from && b.died <= to {
				s := &sums[uint64(b.died-from)>>shift]
				*s, _ = model.SaturatingAdd(*s, b.size)
			}
		}
		k := 0
		for ; ; k++ {
			sum, _ := model.SaturatingAdd(before, sums[k])
			if sum >= p.size-p.size/2 {
				break
			}
			before = sum
		}
		from += model.Time(k) << shift
		to = min(to, from+1<<shift-1)
	}
	return from
}
