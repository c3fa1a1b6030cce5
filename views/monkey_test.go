package views

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
)

// monkeyKeys are keys that do not end the program: characters, and those with names.
func monkeyKeys() []*tcell.EventKey {
	var keys []*tcell.EventKey
	for r := ' '; r < 0x7f; r++ {
		if r != 'q' {
			keys = append(keys, tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone))
		}
	}
	for _, r := range "é漢\u0301😀" {
		keys = append(keys, tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone))
	}
	for _, k := range []tcell.Key{
		tcell.KeyUp, tcell.KeyDown, tcell.KeyLeft, tcell.KeyRight, tcell.KeyHome, tcell.KeyEnd, tcell.KeyPgUp, tcell.KeyPgDn,
		tcell.KeyEnter, tcell.KeyEnter, tcell.KeyEsc, tcell.KeyTab, tcell.KeyBacktab, tcell.KeyBackspace2, tcell.KeyDelete, tcell.KeyF1,
		tcell.KeyCtrlW, tcell.KeyCtrlU, tcell.KeyCtrlL, tcell.KeyCtrlO, tcell.KeyCtrlF, tcell.KeyCtrlB,
	} {
		keys = append(keys, tcell.NewEventKey(k, 0, tcell.ModNone))
	}
	return append(keys, tcell.NewEventKey(tcell.KeyLeft, 0, tcell.ModAlt), tcell.NewEventKey(tcell.KeyRight, 0, tcell.ModAlt))
}

// Whatever is typed, clicked and resized, on whatever file, nothing breaks: on a panic the loop ends.
func TestMonkey(t *testing.T) {
	files := map[string]func(testing.TB) (*model.Store, *traceindex.KeptIndex){
		"real": func(t testing.TB) (*model.Store, *traceindex.KeptIndex) { return loadBytes(t, "real.mlyze", kvleak()) },
		"damaged": func(t testing.TB) (*model.Store, *traceindex.KeptIndex) {
			return loadBytes(t, "damaged.mlyze", damagedKvleak())
		},
		"heaps": func(t testing.TB) (*model.Store, *traceindex.KeptIndex) {
			return loadBytes(t, "heaps.mvmheap", records(t))
		},
		"cut heaps": func(t testing.TB) (*model.Store, *traceindex.KeptIndex) {
			return loadBytes(t, "cut.mvmheap", records(t)[:len(records(t))*4/5])
		},
		"dump": func(t testing.TB) (*model.Store, *traceindex.KeptIndex) {
			return loadBytes(t, "dump.mb", processDump(t))
		},
		"cut dump": func(t testing.TB) (*model.Store, *traceindex.KeptIndex) {
			return loadBytes(t, "cut.mb", processDump(t)[:len(processDump(t))/2])
		},
		"profile": func(t testing.TB) (*model.Store, *traceindex.KeptIndex) {
			return loadBytes(t, "profile.spaa", serverProfile(t))
		},
		"events": func(t testing.TB) (*model.Store, *traceindex.KeptIndex) {
			return loadBytes(t, "events.spaa", pythonProfile(t))
		},
		"header": func(t testing.TB) (*model.Store, *traceindex.KeptIndex) {
			return loadBytes(t, "header.mlyze", kvleak()[:len(kvleak())/20])
		},
		"few": loadFew, "deep": loadDeep,
		"no events": func(t testing.TB) (*model.Store, *traceindex.KeptIndex) { return loadFake(t, model.NewStacks(), nil) },
		"no stacks": func(t testing.TB) (*model.Store, *traceindex.KeptIndex) {
			return loadFake(t, nil, []model.Event{
				{Time: 0, Kind: model.Alloc, Size: 1 << 63, ID: 1 << 60}, {Time: 0, Kind: model.Alloc, Size: 1 << 63, ID: 3},
				{Time: model.MaxTime, Kind: model.Alloc, Size: 7, ID: 3},
			})
		},
	}
	for name, load := range files {
		t.Run(name, func(t *testing.T) {
			store, ix := load(t)
			for _, seed := range modeltest.Few([]uint64{0, 1}) {
				monkey(t, store, ix, seed, map[bool]int{true: 150, false: 700}[name == "deep"])
			}
		})
	}
}

func monkey(t *testing.T, store *model.Store, ix *traceindex.KeptIndex, seed uint64, steps int) {
	r := rand.New(rand.NewPCG(seed, 7))
	sim := term.NewSimulationCaps(80, 24, colorCaps)
	a := newApp(Options{
		Terminal: sim.Terminal, Store: store, Trace: ix, Keys: keymap.Default(), Themes: themes.Usable(1<<24, false),
		Command: []string{"file"}, Patience: time.Duration(1 + r.IntN(2)*int(time.Millisecond)), Readable: func(string) error { return errors.New("once") },
	})
	a.follow()
	sim.Start(a)
	defer func() {
		if err := sim.Stop(); err != nil {
			var broken *term.PanicError
			if errors.As(err, &broken) {
				t.Logf("%s", broken.Stack)
			}
			t.Errorf("seed %d: %v", seed, err)
		}
	}()
	keys := monkeyKeys()
	for range steps {
		x, y := r.IntN(120), r.IntN(45)
		switch r.IntN(20) {
		case 0:
			sim.Resize([]int{80, 1, 20, 0, 200, 7, 40}[r.IntN(7)], []int{24, 1, 5, 0, 50, 3, 9}[r.IntN(7)])
		case 1, 2:
			sim.Click(x, y)
		case 3:
			sim.Event(tcell.NewEventMouse(x, y, []tcell.ButtonMask{tcell.WheelUp, tcell.WheelDown}[r.IntN(2)], tcell.ModNone))
		case 4:
			sim.Event(tcell.NewEventMouse(x, y, tcell.ButtonPrimary, tcell.ModNone))
			sim.Event(tcell.NewEventMouse(r.IntN(120), r.IntN(45), tcell.ButtonPrimary, tcell.ModNone))
			sim.Event(tcell.NewEventMouse(x, y, tcell.ButtonNone, tcell.ModNone))
		case 5:
			sim.Event(tcell.NewEventKey(tcell.KeyRune, rune('1'+r.IntN(6)), tcell.ModNone))
		default:
			sim.Event(keys[r.IntN(len(keys))])
		}
		if r.IntN(10) == 0 {
			sim.Settle()
		}
	}
}
