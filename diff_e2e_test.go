//go:build unix

package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
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
		{[]string{sample}, ":a 40ms\rd3%"},                     // normalized
		{[]string{sample}, ":a 10ms..30ms\r:b 30ms..70ms\rd7"}, // lifetimes
		{[]string{sample, other}, "3:a 20ms\r:b 40ms\rb"},
	} {
		s := start(t, 200, 40, c.files...)
		s.WaitFor("complete")
		s.Send(c.keys + "=")
		s.WaitFor("before ")
		s.Send("Y")
		_, line := copied(t, s)
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

// The rows on screen, those of the printed report and those of its JSON are the same, for every kind of file.
func TestScreenReportAndDiffHaveTheSameRows(t *testing.T) {
	dir, err := os.MkdirTemp("", "d") // a short name: the command is read from the screen
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	heap, dump := filepath.Join(dir, "h"), filepath.Join(dir, "p")
	early, late := filepath.Join(dir, "early.spaa"), filepath.Join(dir, "late.spaa")
	for name, to := range map[string]string{"records.mvmheap": heap, "real_proc_python.mb": dump} {
		data, err := os.ReadFile("internal/demo/samples/" + name)
		if err = errors.Join(err, os.WriteFile(to, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"convert", "--to", "30ms", sample, early}, {"convert", sample, late}} {
		if out, err := exec.Command(binary, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	for _, c := range []struct {
		files []string
		keys  string
		title string // of the table
	}{
		{[]string{sample}, ":a 61ms\rd3", "Live bytes by stack"},
		{[]string{sample}, ":a 10ms..30ms\r:b 30ms..70ms\rd3bbccc", "Allocated bytes by function"},
		{[]string{sample}, ":a 30ms\rd4", "by stack"}, // leaks
		{[]string{sample}, ":a 10ms..30ms\r:b 30ms..70ms\rd7b", "by size class"},
		{[]string{sample}, ":a 30ms\rd6oo", "by size class"}, // blocks
		{[]string{early, late}, "2", "by function"},
		{[]string{early, late}, "2b", "by owner"},
		{[]string{early, late}, "2bb", "by source line"},
		{[]string{early, late}, "2bbb", "by DSO"},
		{[]string{heap}, "6", "Types by Δ bytes"},
		{[]string{heap}, "6c", "Types by Δ count"},
		{[]string{heap}, "6cc", "Types by Δ retained"},
		{[]string{heap}, "6cc~", "Types by Δ retained"},
		{[]string{heap}, "6b", "Frames by Δ bytes"},
		{[]string{heap}, "6bb", "Subtrees that grew"},
		{[]string{heap}, "6bb~", "Subtrees that grew"},
		{[]string{heap}, "4d", "Subtrees that grew"},
		{[]string{heap + "#1", heap + "#2"}, "6%", "Types by Δ bytes"},
		{[]string{dump + "#0", dump + "#9"}, "3", "Occupied memory by page type"},
		{[]string{dump + "#0", dump + "#9"}, "3cc~", "Size of pages by page type"},
		{[]string{dump + "#0", dump + "#9"}, "1", "by series"},
	} {
		s := start(t, 200, 50, c.files...)
		s.WaitFor("complete")
		s.Send(c.keys + "!=")
		s.WaitFor(c.title)
		s.WaitFor("changed only")
		s.Send("Y")
		_, line := copied(t, s)
		args := strings.Fields(strings.ReplaceAll(line, "'", ""))
		rows := printedRows(t, args)
		if len(rows) == 0 {
			t.Errorf("%s: no rows", line)
		}
		report, err := exec.Command(binary, append(args, "--exact", "--limit", "0")...).Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		hold(t, "memtui "+line, tableLines(string(report), "Δ"), rows, len(rows))
		if got := pageRows(t, append(args, "-f", "html", "--limit", "0")); !slices.Equal(got, withoutKeys(rows)) {
			t.Errorf("the page of memtui %s has %+v, want %+v", line, got, withoutKeys(rows))
		}
		place := filepath.Join(dir, "e")
		s.Send("W")
		s.WaitFor("evidence: ")
		s.Send("\x15" + place + "\r")
		s.WaitFor("evidence is in")
		if got := evidenceRows(t, place); !slices.Equal(got, rows[:min(len(rows), len(got))]) || len(got) < min(len(rows), 200) {
			t.Errorf("the evidence of memtui %s has %d rows, want %d", line, len(got), len(rows))
		}
		s.WaitFor(model.Group(rows[0].Before))
		s.WaitFor(model.Group(rows[0].After))
		hold(t, "the screen of memtui "+line, tableLines(s.Text(), "AFTER"), rows, min(len(rows), 12))
		leave(t, s)
	}
}

// The grid of a difference says of each type what the command that is copied there prints, and so does the evidence.
func TestThePageGridAndDiffHaveTheSameChanges(t *testing.T) {
	dir, err := os.MkdirTemp("", "d") // a short name: the command is read from the screen
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	dump, place := filepath.Join(dir, "p"), filepath.Join(dir, "e")
	data, err := os.ReadFile("internal/demo/samples/real_proc_python.mb")
	if err = errors.Join(err, os.WriteFile(dump, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, keys := range []string{"2", "2~"} {
		s := start(t, 200, 50, dump+"#0", dump+"#9")
		s.WaitFor("complete")
		s.Send(keys)
		s.WaitFor("newly occupied")
		s.Send("Y")
		text, line := copied(t, s)
		args := strings.Fields(strings.ReplaceAll(line, "'", ""))
		out, err := exec.Command(binary, append(args, "-f", "json", "--limit", "0")...).Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		var d struct {
			Rows []struct {
				printedRow
				Taken uint64 `json:"newly_occupied_bits"`
				Freed uint64 `json:"newly_free_bits"`
			}
		}
		if err := json.Unmarshal(out, &d); err != nil || len(d.Rows) != 4 {
			t.Fatalf("%d rows, %v", len(d.Rows), err)
		}
		for _, r := range d.Rows {
			want := "nothing changed"
			if r.Taken+r.Freed > 0 {
				want = model.Bytes(8*r.Taken).String() + " newly occupied · ▼ " + model.Bytes(8*r.Freed).String() + " newly free"
			}
			lines := strings.Split(text, "\n")
			if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, " "+r.Key+" ─") && strings.Contains(l, want) }) {
				t.Errorf("%s: no line says of %s: %s\n%s", line, r.Key, want, text)
			}
		}
		s.Send("W")
		s.WaitFor("evidence: ")
		s.Send("\x15" + place + "\r")
		s.WaitFor("evidence is in")
		if got, want := evidenceRows(t, place), printedRows(t, args); !slices.Equal(got, want) {
			t.Errorf("the evidence of memtui %s has %+v, want %+v", line, got, want)
		}
		leave(t, s)
	}
}

// Evidence of a difference is of what is on screen: files that are gone or written anew by then are not read again.
func TestEvidenceOfADifferenceReadsNothingAgain(t *testing.T) {
	dir, err := os.MkdirTemp("", "d")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	data, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	before, after, place := filepath.Join(dir, "a.mlyze"), filepath.Join(dir, "b.mlyze"), filepath.Join(dir, "e")
	for _, within := range []bool{false, true} {
		for _, path := range []string{before, after} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		files := []string{before, after}
		if within {
			files = files[:1]
		}
		s := start(t, 160, 40, files...)
		s.WaitFor("complete")
		if within {
			s.Send(":compare " + after + "\r")
			s.WaitFor("compared with")
		}
		s.Send("3:a 20ms\r")
		s.WaitFor("before A")
		for _, path := range []string{before, after} {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		s.Send("W")
		s.WaitFor("evidence: ")
		s.Send("\x15" + place + "\r")
		s.WaitFor("evidence is in")
		if rows := evidenceRows(t, place); len(rows) == 0 {
			t.Error("the evidence has no difference")
		}
		leave(t, s)
	}
}

// withoutKeys are the figures of rows.
func withoutKeys(rows []printedRow) []printedRow {
	out := slices.Clone(rows)
	for i := range out {
		out[i].Key = ""
	}
	return out
}

// pageRows are the figures of the rows on the page that a command prints.
func pageRows(t *testing.T, args []string) (rows []printedRow) {
	t.Helper()
	out, err := exec.Command(binary, args...).Output()
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	_, data, _ := strings.Cut(string(out), `<script id="data" type="application/json">`)
	data, _, _ = strings.Cut(data, "</script>")
	var page struct {
		Tables []struct {
			ID   string
			Cols []struct{ Head string }
			Rows [][]any
		}
	}
	if err := json.Unmarshal([]byte(data), &page); err != nil {
		t.Fatalf("%q: %v in %.300q", args, err, data)
	}
	for _, table := range page.Tables {
		if table.ID != "changes" {
			continue
		}
		for _, cells := range table.Rows {
			var r printedRow
			for i, c := range table.Cols {
				switch c.Head {
				case titles.Before:
					r.Before = uint64(cells[i].(float64))
				case titles.After:
					r.After = uint64(cells[i].(float64))
				case titles.Status:
					r.Status = cells[i].(string)
				}
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// evidenceRows are the rows of the comparison in evidence, which is removed.
func evidenceRows(t *testing.T, place string) []printedRow {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(place, "difference.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d struct{ Rows []printedRow }
	if err := errors.Join(json.Unmarshal(data, &d), os.RemoveAll(place)); err != nil {
		t.Fatal(err)
	}
	return d.Rows
}

// printedRow is what every output says of a row.
type printedRow struct {
	Key    string
	Before uint64 `json:"before_bytes"`
	After  uint64 `json:"after_bytes"`
	Status string
}

// printedRows are the rows of the JSON that a command prints.
func printedRows(t *testing.T, args []string) []printedRow {
	t.Helper()
	out, err := exec.Command(binary, append(args, "-f", "json", "--limit", "0")...).Output()
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	var d struct{ Rows []printedRow }
	if err := json.Unmarshal(out, &d); err != nil {
		t.Fatal(err)
	}
	return d.Rows
}

// tableLines are the lines below the line of titles that holds a title.
func tableLines(text, title string) []string {
	lines := strings.Split(text, "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "BEFORE") && strings.Contains(l, title) })
	return lines[at+1:]
}

// hold checks that the first n rows stand in lines, in order.
func hold(t *testing.T, where string, lines []string, rows []printedRow, n int) {
	t.Helper()
	for i := range n {
		r := &rows[i]
		fields := strings.Fields(lines[i])
		at := slices.IndexFunc(fields, func(f string) bool { return f == model.Group(r.Before) })
		if at < 0 || !slices.Contains(fields[at+1:], model.Group(r.After)) || !slices.Contains(fields, r.Status) {
			t.Errorf("%s: row %d is %q, want %+v", where, i, lines[i], *r)
			return
		}
	}
}

// The screens compare the same places of two files as the command does, whichever of them the user names.
func TestScreensAndDiffCompareTheSamePlaces(t *testing.T) {
	dir, err := os.MkdirTemp("", "d") // a short name: the command is read from the screen
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	heap, dump, prof := filepath.Join(dir, "h"), filepath.Join(dir, "p"), filepath.Join(dir, "w")
	for name, to := range map[string]string{"records.mvmheap": heap, "real_proc_python.mb": dump, "server.spaa.zst": prof} {
		data, err := os.ReadFile("internal/demo/samples/" + name)
		if err = errors.Join(err, os.WriteFile(to, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ file, keys, title string }{
		{heap, "6", "Types by Δ bytes"}, {dump, "3", "by page type"}, {prof, "2", "by function"},
	} {
		for _, files := range [][]string{
			{c.file + "#0", c.file}, {c.file, c.file + "#0"}, {c.file + "#0", c.file + "#1"}, {c.file + "#1", c.file + "#-1"}, {c.file, c.file},
		} {
			s := start(t, 200, 50, files...)
			s.WaitFor("complete")
			s.Send(c.keys + "=")
			s.WaitFor(c.title)
			s.Send("Y")
			_, line := copied(t, s)
			args := strings.Fields(strings.ReplaceAll(line, "'", ""))
			group := slices.Index(args, "--group")
			plain := append([]string{"diff"}, files...)
			if group > 0 {
				plain = append(plain, args[group:group+2]...)
			}
			if got, want := printedRows(t, args), printedRows(t, plain); !slices.Equal(got, want) {
				t.Errorf("%q: the screen copies %s, which prints\n%+v\nand not\n%+v", plain, line, got[:min(len(got), 4)], want[:min(len(want), 4)])
			}
			leave(t, s)
		}
	}
}

// Evidence that is written while two sides are compared has the comparison, of every kind of file: as a page, as data,
// and as text that begins with its command.
func TestEvidenceHasTheComparisonOnScreen(t *testing.T) {
	const samples = "internal/demo/samples/"
	place := filepath.Join(t.TempDir(), "e")
	for _, c := range []struct {
		name, keys, title string // what begins the comparison, and what is on screen then
		files             []string
	}{
		{"trace", "3:a 20ms\rd", "before A", []string{sample}},
		{"two traces", "3", "before", []string{sample, "loaders/mlyze/testdata/real/ref_05_realistic_app.mlyze"}},
		{"heaptrack", "3:a 20ms\rd", "before A", []string{"loaders/heaptrack/testdata/shop.raw.zst"}},
		{"dump", "3", "by page type", []string{samples + "real_proc_python.mb#0", samples + "real_proc_python.mb"}},
		{"snapshots", "6", "Types by Δ bytes", []string{samples + "records.mvmheap"}},
		{"hprof", "6", "Types by Δ bytes", []string{"loaders/hprof/testdata/shop1.hprof.zst", "loaders/hprof/testdata/g1.hprof.zst"}},
		{"profile", "2", "by function", []string{samples + "server.spaa.zst#0", samples + "server.spaa.zst#1"}},
		{"pprof", "2", "before A", []string{"loaders/pprof/testdata/cpp.tcmalloc.pb.gz", "loaders/pprof/testdata/go.heap.pb.gz"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer os.RemoveAll(place)
			s := start(t, 160, 40, c.files...)
			s.WaitFor("complete")
			s.Send(c.keys)
			s.WaitFor(c.title)
			s.Send("W")
			s.WaitFor("evidence: ")
			s.Send("\x15" + place + "\r")
			s.WaitFor("evidence is in")
			if text := s.Text(); strings.Contains(text, "without the difference") {
				t.Errorf("the evidence is without the comparison:\n%s", text)
			}
			read := func(name string) string {
				data, err := os.ReadFile(filepath.Join(place, name))
				if err != nil {
					t.Fatal(err)
				}
				return string(data)
			}
			text := read("DIFFERENCE.txt")
			for _, want := range []string{"memtui diff ", "before", "after"} {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in\n%.2000s", want, text)
				}
			}
			var d struct {
				Rows []struct {
					Delta int64 `json:"delta_bytes"`
				}
			}
			if err := json.Unmarshal([]byte(read("difference.json")), &d); err != nil || len(d.Rows) == 0 {
				t.Fatalf("%d rows, %v", len(d.Rows), err)
			}
			page := read("difference.html")
			for _, r := range d.Rows[:min(len(d.Rows), 3)] {
				if !strings.Contains(page, fmt.Sprint(r.Delta)) {
					t.Errorf("a change of %d bytes is not on the page", r.Delta)
				}
			}
			if index := read("MANIFEST.json"); !strings.Contains(index, "difference.html") || !strings.Contains(index, "difference.json") {
				t.Errorf("the list of files lacks the comparison: %.2000s", index)
			}
			leave(t, s)
		})
	}
}
