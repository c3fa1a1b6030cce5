package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
)

// TestFilesOfOneRecording reads several dumps, or a folder, as the snapshots of one recording, in the order of their clocks.
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
	for want, args := range map[string][]string{
		"holds no heap snapshots":            {"report", paths[0], filepath.Join("..", "..", "testdata", "small_kvleak.mlyze")},
		"--snapshot counts over":             {"heap", "types", paths[0] + "#0", paths[1]},
		"no file in it holds heap snapshots": {"heap", "types", t.TempDir()},
	} {
		if status, _, errs := run(t, Env{}, args...); status == 0 || !strings.Contains(errs, want) {
			t.Errorf("%q: status %d, %s", args, status, errs)
		}
	}
}
