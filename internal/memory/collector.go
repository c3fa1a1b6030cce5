package memory

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
)

const (
	leastGarbage = 10      // percent of what lives that garbage may take beside it
	smallGarbage = 8 << 20 // bytes of garbage that are not worth collecting
	hastyGarbage = 8       // times as much while traces are read: collections take buffers away that are used again
	mostGarbage  = 200     // percent, as long as next to nothing lives
	firstGarbage = 400     // percent until the first collection: it must come after the first chart
)

// Collector sets how much garbage may stand beside what lives: a share of it or a few megabytes, whichever is more.
// What lives is mostly an index that may be large and holds no pointers, so collecting often is cheap, and the machine
// belongs to the production of other programs; but while it is small, an ordinary share would be collected every
// millisecond.
type Collector struct {
	started sync.Once
	stopped atomic.Bool
	Traces  atomic.Int32 // that are being read
	percent int          // the goroutine's of finalizers, once started
	Limit   int64        // of all memory, 0 for none; set before the start
}

// cycle is garbage whose end says that a collection is over.
type cycle struct{ of *Collector }

// Start sets the share for a program that has just begun, and follows what lives from then on. Only the first call does
// anything.
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

// follow is called once per collection, on the goroutine of finalizers.
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
	if c.Limit > 0 { // what lives must be known before it is too much
		garbage = min(garbage, uint64(c.Limit/8))
	}
	if percent := garbageShare(live[0].Value.Uint64(), garbage); percent != c.percent {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
}

// garbageShare returns how many percent of live bytes may be garbage, where so many bytes of it are worth nothing.
func garbageShare(live, small uint64) int {
	return int(min(max(small*100/max(live, 1), leastGarbage), mostGarbage))
}
