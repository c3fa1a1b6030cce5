package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/cli/screen"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views"
	"github.com/memtui/memtui/views/ui"
)

// saved runs a command line's full screen, saves what words print by each name, and returns the files by name.
func saved(t *testing.T, open []string, words []string, names ...string) map[string][]byte {
	t.Helper()
	dir, out := t.TempDir(), map[string][]byte{}
	shown := func(ctx context.Context, s screen.Screen) error {
		for _, name := range names {
			path := filepath.Join(dir, name)
			write, err := s.Save(views.SaveQuery{Words: words, Path: path})
			if err != nil {
				t.Errorf("%q as %s: %v", words, name, err)
				continue
			}
			got, err := write(ctx)
			data, readErr := os.ReadFile(path)
			if err != nil || readErr != nil || got.Bytes != int64(len(data)) || len(data) == 0 {
				t.Errorf("%q as %s: %v, %v, %d bytes said, %d written", words, name, err, readErr, got.Bytes, len(data))
			}
			out[name] = data
		}
		return nil
	}
	if status, text, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, open...); status != 0 || text+errs != "" {
		t.Fatalf("status %d, %q, %q", status, text, errs)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
	return out
}

// A file of stacks holds those of the rows that are shown, and what it cannot leave out is said.
func TestSaveTheStacksOfSomeRows(t *testing.T) {
	dir := t.TempDir()
	words := []string{"report", "--table", "leaks", "--filter", "close_session", sample}
	shown := func(ctx context.Context, s screen.Screen) error {
		for name, only := range map[string][]model.StackID{"one.folded": {8}, "all.folded": nil, "all.json": nil} {
			write, err := s.Save(views.SaveQuery{Words: words, Path: filepath.Join(dir, name), Stacks: only})
			if err != nil {
				t.Fatal(err)
			}
			got, err := write(ctx)
			data, _ := os.ReadFile(filepath.Join(dir, name))
			lines, said := strings.Count(string(data), "\n"), strings.Contains(strings.Join(got.Notes, ";"), "also those that the filter hides")
			if err != nil || said != (only == nil) || strings.HasSuffix(name, ".folded") && (lines == 1) != (only != nil) {
				t.Errorf("%s: %d lines, %q, %v", name, lines, got.Notes, err)
			}
		}
		return nil
	}
	run(t, Env{IsTerminal: true, FullScreen: shown}, sample)
}

// What a screen saves is what the command of its table prints, with all rows, in the format of the suffix.
func TestSaveATrace(t *testing.T) {
	words := []string{"report", "--at", "peak", "--table", "live_sites", sample}
	files := saved(t, []string{sample}, words, "a.txt", "a.md", "a.csv", "a.json", "a.html", "a.folded", "a.speedscope.json", "a.pb.gz")
	for name, args := range map[string][]string{
		"a.txt": {"-f", "text", "--limit", "0"}, "a.md": {"-f", "markdown", "--limit", "0"}, "a.csv": {"-f", "csv", "--limit", "0"},
	} {
		if _, want, _ := run(t, Env{}, append(append([]string{}, words...), args...)...); string(files[name]) != want || want == "" {
			t.Errorf("%s is\n%s\nnot\n%s", name, files[name], want)
		}
	}
	rows, err := csv.NewReader(bytes.NewReader(files["a.csv"])).ReadAll()
	if err != nil || len(rows) < 10 {
		t.Errorf("%v, %d rows", err, len(rows))
	}
	var report struct {
		Schema string
		Trace  any
	}
	if err := json.Unmarshal(files["a.json"], &report); err != nil || !strings.HasPrefix(report.Schema, "memtui.") {
		t.Errorf("%v, %+v", err, report)
	}
	if !bytes.HasPrefix(files["a.html"], []byte("<!DOCTYPE html>")) {
		t.Errorf("%.100q is no page", files["a.html"])
	}
	_, want, _ := run(t, Env{}, "convert", "--to", "folded", "--at", "peak", "--by", "live_bytes", sample, "-")
	if string(files["a.folded"]) != want || want == "" {
		t.Errorf("the stacks are\n%s\nnot\n%s", files["a.folded"], want)
	}
	if !bytes.Contains(files["a.speedscope.json"], []byte("speedscope.app")) {
		t.Errorf("%.100q is no speedscope file", files["a.speedscope.json"])
	}
	if z, err := gzip.NewReader(bytes.NewReader(files["a.pb.gz"])); err != nil {
		t.Error(err)
	} else if data, err := io.ReadAll(z); err != nil || !bytes.Contains(data, []byte("inuse_space")) {
		t.Errorf("%v, %d bytes", err, len(data))
	}
}

