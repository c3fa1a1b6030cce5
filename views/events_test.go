package views

import (
	"slices"
	"testing"

	"github.com/memtui/memtui/views/trace"
)

// The deepest zoom of the timeline shows single events, whose selection and the instant follow each other.
func TestEventsFollowTheInstant(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("2", "p")
	for range 16 {
		u.keys("+")
	}
	u.has("Events from 60.9", "60,988 µs  alloc ", "alloc_buffer", "allocates 977 KiB at 0x")
	u.keys("0").has("14,012 events", "▸ 13,556  60,988 µs  alloc ")
	u.keys("k").has("▸ 13,555  60,977 µs  free ", "frees 24 B at 0x")
	if at := u.app.state.At.T; at != 60977 {
		t.Errorf("the instant is %d µs", at)
	}
	u.keys(",").has("▸ 13,554 ")
	u.keys("e").has("▸ 14,011 ")
	u.keys("g").has("▸      0 ")
	u.keys("Enter").has("Sites by stack")
}

// Events follow the range and all filters, and have a command that prints them.
func TestEventsFollowFilters(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps)
	u.keys(":")
	typeText(u, "range 20ms 22ms")
	u.keys("Enter", "'").has("Events from 20.0 ms to 22.0 ms", " events")
	if c := u.app.command([]string{"FILE"}); !slices.Contains(c, "--from") || !slices.Contains(c, "events") {
		t.Errorf("%q", c)
	}
	all := screenOf[*trace.Events](u).Len()
	u.keys(":")
	typeText(u, "focus render")
	u.keys("Enter")
	some := screenOf[*trace.Events](u).Len()
	if some == 0 || some >= all {
		t.Errorf("%d of %d events are about render", some, all)
	}
	u.keys("/")
	typeText(u, "kind-of-nothing")
	u.keys("Enter").has("No matches for")
	u.keys("Esc", "u").has("of 14,012 events")
	u.keys("b").has("events are not grouped")
}
