package perfscript

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

// linesOfFrames is the grammar of a frame's line; [placeOf] is the same, only faster.
var linesOfFrames = regexp.MustCompile(`(?s)^\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \(([^()]*(?:\([^()]*\))?[^()]*)\)$`)

func TestPlaceIsThatOfTheGrammar(t *testing.T) {
	parts := []string{" ", "\t", "4a0f", "f", "+0x", "+0x1f", " (", ")", "(", "()", "[unknown]", "main", "/usr/bin/a (deleted)", "std::f(int)", "-", "\xff", "x"}
	random := rand.New(rand.NewPCG(3, 4))
	matched := 0
	for range 300_000 {
		line := []byte("\t 4a0f ")
		if random.IntN(4) == 0 {
			line = nil
		}
		for range random.IntN(9) {
			line = append(line, parts[random.IntN(len(parts))]...)
		}
		if random.IntN(2) == 0 {
			line = append(line, " (/usr/bin/a)"...)
		}
		m := linesOfFrames.FindSubmatch(line)
		p, ok := placeOf(line)
		if ok != (m != nil) {
			t.Fatalf("%q: got %t, want %t", line, ok, m != nil)
		}
		if !ok {
			continue
		}
		matched++
		if string(p.address) != string(m[1]) || string(p.function) != string(m[2]) || string(p.dso) != string(m[3]) {
			t.Fatalf("%q: got %q, want %q", line, []string{string(p.address), string(p.function), string(p.dso)}, m[1:])
		}
	}
	if matched < 10_000 {
		t.Errorf("only %d lines are frames", matched)
	}
}
