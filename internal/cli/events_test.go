package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// shownEvents are the numbers of the events on screen.
var shownEvents = regexp.MustCompile(`(?m)^[ ▸] *([0-9][0-9,]*|0) +[0-9,]+ µs +(?:alloc|free|gc|marker) `)

// The command that is copied on Events prints the rows on screen, wherever these are, also if others have the same time.
func TestEventsCommandPrintsRowsOnScreen(t *testing.T) {
	modeltest.Plain(t)
	for file, keys := range map[string][]string{
		sample: {"'", "p", "PgUp", "/ f r e e Enter", "g", "Esc Esc / c l o s e Enter", "Esc / _ M _ a s s Enter"},
		"../../loaders/heaptrack/testdata/shop.zst": {"' g", "PgDn PgDn", "/ a l l o c Enter"},
	} {
		walkIn(t, 160, 40, func(w *walker) {
			for _, typed := range keys {
				w.keys(strings.Fields(typed)...)
				var want []string
				for _, m := range shownEvents.FindAllStringSubmatch(w.sim.Text(), -1) {
					want = append(want, strings.ReplaceAll(m[1], ",", ""))
				}
				line := w.copied("Y")
				status, out, errs := run(t, Env{}, append(words(line)[1:], "-f", "csv")...)
				var got []string
				for _, row := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
					number, _, _ := strings.Cut(row, ",")
					got = append(got, number)
				}
				if status != 0 || errs != "" || len(want) < 5 || !slices.Equal(got, want) {
					t.Errorf("%s, %s: %s: status %d, %q, prints\n%s\nbut the screen has\n%s", file, typed, line, status, errs, got, want)
				}
			}
		}, file)
	}
}
