package mlyze

import "github.com/memtui/memtui/model"

// Later versions may write records of other types between the events, without a stated length. Where they are so close
// to each other that no long run of events is free of them, each is skipped by a length after which events and such
// records alternate plausibly.
const (
	lastUnknown   = 15 // types above it are treated as damage
	longestRecord = 64 // bytes
	varies        = 2  // bytes by which records of one type may differ in length: a time is a varint
	sure          = 4  // events or records after one that must be readable
	likelyLength  = 16 // and if no length fits a complete run
)

// unknown is a type of records that this version does not know, and how long they are. The zero value is not one.
type unknown struct {
	kind byte
	size int
}

// pass returns the length of the record of an unknown type at the start of b, 0 if no length is plausible; eof reports
// that the input ends with b.
func (j *judge) pass(b []byte, eof bool) int {
	if j.passed > manyGaps { // a hostile file must not cost more
		return max(j.record.next(j, b, 0), 0)
	}
	var best fit
	for size := 1; size <= longestRecord && size < len(b); size++ {
		c := b[size:]
		if !j.begins(c) {
			continue
		}
		f := fit{unknown: unknown{b[0], size}}
		f.rank = j.run(c[:min(len(c), lookahead)], eof && len(c) <= lookahead, f.unknown)
		if f.rank == nonsense && (best.size > 0 || !f.follow(j, c, 0, likelyLength)) {
			continue
		}
		if f.exact(j, c); f.better(&best) {
			best = f
		}
	}
	if best.size > 0 {
		j.record = best.unknown
		j.passed++
	}
	return best.size
}

// next returns where in b the next event, or another such record, begins after one at p; -1 if there is none.
func (u unknown) next(j *judge, b []byte, p int) int {
	if u.size == 0 || b[p] != u.kind {
		return -1
	}
	for _, d := range [...]int{0, 1, -1, varies, -varies} {
		if q := p + u.size + d; q > p && q < len(b) && j.event(b[q:]) > 0 && u.follow(j, b, q, sure) {
			return q
		}
	}
	return -1
}

// follow reports whether n events can be read at p, or all up to the end of b, with at most one such record before
// each.
func (u unknown) follow(j *judge, b []byte, p, n int) bool {
	tries := 16 * n // of lengths: a hostile file must not cost more
	return u.search(j, b, p, n, &tries)
}

func (u unknown) search(j *judge, b []byte, p, n int, tries *int) bool {
	if n == 0 || p >= len(b) {
		return true
	}
	if size := j.event(b[p:]); size > 0 {
		return u.search(j, b, p+size, n-1, tries)
	}
	if b[p] != u.kind {
		return false
	}
	for _, d := range [...]int{0, 1, -1, varies, -varies} {
		if *tries--; *tries < 0 {
			return false
		}
		q := p + u.size + d
		if q >= len(b) {
			return true
		}
		if q <= p {
			continue
		}
		if size := j.event(b[q:]); size > 0 && u.search(j, b, q+size, n-1, tries) {
			return true
		}
	}
	return false
}

// fit is how well the bytes after a record agree with its length.
type fit struct {
	unknown
	rank  verdict
	block bool // the first event is a block in a known part of the address space: others are easily found in any bytes
	reach int  // events that can be read with records of exactly this length between them
}

// better reports whether f, which is longer, is to be preferred.
func (f *fit) better(to *fit) bool {
	switch {
	case to.size == 0 || f.rank != to.rank:
		return to.size == 0 || f.rank > to.rank
	case f.block != to.block:
		return f.block
	}
	return f.reach > to.reach && f.size <= to.size+varies
}

// exact sets what is read from b on.
func (f *fit) exact(j *judge, b []byte) {
	var first model.Event
	_, _, st := decodeOne(b, &first)
	f.block = st == decoded && first.Kind <= model.Free && first.Addr != 0 && j.knownRegion(region(first.Addr), nil)
	for p := 0; f.reach < 2*runLength && p < len(b); {
		switch size := j.event(b[p:]); {
		case size > 0:
			p, f.reach = p+size, f.reach+1
		case b[p] == f.kind:
			p += f.size
		default:
			return
		}
	}
}

// event returns the length of the event at the start of b, 0 if that is not plausible.
func (j *judge) event(b []byte) int {
	var e model.Event
	size, delta, st := decodeOne(b, &e)
	if st != decoded || size != minimalSize(&e, delta) || !j.plausible(&e, delta) {
		return 0
	}
	return size
}
