package state

import (
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

func stateOf(duration model.Time) State {
	s := NewState()
	s.Columns = 100
	return s.Apply(Loaded{Profile: &model.Profile{}, Status: analysis.Status{Duration: duration, Final: true}})
}

func TestStepsFromTheEnd(t *testing.T) {
	s := stateOf(1000)
	if !s.AtEnd() || s.Now() != 1000 {
		t.Fatalf("starts at %v", s.At)
	}
	s = s.Apply(Step{-3})
	if s.At != analysis.At(970) {
		t.Errorf("three columns back: %v", s.At)
	}
	if s = s.Apply(Step{-1000}); s.At != analysis.At(0) {
		t.Errorf("before the start: %v", s.At)
	}
	if s = s.Apply(Step{1000}); !s.AtEnd() {
		t.Errorf("behind the end: %v", s.At)
	}
}

func TestRangeFollowsTheInstant(t *testing.T) {
	s := stateOf(1000).Apply(MoveTo{analysis.At(500)}).Apply(StartRange{}).Apply(Step{-10})
	if want := (analysis.Range{From: 400, To: 500}); s.Range != want {
		t.Errorf("range %v, want %v", s.Range, want)
	}
	s = s.Apply(StartRange{}).Apply(Step{50})
	if want := (analysis.Range{From: 400, To: 500}); s.Range != want {
		t.Errorf("a finished range moved to %v", s.Range)
	}
	if s = s.Apply(ClearRange{}); !s.Range.IsFull() {
		t.Errorf("cleared to %v", s.Range)
	}
	if s = s.Apply(SetRange{analysis.Range{From: 0, To: 10}}); s.Range.From != model.NoTime {
		t.Errorf("a range from 0 leaves out time 0: %v", s.Range)
	}
}

func TestZoomKeepsTheInstantAndComesBack(t *testing.T) {
	s := stateOf(1_000_000).Apply(MoveTo{analysis.At(250_000)})
	for range 6 {
		s = s.Apply(Zoom{0.5})
		if from, to := s.Visible(); s.Now() < from || s.Now() > to {
			t.Fatalf("the instant left the view %v – %v", from, to)
		}
	}
	if s.StepWidth() >= 10_000 {
		t.Errorf("a step is %v after zooming", s.StepWidth())
	}
	for range 8 {
		s = s.Apply(Zoom{2})
	}
	if !s.View.IsFull() {
		t.Errorf("zoomed out to %v", s.View)
	}
}

// Whatever is done, the state stays within the run.
func TestStateStaysWithinTheRun(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, duration := range []model.Time{0, 1, 57, 1_000_000, model.MaxTime} {
		s := stateOf(duration)
		for range 2000 {
			switch r.IntN(9) {
			case 0:
				s = s.Apply(Step{r.IntN(400) - 200})
			case 1:
				s = s.Apply(Zoom{[]float64{0.5, 2, 0}[r.IntN(3)]})
			case 2:
				s = s.Apply(Pan{r.Float64() - 0.5})
			case 3:
				s = s.Apply(StartRange{})
			case 4:
				s = s.Apply(ClearRange{})
			case 5:
				s = s.Apply(MoveTo{analysis.At(model.Time(r.Int64()))})
			default:
				s = s.Apply(Step{r.IntN(9) - 4})
			}
			from, to := s.Visible()
			if from < 0 || to > duration || from > to || s.Now() < 0 || s.Now() > duration || s.Range.To < s.Range.From {
				t.Fatalf("duration %d: view %d–%d, now %d, range %v", duration, from, to, s.Now(), s.Range)
			}
		}
	}
}
