package views

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
)

func TestEvidenceKey(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps)
	u.keys("W").has("cannot be written")
	var mu sync.Mutex
	var asked []EvidenceQuery
	u.sim.Do(func() {
		u.app.o.Evidence = func(_ context.Context, q EvidenceQuery) error {
			mu.Lock()
			defer mu.Unlock()
			if asked = append(asked, q); len(asked) == 2 {
				return errors.New("no room\x1b")
			}
			return nil
		}
	})
	u.keys("W").has("evidence: small_kvleak.mlyze-evidence.tar.gz")
	u.keys("Enter").has("evidence is in small_kvleak.mlyze-evidence.tar.gz")
	u.keys("p", "W", "Ctrl-U", "x", "Enter").has("no evidence: no room")
	u.keys("W", "Ctrl-U", "r", "e", "d", "a", "c", "t", "Space", "y", "Enter").has("evidence without names is in y")
	u.keys("W", "Ctrl-U", "Enter").has("type the name")
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 3 || asked[0].Redact || len(asked[0].Question.Args()) > 0 || strings.Join(asked[1].Question.Args(), " ") != "--at peak" || !asked[2].Redact || asked[2].Place != "y" {
		t.Errorf("asked for %+v", asked)
	}
}

// Single blocks that came or went are printed by no command: that is said, and not another table copied.
func TestBlocksOfADifferenceHaveNoCommand(t *testing.T) {
	u := openKvleak(t, 140, 30, colorCaps)
	u.sim.Do(func() {
		u.app.o.Command = []string{"f.mlyze"}
		u.app.o.Evidence = func(_ context.Context, q EvidenceQuery) error { return nil }
	})
	u.keys("d", "6").has("New blocks")
	u.keys("Y").has("no command prints this", "sizes of blocks")
	u.keys("W", "Enter").has("without the difference")
	u.keys("o", "o").has("by size class")
	u.keys("Y").has("memtui diff --a", "--group size --by live_bytes f.mlyze")
	u.keys("W", "Enter").has("evidence is in")
	if text := u.Text(); strings.Contains(text, "without the difference") {
		t.Error(text)
	}
}
