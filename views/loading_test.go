package views

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/themes"
)

// timed measures how long the event loop is busy with each frame.
type timed struct {
	*app
	frames []time.Duration
}

func (t *timed) Draw(s tcell.Screen) {
	begin := time.Now()
	t.app.Draw(s)
	t.frames = append(t.frames, time.Since(begin))
}

func (t *timed) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	handle := t.app.InputHandler()
	return func(ev *tcell.EventKey, focus func(tview.Primitive)) {
		begin := time.Now()
		handle(ev, focus)
		if d := time.Since(begin); len(t.frames) > 0 {
			t.frames[len(t.frames)-1] = max(t.frames[len(t.frames)-1], d)
		}
	}
}

// BenchmarkLoading measures the frames of the program at 200×50 while a trace loads and somebody scrubs: the longest,
// and how many there were. MEMTUI_BENCH_TRACE names the trace; without it the small sample is over in a moment.
func BenchmarkLoading(b *testing.B) {
	path := os.Getenv("MEMTUI_BENCH_TRACE")
	if path == "" {
		path = "../testdata/small_kvleak.mlyze"
	}
	for b.Loop() {
		frames := framesWhileLoading(b, path)
		if len(frames) == 0 {
			b.Skip("the trace was loaded before the first frame: set MEMTUI_BENCH_TRACE to a larger one")
		}
		slices.Sort(frames)
		ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
		b.ReportMetric(float64(len(frames)), "frames")
		b.ReportMetric(ms(frames[len(frames)/2]), "ms-p50")
		b.ReportMetric(ms(frames[len(frames)-1]), "ms-longest")
	}
}

func framesWhileLoading(b *testing.B, path string) []time.Duration {
	in, ix := opened.Start(b, path)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = in.Read(b.Context()) // a file of which nothing can be shown has frames, too
	}()
	sim := term.NewSimulation(200, 50)
	dark, err := themes.Get("dark")
	if err != nil {
		b.Fatal(err)
	}
	root := &timed{app: newApp(Options{Terminal: sim.Terminal, Store: in.Store, Trace: ix, Keys: keymap.Default(), Themes: []*themes.Theme{dark}})}
	root.app.follow()
	sim.Start(root)
	for i := 0; ; i++ {
		select {
		case <-done:
			if err := sim.Stop(); err != nil {
				b.Fatal(err)
			}
			return root.frames
		case <-time.After(30 * time.Millisecond): // as fast as a held key repeats
			_ = sim.Type([]string{"h", "3", "l", "2", "h", "5", "h", "1"}[i%8])
		}
	}
}
