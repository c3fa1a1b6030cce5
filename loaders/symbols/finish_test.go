package symbols

import "testing"

// TestNamesOfParts expects the parts of a function that compilers move out of it to have its name,
// if DWARF knows the function.
func TestNamesOfParts(t *testing.T) {
	for _, c := range []struct {
		dwarf, symbol string
		named         bool
		want          string
	}{
		{"main", "main.cold", false, "main"},
		{"work", "work.isra.0", false, "work.isra.0"},
		{"work", "work.isra.0.cold", false, "work.isra.0"},
		{"work", "work.cold.17", false, "work"},
		{"Pool", "_ZN4PoolC2Ev.cold", false, "Pool::Pool()"},
		{"_ZN4Pool3getEv", "_ZN4Pool3getEv.cold", true, "Pool::get()"},
		{"", "work.cold", false, "work.cold"},
		{"work", "other", false, "work"},
	} {
		l := located{frames: []Frame{{Function: c.dwarf, File: "a.c", Line: 1}}, named: c.named}
		if got := finish(l, symbol{name: c.symbol}, map[string]string{})[0].Function; got != c.want {
			t.Errorf("%q, symbol %q: %q, want %q", c.dwarf, c.symbol, got, c.want)
		}
	}
}
