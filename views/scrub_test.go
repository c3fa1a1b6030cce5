package views

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

// BenchmarkScrub measures a step of the instant from the key to the flushed frame with all its answers, on 200×50
// cells: MEMTUI_BENCH_TRACE names a trace; without it a made one of a million events and 14,000 stacks is used.
func BenchmarkScrub(b *testing.B) {
	store, ix := benchTrace(b)
	b.Logf("%d events, %d stacks", ix.Status().Events, len(ix.StackIDs()))
	for _, screen := range []struct {
		name string
		keys []string
	}{{"timeline", []string{"2"}}, {"sites", []string{"3"}}, {"leaks", []string{"4"}}, {"stacks", []string{"5"}},
		{"blocks", []string{"6"}}, {"narrowed", []string{"7", "Enter", "3"}}} {
		b.Run(screen.name, func(b *testing.B) {
			u := openUI(b, 200, 50, colorCaps, store, ix)
			u.sim.Do(func() { u.app.Patience = ui.Patience })
			u.keys(screen.keys...).keys("p", "h")
			var steps []time.Duration
			b.ResetTimer()
			for i := range b.N {
				begin := time.Now()
				_ = u.sim.Type([]string{"h", "h", "h", "l"}[i%4])
				u.sim.Settle()
				steps = append(steps, time.Since(begin))
			}
			slices.Sort(steps)
			ms := func(share float64) float64 {
				return float64(steps[int(share*float64(len(steps)-1))].Microseconds()) / 1000
			}
			b.ReportMetric(ms(0.5), "ms-p50")
			b.ReportMetric(ms(0.99), "ms-p99")
		})
	}
}

func benchTrace(b *testing.B) (*model.Store, *traceindex.KeptIndex) {
	path := os.Getenv("MEMTUI_BENCH_TRACE")
	if path == "" {
		return loadMany(b)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	return loadBytes(b, filepath.Base(path), data)
}
