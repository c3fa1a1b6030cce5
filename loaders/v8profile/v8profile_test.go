package v8profile

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/hostile"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The sums are those of an independent program: those of the tree, not of the samples.
func TestSamples(t *testing.T) {
	for name, want := range map[string]struct {
		format loaders.Format
		metric string
		total  string
	}{
		"shop.heapprofile": {Heap(), "live_bytes", "322312"}, "sampling_alive.heapprofile": {Heap(), "live_bytes", "955480"}, "shop.cpuprofile": {CPU(), "samples", "520"},
	} {
		r := hostile.Open(t, want.format, sample(t, name))
		if r.Err != nil || r.Sniffed != loaders.Sure || !r.Valid() || !r.Profile.Complete {
			t.Fatal(name, r.Err, r.Violations)
		}
		if sum := hostile.Sums(r.Profile)[want.metric]; sum.String() != want.total {
			t.Errorf("%s: %v", name, sum)
		}
		other := map[bool]loaders.Format{true: CPU(), false: Heap()}[want.metric == "live_bytes"]
		if o := hostile.Open(t, other, sample(t, name)); o.Sniffed != loaders.No {
			t.Error(name, "is claimed by the other format")
		}
	}
}

// Lines that count from 0 are shown from 1, functions without a name as anonymous.
func TestLines(t *testing.T) {
	r := hostile.Open(t, Heap(), []byte(`{"head":{"children":[{"children":[],"id":2,"selfSize":7,"callFrame":{"columnNumber":43,"lineNumber":470,"url":"node:events","scriptId":"23","functionName":""}}],
		"selfSize":0,"callFrame":{"functionName":"(root)","lineNumber":-1,"columnNumber":-1}},"samples":[{"size":9,"nodeId":77,"ordinal":1}]}`))
	if r.Err != nil || !r.Valid() {
		t.Fatal(r.Err, r.Violations)
	}
	got := hostile.Stacks(r.Profile)
	if len(got) != 1 || len(got[0].Frames) != 2 || got[0].Frames[1] != (model.Frame{Function: "(anonymous)", File: "node:events", Line: 471}) || got[0].Frames[0].Line != model.NoLine {
		t.Errorf("%+v", got)
	}
}

// Samples in time: of differences, with one that goes back, and of instants as old files have them.
func TestTimeline(t *testing.T) {
	for _, text := range []string{
		`{"timeDeltas":[100,50,-20],"samples":[2,2,1],"startTime":1000,"endTime":1500,"nodes":[{"id":1,"hitCount":9,"children":[2],"callFrame":{"functionName":"(root)","lineNumber":-1}},{"id":2,"hitCount":0,"callFrame":{"functionName":"f","lineNumber":0,"columnNumber":0}}]}`,
		`{"timeDeltas":[100,50,-20],"samples":[2,2,1],"startTime":1000,"endTime":1500,"nodes":[{"id":2,"parent":1,"callFrame":{"functionName":"f","lineNumber":0,"columnNumber":0}},{"id":1,"callFrame":{"functionName":"(root)","lineNumber":-1}}]}`,
		`{"timestamps":[1100,1150,1130],"samples":[2,2,1],"startTime":0.001,"endTime":0.0015,"head":{"id":1,"functionName":"(root)","hitCount":1,"lineNumber":0,"children":[{"id":2,"functionName":"f","lineNumber":1,"hitCount":2}]}}`,
	} {
		r := hostile.Open(t, CPU(), []byte(text))
		if r.Err != nil || !r.Valid() || r.Sniffed == loaders.No {
			t.Fatal(r.Err, r.Sniffed, r.Violations)
		}
		w := r.Profile.Weights
		var times []model.Time
		for i := range w.Samples[0].Len() {
			times = append(times, w.Samples[0].Time(i))
		}
		if fmt.Sprint(times) != fmt.Sprint([]model.Time{100, 150, 130}) || w.End != 500 || w.StartSeconds != 0.001 {
			t.Errorf("%v, end %v, start %v", times, w.End, w.StartSeconds)
		}
		if got := hostile.Stacks(r.Profile); len(got) != 2 || !strings.Contains(fmt.Sprint(got), "{f  1}") {
			t.Errorf("%+v", got)
		}
	}
}

