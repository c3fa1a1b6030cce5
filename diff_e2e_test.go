//go:build unix

package main_test

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/memtui/memtui/model"
)

// The command that Y copies on a difference prints the totals that are on screen.
func TestTheCopiedDifferenceIsTheOneOnScreen(t *testing.T) {
	const other = "loaders/mlyze/testdata/real/ref_05_realistic_app.mlyze"
	for _, c := range []struct {
		files []string
		keys  string
	}{
		{[]string{sample}, ":a 61ms\rd3"}, // live bytes, to the end
		{[]string{sample}, ":a 61ms\r:b 20ms\rd3ccc"},
		{[]string{sample}, ":a 30ms\rd4"},                      // leaks
		{[]string{sample}, ":a 10ms..30ms\rd3b~"},              // by function, swapped
		{[]string{sample}, ":a 40ms\rd3%"},                     // normalised
		{[]string{sample}, ":a 10ms..30ms\r:b 30ms..70ms\rd7"}, // lifetimes
		{[]string{sample, other}, "3:a 20ms\r:b 40ms\rb"},
	} {
		s := start(t, 200, 40, c.files...)
		s.WaitFor("whole")
		s.Send(c.keys + "=")
		s.WaitFor("before ")
		s.Send("Y")
		s.WaitFor("sent to the clipboard: memtui diff")
		text := s.Text()
		_, line, _ := strings.Cut(text, "sent to the clipboard: memtui ")
		line, _, _ = strings.Cut(line, "\n")
		out, err := exec.Command(binary, append(strings.Fields(line), "-f", "json")...).Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		var d struct {
			Totals struct {
				Before uint64 `json:"before_bytes"`
				After  uint64 `json:"after_bytes"`
			}
		}
		if err := json.Unmarshal(out, &d); err != nil {
			t.Fatal(err)
		}
		want := model.Bytes(d.Totals.Before).Exact() + " → " + model.Bytes(d.Totals.After).Exact()
		s.WaitFor(want)
		leave(t, s)
	}
}
