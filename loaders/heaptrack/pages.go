package heaptrack

import (
	"encoding/binary"
	"math/bits"

	"github.com/memtui/memtui/model"
)

// Events wait for their readers as words of 64 bits, in pages. A page begins with the state needed to read it without
// earlier pages. The two lowest bits of an event's first word are its form.
const (
	pageWords = 512
	pageBytes = 8 * pageWords
	headWords = 5 // time of the previous event, then a clock

	formFree   = 0 // the address, above the form
	formAlloc  = 1 // same, and a word of the size and the stack, 32 bits each
	formNumber = 2 // a block without an address: a bit for a free, 29 bits for its kind, 32 bits for its slot
	formOther  = 3 // one of the following
	formMask   = 3

	pad       = 0<<2 | formOther // the rest of the page is empty
	wide      = 1<<2 | formOther // any event: words of the address, the size, the stack and, above it, a bit for a free
	wideWords = 4
	step      = 2<<2 | formOther // a clock's words, without its fraction of a µs, which is 0
	stepWords = 4

	mostKinds = 1 << 29 // that have a number
	wideFree  = 1 << 32
)

// clock yields the times of events that are evenly spread.
type clock struct {
	time, part         uint64 // of the last event: µs, and 2^-64 of one
	eachTime, eachPart uint64 // between two events
}

// tick returns the time of the next event. hot kernel
func (k *clock) tick() uint64 {
	var carry uint64
	k.part, carry = bits.Add64(k.part, k.eachPart, 0)
	k.time += k.eachTime + carry
	return k.time
}

// after returns the clock n events later.
func (k clock) after(n int) clock {
	carry, part := bits.Mul64(uint64(n), k.eachPart)
	k.time += uint64(n)*k.eachTime + carry
	k.part += part
	return k
}

// spread returns a clock whose tick number n is span µs after from.
func spread(from model.Time, span, n uint64) clock {
	k := clock{time: uint64(from), eachTime: span / n}
	part, rest := bits.Div64(span%n, 0, n)
	if rest > 0 {
		part++ // n is small compared to 2^32: no tick is too early because of that
	}
	k.eachPart = part
	return k
}

// block is an event.
type block struct {
	addr  uint64
	size  uint64
	trace uint32
	free  bool
}

// appendBlock appends an event with an address.
func appendBlock(words []uint64, b block) []uint64 {
	switch {
	case b.addr >= 1<<62, b.size >= 1<<32:
		rest := uint64(b.trace)
		if b.free {
			rest |= wideFree
		}
		return append(words, wide, b.addr, b.size, rest)
	case b.free:
		return append(words, b.addr<<2|formFree)
	}
	return append(words, b.addr<<2|formAlloc, b.size<<32|uint64(b.trace))
}

// eventWords is the length of an event by its form, in a byte each.
const eventWords = 1<<(8*formFree) | 2<<(8*formAlloc) | 1<<(8*formNumber) | wideWords<<(8*formOther)

// wordsOf returns the length of the event that begins with a word.
func wordsOf(first uint64) int { return int(eventWords >> (8 * (first & formMask)) & 0xff) }

// mostWaiting is the most events that wait for a time. A program under heaptrack has tens of thousands in 10 ms.
const mostWaiting = 1 << 17

// steps sets times of events: evenly spread between the times in the file.
type steps struct {
	words   []uint64 // of waiting events
	waiting int
	now     model.Time // last time in the file
	last    model.Time // time of the last written event
	written int64      // bytes
}

// add adds an event. If too many wait, they get the time of the start of the step.
func (s *steps) add(out []byte, b block) []byte {
	if s.waiting == mostWaiting {
		out = s.flush(out)
	}
	s.words = appendBlock(s.words, b)
	s.waiting++
	return out
}

// flush writes the waiting events, without a time after them.
func (s *steps) flush(out []byte) []byte { return s.stamp(out, s.now) }

// stamp writes the waiting events, which happened until at.
func (s *steps) stamp(out []byte, at model.Time) []byte {
	if s.waiting > 0 {
		had := len(out)
		out = s.write(out, spread(s.now, uint64(at-s.now), uint64(s.waiting)))
		s.written += int64(len(out) - had)
		s.last = at
		s.words, s.waiting = s.words[:0], 0
	}
	s.now = at
	return out
}

// write appends the waiting events to pages.
func (s *steps) write(out []byte, k clock) []byte {
	room := (pageWords - int(s.written/8%pageWords)) % pageWords
	if room > stepWords {
		out = appendWords(out, step, k.time, k.eachTime, k.eachPart)
		room -= stepWords
	} else {
		out = padding(out, room)
		room = 0
	}
	done := 0
	for words := s.words; len(words) > 0; {
		if room == 0 {
			now, before := k.after(done), uint64(s.last)
			if done > 0 {
				before = now.time
			}
			out = appendWords(out, before, now.time, now.part, now.eachTime, now.eachPart)
			room = pageWords - headWords
		}
		n, used := fitting(words, s.waiting-done, room)
		out = appendWords(out, words[:used]...)
		done, words, room = done+n, words[used:], room-used
		if len(words) > 0 {
			out = padding(out, room)
			room = 0
		}
	}
	return out
}

// fitting returns how many of some events fit, and their number of words. hot kernel
func fitting(words []uint64, events, room int) (n, used int) {
	if len(words) == events { // each has one word
		n = min(events, room)
		return n, n
	}
	for used < len(words) {
		next := used + wordsOf(words[used])
		if next > room {
			break
		}
		n, used = n+1, next
	}
	return n, used
}

func padding(out []byte, words int) []byte {
	for range words {
		out = appendWords(out, pad)
	}
	return out
}

// appendWords appends words as bytes. hot kernel
func appendWords(out []byte, words ...uint64) []byte {
	n := len(out)
	if need := n + 8*len(words); need > cap(out) {
		out = append(out, make([]byte, 8*len(words))...)
	} else {
		out = out[:need]
	}
	for b := out[n:]; len(words) > 0 && len(b) >= 8; words, b = words[1:], b[8:] {
		binary.LittleEndian.PutUint64(b, words[0])
	}
	return out
}
