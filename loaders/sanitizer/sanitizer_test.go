package sanitizer

import (
	"bytes"
	"os"
	"slices"

	"fmt"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/hostile"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

func TestDirectAndIndirectLeaks(t *testing.T) {
	p, got := hostile.Totals(t, Format(), "testdata/lsan.txt")
	if got["leaked_bytes"] != "2592" || got["leaked_count"] != "24" || !p.Complete {
		t.Errorf("%v, %v, %+v", got, p.Complete, p.Problems)
	}
	leaf := p.Stacks.Frames(nil, p.Weights.Records.Node[0], 1)
	if leaf[0].Function != "open_session(int)" || leaf[0].Line != 19 || leaf[0].File != "/home/dev/src/shop.cpp" {
		t.Errorf("%+v", leaf)
	}
	if fmt.Sprint(p.Weights.Labels) != "[[] [{leak direct 0  false}] [{leak indirect 0  false}]]" {
		t.Error(p.Weights.Labels)
	}
	unresolved := p.Stacks.Frames(nil, p.Weights.Records.Node[0], -1)
	if last := unresolved[len(unresolved)-1].Function; last != "libstdc++.so.6+0xd44a2" {
		t.Error(last)
	}
}

func TestRules(t *testing.T) {
	const report = "noise\n==1==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 5 byte(s) in 1 object(s) allocated from:\n    #0 0x1 in f a.c:3:7\n\n" +
		"SUMMARY: LeakSanitizer: 5 byte(s) leaked in 1 allocation(s).\n"
	for _, c := range []struct{ from, to, rule string }{
		{"", "", ""}, {"SUMMARY: LeakSanitizer: 5", "SUMMARY: LeakSanitizer: 6", "summary"}, {"SUMMARY", "SUM", "truncated"}, {"of 5 byte", "of 99999999999999999999 byte", "number"},
	} {
		p, err := hostile.Read(t.Context(), Format(), []byte(strings.Replace(report, c.from, c.to, 1)))
		code := ""
		if err != nil {
			code = map[bool]string{true: "number"}[strings.Contains(err.Error(), "not 64-bit numbers")]
		} else if len(p.Problems) > 0 && p.Problems[0].Severity > model.Note {
			code = p.Problems[0].Code
		}
		if code != c.rule {
			t.Errorf("%q: %q, %v, want %q", c.to, code, err, c.rule)
		}
	}
}

func TestHostileFiles(t *testing.T) { hostile.Files(t, Format(), "testdata/lsan.txt") }

func FuzzSanitizer(f *testing.F) { hostile.Fuzz(f, Format(), "testdata/lsan.txt") }

// TestAllocatorIsLeftOut expects stacks to begin with who called the allocator, and the frames that are missing to be
// counted.
func TestAllocatorIsLeftOut(t *testing.T) {
	data, err := os.ReadFile("testdata/lsan.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []bool{false, true} {
		src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		var store model.Store
		if err := Format().Load(t.Context(), src, loaders.Options{AllocatorFrames: kept}, &store); err != nil {
			t.Fatal(err)
		}
		p := store.Current()
		leaves := map[string]int{}
		for _, node := range p.Weights.Records.Node {
			leaves[p.Stacks.At(p.Stacks.Frame[node]).Function]++
		}
		told := slices.ContainsFunc(p.Meta.Facts, func(f model.Fact) bool { return f.Key == "allocator_frames" && f.Value == "4" })
		if own := leaves["__interceptor_malloc"] + leaves["operator new(unsigned long)"]; kept && (own != 4 || told) || !kept && (own != 0 || !told) {
			t.Errorf("kept %v: %v, %v", kept, leaves, p.Meta.Facts)
		}
	}
}
