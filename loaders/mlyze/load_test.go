package mlyze

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

func TestEvents(t *testing.T) {
	f := newFile().alloc(10, 0x1000, 100, 0, 1).alloc(5, 0x2000, 300, 1, 65535).free(7, 0x1000).gc(3, 4, 128).marker(1, 2).
		alloc(1<<40, 0, 1<<63, 1<<60, 2)
	want := []model.Event{
		{Time: 10, Kind: model.Alloc, Addr: 0x1000, Size: 100, Thread: 1},
		{Time: 15, Kind: model.Alloc, Addr: 0x2000, Size: 300, ID: 1, Thread: 65535},
		{Time: 22, Kind: model.Free, Addr: 0x1000},
		{Time: 25, Kind: model.GC, ID: 4, Size: 128},
		{Time: 26, Kind: model.Marker, ID: 2},
		{Time: 26 + 1<<40, Kind: model.Alloc, Size: 1 << 63, ID: 1 << 60, Thread: 2},
	}
	for _, r := range []*result{openBytes(t, f.bytes()), openPipe(t, f.bytes())} {
		if !reflect.DeepEqual(r.events, want) || r.lost != 0 || len(r.problems) > 0 {
			t.Errorf("got %v, lost %d, problems %v", r.events, r.lost, r.problems)
		}
		if name, ok := r.profile.Allocations.MarkerName(2); name != "checkpoint" || !ok {
			t.Errorf("marker 2 is %q, %v", name, ok)
		}
		if _, ok := r.profile.Allocations.MarkerName(77); ok {
			t.Error("marker 77 has a name")
		}
		if m := r.profile.Meta; m.Format != "mlyze" || m.Version != 1 || m.Start != 1_700_000_000_000_000 || !m.HasStart {
			t.Errorf("meta %+v", m)
		}
	}
}

// TestMetadataLength tries lengths that are wrong: the events must be found all the same.
func TestMetadataLength(t *testing.T) {
	good := len(someTables)
	for _, length := range []int{0, 1, good - 1, good + 1, good + 30, good + 1000, 1<<32 - 1} {
		f := newFile()
		for i := range 20 {
			f.alloc(1, uint64(0x1000+16*i), 8, 1, 1)
		}
		f.length = length
		r := openBytes(t, f.bytes())
		if len(r.events) != 20 || r.begin != int64(headerSize+good) || len(r.profile.Stacks.Leaf) != 2 {
			t.Errorf("length %d: %d events from %d, %d stacks", length, len(r.events), r.begin, len(r.profile.Stacks.Leaf))
		}
		if r.has("metadata-length") == nil || r.violation("metadata-length") == nil {
			t.Errorf("length %d: not reported: %v", length, r.problems)
		}
	}
}

func TestUnusableMetadata(t *testing.T) {
	for name, meta := range map[string]string{
		"nothing": "", "garbage": "\x00\x01\x02\x03garbage", "cut": someTables[:100], "array": "[1, 2]", "trailing comma": `{"files": {},}`,
		"nested": strings.Repeat("[", 100_000), "bad escape": `{"files": {"0": "a\q"}}`, "number": `{"x": 007}`,
	} {
		f := newFile()
		f.meta = meta
		for i := range 60 {
			f.alloc(1, uint64(0x55d400001000+16*i), 8, 1, 1)
		}
		r := openBytes(t, f.bytes())
		if len(r.events) != 60 || r.errors() == 0 {
			t.Errorf("%s: %d events, violations %v", name, len(r.events), r.violations)
		}
	}
}

func TestVersion(t *testing.T) {
	f := newFile().alloc(1, 0x1000, 8, 1, 1)
	f.version = 7
	r := openBytes(t, f.bytes())
	if p := r.has("version"); len(r.events) != 1 || p == nil || p.Offset != 4 || p.Severity != model.Error {
		t.Errorf("%d events, problems %v", len(r.events), r.problems)
	}
}

