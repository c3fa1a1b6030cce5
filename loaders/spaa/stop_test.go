package spaa

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"testing"

	"github.com/memtui/memtui/model"
)

// stopAfter is a context that is done once its error has been asked for n times.
type stopAfter struct {
	context.Context
	n int
}

func (s *stopAfter) Err() error {
	if s.n--; s.n < 0 {
		return context.Canceled
	}
	return nil
}

func TestBlockStops(t *testing.T) {
	p := &parser{ctx: &stopAfter{t.Context(), 3}, seed: maphash.MakeSeed(), units: map[string]string{}}
	var out batch
	lines := strings.Repeat(`{"type":"frame","id":1,"func":"a","dso":1,"kind":"user"}`+"\n", 1<<14)
	if err := p.block([]byte(lines), &out); !errors.Is(err, context.Canceled) || out.lines != 3*askLines {
		t.Errorf("%v after %d lines", err, out.lines)
	}
}

// TestFinishStops leaves a file in which everything comes before what it names.
func TestFinishStops(t *testing.T) {
	const n = 3 * model.AskEvery
	var text strings.Builder
	text.WriteString(`{"type":"header","format":"spaa","version":"1.0","events":[{"name":"e","sampling":{"mode":"period","primary_metric":"m"}}]}` + "\n")
	for i := range n {
		fmt.Fprintf(&text, `{"type":"sample","timestamp":1.5,"pid":1,"tid":1,"event":"e","stack_id":"0x%x"}`+"\n", i)
	}
	apart := `{"type":"dso","id":1,"name":"` + strings.Repeat("a", 2*blockSize) + `"}` + "\n" // what stands in one block is not a late reference
	text.WriteString(apart)
	for i := range n {
		fmt.Fprintf(&text, `{"type":"stack","id":"0x%x","frames":[7],"context":{"event":"e"},"weights":[{"metric":"m","value":1}]}`+"\n", i)
	}
	text.WriteString(apart + `{"type":"frame","id":7,"func":"f","dso":0,"kind":"user"}` + "\n")
	for _, tt := range []struct {
		ctx  context.Context
		want int // stacks that got their frame
	}{{t.Context(), n}, {&stopAfter{t.Context(), 0}, model.AskEvery - 1}, {&stopAfter{t.Context(), 1}, 2*model.AskEvery - 1}} {
		src := openText(t, []byte(text.String()))
		b := newBuilder(src, false)
		if err := each(t.Context(), src, false, b.merge); err != nil {
			t.Fatal(err)
		}
		if len(b.late.stacks) != n || len(b.late.samples) != n {
			t.Fatalf("%d stacks and %d samples came too early", len(b.late.stacks), len(b.late.samples))
		}
		b.finish(tt.ctx)
		got := 0
		for _, node := range b.p.Records.Node {
			if node != 0 {
				got++
			}
		}
		resolved := 0
		for i := range b.p.Samples {
			for k := range b.p.Samples[i].Len() {
				if b.p.Samples[i].Record(k) != model.NoRecord {
					resolved++
				}
			}
		}
		if got != tt.want || resolved > tt.want {
			t.Errorf("%d of %d stacks and %d samples were resolved, want %d", got, n, resolved, tt.want)
		}
		b.free()
	}
}
