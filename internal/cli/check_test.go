package cli

import (
	"testing"

	"github.com/memtui/memtui/model"
)

// TestCheckNeedsTheWholeFile asks for a verdict about files of which the program left something out, and about a damaged one, whose
// damage is the file's own.
func TestCheckNeedsTheWholeFile(t *testing.T) {
	for code, want := range map[string]bool{model.CodeMemory: false, "stopped": false, "too-large": false, "truncated": true} {
		p := &model.Profile{Problems: []model.Problem{{Severity: model.Warning, Code: code, Message: "why"}}}
		if err := readWhole(p); (err == nil) != want {
			t.Errorf("%s: %v", code, err)
		}
	}
}