func TestSaveAHeap(t *testing.T) {
	path := sampleFile(t, "heap")
	words := []string{"heap", "types", path, "--snapshot", "1", "--by", "count"}
	files := saved(t, []string{path}, words, "a.txt", "a.csv", "a.json", "a.html")
	for name, format := range map[string]string{"a.txt": "text", "a.csv": "csv", "a.json": "json"} {
		_, want, _ := run(t, Env{}, append(append([]string{}, words...), "-f", format, "--limit", "0")...)
		if string(files[name]) != want || want == "" {
			t.Errorf("%s is\n%s\nnot\n%s", name, files[name], want)
		}
	}
	_, want, _ := run(t, Env{}, "report", "-f", "html", "--snapshot", "1", "--by", "count", path)
	if !bytes.HasPrefix(files["a.html"], []byte("<!DOCTYPE html>")) || len(want) < 1000 || !strings.Contains(want, "--snapshot 1") || !bytes.Contains(files["a.html"], []byte("--snapshot 1 --by count")) {
		t.Errorf("%.100q is not the page about the snapshot", files["a.html"])
	}
}

// What standard input, a sample and two files show can be saved, too.
func TestSaveWhatHasNoNameAndComparisons(t *testing.T) {
	files := saved(t, []string{"demo", "kvleak"}, []string{"report", "--table", "curve", views.SampleName}, "a.csv", "a.html")
	if !bytes.HasPrefix(files["a.csv"], []byte("to_us,")) || bytes.Contains(files["a.html"], []byte(" "+views.SampleName+"<")) {
		t.Errorf("%.200q", files["a.csv"])
	}
	other := sampleFile(t, "kvleak")
	words := []string{"diff", "--group", "function", sample, other}
	compared := saved(t, []string{sample, other}, words, "d.md", "d.csv", "d.html")
	if _, want, _ := run(t, Env{}, append(words, "-f", "csv", "--limit", "0")...); string(compared["d.csv"]) != want || want == "" {
		t.Errorf("%s\nis not\n%s", compared["d.csv"], want)
	}
}

// A name that says no format, a file that exists, and what a format cannot hold are refused before anything is written.
func TestSaveRefuses(t *testing.T) {
	trace, heap := sampleFile(t, "kvleak"), sampleFile(t, "heap")
	dump, dir := sampleFile(t, "pages"), t.TempDir()
	there := filepath.Join(dir, "there.csv")
	if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.csv")
	if err := os.Symlink(trace, link); err != nil {
		t.Fatal(err)
	}
	report := []string{"report", trace}
	for _, c := range []struct {
		file, name string
		words      []string
		replace    bool
		want       string
	}{
		{trace, "x", report, false, "end the name in one of .txt, .md, .csv, .html, .folded, .speedscope.json, .pprof, .json"},
		{trace, ".csv", report, false, "end the name in one of"},
		{trace, there, report, false, "the file exists: there.csv! replaces it"}, {trace, link, report, true, "the file that is shown"}, {trace, dir + "/.", report, false, "end the name"},
		{trace, "x.folded", []string{"diff", "--a", "0s", "--b", "end", trace}, false, "a comparison has no stacks of its own"},
		{trace, "x.folded", []string{"report", "--by", "peak_bytes", trace}, false, "do not add up"},
		{trace, "x.folded", []string{"report", "--cell", "64,1ms", trace}, false, "not those of one size"},
		{heap, "x.folded", []string{"heap", "types", heap}, false, "no stacks to write as folded: end the name in .txt, .md, .csv, .html, .json"},
		{heap, "x.html", []string{"heap", "object", heap, "1"}, false, "memtui heap object does not write html: end the name in .txt, .md, .csv, .json"},
		{dump, "x.csv", []string{"pages", "--map", dump + "#0"}, false, "memtui pages does not write csv: end the name in .txt, .html"},
	} {
		shown := func(_ context.Context, s screen.Screen) error {
			path := c.name
			if !filepath.IsAbs(path) {
				path = filepath.Join(dir, path)
			}
			if _, err := s.Save(views.SaveQuery{Words: c.words, Path: path, Replace: c.replace}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q as %s: %v", c.words, c.name, err)
			}
			return nil
		}
		if status, _, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, c.file); status != 0 {
			t.Fatalf("status %d, %q", status, errs)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("%v, %v: something is written", err, list)
	}
}

