package export

import (
	"context"
	"errors"
	"io"
	"strconv"
	"testing"

	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders/spaa"
	"github.com/memtui/memtui/model"
)

// manyRows repeats the rows of a profile until a loop over them must ask its context several times.
func manyRows(t *testing.T) (s *Stacks, asks int) {
	t.Helper()
	s = profileStacks(t)
	few := s.Rows
	for asks = 4; len(s.Rows) < asks*model.AskEvery; {
		s.Rows = append(s.Rows, few...)
	}
	return s, asks
}

func TestWritersOfStacksAskTheirContext(t *testing.T) {
	s, asks := manyRows(t)
	for name, write := range map[string]func(context.Context, io.Writer, *Stacks) ([]Loss, error){
		"folded": WriteFolded, "pprof": WritePprof, "speedscope": WriteSpeedscope, "csv": WriteStacksCSV, "ndjson": WriteStacksNDJSON,
		"heapprofile": WriteHeapProfile,
	} {
		ctx := &memtest.AskedContext{Context: t.Context(), Most: 1 << 30}
		if _, err := write(ctx, io.Discard, s); err != nil || ctx.N < 2*asks { // numbering frames, and writing rows
			t.Errorf("%s: %v, asked %d times for %d rows", name, err, ctx.N, len(s.Rows))
		}
		for _, most := range []int{0, ctx.N / 2, ctx.N - 1} {
			if _, err := write(&memtest.AskedContext{Context: t.Context(), Most: most}, io.Discard, s); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v when the context is done after %d of %d times", name, err, most, ctx.N)
			}
		}
	}
}

func TestStacksAskTheirContext(t *testing.T) {
	s, asks := manyRows(t)
	for name, f := range map[string]func(context.Context) error{
		"frames": func(ctx context.Context) error { _, err := newFrameTable(ctx, s); return err },
		"filter": func(ctx context.Context) error { _, err := s.Filter(ctx, "focus main"); return err },
	} {
		ctx := &memtest.AskedContext{Context: t.Context(), Most: 1 << 30}
		if err := f(ctx); err != nil || ctx.N < asks {
			t.Errorf("%s: %v, asked %d times for %d rows", name, err, ctx.N, len(s.Rows))
		}
		if err := f(&memtest.AskedContext{Context: t.Context(), Most: ctx.N - 1}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestProfileStacksAsksItsContext(t *testing.T) {
	var text []byte
	text = append(text, `{"type":"header","format":"spaa","version":"1.0","source_tool":"t","frame_order":"leaf_to_root","events":[{"name":"e","sampling":{"mode":"period","primary_metric":"m"}}]}
{"type":"dso","id":1,"name":"a"}
{"type":"frame","id":1,"func":"f","dso":1,"kind":"user"}
`...)
	const asks = 3
	for i := range asks * model.AskEvery {
		text = append(text, `{"type":"stack","id":"0x`+strconv.FormatInt(int64(i), 16)+`","frames":[1],"context":{"event":"e"},"weights":[{"metric":"m","value":1}]}`+"\n"...)
	}
	p := load(t, spaa.Format(), text)
	m, ok := p.Weights.Metric("m")
	if !ok {
		t.Fatal("no metric")
	}
	take := func(ctx context.Context) (*Stacks, error) {
		return ProfileStacks(ctx, p, []*weights.Selection{weights.SelectProfile(p, 0, m)}, 0, model.NoTime, model.NoTime)
	}
	ctx := &memtest.AskedContext{Context: t.Context(), Most: 1 << 30}
	if s, err := take(ctx); err != nil || len(s.Rows) != asks*model.AskEvery || ctx.N < asks {
		t.Fatalf("%v, asked %d times", err, ctx.N)
	}
	if _, err := take(&memtest.AskedContext{Context: t.Context(), Most: asks - 1}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
