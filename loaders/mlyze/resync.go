package mlyze

import (
	"context"
	"encoding/binary"
	"math/bits"

	"github.com/memtui/memtui/model"
)

// After damage nothing marks the next event: there are no marks, lengths or checksums. But decoding from a wrong offset
// soon gives nonsense: types above 3, impossible addresses, unknown stacks, sizes of petabytes. So the search tries
// every offset until a long run of events is plausible. A wrong offset may synchronize with the true events after one
// or two false ones; therefore the first ones of a run must also be similar to others.
const (
	runLength  = 48                       // events that must be plausible
	endLength  = 3                        // fewer suffice if they end exactly where the input ends
	cutLength  = 4                        // or if it ends within the next one
	lookahead  = 2 * runLength * maxEvent // maximum bytes of a run, with records of an unknown type between its events
	alignments = 64                       // offsets after a plausible one that may be better
	manyGaps   = 1000                     // from then on the search takes the first match: a hostile file must not cost more
	maxRegions = 1 << 14

	saneDelta = 3600 * 1_000_000 // an hour without an event
	saneSize  = 1 << 42
	saneID    = 1 << 24
	canonical = 1 << 48
)

// knowledge is what the events so far imply about the values to expect.
type knowledge struct {
	regions  map[uint64]struct{} // of addresses, see region
	maxID    uint64
	events   uint64
	zeroes   bool // there are blocks without an address
	high     bool // addresses above canonical
	thread0  bool // blocks of a thread 0
	maxDelta uint64
	maxSize  uint64 // of a block
}

// usual reports whether a block of this size is similar to others.
func (k *knowledge) usual(size uint64) bool { return size <= 1<<20 || size/4 <= k.maxSize }

// learn adds events; before is the time of the one before them.
func (k *knowledge) learn(events []model.Event, before model.Time) {
	if k.regions == nil {
		k.regions = map[uint64]struct{}{}
	}
	for i := range events {
		e := &events[i]
		k.maxDelta = max(k.maxDelta, uint64(max(0, e.Time-before)))
		before = e.Time
		if e.Kind > model.Free {
			continue
		}
		if e.Kind == model.Alloc {
			k.maxID = max(k.maxID, e.ID)
			k.maxSize = max(k.maxSize, e.Size)
			k.thread0 = k.thread0 || e.Thread == 0
		}
		k.zeroes = k.zeroes || e.Addr == 0
		k.high = k.high || e.Addr >= canonical
		if e.Addr != 0 && len(k.regions) < maxRegions {
			k.regions[region(e.Addr)] = struct{}{}
		}
	}
	k.events += uint64(len(events))
}

// region names the part of the address space that addr is in: 4 GiB, or 16 MiB of the lowest.
func region(addr uint64) uint64 {
	if addr>>32 != 0 {
		return addr >> 32
	}
	return addr>>24 | 1<<63
}

// judge distinguishes plausible events from bytes that merely decode.
type judge struct {
	knowledge
	tables *tables // nil or without stacks: ids are compared to those seen

	record unknown // the last one that was skipped
	passed int     // how many were
}

// plausible checks one event with its delta.
func (j *judge) plausible(e *model.Event, delta uint64) bool {
	if delta > max(saneDelta, 2*j.maxDelta) {
		return false
	}
	switch e.Kind {
	case model.GC:
		return e.ID < canonical && e.Size < saneSize
	case model.Marker:
		if j.tables != nil && len(j.tables.funcs.index) > 0 {
			_, ok := j.tables.funcs.index[e.ID]
			return ok
		}
		return e.ID < saneID
	}
	if e.Addr == 0 && !j.zeroes || e.Addr >= canonical && !j.high {
		return false
	}
	if e.Kind == model.Free {
		return true
	}
	if e.Size > saneSize {
		return false
	}
	if j.tables != nil && len(j.tables.stacks) > 0 {
		_, ok := j.tables.stacks[e.ID]
		return ok
	}
	return j.events == 0 && e.ID < saneID || e.ID <= 2*j.maxID+1024
}

// damaged reports whether an event right before damage is rather part of it: only one unlike all others is, and none
// while little is known.
func (j *judge) damaged(e *model.Event) bool {
	if e.Kind > model.Free || j.events < 4*lookBack {
		return false
	}
	if e.Addr != 0 && !j.knownRegion(region(e.Addr), nil) || e.Addr == 0 && !j.zeroes {
		return true
	}
	if e.Kind == model.Free {
		return false
	}
	_, known := j.tables.stacks[e.ID]
	return len(j.tables.stacks) > 0 && !known || !j.usual(e.Size) || e.Thread == 0 && !j.thread0
}

