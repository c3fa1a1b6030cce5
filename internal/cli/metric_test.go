package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/memtest/modeltest"
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
	heap := "../../loaders/valgrind/testdata/dhat.rust-heap-derived.json"
	for _, c := range []struct {
		line   string
		status int
		want   []string
	}{
		{massif + " " + heap, fail.StatusUsage, []string{"massif.out and dhat.rust-heap-derived.json have no metric in common: the one has heap_bytes, the other alloc_bytes"}},
		{heap + " " + massif, fail.StatusUsage, []string{"no metric in common", "the other heap_bytes"}},
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
