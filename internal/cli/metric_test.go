package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// TestProfilesAreComparedByWhatBothHave expects a metric, by whatever name, that both files have, and a refusal where
// there is none.
func TestProfilesAreComparedByWhatBothHave(t *testing.T) {
	modeltest.Plain(t)
	massif := filepath.Join(t.TempDir(), "massif.out")
	text := "desc: --time-unit=B\ncmd: ./shop\ntime_unit: B\n#-----------\nsnapshot=0\n#-----------\ntime=5\nmem_heap_B=30\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=peak\nn1: 30 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n n0: 30 0x1234: main (shop.c:3)\n"
	if err := os.WriteFile(massif, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const dhat, exact, sampled, pprof = "../../loaders/valgrind/testdata/dhat.copy.json", "../../loaders/heaptext/testdata/every.0.i0.heap",
		"../../loaders/heaptext/testdata/sampled4096.f.heap", "../../loaders/pprof/testdata/go.heap.pb.gz"
	const heap, adhoc, snapshots = "../../loaders/valgrind/testdata/dhat.rust-heap-derived.json", "../../loaders/valgrind/testdata/dhat.adhoc.json",
		"../../loaders/valgrind/testdata/massif.default.out"
	const trace, folded = "../../loaders/heaptrack/testdata/shop.zst", "../../loaders/folded/testdata/heaptrack.peak.folded"
	for _, c := range []struct {
		line   string
		status int
		want   []string
	}{
		{massif + " " + adhoc, fail.StatusUsage, []string{"massif.out and dhat.adhoc.json have no metric in common: the one has heap_bytes, the other alloc_bytes"}},
		{adhoc + " " + massif, fail.StatusUsage, []string{"no metric in common", "the other heap_bytes"}},
		{massif + " " + exact, fail.Done, []string{`"metric": "live_bytes"`, `"window": 0`, `"before_bytes": 30`, `"after_bytes": 1677544`}},
		{exact + " " + massif + " --by live_bytes", fail.Done, []string{`"metric": "live_bytes"`, `"before_bytes": 1677544`, `"after_bytes": 30`}},
		{massif + " " + massif, fail.Done, []string{`"metric": "heap_bytes"`}},
		{trace + " " + snapshots, fail.Done, []string{`"metric": "live_bytes"`, `"window": 6`, `"before_bytes": 21696`, `"after_bytes": 349819`}},
		{trace + " " + snapshots + " --at peak", fail.Done, []string{`"window": 3`, `"before_bytes": 2732980`, `"after_bytes": 2711148`}},
		{trace + " " + folded, fail.StatusUsage, []string{"no metric in common"}},
		{trace + " " + folded + " --unit bytes", fail.StatusUsage, []string{"no metric in common"}},
		{trace + " " + folded + " --by live_bytes", fail.StatusUsage, []string{"no metric in common"}},
		{trace + " " + folded + " --unit bytes --by live_bytes", fail.Done, []string{`"metric": "live_bytes"`, `"before_bytes": 21696`, `"after_bytes": 2732980`}},
		{exact + " " + folded + " --unit bytes --by live_bytes", fail.Done, []string{`"metric": "live_bytes"`, `"before_bytes": 1677544`, `"after_bytes": 2732980`}},
		{massif + " " + heap + " --by alloc_bytes", fail.StatusUsage, []string{`unknown metric "alloc_bytes" of massif.out; did you mean heap_bytes?`}},
		{exact + " " + massif + " --by alloc_bytes", fail.StatusUsage, []string{`unknown metric "alloc_bytes" of massif.out`}},
		{dhat + " " + dhat + " --by nothing", fail.StatusUsage, []string{`unknown metric "nothing"`}},
		{pprof + " " + exact, fail.Done, []string{`"metric": "live_bytes"`, `"event": "heap"`, `"before_bytes": 524336`, `"after_bytes": 1677544`, "sampled-and-exact"}},
		{exact + " " + heap, fail.Done, []string{`"metric": "live_bytes"`, `"before_bytes": 1677544`}},
		{heap + " " + exact, fail.Done, []string{`"metric": "alloc_bytes"`, `"after_bytes": 2498360`}},
		{sampled + " " + exact, fail.Done, []string{"sampled4096.f.heap is sampled every 4.00 KiB and every.0.i0.heap is not", `"warning", "code": "sampled-and-exact"`}},
		{sampled + " " + sampled + " --swap", fail.Done, []string{`"metric": "live_bytes"`}},
	} {
		status, out, errs := run(t, Env{}, append(strings.Fields("diff -f json --index none --limit 1"), strings.Fields(c.line)...)...)
		for _, want := range c.want {
			if !strings.Contains(out+errs, want) || status != c.status {
				t.Errorf("%s: status %d, want %d and %q in %.900q %q", c.line, status, c.status, want, out, errs)
				break
			}
		}
		if strings.Contains(c.line, "--swap") && strings.Contains(out, "sampled-and-exact") {
			t.Errorf("%s: two sampled files are said to differ", c.line)
		}
	}
}

// TestScreensCompareWhatCommandsCompare expects the figures of memtui diff on the screens of two files of different
// formats, whatever they call their metrics.
func TestScreensCompareWhatCommandsCompare(t *testing.T) {
	modeltest.Plain(t)
	const pprof, jemalloc, massif = "../../loaders/pprof/testdata/go.heap.pb.gz", "../../loaders/heaptext/testdata/every.0.i0.heap",
		"../../loaders/valgrind/testdata/massif.default.out"
	const heaptrack, dhat = "../../loaders/heaptrack/testdata/shop.zst", "../../loaders/valgrind/testdata/dhat.shop.json"
	for _, c := range [][2]string{{pprof, jemalloc}, {pprof, heaptrack}, {heaptrack, pprof}, {heaptrack, massif}, {jemalloc, massif}, {heaptrack, dhat}} {
		status, out, errs := run(t, Env{}, "diff", "-f", "json", "--limit", "1", c[0], c[1])
		var got struct {
			Totals struct {
				Before model.Bytes `json:"before_bytes"`
				After  model.Bytes `json:"after_bytes"`
			}
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(c, status, errs, err)
		}
		figures := [2]string{got.Totals.Before.String(), got.Totals.After.String()}
		for side, file := range c {
			if file == pprof { // the others have every block
				figures[side] = model.AsEstimate(figures[side])
			}
		}
		want := figures[0] + " → " + figures[1]
		walkIn(t, 140, 40, func(w *walker) {
			for late := time.After(10 * time.Second); !strings.Contains(w.sim.Text(), want); w.sim.Settle() {
				select {
				case <-late:
					t.Errorf("%s and %s: no %q in\n%s", c[0], c[1], want, w.sim.Text())
					return
				case <-time.After(10 * time.Millisecond): // the second file is being read
				}
			}
		}, c[0], c[1])
	}
}
