package views

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
)

// broken is a trace of which nothing that is added up can be told.
type broken struct{ analysis.Trace }

var errBroken = &model.InternalError{Value: "a mistake", About: "testing"}

func (broken) Leaks(context.Context, analysis.LeakQuery) (analysis.Leaks, error) {
	return analysis.Leaks{}, errBroken
}

func (broken) LateFreed(context.Context, analysis.Cell) (analysis.Leaks, error) {
	return analysis.Leaks{}, errBroken
}

func (broken) Sites(context.Context, analysis.Query) ([]analysis.Site, error) { return nil, errBroken }

func (broken) Grid(context.Context, analysis.GridQuery) (*analysis.Grid, error) {
	return nil, errBroken
}

func (broken) Chart(context.Context, analysis.Range, int) ([]analysis.Column, error) {
	return nil, errBroken
}

func (broken) Weights(context.Context, analysis.Cost, analysis.Query) ([]uint64, error) {
	return nil, errBroken
}

// A screen whose answer cannot be told says so and why, and does not wait for it.
func TestFailedAnswersAreSaid(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	u := openUI(t, 120, 40, colorCaps, store, broken{ix})
	const why = "internal error in memtui while testing: a mistake"
	const said = "This cannot be computed: " + why + "."
	lacks := func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			if strings.Contains(u.Text(), text) {
				t.Errorf("%q is on screen:\n%s", text, u.Text())
			}
		}
	}
	u.has(why, said)
	lacks("Summing…", "cannot be read")
	for _, key := range []string{"3", "4", "c", "5"} {
		u.keys(key).has(said)
		lacks("Summing…", "Building the tree")
	}
}

// short is a trace whose list of sites does not fit memory from some moment on.
type short struct{ analysis.Trace }

func (s short) Sites(ctx context.Context, q analysis.Query) ([]analysis.Site, error) {
	if q.By == analysis.ByStack {
		return nil, model.NewBudget(64 << 20).Error("the list of sites")
	}
	return s.Trace.Sites(ctx, q)
}

// growing is a trace of which more is read while it is shown.
type growing struct {
	sync.Mutex // guards Trace against Status, which a goroutine of its own asks at any moment
	analysis.Trace
}

func (g *growing) Status() analysis.Status {
	g.Lock()
	defer g.Unlock()
	return g.Trace.Status()
}

// become replaces what is shown, on the program's loop.
func (g *growing) become(t analysis.Trace) {
	g.Lock()
	defer g.Unlock()
	g.Trace = t
}

// partly reads some events of a trace that has more.
func partly(t *testing.T, s *model.Stacks, events []model.Event, stop int) (*model.Store, analysis.Trace) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	store, ix := &model.Store{}, traceindex.NewKeptIndex(nil)
	t.Cleanup(ix.Close)
	store.Publish(&model.Profile{
		Meta: model.Meta{Path: "fake.mlyze", Name: "fake.mlyze", Format: "mlyze"}, Stacks: s, Allocations: stoppedSource{fakeSource{events}, ix, stop, cancel},
	})
	if err := traceindex.Build(ctx, store, ix); err != nil {
		t.Fatal(err)
	}
	traceindex.Conclude(store, ix)
	if status := ix.Status(); !status.Stopped || status.Events != uint64(stop) {
		t.Fatalf("%+v", status)
	}
	return store, ix
}

// stoppedSource is a trace whose reading is stopped when some events are in its index.
type stoppedSource struct {
	fakeSource
	ix    analysis.Trace
	after int
	stop  func()
}

func (s stoppedSource) Replay(ctx context.Context, yield func(*model.EventBatch) error) error {
	if err := (fakeSource{s.events[:s.after]}).Replay(ctx, yield); err != nil {
		return err
	}
	for s.ix.Status().Events < uint64(s.after) {
		time.Sleep(time.Millisecond)
	}
	s.stop()
	return ctx.Err()
}

// What is read when reading ends is what all figures are of, also where memory is too short for the rows below them.
func TestFiguresAreOfAllThatWasRead(t *testing.T) {
	stacks := newStackMaker()
	stacks.add(1, "main", "f")
	var events []model.Event
	for i := range 5000 {
		events = append(events, model.Event{Kind: model.Alloc, Time: model.Time(i), Addr: uint64(i + 1), Size: 64, ID: 1, Thread: 1})
	}
	_, early := partly(t, stacks.Stacks, events, 1000)
	store, late := partly(t, stacks.Stacks, events, 3000)
	for name, last := range map[string]analysis.Trace{"room": late, "no room": short{late}} {
		trace := &growing{Trace: early}
		u := openUI(t, 140, 40, colorCaps, store, trace)
		u.has("allocated 62.5 KiB in 1,000", "unfreed  62.5 KiB in 1,000")
		u.sim.Terminal.Post(func() {
			trace.become(last)
			u.app.refresh(u.app.loadedNow())
		})
		u.sim.Settle()
		totals, err := late.Totals(t.Context(), analysis.FullRange) // which is what a report says
		if err != nil || totals.AllocCount != 3000 {
			t.Fatal(totals, err)
		}
		u.has("allocated 188 KiB in 3,000", "unfreed  188 KiB in 3,000")
		if name == "no room" {
			u.has("sites  unknown", "This cannot be computed: the list of sites needs more memory")
			for _, key := range []string{"2", "3", "4", "5", "6", "1"} { // every screen does without its rows
				u.keys(key)
			}
			if strings.Contains(u.Text(), "62.5 KiB") {
				t.Errorf("rows are of an earlier state:\n%s", u.Text())
			}
		}
	}
}

// panicking is a trace whose sites cannot be summed up, as what they are made of makes no sense.
type panicking struct{ analysis.Trace }

func (panicking) Sites(context.Context, analysis.Query) ([]analysis.Site, error) {
	var none []analysis.Site
	return none[7:], nil
}

// A panic over a damaged file that was kept has the input read again, which comes back to where one was; so does damage
// that is found by itself. Any other panic ends the program.
func TestDamageIsReadAgain(t *testing.T) {
	for _, tt := range []struct {
		name            string
		panics, damaged bool
	}{{"panic over damage", true, true}, {"damage", false, true}, {"panic", true, false}} {
		store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
		uses, keeper := modeltest.Doubtful(t, tt.damaged)
		memory, sim := &Memory{}, term.NewSimulationCaps(100, 30, colorCaps)
		o := Options{Terminal: sim.Terminal, Store: store, Trace: ix, Keys: keymap.Default(), Themes: themes.Usable(1<<24, false), Patience: 5 * time.Second,
			Memory: memory, Within: uses.In, Damaged: uses.Damaged()}
		if tt.panics {
			o.Trace = panicking{ix}
		}
		ended := make(chan error, 1)
		go func() { ended <- Run(o) }()
		if !tt.panics && uses.Distrust() == nil {
			t.Error("the damage is not found")
		}
		var crash *term.PanicError
		if err := <-ended; errors.Is(err, ErrReload) != tt.damaged || errors.As(err, &crash) == tt.damaged {
			t.Errorf("%s: it ends with %v", tt.name, err)
		}
		if tt.damaged && (memory.state == nil || keeper.String() != "0 files, 1 taken, 1 discarded") {
			t.Errorf("%s: %s, remembered %v", tt.name, keeper, memory.state)
		}
	}
}
