package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

const (
	leastGarbage = 10      // minimum percentage of garbage relative to live memory
	smallGarbage = 8 << 20 // bytes of garbage that are not worth collecting
	hastyGarbage = 8       // times as much while traces are read: collections free buffers that are used again
	mostGarbage  = 200     // percent, while there is little live memory
	firstGarbage = 400     // percent until the first collection, which must be after the first chart
)

// Collector sets how much garbage may be in memory: a share of the live memory or a few megabytes, whichever is more.
// Live memory is mostly an index that may be large and has no pointers, so frequent collections are cheap, and
// production machines have other programs to run; but while it is small, an ordinary share would be collected every
// millisecond.
type Collector struct {
	started sync.Once
	stopped atomic.Bool
	Traces  atomic.Int32 // being read
	percent int          // of the finalizer goroutine, once started
	Limit   int64        // of all memory, 0 for none; set before the start
}

// cycle is garbage whose finalizer runs after a collection.
type cycle struct{ of *Collector }

// Start sets the share for a program that has just started, and adapts it to live memory from then on. Only the first
// call has an effect.
func (c *Collector) Start() {
	c.started.Do(func() {
		c.percent = firstGarbage
		if c.Limit > 0 {
			c.percent = mostGarbage
		}
		debug.SetGCPercent(c.percent)
		c.follow(&cycle{c})
	})
}

// Stop ends that.
func (c *Collector) Stop() { c.stopped.Store(true) }

// follow is called once per collection, on the finalizer goroutine.
func (c *Collector) follow(again *cycle) {
	if !c.stopped.Load() {
		runtime.SetFinalizer(again, func(again *cycle) {
			again.of.adjust()
			again.of.follow(again)
		})
	}
}

func (c *Collector) adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() != metrics.KindUint64 {
		return
	}
	garbage := uint64(smallGarbage)
	if c.Traces.Load() > 0 {
		garbage *= hastyGarbage
	}
	if c.Limit > 0 { // live memory must be known before it is too much
		garbage = min(garbage, uint64(c.Limit/8))
	}
	if percent := garbageShare(live[0].Value.Uint64(), garbage); percent != c.percent {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
}

// garbageShare returns the GC percentage for so many live bytes, if the given bytes of garbage are negligible.
func garbageShare(live, small uint64) int {
	return int(min(max(small*100/max(live, 1), leastGarbage), mostGarbage))
}
