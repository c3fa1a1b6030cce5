package match

import (
	"math/bits"

	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// Linker assigns records to the blocks that outlive their chunk, and finds the records of blocks that end in a later
// one. It takes the chunks in order.
type Linker struct {
	ranks    column.Column[rank]
	payloads int    // number of events so far that are not FREE
	Records  uint32 // so far
}

// rank is a bitmap of the records of 64 events that are not FREE, with the number of earlier records.
type rank struct {
	has    uint64
	before uint32 // number of records before these events
}

// Spill lets what is added from now on be in files.
func (l *Linker) Spill(files *model.Room) { l.ranks.Files = files }

// Survive returns the blocks of a chunk that outlive it, as numbered in died: those that are 0 there. It reuses the
// memory of survivors.
func (l *Linker) Survive(died []byte, survivors []uint32) []uint32 {
	survivors = survivors[:0]
	for p := 0; p < len(died); {
		at := l.payloads + p
		if at%64 == 0 {
			l.ranks.Append(rank{before: l.Records})
		}
		group := died[p:min(p+64-at%64, len(died))]
		has := uint64(0)
		for i, is := range group {
			has |= uint64(is^1) << i
		}
		l.ranks.Ref(at / 64).has |= has << (at % 64)
		l.Records += uint32(bits.OnesCount64(has))
		for ; has != 0; has &= has - 1 {
			survivors = append(survivors, uint32(p+bits.TrailingZeros64(has)))
		}
		p += len(group)
	}
	l.payloads += len(died)
	return survivors
}

// Find returns the record of a block that has one, by its number among all events that are not FREE.
func (l *Linker) Find(payload uint32) uint32 {
	r := l.ranks.Ref(int(payload / 64))
	return r.before + uint32(bits.OnesCount64(r.has&(1<<(payload%64)-1)))
}