// verdict is the result for a run.
type verdict uint8

const (
	nonsense verdict = iota
	possible         // every event is plausible
	likely           // and the first ones are similar to others: by address and size
)

// run judges the events at the start of b, which records of an unknown type may separate; eof reports that the input
// ends with b.
func (j *judge) run(b []byte, eof bool, between unknown) verdict {
	var early, late [runLength]uint64 // regions of the first events, and of those that are certainly synchronized
	earlies, lates := 0, 0
	n, p, usual := 0, 0, true
	for skipped := 0; n < runLength; n++ {
		var e model.Event
		size, delta, st := decodeOne(b[p:], &e)
		for st == badType && skipped <= n {
			q := between.next(j, b, p)
			if q < 0 {
				break
			}
			p, skipped = q, skipped+1
			size, delta, st = decodeOne(b[p:], &e)
		}
		if st == short && eof {
			break
		}
		if st != decoded || size != minimalSize(&e, delta) || !j.plausible(&e, delta) {
			return nonsense
		}
		p += size
		if n < cutLength && e.Kind == model.Alloc {
			usual = usual && (j.events == 0 || j.usual(e.Size))
		}
		if e.Kind <= model.Free && e.Addr != 0 {
			if n < cutLength {
				early[earlies] = region(e.Addr)
				earlies++
			} else if n >= runLength/2 {
				late[lates] = region(e.Addr)
				lates++
			}
		}
	}
	if n < runLength && (p == len(b) && n < endLength || p < len(b) && n < cutLength) {
		return nonsense
	}
	if !usual {
		return possible
	}
	for _, r := range early[:earlies] {
		if !j.knownRegion(r, late[:lates]) {
			return possible
		}
	}
	return likely
}

func (j *judge) knownRegion(r uint64, late []uint64) bool {
	if _, ok := j.regions[r]; ok {
		return true
	}
	for _, l := range late {
		if l == r {
			return true
		}
	}
	return false
}

// minimalSize returns the length of an event with the shortest possible varints, as writers write it.
func minimalSize(e *model.Event, delta uint64) int {
	n := 1 + varintSize(delta)
	switch e.Kind {
	case model.Alloc:
		return n + 8 + varintSize(e.Size) + varintSize(e.ID) + 2
	case model.Free:
		return n + 8
	case model.GC:
		return n + varintSize(e.ID) + varintSize(e.Size)
	}
	return n + varintSize(e.ID)
}

func varintSize(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// resync moves in to the next offset where events continue, or to the end of the input. gaps is how often that was
// needed; at is the offset of the type that could not be read, kind.
func (j *judge) resync(ctx context.Context, in *blocks, gaps int, at int64, kind byte) error {
	in.have(lookahead + alignments)
	if from := in.pos + int(at-in.offset()); kind > typeMarker && kind <= lastUnknown && from >= 0 {
		if n := j.pass(in.buf[from:in.end], in.eof); n > 0 {
			in.pos = from + n
			return nil
		}
	}
	for tried := 1; in.have(lookahead+alignments) || in.left() > 0; in.pos++ {
		if tried++; tried%model.AskEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		b := in.rest()
		if n := j.zeroes16(b); n > 0 {
			in.pos += n - 1
			continue
		}
		if !j.begins(b) {
			continue
		}
		switch j.run(b[:min(len(b), lookahead)], in.eof && len(b) <= lookahead, unknown{}) {
		case nonsense:
			continue
		case possible:
			if gaps < manyGaps {
				in.pos += j.align(b, in.eof)
			}
		}
		return nil
	}
	return ctx.Err()
}

// zeroes16 returns how many of the next offsets cannot begin an event because its address would be 0: the fast path
// through holes.
func (j *judge) zeroes16(b []byte) int {
	if j.zeroes || len(b) < 16 || binary.LittleEndian.Uint64(b)|binary.LittleEndian.Uint64(b[8:]) != 0 {
		return 0
	}
	return 16 - (1 + 1 + 8) + 1
}

// begins checks only the first event of b: nearly every wrong offset fails here.
func (j *judge) begins(b []byte) bool {
	if b[0] > typeMarker {
		return false
	}
	var e model.Event
	_, delta, st := decodeOne(b, &e)
	return st == decoded && j.plausible(&e, delta)
}

// align returns how far after the start of b a likely run begins, 0 if there is none nearby.
func (j *judge) align(b []byte, eof bool) int {
	for i := 1; i < alignments && i < len(b); i++ {
		c := b[i:]
		if j.run(c[:min(len(c), lookahead)], eof && len(c) <= lookahead, unknown{}) == likely {
			return i
		}
	}
	return 0
}
