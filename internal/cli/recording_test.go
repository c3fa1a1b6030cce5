package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/memtest"
)

// TestFilesOfOneRecording reads several dumps, or a folder, as the snapshots of one recording, in the order of their
// clocks.
func TestFilesOfOneRecording(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i, notes := range []int{50, 10, 30} { // the names are not in the order of time
		b := memtest.Java(memtest.JavaSpec{Notes: notes})
		clock := []byte{0, 0, 1, 0x8b, 0xcf, 0xe5, 0x68, 0} // ms
		at := bytes.Index(b, clock)
		b[at+6], b[at+7] = 0x70, byte(notes)
		paths = append(paths, filepath.Join(dir, string(rune('a'+i))+".hprof"))
		if err := os.WriteFile(paths[i], b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{paths, {dir}} {
		status, out, errs := run(t, Env{}, append([]string{"report", "-f", "json"}, args...)...)
		var got struct {
			Heap struct {
				Snapshots []struct {
					Time    int64 `json:"time_us"`
					Objects int
				}
				Snapshot int
			}
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 {
			t.Fatalf("%v, status %d: %s", err, status, errs)
		}
		s := got.Heap.Snapshots
		if len(s) != 3 || s[0].Objects >= s[1].Objects || s[1].Objects >= s[2].Objects || s[0].Time != 0 || s[2].Time != 40_000 || got.Heap.Snapshot != 2 {
			t.Errorf("%+v", got)
		}
	}
	for _, args := range [][]string{paths, {dir}} { // the first snapshot of the recording is the smallest, the largest one its last
		args = append([]string{"check", "--no-leaks", "--max-peak", "1", "-f", "json"}, args...)
		if status, out, errs := run(t, Env{}, args...); status != 1 || !strings.Contains(out, `"snapshot": 2`) {
			t.Errorf("status %d, %s%s", status, out, errs)
		}
	}
	for want, args := range map[string][]string{
		"holds neither heap snapshots nor a stack profile": {"report", paths[0], filepath.Join("..", "..", "testdata", "small_kvleak.mlyze")},
		"names a snapshot in two of the files":             {"heap", "types", paths[0] + "#0", paths[1] + "#0"},
		"no file in it holds heap snapshots":               {"heap", "types", t.TempDir()},
	} {
		if status, _, errs := run(t, Env{}, args...); status == 0 || !strings.Contains(errs, want) {
			t.Errorf("%q: status %d, %s", args, status, errs)
		}
	}
}

// TestSeveralDumpsAreShownAsOneRecording gives dumps in another order than that of their clocks, and with another file
// between them.
func TestSeveralDumpsAreShownAsOneRecording(t *testing.T) {
	dump := "../../loaders/hprof/testdata/shop1.hprof.zst"
	for _, files := range [][]string{{dump, dump, dump}, {dump, dump}} {
		status, out, errs := run(t, Env{}, append([]string{"-f", "json"}, files...)...)
		var r struct {
			Heap struct{ Snapshots []struct{ Index int } }
		}
		parseJSON(t, out, &r)
		if status != 0 || len(r.Heap.Snapshots) != len(files) {
			t.Errorf("%d files: status %d, %+v %s", len(files), status, r.Heap.Snapshots, errs)
		}
	}
	if status, _, errs := run(t, Env{}, dump, dump, "../demo/samples/records.mvmheap"); status != 2 || !strings.Contains(errs, "of different formats") {
		t.Errorf("status %d: %s", status, errs)
	}
	if status, out, _ := run(t, Env{}, "../demo/samples/records.mvmheap", "../demo/samples/records.mvmheap"); status != 0 || strings.Contains(out, "other file") {
		t.Errorf("two files of many snapshots each are not compared: %s", out)
	}
}

// Files that do not say when they were made stand in the order in which they are given, whatever the times of the
// files, and that is said.
func TestFilesWithoutAClockKeepTheirOrder(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i := range 2 {
		data, err := os.ReadFile("../../loaders/rubyheap/testdata/shop1.json.zst")
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, filepath.Join(dir, string(rune('a'+i))+".json.zst"))
		if err := os.WriteFile(paths[i], data, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(paths[i], time.Time{}, time.Unix(int64(1_700_000_000-100*i), 0)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args        []string
		first, told string
	}{
		{paths, "a.json.zst", "in which they are given"},
		{[]string{paths[1], paths[0]}, "b.json.zst", "in which they are given"},
		{[]string{dir}, "a.json.zst", "in which they were last changed"},
	} {
		status, out, errs := run(t, Env{}, append([]string{"report", "-f", "json"}, c.args...)...)
		if status != 0 || !strings.Contains(out, c.told) || !strings.Contains(out, c.first) || strings.Contains(out, `"time_us"`) {
			t.Errorf("%v: status %d, %.300s %s", c.args, status, out, errs)
		}
	}
}

// TestFolderIsOneRecording converts, checks and packs the profiles of a folder as the windows of one.
func TestFolderIsOneRecording(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"go.heap.pb.gz", "cpp.tcmalloc.pb.gz"} {
		b, err := os.ReadFile(filepath.Join("../../loaders/pprof/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(t.TempDir(), "series.spaa")
	if status, _, errs := run(t, Env{}, "convert", dir, out); status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	status, text, errs := run(t, Env{}, "report", "-f", "json", out)
	if status != 0 || !strings.Contains(text, `"windows": 2`) {
		t.Errorf("status %d: %s %s", status, errs, text[:min(len(text), 2000)])
	}
	if status, text, errs := run(t, Env{}, "check", "--max-leak", "1K", dir); status != fail.Violated || !strings.Contains(text, "1 other file") {
		t.Errorf("status %d: %s %s", status, text, errs)
	}
	packed := filepath.Join(t.TempDir(), "evidence")
	if status, _, errs := run(t, Env{}, "evidence", dir, "-o", packed); status != 0 {
		t.Errorf("status %d: %s", status, errs)
	}
}