// TestBatchedDeltas holds how files of the reference tracer are timed: a run of equal deltas is one batch.
func TestBatchedDeltas(t *testing.T) {
	f := newFile()
	f.meta = `{"stack_traces": {}, "files": {}, "functions": {}}`
	f.alloc(100, 0, 1, 0, 9).alloc(100, 0, 2, 1, 9).free(100, 0).marker(5, 0).alloc(100, 0, 3, 2, 9).alloc(100, 0, 3, 2, 9).
		alloc(0, 0, 1, 1, 1).alloc(0, 0, 1, 1, 1).gc(7, 1, 0).gc(7, 1, 0)
	r := openBytes(t, f.bytes())
	var times []model.Time
	for _, e := range r.events {
		times = append(times, e.Time)
	}
	if want := []model.Time{100, 100, 100, 105, 205, 205, 205, 205, 212, 219}; !reflect.DeepEqual(times, want) {
		t.Errorf("times %v, want %v", times, want)
	}
	if r.has("batched-deltas") == nil || r.violation("batched-deltas") == nil {
		t.Errorf("not reported: %v", r.problems)
	}
	for _, change := range []func(){func() { f.alloc(1, 0x1000, 1, 1, 1) }, func() { f.meta = someTables }} {
		change()
		if r := openBytes(t, f.bytes()); r.has("batched-deltas") != nil || r.events[2].Time != 300 {
			t.Errorf("a file that is none of the reference tracer is read as one: %v", r.problems)
		}
	}
}

