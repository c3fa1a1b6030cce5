package traceindex

import (
	"math/bits"

	"github.com/memtui/memtui/analysis/traceindex/column"
)

// linker assigns records to the blocks that outlive their chunk, and finds the records of blocks that end in a later
// one. It takes the chunks in order.
type linker struct {
	ranks    column.Column[rank]
	payloads int // number of events so far that are not FREE
	records  uint32
}

// rank is a bitmap of the records of 64 events that are not FREE, with the number of earlier records.
type rank struct {
	has    uint64
	before uint32 // number of records before these events
}

// survive collects the blocks of a chunk that outlive it.
func (l *linker) survive(j *job) {
	j.firstRec, j.survivors = l.records, j.survivors[:0]
	for p := 0; p < len(j.Died); {
		at := l.payloads + p
		if at%64 == 0 {
			l.ranks.Append(rank{before: l.records})
		}
		group := j.Died[p:min(p+64-at%64, len(j.Died))]
		has := uint64(0)
		for i, died := range group {
			has |= uint64(died^1) << i
		}
		l.ranks.Ref(at / 64).has |= has << (at % 64)
		l.records += uint32(bits.OnesCount64(has))
		for ; has != 0; has &= has - 1 {
			j.survivors = append(j.survivors, uint32(p+bits.TrailingZeros64(has)))
		}
		p += len(group)
	}
	l.payloads += len(j.Died)
}

// find returns the record of a block that has one, by its number among all events that are not FREE.
func (l *linker) find(payload uint32) uint32 {
	r := l.ranks.Ref(int(payload / 64))
	return r.before + uint32(bits.OnesCount64(r.has&(1<<(payload%64)-1)))
}
