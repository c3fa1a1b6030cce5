package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
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

// The command of an object of several files names all of them, and the snapshot across them.
func TestCommandsOfObjectsTakeSeveralFiles(t *testing.T) {
	modeltest.Plain(t)
	walkIn(t, 160, 40, func(w *walker) {
		w.keys("5")
		for range 4 { // its lists, one of which is the path
			line := words(w.copied("Y"))
			if len(line) < 3 || line[2] != "object" && line[2] != "path" || !slices.Contains(line, javaA) || !slices.Contains(line, javaB) {
				t.Errorf("the command is %q:\n%s", line, w.sim.Text())
				return
			}
			if status, out, errs := run(t, Env{}, line[1:]...); status != 0 || out == "" {
				t.Errorf("%q: status %d, %s", line, status, errs)
			}
			w.keys("Tab")
		}
	}, javaA, javaB)
}
