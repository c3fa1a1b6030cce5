package memory

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func TestGarbageShare(t *testing.T) {
	last := mostGarbage
	for live := uint64(0); live < 1<<40; live = live*3/2 + 1000 {
		share := garbageShare(live, smallGarbage)
		if share > last || share < leastGarbage || share > mostGarbage {
			t.Fatal(live, share, last)
		}
		if garbage := live / 100 * uint64(share); garbage > max(smallGarbage, live/100*leastGarbage) {
			t.Errorf("of %d, %d may be garbage", live, garbage)
		}
		last = share
	}
	if garbageShare(math.MaxUint64, smallGarbage) != leastGarbage {
		t.Error("a heap that large")
	}
}

// The share follows what lives.
func TestCollectorFollows(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	share := func() uint64 {
		now := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(now)
		return now[0].Value.Uint64()
	}
	c := &Collector{}
	c.Start()
	defer c.Stop()
	if share() != firstGarbage {
		t.Error(share())
	}
	large := make([]byte, 40<<20)
	const usual, hasty = 20, 160 // of what lives here, percent
	until := func(reached func(uint64) bool) {
		t.Helper()
		for deadline := time.Now().Add(20 * time.Second); !reached(share()); runtime.GC() {
			if time.Now().After(deadline) {
				t.Fatal("it stays at", share())
			}
			runtime.Gosched()
		}
	}
	until(func(s uint64) bool { return s <= usual })
	c.Traces.Add(1)
	until(func(s uint64) bool { return s > usual && s <= hasty })
	c.Traces.Add(-1)
	until(func(s uint64) bool { return s <= usual })
	runtime.KeepAlive(large)
}
