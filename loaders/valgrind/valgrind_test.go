package valgrind

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/hostile"
	"github.com/memtui/memtui/model"
)

func TestMassif(t *testing.T) {
	p, got := hostile.Totals(t, Massif(), "testdata/massif.default.out")
	if got["heap_bytes"] != "2710500" || len(p.Weights.Windows) != 7 || !p.Complete {
		t.Errorf("%v, %d windows, %+v", got, len(p.Weights.Windows), p.Problems)
	}
	largest := 0.0
	for _, v := range p.Timeline.Series[0].Values {
		largest = max(largest, v)
	}
	if s := p.Timeline.Series[0]; s.Name != "total" || len(s.Times) != 56 || largest != 2715712 || p.Timeline.AxisUnit != "instructions" {
		t.Errorf("%s: %d points up to %v, by %q", s.Name, len(s.Times), largest, p.Timeline.AxisUnit)
	}
	for i := range p.Weights.Windows { // each detailed tree adds up to its snapshot
		w, sum := &p.Weights.Windows[i], model.Amount{}
		for row := range w.Record {
			n, _ := w.Weights.Get(row, 0)
			sum.Add(n)
		}
		heap := p.Timeline.Series[1]
		at := 0
		for heap.Times[at] != w.Start {
			at++
		}
		if sum.Float64() != heap.Values[at] {
			t.Errorf("%s: %v, want %v", w.ID, sum, heap.Values[at])
		}
	}
	if !strings.Contains(fmt.Sprint(p.Problems), "number 28, which is 720 B smaller than the largest one, number 31") {
		t.Error(p.Problems)
	}
}

// TestMassifOfHeaptrack reads headers after the snapshots, fractions of seconds, and trees that say nothing.
func TestMassifOfHeaptrack(t *testing.T) {
	p, got := hostile.Totals(t, Massif(), "testdata/heaptrack-M.out")
	s := p.Timeline.Series[0]
	if got["heap_bytes"] != "2715500" || s.Times[0] != 12000 || p.Timeline.AxisUnit != "" || p.Weights.Command == "" {
		t.Errorf("%v at %v", got, s.Times)
	}
	if !strings.Contains(fmt.Sprint(p.Problems), "trees have no stack") {
		t.Error(p.Problems)
	}
}

const oneSnapshot = "desc: x\ncmd: y\ntime_unit: i\n#-----------\nsnapshot=0\n#-----------\ntime=5\nmem_heap_B=10\nmem_heap_extra_B=1\nmem_stacks_B=0\nheap_tree=peak\n" +
	"n1: 10 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n n1: 10 0x1: f (a.c:3)\n  n0: 7 0x2: main (a.c:9)\n"