// A tree that is deeper than any call stack of this program is read, and cut where no stack can be that deep.
func TestDeepTree(t *testing.T) {
	const depth = 70_000
	text := `{"head":` + strings.Repeat(`{"callFrame":{"functionName":"f"},"selfSize":1,"children":[`, depth) + strings.Repeat("]}", depth) + "}"
	r := hostile.Open(t, Heap(), []byte(text))
	if r.Err != nil || !strings.Contains(fmt.Sprint(r.Violations), "stack-depth") {
		t.Fatal(r.Err, r.Violations)
	}
	if sum := hostile.Sums(r.Profile)["live_bytes"]; sum.String() != fmt.Sprint(depth) {
		t.Error(sum)
	}
}

// Lists of nodes may name each other in a circle, or nobody.
func TestBadParents(t *testing.T) {
	for _, text := range []string{
		`{"nodes":[{"id":1,"hitCount":1,"children":[2]},{"id":2,"hitCount":2,"children":[1]}]}`, `{"nodes":[{"id":1,"hitCount":3,"parent":7}]}`,
		`{"nodes":[{"id":1,"hitCount":3},7]}`, `{"nodes":[{"id":1}],"samples":[1,1,1,5]}`, `{"nodes":[{"id":1}],"samples":[1,1,1],"timeDeltas":[1]}`,
	} {
		r := hostile.Open(t, CPU(), []byte(text))
		if sum := hostile.Sums(r.Profile)["samples"]; r.Err != nil || r.Valid() || sum.String() != "3" {
			t.Errorf("%s: %v %+v %v", text, r.Err, r.Violations, sum)
		}
	}
}

func TestDamage(t *testing.T) {
	hostile.Hurt(t, Heap(), sample(t, "sampling_alive.heapprofile"), func(int) bool { return true })
	hostile.Hurt(t, CPU(), sample(t, "shop.cpuprofile"), func(int) bool { return true })
}

func TestSniff(t *testing.T) {
	for _, text := range []string{"", "{", `{"a":{"callFrame":1}}`, `{"traceEvents":[{"callFrame":{},"nodes":[]}]}`, `{"snapshot":{"meta":{}},"nodes":[1,2]}`, "a;b 3"} {
		for _, f := range []loaders.Format{Heap(), CPU()} {
			if c := f.Sniff([]byte(text)); c != loaders.No {
				t.Errorf("%s: %s", f.Name, text)
			}
		}
	}
}

// FuzzOpen opens any text.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(`{"head":{"callFrame":{"functionName":"f","lineNumber":3},"selfSize":1,"children":[{"selfSize":2}]},"samples":[]}`))
	f.Add([]byte(`{"nodes":[{"id":1,"hitCount":1,"children":[2]},{"id":2,"parent":1}],"samples":[2],"timeDeltas":[5],"startTime":3}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 1<<14 {
			hostile.Open(t, Heap(), b)
			hostile.Open(t, CPU(), b)
		}
	})
}

// TestBuildingStops cancels reading when all nodes are known: what is built then takes long for large files.
func TestBuildingStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	src, err := loaders.OpenSource(ctx, "testdata/shop.cpuprofile", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := newReader(&weighted.Reading{Builder: weighted.New(src, cpuName), Ctx: ctx, Src: src}, false)
	r.nodes = make([]node, 3*model.AskEvery)
	cancel()
	r.build()
	if n := r.Profile.Records.Len(); n > 0 || src.Worked() > 0 {
		t.Errorf("%d records, worked %g", n, src.Worked())
	}
}