// An existing file is replaced where that is asked for, and stays whole where writing is ended.
func TestSaveReplacesWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	shown := func(ctx context.Context, s screen.Screen) error {
		write, err := s.Save(views.SaveQuery{Words: []string{"report", sample}, Path: path, Replace: true})
		if err != nil {
			return err
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := write(ended); err == nil {
			t.Error("it is written although that was ended")
		}
		if data, _ := os.ReadFile(path); string(data) != "mine" {
			t.Errorf("%q", data)
		}
		if write, err = s.Save(views.SaveQuery{Words: []string{"report", sample}, Path: path, Replace: true}); err == nil {
			_, err = write(ctx)
		}
		return err
	}
	if status, _, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, sample); status != 0 {
		t.Fatalf("status %d, %q", status, errs)
	}
	if data, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(data, []byte("stack_id,")) && bytes.Count(data, []byte("\n")) < 20 {
		t.Errorf("%v, %.100q", err, data)
	}
}

// A table of the screen is written as it is there, by the formats for tables; the others need a command.
func TestSaveATableAsItIsShown(t *testing.T) {
	dir := t.TempDir()
	table := &views.ShownTable{Title: "a.mlyze  Leaks", About: "end of run", Left: 2,
		Heads: []ui.SavedHead{{Title: "BYTES", Key: "bytes", Right: true}, {Title: "SITE", Key: "site"}},
		Rows: func(_ context.Context, plain bool) ([][]string, error) {
			bytes := "1.00 KiB"
			if plain {
				bytes = "1024"
			}
			return [][]string{{bytes, "open\x1b|session"}, {"1", "a, b"}}, nil
		}}
	want := map[string]string{
		"a.txt": "\n a.mlyze  Leaks ", "a.md": "| 1.00 KiB | `open", "a.csv": "bytes,site\n1024,open",
	}
	shown := func(ctx context.Context, s screen.Screen) error {
		for name, text := range want {
			write, err := s.Save(views.SaveQuery{Path: filepath.Join(dir, name), Table: table})
			if err != nil {
				t.Fatal(err)
			}
			got, err := write(ctx)
			data, _ := os.ReadFile(filepath.Join(dir, name))
			if err != nil || !got.Shown || got.Bytes != int64(len(data)) || !strings.Contains(string(data), text) || bytes.Contains(data, []byte("\x1b")) ||
				!strings.Contains(strings.Join(got.Notes, ";"), "2 more rows are left out") {
				t.Errorf("%s: %v, %+v\n%s", name, err, got, data)
			}
		}
		if _, err := s.Save(views.SaveQuery{Path: filepath.Join(dir, "a.json"), Table: table}); err == nil || !strings.Contains(err.Error(), ".txt, .md or .csv") {
			t.Errorf("without a command: %v", err)
		}
		return nil
	}
	run(t, Env{IsTerminal: true, FullScreen: shown}, sample)
}
