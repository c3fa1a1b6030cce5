package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDocsNameEveryTarget checks that docs/commands.md names every target with all its suffixes, and that no two share
// one.
func TestDocsNameEveryTarget(t *testing.T) {
	page, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, target := range targets() {
		for _, name := range append([]string{target.name}, target.suffixes...) {
			if !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("docs/commands.md does not name %s", name)
			}
		}
		for _, s := range target.suffixes {
			if slices.Contains(seen, s) {
				t.Errorf("two targets end in %s", s)
			}
			seen = append(seen, s)
		}
	}
}

func TestSuffixesTellTheTarget(t *testing.T) {
	for out, want := range map[string]string{
		"a.speedscope.json": "speedscope", "a.json": "json", "A.PPROF": "pprof", "a.pb.gz": "pprof", "a.pb": "", "a.folded.zst": "folded .zst",
		"a.csv.gz": "csv .gz", "dir.csv/a": "", "-": "", ".mlyze": "mlyze", "a.mlyze.gz": "mlyze .gz", "a.gz": "", "a.jsonl": "ndjson",
	} {
		f, outer, err := destination(out)
		got := strings.TrimSpace(f.name + " " + outer)
		if err != nil {
			got = ""
		}
		if got != want {
			t.Errorf("%s is %q, want %q", out, got, want)
		}
	}
	if f, _, err := destination("a.json", "folded"); err != nil || f.name != "folded" {
		t.Errorf("--to gives way: %s, %v", f.name, err)
	}
}

// A trace of a recording that states no start has none.
func TestConvertedTracesHaveNoMadeUpStart(t *testing.T) {
	_, command := madeUp(t)
	out := filepath.Join(t.TempDir(), "out.mlyze")
	command(0, "convert", "../demo/samples/shop.heaptrack.zst", out)
	for _, args := range [][]string{{"info", out}, {"report", out}, {"report", "-f", "html", out}} {
		if said, _ := command(0, args...); strings.Contains(said, "1970-01-01") || len(said) < 100 {
			t.Errorf("%s: %.300s", args, said)
		}
	}
}
