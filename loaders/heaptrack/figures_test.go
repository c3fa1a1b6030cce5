package heaptrack_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/opened"
)

// totals are figures of a recording as an independent reader of the format adds them up.
type totals struct {
	allocs, frees, allocated, freed, unmatched, temporary uint64
	peak, peakBlocks, live, liveBlocks                    uint64
}

var (
	shop     = totals{3975, 3813, 4280966, 4259270, 0, 1940, 2732980, 434, 21696, 162}
	spaces   = totals{436, 423, 1494696, 1489304, 0, 103, 1278206, 124, 5392, 13}
	attached = totals{3046, 3242, 3380682, 3362114, 331, 1696, 2133616, 79, 18568, 135}
	cutLine  = totals{2769, 2328, 3796429, 3175853, 0, 1270, 2732980, 434, 620576, 441}
)

// TestFigures opens real recordings of all versions, as the program does. Interpreted ones do not tell what was
// temporary, but here the newest block dies first nearly always.
func TestFigures(t *testing.T) {
	for name, want := range map[string]totals{
		"shop.raw.zst": shop, "shop.zst": shop, "shop.v2.raw.gz": shop, "shop.v2.gz": shop, "shop.v1.gz": shop, "shop.v1-only-tool-version.gz": shop,
		"newline-in-string.zst": shop, "spaces.raw.gz": spaces, "spaces.gz": spaces, "attached.raw.gz": attached, "cut-line.raw.gz": cutLine,
	} {
		t.Run(name, func(t *testing.T) {
			store, ix, err := opened.File(t, filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			sums, err := ix.Totals(t.Context(), analysis.FullRange)
			if err != nil {
				t.Fatal(err)
			}
			level, err := ix.Live(t.Context(), analysis.End)
			if err != nil {
				t.Fatal(err)
			}
			peak, _, err := ix.Peak(t.Context(), analysis.FullRange)
			if err != nil {
				t.Fatal(err)
			}
			got := totals{sums.AllocCount, sums.FreeCount, sums.AllocBytes, sums.FreedBytes, sums.UnmatchedFrees, sums.TemporaryCount,
				peak.Bytes, peak.Count, level.Bytes, level.Count}
			if got != want {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			p := store.Current()
			if complete := !strings.HasPrefix(name, "cut"); p.Complete != complete {
				t.Errorf("complete is %v: %+v", p.Complete, p.Problems)
			}
			if p.Timeline == nil || len(p.Timeline.Series[0].Times) == 0 {
				t.Error("no resident memory")
			}
		})
	}
}

// TestNames looks at the stacks of what leaks.
func TestNames(t *testing.T) {
	for _, name := range []string{"shop.zst", "shop.v1.gz", "shop.v2.gz", "newline-in-string.zst"} {
		store, ix, err := opened.File(t, filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		leaks, err := ix.Leaks(t.Context(), analysis.LeakQuery{Range: analysis.FullRange})
		if err != nil {
			t.Fatal(err)
		}
		s := store.Current().Stacks
		found := slices.ContainsFunc(leaks.Sites, func(l analysis.LeakSite) bool {
			leaf, _ := s.Node(l.Stack)
			frames := s.Frames(nil, leaf, 4)
			return l.Bytes == 8000 && l.Count == 40 && len(frames) == 4 && frames[0].Function == "session_buffer(int)" && frames[0].Line == 18 &&
				strings.HasPrefix(frames[3].Function, "main")
		})
		if !found {
			t.Errorf("%s: no leak of session_buffer below main in %+v", name, leaks.Sites)
		}
	}
}

// TestInventedAddressesAreNotShown lists blocks of both forms of one recording.
func TestInventedAddressesAreNotShown(t *testing.T) {
	for name, known := range map[string]bool{"shop.raw.zst": true, "shop.zst": false} {
		_, ix, err := opened.File(t, filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		list, err := ix.Blocks(t.Context(), analysis.BlockQuery{At: analysis.End, Range: analysis.FullRange, All: true})
		if err != nil || list.Len() != 162 {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range list.Len() {
			if b := list.Row(i); (b.Addr != 0) != known {
				t.Fatalf("%s: block %d has the address %#x", name, i, b.Addr)
			}
		}
		leaks, err := ix.Leaks(t.Context(), analysis.LeakQuery{Range: analysis.FullRange})
		for _, s := range leaks.Sites {
			if len(s.Threads) > 0 {
				t.Fatalf("%s: leaks of threads %v, which the file does not have (%v)", name, s.Threads, err)
			}
		}
		const any = 1 << 16 // that of the first block, where addresses are invented
		if _, n, err := ix.Uses(t.Context(), any, 10); err != nil || n > 0 {
			t.Errorf("%s: %d uses of an address that no block has, %v", name, n, err)
		}
		list, err = ix.Blocks(t.Context(), analysis.BlockQuery{At: analysis.End, Range: analysis.FullRange, All: true, Born: true, Addr: any})
		if err != nil || list.Len() > 0 {
			t.Errorf("%s: %d blocks hold it, %v", name, list.Len(), err)
		}
	}
}
