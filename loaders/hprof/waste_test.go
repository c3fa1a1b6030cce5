package hprof

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// wasteAnswers are what independent programs say of threads and waste.
type wasteAnswers struct {
	Threads []struct {
		ID, Name string
		Locals   int
		Retained uint64 `json:"retained_strong"`
		Frames   []struct {
			Method, File, Class string
			Line                int64
		}
	}
	Strings struct {
		Objects, Distinct int
		Wasted            uint64
	}
	Collections map[string]struct{ Objects, Elements, Capacity, Empty int64 }
}

func wasteOf(t *testing.T, name string) (a wasteAnswers) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".expected.json"))
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil || len(a.Threads) == 0 || a.Strings.Objects == 0 || len(a.Collections) == 0 {
		t.Fatal(err, len(a.Threads), a.Strings.Objects, len(a.Collections))
	}
	return a
}

// TestThreads compares threads, their frames and locals, and what they retain, with what an independent program says.
func TestThreads(t *testing.T) {
	for _, name := range samples {
		want, r := wasteOf(t, name), openFile(t, sample(name), loaders.SizesLayout)
		h := r.heaps[0]
		got, err := r.profile.Heaps.(model.HeapThreads).Threads(context.Background(), 0, h)
		if err != nil {
			t.Fatal(err)
		}
		g, err := heapgraph.NewGraph(context.Background(), h, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want.Threads) {
			t.Fatalf("%s: %d threads, want %d", name, len(got), len(want.Threads))
		}
		for i, w := range want.Threads {
			x, locals := &got[i], 0
			for j, f := range x.Frames {
				locals += len(f.Locals)
				if f.Function == "" {
					continue
				}
				y := w.Frames[j]
				line := y.Line
				if line < 1 {
					line = model.NoLine
				}
				if y.File == "?" {
					y.File = ""
				}
				if f.Function != y.Class+"."+y.Method || f.File != y.File || f.Line != line {
					t.Errorf("%s, %s, frame %d: %+v, want %+v", name, w.Name, j, f, y)
				}
			}
			if x.Name != w.Name || x.ID != w.ID || locals != w.Locals || g.Retained[x.Row] != w.Retained || len(x.Frames) < len(w.Frames) {
				t.Errorf("%s: %q %s with %d locals retains %d; want %q %s %d %d", name, x.Name, x.ID, locals, g.Retained[x.Row], w.Name, w.ID, w.Locals, w.Retained)
			}
		}
	}
}

// TestStrings reads all strings, and counts those of equal content.
func TestStrings(t *testing.T) {
	for _, name := range samples {
		want, r := wasteOf(t, name), openFile(t, sample(name), loaders.SizesLayout)
		count, seen := map[string]int{}, map[model.Row]bool{}
		err := r.profile.Heaps.(model.HeapWaste).Texts(context.Background(), 0, r.heaps[0], func(x *model.HeapText) error {
			if seen[x.Row] || x.Cut {
				return fmt.Errorf("row %d twice, or cut: %+v", x.Row, x)
			}
			seen[x.Row] = true
			count[string(x.Content)]++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) != want.Strings.Objects || len(count) != want.Strings.Distinct {
			t.Errorf("%s: %d strings, %d distinct; want %+v", name, len(seen), len(count), want.Strings)
		}
		if name == "shop1" && count["status=ACTIVE;region=eu-west-1"] != 501 {
			t.Errorf("%d of the planted string", count["status=ACTIVE;region=eu-west-1"])
		}
	}
}

// TestCollections compares elements and room of lists and tables with what an independent program says.
func TestCollections(t *testing.T) {
	for _, name := range samples {
		want, r := wasteOf(t, name), openFile(t, sample(name), loaders.SizesLayout)
		h := r.heaps[0]
		type sums struct{ Objects, Elements, Capacity, Empty int64 }
		got, boxed := map[string]sums{}, 0
		err := r.profile.Heaps.(model.HeapWaste).Collections(context.Background(), 0, h, func(c *model.HeapCollection) error {
			s := got[heapgraph.Label(h, c.Row)]
			s.Objects++
			s.Elements += c.Len
			s.Capacity += c.Capacity
			if c.Len == 0 {
				s.Empty++
			}
			if c.Form == model.CollectionBox {
				boxed++
			}
			if c.Wasted > h.Bytes(c.Row)+h.Bytes(c.Storage) {
				t.Errorf("%s: more is wasted than there is: %+v", name, c)
			}
			got[heapgraph.Label(h, c.Row)] = s
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for class, w := range want.Collections {
			if got[class] != sums(w) {
				t.Errorf("%s, %s: %+v, want %+v", name, class, got[class], w)
			}
		}
		if boxed < 256 {
			t.Errorf("%s: %d boxed numbers", name, boxed)
		}
	}
}

// TestWasteOfNothing asks about a dump that was not decoded.
func TestWasteOfNothing(t *testing.T) {
	r := openFile(t, sample("shop1"), loaders.SizesLayout)
	f := r.profile.Heaps.(*file)
	if err := f.Texts(context.Background(), 7, r.heaps[0], nil); err == nil {
		t.Error("a dump that is not there has strings")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Texts(ctx, 0, r.heaps[0], nil); err == nil {
		t.Error("what was canceled went on")
	}
}
