package heaptrack

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// sane checks what holds for any input.
func sane(t testing.TB, data []byte, r *result) {
	t.Helper()
	if r.profile.Lost > int64(len(data)) || len(r.events) > len(data)/4+1 {
		t.Errorf("%d bytes: lost %d, %d events", len(data), r.profile.Lost, len(r.events))
	}
	for _, p := range r.profile.Problems {
		if p.Code == model.CodeInternal || p.Offset > int64(len(data)) {
			t.Errorf("%+v", p)
		}
	}
}

// TestCut reads samples that end at any place: what stands before is there.
func TestCut(t *testing.T) {
	for _, name := range []string{"shop.raw.zst", "shop.zst", "newline-in-string.zst"} {
		data := sample(t, name)
		all := read(t, data).events
		for i := range 100 {
			n := len(data) * i / 100
			part := read(t, data[:n])
			sane(t, data[:n], part)
			if len(part.events) > len(all) {
				t.Fatalf("%s: %d events of %d", name, len(part.events), len(all))
			}
			for k, e := range part.events {
				cut := k == len(part.events)-1 && e.Kind == model.Alloc // the end of its address may be gone
				if e.Addr != all[k].Addr && !cut || e.Size != all[k].Size || e.Kind != all[k].Kind {
					t.Fatalf("%s, cut at %d: event %d differs", name, n, k)
				}
			}
		}
	}
}

// TestChanged reads samples with changed bytes.
func TestChanged(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"spaces.raw.gz", "spaces.gz", "shop.v1.gz"} {
		data := sample(t, name)
		for range 100 {
			b := slices.Clone(data)
			for range 1 + random.IntN(20) {
				b[random.IntN(len(b))] = byte(random.Uint32())
			}
			sane(t, b, read(t, b))
		}
	}
}

// TestEmptyLines reads empty lines anywhere, more than a buffer holds: they change nothing but the numbers of lines.
func TestEmptyLines(t *testing.T) {
	for _, n := range []int{1, 4095, 4096, 4097, 3 * blockSize} {
		gap := strings.Repeat("\n", n)
		r := read(t, []byte(rawHead+gap+"+ 10 2 5000\n"+gap+"- 5000\nbad\n"+gap))
		p := r.profile.Problems
		at := slices.IndexFunc(p, func(p model.Problem) bool { return p.Code == "record-type" })
		if len(r.events) != 2 || at < 0 || p[at].Line != int64(strings.Count(rawHead, "\n")+2*n+3) {
			t.Errorf("%d empty lines: %d events, %v", n, len(r.events), p)
		}
	}
}

// TestStacksBeforeTheForm reads a stack before the first line that says that instructions are numbered.
func TestStacksBeforeTheForm(t *testing.T) {
	r := read(t, []byte("v 10400 3\nt 1000 0\ns 1 f\ni 10 0 1\nt 1 1\na 8 2\n+ 0\n"))
	if r.has("trace-ip") == nil || len(r.events) != 1 {
		t.Fatalf("%d events, problems %v", len(r.events), r.profile.Problems)
	}
	s := r.profile.Stacks
	if leaf := s.Leaf[2]; s.Depth[leaf] != 1 || s.Functions[s.FrameFunc[s.Frame[leaf]]] != "f" {
		t.Errorf("the stack is %d frames deep, of %q", s.Depth[leaf], s.Functions)
	}
}

// FuzzLoad opens, replays and validates any text.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(rawHead + "+ 10 2 5000\n- 5000\nc a\nR 1\n"))
	f.Add([]byte(interpretedHead + "+ 0\n- 0\nc a\n"))
	for _, name := range samples(f) {
		if b := sample(f, name); len(b) > 3000 {
			f.Add(b[:3000])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		sane(t, data, read(t, data))
		sniff(data)
	})
}

// TestMemoryEnds reads with a budget that is used up: what has no room is left out, and that is told.
func TestMemoryEnds(t *testing.T) {
	budget := model.NewBudget(1 << 30)
	budget.Measured(1 << 30 / 100 * (model.BudgetOfFile + 1))
	var b strings.Builder
	b.WriteString(interpretedHead)
	for range 3 * checkEvery {
		b.WriteString("s 1 x\nt 1 0\na 1 1\n+ 0\nR 1\nR 2\n")
	}
	r := readUnder(t, model.WithBudget(t.Context(), budget), []byte(b.String()))
	if p := r.has(model.CodeMemory); p == nil || !r.profile.Stacks.Partial {
		t.Errorf("partial %v: %+v", r.profile.Stacks.Partial, r.profile.Problems)
	}
	if n := len(r.profile.Stacks.Parent); n > checkEvery {
		t.Errorf("%d nodes", n)
	}
	if n := len(r.events); n < checkEvery || n > checkEvery+1 {
		t.Errorf("%d events", n)
	}
}

// endless is an input that never ends.
type endless struct{ line string }

func (e endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		n += copy(p[n:], e.line)
	}
	return n - n%len(e.line), nil
}

// TestInterrupt ends reading an endless input.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	src, err := loaders.OpenSource(ctx, "-", endless{"+ 10 0 5000\n"})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	store := &model.Store{}
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := load(ctx, src, loaders.Options{}, store); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
