package v8heap

import (
	"sync"
	"time"

	"github.com/memtui/memtui/model"
)

// counting counts rows by class while nodes are read, for those who do not want to wait for all of them. A nil one does
// nothing.
type counting struct {
	d      *decoding
	report func(*model.Heap)

	mu       sync.Mutex
	sums     map[countKey]*model.HeapTally // nil: there is nothing more to report
	named    bool                          // all strings are read
	reported time.Time
}

// countKey determines the class of rows: by their kind, or by that and their name.
type countKey struct {
	kind model.HeapKind
	name uint32
}

func newCounting(d *decoding) *counting {
	report := model.CountedReport(d.ctx)
	if report == nil {
		return nil
	}
	return &counting{d: d, report: report, sums: map[countKey]*model.HeapTally{}}
}

// rows counts rows that were read, whose large sizes are given apart.
func (c *counting) rows(from, end int, large []largeSize) {
	if c == nil {
		return
	}
	sums := c.sum(from, end)
	for _, x := range large {
		t := sums[c.key(int(x.row))]
		t.Managed, _ = model.SaturatingAdd(t.Managed, x.size)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sums == nil {
		return
	}
	for key, x := range sums {
		if all := c.sums[key]; all != nil {
			all.Add(x)
		} else {
			c.sums[key] = x
		}
	}
	if len(c.sums) > model.MaxCounted { // damaged files have any number
		c.sums = nil
	}
	c.tell()
}

// sum adds up rows, without large sizes.
func (c *counting) sum(from, end int) map[countKey]*model.HeapTally {
	sums := map[countKey]*model.HeapTally{}
	last, t := countKey{}, (*model.HeapTally)(nil)
	for r := from; r < end; r++ {
		if key := c.key(r); t == nil || key != last {
			last = key
			if t = sums[key]; t == nil {
				t = &model.HeapTally{}
				sums[key] = t
			}
		}
		t.Count++
		if size := c.d.h.Size[r]; size != model.LargeSize {
			t.Managed += uint64(size)
		}
	}
	return sums
}

func (c *counting) key(r int) countKey {
	kind := c.d.h.Kinds[r]
	if kinds[kind].class != "" {
		return countKey{kind: kind}
	}
	return countKey{kind, c.d.h.Names[r]}
}

// strings notes that the names of all classes are known.
func (c *counting) strings() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.named = true
	c.tell()
}

// end ends counting: all nodes are read.
func (c *counting) end() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sums = nil
}

// tell reports what was counted, if it has names, and the last report is a while ago. The caller holds the lock.
func (c *counting) tell() {
	if !c.named || len(c.sums) == 0 || time.Since(c.reported) < model.CountedEvery {
		return
	}
	c.reported = time.Now()
	types := model.NewCountedTypes(&schema)
	for key, x := range c.sums {
		name := kinds[key.kind].class
		if name == "" {
			name = missing
			if int(key.name) < c.d.texts.Len() {
				name = classOf(key.kind, c.d.texts.At(int(key.name)))
			}
		}
		types.Add(key.kind, name, kinds[key.kind].name, x)
	}
	c.report(types.Heap())
}
