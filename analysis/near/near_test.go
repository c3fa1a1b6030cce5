package near

import (
	"slices"
	"testing"
)

var names = []string{
	"Tracker::note", "Sessions::open", "SoundSessions::step", "Pool::take", "std::vector::push_back", "java.util.LinkedHashMap", "leak.Shop$SessionCache",
	"alloc_bytes", "retained_bytes", "growth",
}

// A word that is misspelled, incomplete or in another order has the name near that is meant, and nonsense has none.
func TestNearNames(t *testing.T) {
	for typed, want := range map[string]string{
		"Trakcer": "Tracker::note", "Sesions": "Sessions::open", "Traker::note": "Tracker::note", "note Tracker": "Tracker::note", "tracker": "Tracker::note",
		"pushback": "std::vector::push_back", "LinkdHashMap": "java.util.LinkedHashMap", "LinkedHshMap": "java.util.LinkedHashMap", "SesionCache": "leak.Shop$SessionCache",
		"retaind": "retained_bytes", "growht": "growth", "bytes_alloc": "alloc_bytes", "poll::take": "Pool::take",
		"zzzqqq": "", "": "",
	} {
		got := Of(typed, names, 1)
		if want == "" && len(got) > 0 || want != "" && (len(got) == 0 || got[0] != want) {
			t.Errorf("%s: near is %q, want %q", typed, got, want)
		}
	}
	if got := Of("session", append(slices.Clone(names), "Sessions::open"), 5); len(got) != 3 {
		t.Errorf("names of sessions are %q", got)
	}
}

func TestLetters(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		whole int
		part  int
	}{
		{"report", "report", 0, 0}, {"reprot", "report", 1, 1}, {"rport", "report", 1, 1}, {"", "man", 3, 3}, {"man", "", 3, 0},
		{"opne", "open", 1, 1}, {"ab", "ba", 1, 1}, {"sessioncache", "sesion", 6, 1}, {"xxsessionxx", "session", 4, 0},
	} {
		if whole, part := Letters(c.a, c.b), changes(c.a, c.b, true); whole != c.whole || part != c.part {
			t.Errorf("from %q to %q are %d changes, from a part %d, want %d and %d", c.a, c.b, whole, part, c.whole, c.part)
		}
	}
}
