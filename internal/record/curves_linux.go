package record

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// curves are the memory that the kernel counts for a process while it is recorded.
type curves struct {
	rss, pss curve
	nextRSS  uint64 // µs
	nextPSS  uint64
}

// curve is a series of a trace's metadata: pairs of microseconds and bytes.
type curve struct {
	Name   string      `json:"name"`
	Unit   string      `json:"unit"`
	Points [][2]uint64 `json:"points"`
	keep   int         // every how many points one is kept: long recordings keep fewer
	seen   int
}

// How many points of a curve are kept, how often they are taken at most, and which part of the time it may take to ask
// for a value that the kernel has to sum up.
const (
	maxPoints = 20_000
	everyRSS  = 100_000 // µs
	everyPSS  = 1_000_000
	partPSS   = 100
)

// look adds points that are due.
func (c *curves) look(pid int, now uint64) {
	if now >= c.nextRSS {
		c.nextRSS = now + everyRSS
		if rss, ok := residentBytes(pid); ok {
			c.rss.add(now, rss)
		}
	}
	if now >= c.nextPSS {
		began := time.Now()
		pss, ok := proportionalBytes(pid)
		c.nextPSS = now + max(everyPSS, partPSS*uint64(time.Since(began).Microseconds()))
		if ok {
			c.pss.add(now, pss)
		}
	}
}

func (c *curve) add(at, v uint64) {
	c.keep = max(c.keep, 1)
	if c.seen++; (c.seen-1)%c.keep != 0 {
		return
	}
	if len(c.Points) == maxPoints {
		for i := range maxPoints / 2 {
			c.Points[i] = c.Points[2*i]
		}
		c.Points = c.Points[:maxPoints/2]
		c.keep *= 2
	}
	c.Points = append(c.Points, [2]uint64{at, v})
}

// list returns the curves that have points.
func (c *curves) list() (list []curve) {
	c.rss.Name, c.pss.Name = "RSS", "PSS"
	for _, of := range []curve{c.rss, c.pss} {
		if of.Unit = "bytes"; len(of.Points) > 0 {
			list = append(list, of)
		}
	}
	return list
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
