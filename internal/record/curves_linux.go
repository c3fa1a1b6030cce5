package record

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/memtui/memtui/loaders/mlyze/journal"
)

// curves are when the memory that the kernel counts for a process is noted next.
type curves struct {
	shared   func() uint64 // returns bytes of the recorder's memory that are counted, too; nil for none
	rss, pss watchedValue
	nextRSS  uint64 // µs
	nextPSS  uint64
	off      bool
}

// without returns bytes less what the recorder's memory adds to them: all of what is resident, and half of what is
// proportional, as the recorder has the same pages.
func (c *curves) without(bytes, part uint64) uint64 {
	if c.shared == nil {
		return bytes
	}
	return bytes - min(bytes, c.shared()/part)
}

// How often values are read at most, and which part of the time it may take where it has to sum up.
const (
	everyRSS = 100_000 // µs
	everyPSS = 1_000_000
	partPSS  = 100
)

// look notes points that are due.
func (c *curves) look(pid int, now uint64, note func(*journal.Note) error) {
	if c.off {
		return
	}
	if now >= c.nextRSS {
		c.nextRSS = now + everyRSS
		if rss, ok := residentBytes(pid); ok {
			c.rss.now("RSS", now, c.without(rss, 1), note)
		}
	}
	if now >= c.nextPSS {
		began := time.Now()
		pss, ok := proportionalBytes(pid)
		often := max(everyRSS, min(now, everyPSS)) // brief programs have a curve, too
		c.nextPSS = now + max(often, partPSS*uint64(time.Since(began).Microseconds()))
		if ok {
			c.pss.now("PSS", now, c.without(pss, 2), note)
		}
	}
}

// watchedValue is a value that is noted where it changes.
type watchedValue struct {
	value uint64
	at    uint64 // µs, when it was last seen
	known bool
	noted bool // with that time
}

// now notes a value that differs from the one before, and until when that stood.
func (w *watchedValue) now(curve string, at, value uint64, note func(*journal.Note) error) {
	if w.known && w.value == value {
		w.at, w.noted = at, false
		return
	}
	w.end(curve, note)
	*w = watchedValue{value: value, at: at, known: true}
	w.end(curve, note)
}

// end notes until when the value stood, unless that was noted.
func (w *watchedValue) end(curve string, note func(*journal.Note) error) {
	if w.known && !w.noted {
		_ = note(&journal.Note{Point: &journal.Point{Curve: curve, At: w.at, Value: w.value}})
		w.noted = true
	}
}

// end notes until when the last values stood.
func (c *curves) end(note func(*journal.Note) error) {
	c.rss.end("RSS", note)
	c.pss.end("PSS", note)
}

// residentBytes returns the resident set size of a process.
func residentBytes(pid int) (uint64, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	fields := bytes.Fields(b)
	if err != nil || len(fields) < 2 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(fields[1]), 10, 64)
	return n * uint64(os.Getpagesize()), err == nil && n > 0
}

// proportionalBytes returns the proportional set size of a process, where this user may see it.
func proportionalBytes(pid int) (uint64, bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, false
	}
	return rollup(b, "Pss:")
}

// rollup returns a value of smaps_rollup, in bytes.
func rollup(b []byte, key string) (uint64, bool) {
	for line := range bytes.Lines(b) {
		if f := bytes.Fields(line); len(f) >= 2 && string(f[0]) == key {
			n, err := strconv.ParseUint(string(f[1]), 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}
