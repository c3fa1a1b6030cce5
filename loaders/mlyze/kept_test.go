package mlyze

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// manyNames is a file with so much metadata that its names are worth keeping, with problems in them, curves and facts,
// and with damage between the events.
func manyNames() *file {
	f := newFile()
	var b strings.Builder
	b.WriteString(`{"odd": 1, "program": "/bin/many", "sampling": {"period_bytes": 4096}, "series": [{"name": "RSS", "points": [[0, 5], [9, 7]]}], "stack_traces": {`)
	const stacks = 12_000
	for i := range stacks {
		fmt.Fprintf(&b, `"%d": [{"file_id": %d, "line": %d, "func_id": %d}, {"file_id": 1, "line": 7, "func_id": 1}], `, i, i%7, i, i%100)
	}
	fmt.Fprintf(&b, `"%d": []}, "files": {"0": "/a.py", "1": "/main\u0007.py"}, "functions": {"500": "mark"`, uint64(1<<60))
	for i := range 99 {
		fmt.Fprintf(&b, `, "%d": "f%s%d"`, i, "\xff", i/2)
	}
	b.WriteString("}}")
	f.meta = b.String()
	for i := range uint64(2000) {
		f.alloc(1, 0x1000+i*16, 32, i*5, 1)
		if i == 1000 {
			f.raw(0xee, 0xee, 9, 9, 9, 0xff, 0xff, 0xff)
		}
	}
	return f.marker(1, 500).marker(1, 12345)
}

// keptResult is what opening a file gives, apart from the functions that read it.
func keptResult(t *testing.T, path string, opt loaders.Options) *result {
	t.Helper()
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := openSource(t, src, opt)
	for _, id := range []uint64{500, 0, 98, 12345} {
		name, ok := r.profile.Allocations.MarkerName(id)
		r.profile.Meta.Facts = append(r.profile.Meta.Facts, model.Fact{Key: "marker", Value: name, HasInt: ok})
	}
	r.profile.Allocations = nil
	return r
}

// A file whose names were kept is as if its metadata had been parsed, for each order of frames.
func TestKeptNamesAreThoseOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.mlyze")
	if err := os.WriteFile(path, manyNames().bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	k := &modeltest.Keeper{T: t}
	for i, order := range []loaders.FrameOrder{loaders.FrameOrderAuto, loaders.LeafFirst, loaders.RootFirst} {
		opt := loaders.Options{FrameOrder: order}
		want := keptResult(t, path, opt)
		if want.has("name-encoding") == nil || want.has("metadata-keys") == nil || want.has("sampled") == nil || want.lost == 0 ||
			want.profile.Timeline == nil || len(want.profile.Stacks.Leaf) != 12_001 {
			t.Fatal("the file does not say what it should", want.problems, want.lost)
		}
		opt.Kept = k
		for range 3 {
			got := keptResult(t, path, opt)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("order %d: got %+v %v, want %+v %v", order, got.profile.Meta, got.problems, want.profile.Meta, want.problems)
			}
		}
		if got, want := k.String(), fmt.Sprintf("%d files, %d taken, 0 discarded", i+1, 2*(i+1)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A damaged file with names is discarded, wherever the damage is, and the metadata are parsed.
func TestDamagedNamesAreParsedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.mlyze")
	if err := os.WriteFile(path, manyNames().bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	want := keptResult(t, path, loaders.Options{})
	for at := 17; at < 1<<19; at = at*3 + 1 {
		k := &modeltest.Keeper{T: t}
		opt := loaders.Options{Kept: k}
		keptResult(t, path, opt)
		k.Damage(at)
		if got := keptResult(t, path, opt); !reflect.DeepEqual(got, want) {
			t.Errorf("damage at %d changes %v into %v", at, want.profile.Meta, got.profile.Meta)
		}
		if s := k.String(); !strings.HasSuffix(s, "1 discarded") && !strings.HasSuffix(s, "0 discarded") {
			t.Error(s)
		}
	}
}

// Names are not kept of metadata that were not read to their end, nor of little.
func TestPartOfTheNamesIsNotKept(t *testing.T) {
	broken := manyNames()
	broken.meta = strings.Replace(broken.meta, `"500": "mark"`, `"500": mark`, 1)
	small := newFile().alloc(1, 16, 16, 0, 1)
	for _, f := range []*file{broken, small} {
		path := filepath.Join(t.TempDir(), "t.mlyze")
		if err := os.WriteFile(path, f.bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		k := &modeltest.Keeper{T: t}
		keptResult(t, path, loaders.Options{Kept: k})
		if k.String() != "0 files, 0 taken, 0 discarded" {
			t.Error(k)
		}
	}
}
