package trace

import (
	"context"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
)

// grown is a recording that went on between two questions.
type grown struct{ analysis.Trace }

func (grown) Verdicts(context.Context, analysis.Group, calltree.Filter) (verdict.List, error) {
	return verdict.List{{Until: 14 * model.Second}, {Until: 14 * model.Second}}, nil
}

func (grown) Status() analysis.Status { return analysis.Status{Duration: 16 * model.Second} }

func (grown) Sites(context.Context, analysis.Query) ([]analysis.Site, error) { return nil, nil }

// Verdicts about a recording that is followed say until when they go, though it has grown since they were due.
func TestVerdictsSayUntilWhen(t *testing.T) {
	for to, want := range map[model.Time]string{12 * model.Second: "first 14.0 s", 15 * model.Second: "first 15.0 s", 0: ""} {
		set, err := askVerdicts(t.Context(), grown{}, verdictKey{to: to})
		if err != nil || set.about() != want {
			t.Errorf("asked at %v: %q, want %q; %v", to, set.about(), want, err)
		}
		if peaks := set.aboutPeaks(); to != 0 && peaks != "first 16.0 s and now" || to == 0 && peaks != "" {
			t.Errorf("peaks asked at %v: %q", to, peaks)
		}
		trace := judging{Trace: grown{}}
		if _, err := trace.Verdicts(t.Context(), analysis.ByStack, ""); err != nil || trace.to != 14*model.Second {
			t.Errorf("verdicts go to %v; %v", trace.to, err)
		}
	}
}
