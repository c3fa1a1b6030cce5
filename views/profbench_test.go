package views

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/views/ui"
)

// benchSamples is how many samples the made profile of [BenchmarkProfileScrub] has.
const benchSamples = 2_000_000

// BenchmarkProfileScrub measures a step of the end of a range of samples from the key to the flushed frame with all its
// answers, on 200×50 cells, and the time of the processor for it. The profile has two million samples, or as many as
// MEMTUI_BENCH_SAMPLES says.
func BenchmarkProfileScrub(b *testing.B) {
	samples := benchSamples
	if n, err := strconv.Atoi(os.Getenv("MEMTUI_BENCH_SAMPLES")); err == nil {
		samples = n
	}
	var file bytes.Buffer
	if err := memtest.WriteProfile(&file, memtest.ProfileSize{Frames: samples / 39, Stacks: samples / 8, Samples: samples}); err != nil {
		b.Fatal(err)
	}
	store, ix := loadBytes(b, "made.spaa", file.Bytes())
	file = bytes.Buffer{}
	for _, screen := range []struct {
		name string
		keys []string
	}{
		{"timeline", []string{"4"}}, {"profile", []string{"1"}}, {"functions", []string{"2"}}, {"group-1", []string{"2", "b"}},
		{"group-2", []string{"2", "b", "b"}}, {"group-3", []string{"2", "b", "b", "b"}}, {"group-4", []string{"2", "b", "b", "b", "b"}},
		{"stacks", []string{"3"}}, {"inverted", []string{"3", "i"}}, {"flame", []string{"3", "f"}},
		{"hidden-functions", []string{"2", "I"}}, {"hidden-stacks", []string{"2", "I", "3"}}, {"hidden-timeline", []string{"2", "I", "4"}},
		{"ignored-functions", []string{"2", "X"}}, {"ignored-stacks", []string{"2", "X", "3"}}, {"ignored-inverted", []string{"2", "X", "3", "i"}},
	} {
		b.Run(screen.name, func(b *testing.B) {
			u := openUI(b, 200, 50, colorCaps, store, ix)
			u.keys("4", "e", "v", "H", "H", "H", "H", "H", "H", "H", "H", "H").keys(screen.keys...) // nearly all samples
			u.sim.Do(func() { u.app.Patience = ui.Patience })
			if os.Getenv("MEMTUI_BENCH_SHOW") != "" {
				b.Log(u.Text())
			}
			var steps, used []time.Duration
			b.ResetTimer()
			for i := range b.N {
				begin, cpu := time.Now(), processor()
				_ = u.sim.Type([]string{"l", "l", "h", "h"}[i%4])
				u.sim.Settle()
				steps, used = append(steps, time.Since(begin)), append(used, processor()-cpu)
			}
			slices.Sort(steps)
			slices.Sort(used)
			ms := func(list []time.Duration, share float64) float64 {
				return float64(list[int(share*float64(len(list)-1))].Microseconds()) / 1000
			}
			b.ReportMetric(ms(steps, 0), "ms-min")
			b.ReportMetric(ms(steps, 0.5), "ms-p50")
			b.ReportMetric(ms(used, 0.5), "cpu-ms-p50")
		})
	}
}

func processor() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
