package views

import (
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/views/ui"
)

// hold keeps every answer that is asked for from now on away until it is let go.
func (u *program) hold() (release func()) {
	var held []func()
	later := u.app.Background
	u.sim.Do(func() {
		u.app.Patience = 0
		u.app.Background = func(f func()) { held = append(held, f) }
	})
	return func() {
		u.sim.Do(func() {
			u.app.Background = later
			for _, f := range held {
				later(f)
			}
		})
		u.sim.Settle()
	}
}

// Enter on a screen that is still being computed goes somewhere, or says what is awaited: in every pane of every
// screen.
func TestEnterWhileAnswersAreAwaited(t *testing.T) {
	for _, tt := range []struct {
		name string
		open func() *program
	}{
		{"trace", func() *program { return openKvleak(t, 120, 40, colorCaps) }},
		{"profile", func() *program { return openServer(t, 120, 40) }},
		{"dump", func() *program { return openDump(t, 120, 40, colorCaps) }},
		{"heap", func() *program { return openRecords(t, 120, 40, colorCaps) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := tt.open()
			u.sim.Do(func() { u.app.Patience = 5 * time.Second })
			release := u.hold()
			for i := range u.app.screens {
				for pane := range 4 {
					var said string
					var before, after ui.Screen
					u.sim.Do(func() { u.app.overlays = nil; u.app.goTo(i) })
					u.sim.Settle()
					for range pane {
						u.keys("Tab")
					}
					u.sim.Do(func() { before = u.app.current(); u.app.message = "" })
					text := u.Text()
					u.keys("Enter")
					u.sim.Do(func() {
						after, said = u.app.current(), u.app.message
						if len(u.app.overlays) > 0 {
							said = "(overlay)"
						}
					})
					if after == before && said == "" && u.Text() == text {
						t.Errorf("%s, pane %d: Enter does nothing on\n%s", before.Name(), pane, text)
					}
					if strings.HasPrefix(said, "no ") || strings.Contains(said, "highest zoom") {
						t.Errorf("%s, pane %d: what is not known yet is told as %q", before.Name(), pane, said)
					}
				}
			}
			release()
		})
	}
}
