package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/model"
)

// What is wasted is the same on screen and in the command, whichever references keep memory alive.
func TestWasteOnScreenAndInCommand(t *testing.T) {
	path := "../../loaders/v8heap/testdata/chrome1.heapsnapshot.zst"
	command := func(args ...string) (wasted uint64, rows []string) {
		status, out, errs := run(t, Env{}, append([]string{"heap", "waste", "-f", "json", path}, args...)...)
		if status != 0 {
			t.Fatal(errs)
		}
		var r struct {
			Heap struct {
				Waste struct {
					Wasted      uint64 `json:"wasted_bytes"`
					Collections []struct {
						Count, Bytes uint64
						Wasted       uint64 `json:"wasted_bytes"`
					}
				}
			}
		}
		parseJSON(t, out, &r)
		for _, c := range r.Heap.Waste.Collections {
			if c.Wasted > 0 {
				rows = append(rows, fmt.Sprintf("%v %s %v", model.Bytes(c.Wasted), model.Group(c.Count), model.Bytes(c.Bytes)))
			}
		}
		return r.Heap.Waste.Wasted, rows
	}
	walkIn(t, 160, 60, func(w *walker) {
		w.keys(":")
		w.typed("waste")
		w.keys("Enter")
		for _, edges := range []string{"devtools", "plain"} {
			wasted, rows := command("--edges", edges)
			if len(rows) == 0 {
				t.Fatalf("%s: no collections waste anything", edges)
			}
			screen := strings.Join(slices.DeleteFunc(strings.Fields(w.sim.Text()), func(f string) bool { return strings.Trim(f, "▏▎▍▌▋▊▉█") == "" }), " ")
			for _, want := range append(rows, model.Bytes(wasted).String()+" wasted") {
				if !strings.Contains(screen, want) {
					t.Errorf("%s: no %q in\n%s", edges, want, w.sim.Text())
				}
			}
			if line := w.copied("Y"); strings.Contains(line, "plain") != (edges == "plain") {
				t.Errorf("%s: %s", edges, line)
			}
			w.keys("E")
		}
	}, path)
}
