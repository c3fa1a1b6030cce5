package analysis

import (
	"fmt"

	"github.com/memtui/memtui/model"
)

// AddAll adds the counts of a grid cell.
func (b *Bucket) AddAll(c GridCell) {
	b.Count += c.Count
	b.Bytes, _ = model.SaturatingAdd(b.Bytes, c.Bytes)
}

// SizeEnd formats the end of a size class whose largest size is hi: hi itself below 1 KiB, else "<" and hi+1.
func SizeEnd(hi uint64) string {
	if hi < 1024 {
		return fmt.Sprintf("%d B", hi)
	}
	return "<" + model.Bytes(hi+1).String()
}

// SizeBounds returns the smallest and largest value of bit length b.
func SizeBounds(b uint32) (lo, hi uint64) {
	if b == 0 {
		return 0, 0
	}
	lo = 1 << (b - 1)
	return lo, lo + (lo - 1)
}
