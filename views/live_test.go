package views

import (
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

func TestHeaderSaysHowLongNothingHappened(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := state.NewState()
	s.Profile = &model.Profile{Meta: model.Meta{Live: "live", Start: uint64(start.UnixMicro()), HasStart: true}}
	s.Status = analysis.Status{Duration: 5 * model.Second}
	for after, want := range map[time.Duration]string{
		5500 * time.Millisecond:  "now 5.00 s",
		29500 * time.Millisecond: "last event at 5.00 s, 24.0 s ago",
		-time.Hour:               "now 5.00 s", // another clock
		1e6 * time.Hour:          "now 5.00 s",
	} {
		if got := liveText(&s, start.Add(after)); got != want {
			t.Errorf("after %v: %q, want %q", after, got, want)
		}
	}
}

// A program that allocates when it starts and then rests is judged, too, though its recording lasts no second.
func TestARestingProgramIsJudged(t *testing.T) {
	a := openKvleak(t, 80, 24, colorCaps).app
	i := state.Loaded{Profile: &model.Profile{Meta: model.Meta{Live: "live"}}, Status: analysis.Status{Events: 1000, Revision: 7, Duration: 900}}
	if got := a.judged(&i); got != (state.Judged{}) {
		t.Errorf("judged at once: %+v", got)
	}
	for late := time.Now().Add(10 * time.Second); !(a.DeepWork.LongIdle() && a.DeepWork.Rested(judgeRest)) && time.Now().Before(late); { // after its first findings
		time.Sleep(5 * time.Millisecond)
	}
	a.followedAt = time.Now().Add(-firstJudged.Duration())
	if got := a.judged(&i); got != (state.Judged{Revision: 7, To: 900}) {
		t.Errorf("judged after a while: %+v", got)
	}
	before := a.judgedAt
	if a.judged(&i); a.judgedAt != before {
		t.Error("judged again at once")
	}
}

// followed is a trace that goes on, of which a revision can be judged.
type followed struct{ unfinished }

func (f followed) Status() analysis.Status {
	s := f.unfinished.Status()
	s.Revision++
	return s
}

// openGrowing shows a recording that goes on, judged once.
func openGrowing(t *testing.T, w, h int) *program {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	p := *store.Current()
	p.Meta.Live, p.Meta.Sampled = "live", "sampled every 4.00 KiB"
	live := &model.Store{}
	live.Publish(&p)
	u := openUI(t, w, h, colorCaps, live, followed{unfinished{ix}})
	u.sim.Do(func() { u.app.followedAt = time.Now().Add(-firstJudged.Duration()) })
	next := p
	live.Publish(&next) // as names come
	return u
}

// await expects texts before long.
func (u *program) await(texts ...string) *program {
	u.t.Helper()
	for late := time.Now().Add(10 * time.Second); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		shown, missing := u.Text(), 0
		for _, text := range texts {
			if !strings.Contains(shown, text) {
				missing++
			}
		}
		if missing == 0 {
			return u
		}
	}
	return u.has(texts...)
}

// While a recording goes on, answers that are older than the figures beside them say of when they are, and what is
// known at the end is known of now.
func TestLiveScreensSayOfWhenAnswersAre(t *testing.T) {
	u := openGrowing(t, 140, 40)
	u.await("OWN PEAK", "~391 KiB", "peaks: first 76.0 ms and now · trends: first 76.0 ms", "/s, first 76.0 ms", "findings of the first 76.0 ms")
	u.keys("3").await("peak: first 76.0 ms and now · trend: first 76.0 ms · verdict: first 76.0 ms", "~391K", "over the first 76.0 ms", "leak").hasNot("very next event")
	u.keys("4").await("live now").hasNot("end of the run")
	openKvleak(t, 140, 40, colorCaps).keys("3").hasNot("over the first").keys("4").has("live at the end of the")
}
