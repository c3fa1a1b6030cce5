package trace

import (
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
)

// Leaks lists nothing of what was freed at the end, unless it lived for long.
func TestFindingsOpenWhatHasTheirSites(t *testing.T) {
	for kind, want := range map[analysis.FindingKind]keymap.Action{
		analysis.FindingLeak: keymap.ShowLeaks, analysis.FindingKept: keymap.ShowLeaks, analysis.FindingLate: keymap.ShowSites,
		analysis.FindingPeak: keymap.ShowSites, analysis.FindingDamage: keymap.ShowProblems,
	} {
		if got := screenOf(kind); got != want {
			t.Errorf("%v opens %v, want %v", kind, got, want)
		}
	}
}
