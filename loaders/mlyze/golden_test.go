package mlyze

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/model"
)

// TestGolden opens and validates every file below testdata: damaged, legal but nasty, and real ones.
func TestGolden(t *testing.T) {
	var b strings.Builder
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".mlyze" {
			return err
		}
		fmt.Fprintf(&b, "%s\n%s\n", filepath.ToSlash(path), describe(openBytes(t, readTestFile(t, path))))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	memtest.GoldenFile(t, "testdata/golden.txt", b.String())
}

// TestVerdicts holds the rule that golden files could lose: damaged files are not valid, nasty and real ones are.
func TestVerdicts(t *testing.T) {
	for _, dir := range []string{"invalid", "edge", "real"} {
		files, err := filepath.Glob("testdata/" + dir + "/*")
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, path := range files {
			r := openBytes(t, readTestFile(t, path))
			refused := r.errors() > 0 || r.err != nil
			if refused != (dir == "invalid") && !strings.Contains(path, "gzip") && !strings.Contains(path, "empty.mlyze") {
				t.Errorf("%s: refused is %v", path, refused)
			}
		}
	}
}

// describe renders a result without anything that depends on the machine.
func describe(r *result) string {
	var b strings.Builder
	if r.err != nil {
		msg := r.err.Error()
		fmt.Fprintf(&b, "load: %s\n", msg[strings.Index(msg, "t.mlyze"):])
	} else {
		describeTrace(&b, r)
	}
	for _, v := range r.violations {
		fmt.Fprintf(&b, "violation %s %s at %d x%d: %s\n", v.Severity, v.Rule, v.Offset, v.Count, v.Message)
	}
	return b.String()
}

func describeTrace(b *strings.Builder, r *result) {
	var kinds [4]int
	sum, last := uint64(0), model.Time(0)
	for _, e := range r.events {
		kinds[e.Kind]++
		if e.Kind == model.Alloc {
			sum, _ = model.SaturatingAdd(sum, e.Size)
		}
		last = e.Time
	}
	fmt.Fprintf(b, "events %v, %d bytes, ends at %d us, read %d to %d, lost %d\n", kinds, sum, last, r.begin, r.end, r.lost)
	fmt.Fprintf(b, "%d stacks, %s\n", len(r.profile.Stacks.Leaf), r.profile.Meta.FrameNote)
	for _, p := range r.problems {
		fmt.Fprintf(b, "problem %s %s at %d x%d: %s\n", p.Severity, p.Code, p.Offset, p.Count, p.Message)
	}
}
