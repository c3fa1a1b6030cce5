package analysis

import "math/bits"

// linker gives records to the blocks that outlive their chunk, and finds those of the blocks that end in a later one. It
// takes the chunks in order.
type linker struct {
	ranks    column[rank]
	payloads int // events so far that are no FREE
	records  uint32
}

// rank tells the records of 64 events that are no FREE: a bit says that one has a record.
type rank struct {
	has    uint64
	before uint32 // records of those before
}

// survive lists the blocks of a chunk that outlive it.
func (l *linker) survive(j *job) {
	j.firstRec, j.survivors = l.records, j.survivors[:0]
	var r *rank
	for p, died := range j.died {
		at := l.payloads + p
		if p == 0 || at%64 == 0 {
			if at%64 == 0 {
				l.ranks.append(rank{before: l.records})
			}
			r = l.ranks.ref(at / 64)
		}
		if !died {
			r.has |= 1 << (at % 64)
			j.survivors = append(j.survivors, uint32(p))
			l.records++
		}
	}
	l.payloads += len(j.died)
}

// find fills in the records of the blocks that end in a chunk and were born before.
func (l *linker) find(j *job) {
	for i := range j.deaths {
		d := &j.deaths[i]
		r := l.ranks.ref(int(d.payload / 64))
		d.record = r.before + uint32(bits.OnesCount64(r.has&(1<<(d.payload%64)-1)))
	}
}
