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
	nextRSS uint64 // µs
	nextPSS uint64
}

// How often the kernel is asked at most, and which part of the time it may take where it has to sum up.
const (
	everyRSS = 100_000 // µs
	everyPSS = 1_000_000
	partPSS  = 100
)

// look notes points that are due.
func (c *curves) look(pid int, now uint64, note func(*journal.Note)) {
	if now >= c.nextRSS {
		c.nextRSS = now + everyRSS
		if rss, ok := residentBytes(pid); ok {
			note(&journal.Note{Point: &journal.Point{Curve: "RSS", At: now, Value: rss}})
		}
	}
	if now >= c.nextPSS {
		began := time.Now()
		pss, ok := proportionalBytes(pid)
		c.nextPSS = now + max(everyPSS, partPSS*uint64(time.Since(began).Microseconds()))
		if ok {
			note(&journal.Note{Point: &journal.Point{Curve: "PSS", At: now, Value: pss}})
		}
	}
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
