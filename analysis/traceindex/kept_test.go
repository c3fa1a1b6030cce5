package traceindex

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// Begun is closed by the first events, whether they come from a file or are read, and by the end of what has none.
func TestBegun(t *testing.T) {
	source, data := smallTrace(t, 300)
	for name, place := range map[string]Place{"kept": &memoryPlace{data: data, key: sections.Key{1}}, "built": &memoryPlace{}} {
		for _, source := range []model.EventSource{source, &sliceSource{batch: 1}} {
			k, _ := reopened(t, place, source, modeltest.Stacks())
			select {
			case <-k.Begun():
			default:
				t.Error(name, "not begun when all is read")
			}
		}
	}
	select {
	case <-NewKeptIndex(nil).Begun():
		t.Error("begun before anything is read")
	default:
	}
}

// pausing is a source that goes on after its first half once it is told to.
type pausing struct {
	sliceSource
	goOn <-chan struct{}
}

func (p *pausing) Replay(ctx context.Context, yield func(*model.EventBatch) error) error {
	at := 0
	return p.sliceSource.Replay(ctx, func(b *model.EventBatch) error {
		if at += len(b.Events); at > len(p.events)/2 {
			<-p.goOn
		}
		return yield(b)
	})
}

// The first events are told of before the last ones are read.
func TestBegunEarly(t *testing.T) {
	k := NewKeptIndex(nil)
	source := &pausing{sliceSource{fineTrace(rand.New(rand.NewPCG(4, 1)), 2*defaultChunk), 1000}, k.Begun()}
	store := new(model.Store)
	store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Stacks: modeltest.Stacks(), Allocations: source})
	if err := Build(t.Context(), store, k); err != nil || !k.Status().Final {
		t.Fatal(err, k.Status())
	}
}

// The first chart, or curve, gives back what it mapped, no other question does, and not while the file may be gone.
func TestFirstChartForgets(t *testing.T) {
	source, data := smallTrace(t, 300)
	place := &memoryPlace{data: data, key: sections.Key{1}}
	k, _ := reopened(t, place, source, modeltest.Stacks())
	if used, why := k.Used(); !used {
		t.Fatal(why)
	}
	if _, err := k.Sites(t.Context(), analysis.Query{}); err != nil || place.forgot != 0 {
		t.Errorf("forgot %d times before a chart, %v", place.forgot, err)
	}
	for _, columns := range []func(context.Context, analysis.Range, int) ([]analysis.Column, error){k.Curve, k.Chart} {
		if _, err := columns(t.Context(), analysis.FullRange, 40); err != nil || place.forgot != 1 || place.closed != 0 {
			t.Errorf("forgot %d times, closed %d times, %v", place.forgot, place.closed, err)
		}
	}
	k.Close()
	if _, err := k.Chart(t.Context(), analysis.FullRange, 40); err == nil || place.forgot != 1 || place.closed != 1 {
		t.Errorf("forgot %d times, closed %d times, %v", place.forgot, place.closed, err)
	}

	built, _ := reopened(t, &memoryPlace{}, source, modeltest.Stacks())
	if _, err := built.Chart(t.Context(), analysis.FullRange, 40); err != nil { // there is no file
		t.Error(err)
	}
}

// writtenOver is a source that says whether it changed.
type writtenOver struct {
	chunkedSlice
	changed bool
}

func (w *writtenOver) Changed() bool { return w.changed }

// A trace may be written over in place once it has been read. What the index says then fits its events no longer; that
// is an error at most, wherever they are read again. Where the file is known to be the same, the error must not say
// that it changed.
func TestTraceIsWrittenOver(t *testing.T) {
	for _, known := range []bool{true, false} {
		r := rand.New(rand.NewPCG(3, 7))
		source := &writtenOver{chunkedSlice{sliceSource{fineTrace(r, 20_000), 100}, -1}, false}
		k, _ := reopened(t, nil, source, modeltest.Stacks())
		source.changed = known
		for i := range source.events {
			if r.IntN(3) > 0 { // more than are known to be freed
				source.events[i].Kind = model.Free
			}
		}
		noticed, end := 0, int64(k.Status().Duration)
		for range 300 {
			from := model.Time(r.Int64N(end + 1))
			rg := analysis.Range{From: from, To: from + model.Time(r.Int64N(end/int64(1+r.IntN(500))+1))}
			_, err1 := k.Chart(t.Context(), rg, 1+r.IntN(320))
			_, _, err2 := k.Peak(t.Context(), rg)
			for _, err := range []error{err1, err2} {
				switch {
				case err == nil:
				case errors.Is(err, errChanged) != known, model.Internal(err) == known:
					t.Fatalf("changed: %v, %v", known, err)
				default:
					noticed++
				}
			}
		}
		if noticed == 0 {
			t.Error("nothing is noticed")
		}
	}
}

// A defect is no reason to give up an index file that is what was written, nor to call it damaged; a file that is not
// is one.
func TestDefectIsNoDamage(t *testing.T) {
	source, good := smallTrace(t, 300)
	for _, spoilt := range []bool{false, true} {
		data := slices.Clone(good)
		place := &memoryPlace{data: data, key: sections.Key{1}}
		k, _ := reopened(t, place, source, modeltest.Stacks())
		if spoilt {
			data[len(data)/2] ^= 1
		}
		_, err := ask(t.Context(), k, "testing", verifiedOnly, func(*fileIndex) (int, error) { panic("a mistake") })
		if broken := errors.Is(err, errIndexBroken); broken != spoilt || place.discarded > 0 != spoilt || !model.Internal(err) {
			t.Errorf("spoilt: %v, discarded %d times, %v", spoilt, place.discarded, err)
		}
		if want := "internal error in memtui while testing"; !spoilt && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s…", err, want)
		}
		k.Close()
	}
	k, _ := reopened(t, nil, source, modeltest.Stacks())
	_, err := ask(t.Context(), k, "testing", verifiedOnly, func(*fileIndex) (int, error) { panic("a mistake") })
	if want := "internal error in memtui while testing: a mistake"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
