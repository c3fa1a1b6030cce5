package weighted

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

func open(t *testing.T, text string) *loaders.Source {
	t.Helper()
	src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

func TestEqualThingsAreOne(t *testing.T) {
	b := New(open(t, "x"), "made")
	main := b.Frame(Frame{Function: "main", File: "a.c", Line: 3})
	leaf := b.Frame(Frame{Function: "leaf", Line: model.NoLine})
	if again := b.Frame(Frame{Function: "main", File: "a.c", Line: 3}); again != main {
		t.Errorf("a frame has the numbers %d and %d", main, again)
	}
	up, down := b.Stack([]model.FrameID{main, leaf}), b.LeafStack([]model.FrameID{leaf, main})
	if up != down {
		t.Errorf("a stack has the leaves %d and %d", up, down)
	}
	set := []model.Label{{Key: "tenant", Text: "a"}, {Key: "bytes", Number: 8, Unit: "bytes", Numeric: true}}
	labels := b.Labels(set)
	if again := b.Labels(set); again != labels || labels == 0 {
		t.Errorf("a set of labels has the numbers %d and %d", labels, again)
	}
	m, ok := b.Metric(model.ProfileMetric{Name: "live_bytes", Unit: "bytes"})
	e := b.Event(model.ProfileEvent{Name: "heap"})
	b.Weigh(m, model.Unsigned(7))
	b.Add(Record{Node: up, Event: e, Thread: b.Thread(1, 2, "worker"), CPU: model.NoCPU, Labels: labels})
	b.Add(Record{Node: up, Event: e, Thread: b.Thread(1, 2, "worker"), CPU: model.NoCPU})
	var store model.Store
	if err := b.Finish(t.Context(), &store, true, nil); err != nil || !ok {
		t.Fatal(err, ok)
	}
	p := store.Current()
	if errs := modeltest.Check(p); len(errs) > 0 {
		t.Error(errs)
	}
	if w := p.Weights; len(w.Threads) != 2 || len(w.Labels) != 2 || len(w.Events) != 1 || !p.Complete {
		t.Errorf("%+v", w)
	}
}

func TestWhatIsReadIsFixed(t *testing.T) {
	b := New(open(t, "x"), "made")
	b.Add(Record{Node: b.Stack([]model.FrameID{b.Frame(Frame{Function: "f", Line: model.NoLine})})})
	first := b.Build(false)
	b.Say(model.Warning, "w", 5, 1, "first")
	b.Say(model.Warning, "w", 6, 2, "second")
	b.Add(Record{Node: b.Stack([]model.FrameID{b.Frame(Frame{Function: strings.Repeat("g", model.MaxName+1), Line: model.NoLine})})})
	if first.Weights.Records.Len() != 1 || len(first.Problems) != 0 {
		t.Errorf("a published profile has changed: %+v", first)
	}
	got := b.Problems()
	if len(got) != 2 || got[0].Count != 2 || got[0].Offset != 5 || got[1].Code != "name-length" {
		t.Errorf("%+v", got)
	}
}

func TestNothingUsableIsAnError(t *testing.T) {
	b := New(open(t, "x"), "made")
	b.Say(model.Error, "syntax", 3, 1, "no number")
	var store model.Store
	err := b.Finish(t.Context(), &store, true, nil)
	if err == nil || !strings.Contains(err.Error(), "no number") || store.Current() != nil {
		t.Errorf("%v, %v", err, store.Current())
	}
}

// A compressed file that ends too early is told, whatever its loader could read of it.
func TestWhatBecameOfTheInputIsTold(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(bytes.Repeat([]byte("main;a 1\n"), 1000))
	z.Close()
	src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(packed.Bytes()[:packed.Len()-9]))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	src.ReadAt(make([]byte, 1<<20), 0)
	b := New(src, "made")
	b.Add(Record{Event: model.NoEvent, CPU: model.NoCPU})
	var store model.Store
	if err := b.Finish(t.Context(), &store, true, nil); err != nil {
		t.Fatal(err)
	}
	n := 0
	b.Report(func(v loaders.Violation) { n += int(v.Count) })
	if p := store.Current(); p.Complete || len(p.Problems) != 1 || n != 1 {
		t.Errorf("complete %v, %d violations, %+v", p.Complete, n, p.Problems)
	}
}

// Info stops after a few records where headers come first, and reads all of a file where they may stand anywhere.
func TestInfoReadsWhatItMust(t *testing.T) {
	for _, anywhere := range []bool{false, true} {
		n := 0
		f := Format(loaders.Format{Name: "made"}, func(r *Reading) error {
			if anywhere {
				r.Anywhere()
			}
			for n < 3*infoSteps {
				n++
				if err := r.Step(); err != nil {
					return err
				}
			}
			return nil
		})
		if _, err := f.Info(t.Context(), open(t, "x"), loaders.Options{}); err != nil || (n == 3*infoSteps) != anywhere {
			t.Errorf("anywhere %v: %d steps, %v", anywhere, n, err)
		}
	}
}

// Sums become records when what was read is published, and only then.
func TestSumsAreAddedUpToBePublished(t *testing.T) {
	added := 0
	f := Format(loaders.Format{Name: "made"}, func(r *Reading) error {
		r.AddUp = func() {
			added++
			r.Add(Record{Event: model.NoEvent, CPU: model.NoCPU})
		}
		for range 3 * askEvery {
			if err := r.Step(); err != nil {
				return err
			}
		}
		return nil
	})
	var store model.Store
	if err := f.Load(t.Context(), open(t, "x"), loaders.Options{}, &store); err != nil || added == 0 || added > 3 {
		t.Errorf("added up %d times, %v", added, err)
	}
	before := added
	if err := f.Validate(t.Context(), open(t, "x"), func(loaders.Violation) {}); err != nil || added != before {
		t.Errorf("added up %d times more where nobody looks, %v", added-before, err)
	}
}
