package heaptext

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/hostile"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

func TestTotalsAreThoseOfTheToolsViewers(t *testing.T) {
	for _, c := range []struct {
		file   string
		format loaders.Format
		want   [4]string // live and allocated blocks and bytes
	}{
		{"every.0.i0.heap", Jemalloc(), [4]string{"413", "1677544", "2124", "2498360"}},
		{"sampled4096.f.heap", Jemalloc(), [4]string{"471", "193589", "18273", "10899720"}},
		{"tcmalloc.profile.0001.heap", Tcmalloc(), [4]string{"410", "1593140", "2091", "2397028"}},
		{"tcmalloc.sample.heap", Tcmalloc(), [4]string{"120", "25176", "120", "25176"}},
		{"go.debug1.txt", Go(), [4]string{"5461", "524336", "1607127", "159968841"}},
	} {
		p, got := hostile.Totals(t, c.format, "testdata/"+c.file)
		want := map[string]string{"live_count": c.want[0], "live_bytes": c.want[1], "alloc_count": c.want[2], "alloc_bytes": c.want[3]}
		if !maps.Equal(got, want) || !p.Complete || p.Meta.Format != c.format.Name {
			t.Errorf("%s: %v, want %v; %v %s", c.file, got, want, p.Complete, p.Meta.Format)
		}
	}
}

// made is a dump of two threads, one of them named, with a mapping.
const made = `heap_v2/1
  t*: 3: 30 [5: 50]
  t1: 2: 20 [4: 40]
  t7: 1: 10 [1: 10] worker
@ 0x7001000 0x5000200
  t*: 3: 30 [5: 50]
  t1: 2: 20 [4: 40]
  t7: 1: 10 [1: 10]

MAPPED_LIBRARIES:
5000000-5001000 r-xp 00002000 00:00 1     /opt/my shop
7000000-7001000 r-xp 00000000 00:00 2     /lib/libjemalloc.so.2
`

