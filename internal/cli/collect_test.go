package cli

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
		share := garbageShare(live)
		if share > last || share < leastGarbage || share > mostGarbage {
			t.Fatal(live, share, last)
		}
		if garbage := live / 100 * uint64(share); garbage > max(smallGarbage, live/100*leastGarbage) {
			t.Errorf("of %d, %d may be garbage", live, garbage)
		}
		last = share
	}
	if garbageShare(math.MaxUint64) != leastGarbage {
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
	c := &collector{}
	c.start()
	defer c.stop()
	if share() != firstGarbage {
		t.Error(share())
	}
	large := make([]byte, 40<<20)
	for deadline := time.Now().Add(20 * time.Second); share() > 20; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatal("it stays at", share())
		}
		runtime.Gosched()
	}
	runtime.KeepAlive(large)
}
