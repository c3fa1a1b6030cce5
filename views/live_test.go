package views

import (
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
	for late := time.Now().Add(10 * time.Second); !a.DeepWork.LongIdle() && time.Now().Before(late); { // after its first findings
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