func TestMassifRules(t *testing.T) {
	for _, c := range []struct{ from, to, rule string }{
		{"", "", ""}, {"time=5", "time=x", "number"}, {"mem_heap_B=10", "mem_heap_B=-1", "number"}, {"  n0: 7", "     n0: 7", "tree"},
		{"  n0: 7", "  n0: 70", "tree"}, {"cmd: y", "cmd: y\nwhat", "syntax"}, {"n1: 10 0x1", "n2: 10 0x1", "tree"},
		{"main (a.c:9)\n", "mai", "truncated"}, {"heap_tree=peak", "heap_tree=big", "syntax"},
	} {
		p, err := hostile.Read(t.Context(), Massif(), []byte(strings.Replace(oneSnapshot, c.from, c.to, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if (c.rule == "") != (len(p.Problems) == 0) || c.rule != "" && p.Problems[0].Code != c.rule {
			t.Errorf("%q: %+v, want %q", c.to, p.Problems, c.rule)
		}
	}
}

func TestDHAT(t *testing.T) {
	p, got := hostile.Totals(t, DHAT(), "testdata/dhat.shop.json")
	for name, want := range map[string]string{
		"alloc_bytes": "3495488", "alloc_count": "2155", "bytes_at_global_peak": "2727532", "live_bytes": "8640", "live_count": "80", "lifetime_total": "206384845",
		"reads": "402925", "writes": "467097", "never_read_bytes": "2778444",
	} {
		if got[name] != want {
			t.Errorf("%s is %s, want %s", name, got[name], want)
		}
	}
	for _, m := range p.Weights.Metrics {
		if apart := m.Name == "lifetime_mean" || m.Name == "accesses_per_byte"; apart != m.NoSum() || m.Name == "peak_bytes" {
			t.Errorf("%+v", m)
		}
	}
	if _, got := hostile.Totals(t, DHAT(), "testdata/dhat.adhoc.json"); len(got) != 2 || got["alloc_bytes"] != "5507" || got["alloc_count"] != "11" {
		t.Error(got)
	}
	if _, got := hostile.Totals(t, DHAT(), "testdata/dhat.copy.json"); len(got) != 2 || got["alloc_bytes"] != "3046" {
		t.Error(got)
	}
	rust, _ := hostile.Totals(t, DHAT(), "testdata/dhat.rust-heap-derived.json")
	if m, ok := rust.Weights.Metric("peak_bytes"); !ok || !rust.Weights.Metrics[m].NoSum() {
		t.Error("what only valgrind writes wrongly is missing")
	}
}

func TestDHATRules(t *testing.T) {
	const file = `{"dhatFileVersion":2,"mode":"heap","tu":"instrs","pps":[{"tb":5,"tbk":1,"fs":[1]}],"ftbl":["[root]","0x1: f (a.c:3)"]}`
	for _, c := range []struct{ from, to, want string }{
		{`"dhatFileVersion":2`, `"dhatFileVersion":1`, "version 1"}, {`"dhatFileVersion":2,`, ``, "version"}, {`[1]`, `[9]`, "frame 9, but there are only 2"}, {`"tb":5`, `"tb":-5`, "number"},
		{`"tb":5`, `"tb":18446744073709551616`, "number"}, {`"pps":[`, `"pps":5,"x":[`, `"pps"`}, {`,"ftbl":["[root]","0x1: f (a.c:3)"]}`, ``, "ends in the middle"},
		{`"fs":[1]`, `"fs":[1`, "JSON"},
	} {
		p, err := hostile.Read(t.Context(), DHAT(), []byte(strings.Replace(file, c.from, c.to, 1)))
		text := fmt.Sprint(err)
		if p != nil {
			text += fmt.Sprint(p.Problems)
		}
		if !strings.Contains(text, c.want) || p != nil && p.Complete {
			t.Errorf("%s: %s, want %q", c.to, text, c.want)
		}
	}
}

func TestMemcheckCountsIndirectLeaksOnce(t *testing.T) {
	p, got := hostile.Totals(t, Memcheck(), "testdata/memcheck.xml")
	if got["leaked_bytes"] != "1296" || got["leaked_count"] != "12" || !p.Complete {
		t.Errorf("%v, %+v", got, p.Problems)
	}
	if f := p.Stacks.Frames(nil, p.Weights.Records.Node[0], 1)[0]; f.Function != "session_buffer(int)" || f.File != "/home/dev/src/shop.cpp" || f.Line != 18 {
		t.Errorf("%+v", f)
	}
}

// TestXMLBombs expects an end where elements nest, or a token grows, without bounds; entities of the file's own are
// refused.
func TestXMLBombs(t *testing.T) {
	for _, text := range []string{
		"<valgrindoutput>" + strings.Repeat("<a>", 1<<16), "<valgrindoutput><line>" + strings.Repeat("x", 3<<20),
		`<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><valgrindoutput><line>&b;</line></valgrindoutput>`,
	} {
		p, err := hostile.Read(t.Context(), Memcheck(), []byte(text))
		if err == nil || p != nil {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}

func TestHostileFiles(t *testing.T) {
	hostile.Files(t, Massif(), "testdata/massif.default.out", "testdata/heaptrack-M.out")
	hostile.Files(t, DHAT(), "testdata/dhat.shop.json", "testdata/dhat.adhoc.json")
	hostile.Files(t, Memcheck(), "testdata/memcheck.xml")
}

func FuzzMassif(f *testing.F) {
	hostile.Fuzz(f, Massif(), "testdata/massif.default.out", "testdata/heaptrack-M.out")
}

func FuzzDHAT(f *testing.F) {
	hostile.Fuzz(f, DHAT(), "testdata/dhat.adhoc.json", "testdata/dhat.copy.json")
}

func FuzzMemcheck(f *testing.F) { hostile.Fuzz(f, Memcheck(), "testdata/memcheck.xml") }
