package term

import (
	"testing"

	"github.com/gdamore/tcell/v2/terminfo"
)

// Terminals that drop what is copied are known, and so is tmux, which passes it on only where its user allows that.
func TestClipboardOfTerminals(t *testing.T) {
	for _, c := range []struct {
		name, variable string
		want           bool
	}{
		{"xterm-256color", "", true}, {"foot", "", true}, {"linux", "", false}, {"vt100", "", false}, {"linux", "TMUX", true}, {"screen-256color", "STY", false},
		{"xterm", "STY", false},
	} {
		getenv := func(name string) string {
			if name == c.variable {
				return "x"
			}
			return ""
		}
		ti := &terminfo.Terminfo{Name: c.name}
		if got := clipboard(ti, getenv); got != c.want {
			t.Errorf("%s with %q: %t, not %t", c.name, c.variable, got, c.want)
		}
	}
}