func TestFrameOrder(t *testing.T) {
	var b strings.Builder
	for i := range 50 { // leaf first: many leaves, one root; the last ten are cut, so that any frame ends them
		root := "1000"
		if i >= 40 {
			root = fmt.Sprint(2000 + i)
		}
		fmt.Fprintf(&b, `,"%d":[{"func_id":%d},{"func_id":500},{"func_id":%s}]`, i, i, root)
	}
	f := newFile()
	f.meta = `{"stack_traces":{` + b.String()[1:] + `},"files":{},"functions":{}}`
	if r := openBytes(t, f.bytes()); !r.profile.Stacks.LeafFirst || !strings.HasPrefix(r.profile.Meta.FrameNote, "leaf first: ") {
		t.Error(r.profile.Meta.FrameNote)
	}
	src, err := loaders.OpenSource(context.Background(), "-", bytes.NewReader(f.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := openSource(t, src, loaders.Options{FrameOrder: loaders.RootFirst})
	leaf, _ := r.profile.Stacks.Node(3)
	if got := r.profile.Stacks.Frames(nil, leaf, -1); len(got) != 3 || got[0].Function != "<function 1000?>" || got[2].Function != "<function 3?>" {
		t.Errorf("root first: %v", got)
	}
	leafFirst, rootFirst := openBytes(t, readTestFile(t, sample)), openBytes(t, readTestFile(t, sample))
	if !leafFirst.profile.Stacks.LeafFirst || !reflect.DeepEqual(leafFirst.profile.Stacks, rootFirst.profile.Stacks) {
		t.Error("the sample is not read the same way twice")
	}
}

// TestEarlyPublish holds that a file with much metadata shows events before its tables, and that both revisions are
// sound.
func TestEarlyPublish(t *testing.T) {
	f := newFile()
	f.meta = `{"padding": "` + strings.Repeat("x", 2*smallMetadata) + `", ` + someTables[1:]
	for i := range 100 {
		f.alloc(1, uint64(0x1000+16*i), 8, 1, 1)
	}
	src, err := loaders.OpenSource(context.Background(), "-", bytes.NewReader(f.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var store model.Store
	if err := load(context.Background(), src, loaders.Options{}, &store); err != nil {
		t.Fatal(err)
	}
	if p := store.Current(); p.Revision != 2 || p.Stacks == nil || len(p.Stacks.Leaf) != 2 {
		t.Errorf("revision %d, %+v", p.Revision, p.Stacks)
	}
}

func TestDeepAndMany(t *testing.T) {
	f := newFile()
	deep := strings.Repeat(`{"file_id":0,"line":1,"func_id":0},`, 50_000)
	f.meta = `{"stack_traces":{"5":[` + deep[:len(deep)-1] + `]},"files":{"0":"f"},"functions":{"0":"g"}}`
	r := openBytes(t, f.bytes())
	if leaf, ok := r.profile.Stacks.Node(5); !ok || r.profile.Stacks.Depth[leaf] != 50_000 {
		t.Error("the deep stack is gone")
	}
	var b strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&b, `,"%d":[{"file_id":0,"line":%d,"func_id":0}]`, uint64(i)*7_919_000_000_000, i)
	}
	f.meta = `{"stack_traces":{` + b.String()[1:] + `},"files":{"0":"f"},"functions":{"0":"g"}}`
	if r := openBytes(t, f.bytes()); len(r.profile.Stacks.Leaf) != 200_000 {
		t.Error(len(r.profile.Stacks.Leaf), "stacks")
	}
}

func TestShrinksAndGrows(t *testing.T) {
	f := newFile()
	for i := range 300_000 {
		f.alloc(1, uint64(0x55d400001000+16*i), 8, 1, 1)
	}
	path := filepath.Join(t.TempDir(), "t.mlyze")
	if err := os.WriteFile(path, f.bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var store model.Store
	if err := load(context.Background(), src, loaders.Options{}, &store); err != nil {
		t.Fatal(err)
	}
	grow, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(grow, "more")
	grow.Close()
	r := &result{profile: store.Current()}
	r.replay(t)
	if len(r.events) != 300_000 || r.has("growing") == nil || !src.Grown() {
		t.Errorf("%d events, problems %v", len(r.events), r.problems)
	}
	if err := os.Truncate(path, 2<<20); err != nil {
		t.Fatal(err)
	}
	r = &result{profile: store.Current()}
	r.replay(t)
	if len(r.events) == 0 || len(r.events) == 300_000 || r.has("shrank") == nil || r.lost == 0 || !src.Shrunk() {
		t.Errorf("%d events, lost %d, problems %v", len(r.events), r.lost, r.problems)
	}
}

func TestReplayEnds(t *testing.T) {
	b := readTestFile(t, sample)
	src, err := loaders.OpenSource(context.Background(), "-", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var store model.Store
	if err := load(context.Background(), src, loaders.Options{}, &store); err != nil {
		t.Fatal(err)
	}
	source := store.Current().Allocations
	ctx, cancel := context.WithCancel(context.Background())
	err = source.Replay(ctx, func(*model.EventBatch) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Error("canceled:", err)
	}
	mine := errors.New("mine")
	if err := source.Replay(context.Background(), func(*model.EventBatch) error { return mine }); !errors.Is(err, mine) {
		t.Error("yield's error:", err)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			n := 0
			if err := source.Replay(context.Background(), func(b *model.EventBatch) error { n += len(b.Events); return nil }); err != nil || n != 14012 {
				t.Error(n, err)
			}
		})
	}
	wg.Wait()
}

func TestInfo(t *testing.T) {
	src, err := loaders.OpenSource(context.Background(), sample, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	p, err := info(context.Background(), src, loaders.Options{})
	if err != nil {
		t.Fatal(err)
	}
	facts := map[string]int64{}
	for _, f := range p.Meta.Facts {
		facts[f.Key] = f.Int
	}
	if facts["metadata_bytes"] != 28152 || facts["event_bytes"] != 170117 || facts["stacks"] != 21 {
		t.Error(facts)
	}
}

// Headers of a large file state how blocks were chosen, without its tables.
func TestInfoSaysHowBlocksWereChosen(t *testing.T) {
	f := newFile()
	f.meta = `{"program": "/bin/many", "sampling": {"period_bytes": 4096}, "padding": "` + strings.Repeat("x", 2*smallMetadata) + `", ` + someTables[1:]
	src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(f.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	p, err := info(t.Context(), src, loaders.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Meta.Sampled != "sampled every 4.00 KiB" || len(p.Problems) != 1 || p.Problems[0].Code != "sampled" {
		t.Errorf("%q, %v", p.Meta.Sampled, p.Problems)
	}
}

// A recording that its recorder has completed does not wait for more when it is followed, as one does that has no lock.
func TestFinishedRecordingIsNotAwaited(t *testing.T) {
	for facts, finished := range map[string]bool{`"recorder": "memtui", "finished": "yes", `: true, `"recorder": "memtui", `: false} {
		f := newFile().alloc(1, 0x1000, 10, 0, 1)
		f.meta = "{" + facts + someTables[1:]
		path := filepath.Join(t.TempDir(), "x.mlyze")
		if err := os.WriteFile(path, f.bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		src, err := loaders.OpenGrowing(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		var store model.Store
		err = load(t.Context(), src, loaders.Options{}, &store)
		if p := store.Current(); err != nil || src.Growing() == finished || (p.Meta.Live == "") != finished {
			t.Errorf("%s: %v, growing %v, %q", facts, err, src.Growing(), p.Meta.Live)
		}
		_ = src.Close()
	}
}