func read1(t *testing.T, f loaders.Format, text string) *model.Profile {
	t.Helper()
	p, err := hostile.Read(t.Context(), f, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func stackOf(p *model.Profile, r int) (names []string) {
	for _, f := range p.Stacks.Frames(nil, p.Weights.Records.Node[r], -1) {
		names = append(names, f.Function)
	}
	return names
}

func TestThreadsAndMappings(t *testing.T) {
	p := read1(t, Jemalloc(), made)
	w := p.Weights
	if w.Records.Len() != 2 || fmt.Sprint(stackOf(p, 0)) != "[my shop+0x2200]" {
		t.Errorf("%d records, %q", w.Records.Len(), stackOf(p, 0))
	}
	if th := w.Threads[w.Records.Thread[1]]; th.TID != 7 || th.Comm != "worker" {
		t.Errorf("%+v", th)
	}
}

// TestAllocatorFramesCanBeKept expects the frames of the allocator to be left out and counted, unless they are asked
// for.
func TestAllocatorFramesCanBeKept(t *testing.T) {
	for _, keep := range []bool{false, true} {
		src, err := loaders.OpenSource(t.Context(), "-", strings.NewReader(made))
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		var store model.Store
		if err := Jemalloc().Load(t.Context(), src, loaders.Options{AllocatorFrames: keep, Symbols: loaders.Symbols{Off: true}}, &store); err != nil {
			t.Fatal(err)
		}
		p := store.Current()
		counted := strings.Contains(fmt.Sprint(p.Meta.Facts), "Frames of the allocator left out 2")
		if kept := stackOf(p, 0)[0] == "libjemalloc.so.2+0x1000"; kept != keep || counted == keep {
			t.Errorf("%v: %q, %v", keep, stackOf(p, 0), p.Meta.Facts)
		}
	}
}

// TestHeaderIsNoSum expects the header of a sampled file as a fact, and a note that figures are estimates.
func TestHeaderIsNoSum(t *testing.T) {
	p, _ := hostile.Totals(t, Jemalloc(), "testdata/sampled4096.f.heap")
	text := fmt.Sprint(p.Meta.Facts, p.Problems)
	for _, want := range []string{"45: 18476 [2478: 1478440]", "4,096", "sampled"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
}

func TestAllocatedIsNotInvented(t *testing.T) {
	text := strings.NewReplacer("[5: 50]", "[0: 0]", "[4: 40]", "[0: 0]", "[1: 10]", "[0: 0]").Replace(made)
	if p := read1(t, Jemalloc(), text); len(p.Weights.Metrics) != 2 {
		t.Errorf("%+v", p.Weights.Metrics)
	}
}

func TestNamesBeforeTheProfile(t *testing.T) {
	p := read1(t, Jemalloc(), "--- symbol\nbinary=/opt/shop\n0x0000000007001000 prof_backtrace\n0x00000000050001ff main--serve(int)--operator--\n---\n--- heap\n"+made)
	if got := strings.Join(stackOf(p, 0), "|"); got != "operator--|serve(int)|main" || p.Weights.Command != "/opt/shop" {
		t.Errorf("%s of %s", got, p.Weights.Command)
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		from, to, rule string
		severity       model.Severity
	}{
		{"  t1: 2: 20 [4: 40]\n  t7: 1: 10 [1: 10]\n\n", "  t1: 2: 21 [4: 40]\n  t7: 1: 10 [1: 10]\n\n", "counts", model.Warning},
		{"@ 0x7001000", "@ 0xzz", "syntax", model.Error},
		{"@ 0x7001000", "@ 0x11112222333344445", "syntax", model.Error},
		{"  t7: 1: 10 [1: 10]\n\n", "  t7: 1: 99999999999999999999 [1: 10]\n\n", "syntax", model.Error},
		{"5000000-5001000", "5000000:5001000", "mapping", model.Warning},
		{"libjemalloc.so.2\n", "libjem", "truncated", model.Warning},
	} {
		two := strings.Replace(made, "\nMAPPED", "\n@ 0x5000300\n  t*: 1: 1 [1: 1]\n  t1: 1: 1 [1: 1]\n\nMAPPED", 1)
		text := strings.Replace(two, c.from, c.to, 1)
		if text == two {
			t.Fatal(c.from)
		}
		p := read1(t, Jemalloc(), text)
		found := false
		for _, q := range p.Problems {
			found = found || q.Code == c.rule && q.Severity == c.severity && (q.Offset > 0 || q.Line > 0)
		}
		if !found || p.Complete && c.severity == model.Error {
			t.Errorf("%q: %+v, complete %v", c.to, p.Problems, p.Complete)
		}
	}
}

func TestFunctionsOfGo(t *testing.T) {
	p, _ := hostile.Totals(t, Go(), "testdata/go.debug1.txt")
	if got := p.Stacks.At(p.Stacks.Frame[p.Weights.Records.Node[0]]); got.Function != "compress/flate.(*compressor).init" || got.Line != 589 {
		t.Errorf("%+v", got)
	}
	if !p.Meta.HasStart {
		t.Error("the time of the last collection is not known")
	}
}

// TestLargeNumbers expects figures at the edge of 64 bits to be kept apart from nonsense.
func TestLargeNumbers(t *testing.T) {
	big := "heap profile: 1: 2 [3: 4] @ heap_v2/524288\n" + strings.Repeat("9223372036854775807: 9223372036854775807 [9223372036854775807: -5] @ 0x1\n", 3)
	if p := read1(t, Tcmalloc(), big); p.Weights.Records.Len() != 1 {
		t.Error(p.Weights.Records.Len())
	}
}

func TestHostileFiles(t *testing.T) {
	hostile.Files(t, Jemalloc(), "testdata/sampled4096.f.heap")
	hostile.Files(t, Tcmalloc(), "testdata/tcmalloc.profile.0001.heap")
	hostile.Files(t, Go(), "testdata/go.debug1.txt")
}

func FuzzHeapText(f *testing.F) {
	hostile.Fuzz(f, Jemalloc(), "testdata/sampled4096.f.heap", "testdata/tcmalloc.sample.heap", "testdata/go.debug1.txt")
}
