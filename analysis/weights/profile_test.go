package weights

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// functionsTwin counts functions with maps of names, record by record.
func functionsTwin(s *Selection) (self, total map[string]uint64) {
	self, total = map[string]uint64{}, map[string]uint64{}
	p, st := s.Profile, s.Stacks
	for r := range p.Records.Len() {
		id := model.RecordID(r)
		n, ok := s.Weight(id)
		if !ok {
			continue
		}
		seen := map[string]bool{}
		for node := p.Records.Node[r]; node != 0; node = st.Parent[node] {
			f := st.Frame[node]
			name := st.Functions[st.FrameFunc[f]] + " " + p.DSOs[p.FrameDSO[f]].Name
			if len(seen) == 0 {
				own := n
				if x, has := p.Records.Exclusive.Get(r, s.Metric); has && s.picked == nil {
					own = x
				}
				self[name] += uint64(own.Float64())
			}
			if !seen[name] {
				total[name] += uint64(n.Float64())
			}
			seen[name] = true
		}
	}
	return self, total
}

func TestProfileFunctions(t *testing.T) {
	for seed := range uint64(50) {
		p := modeltest.RandomProfile(rand.New(rand.NewPCG(seed, 1)))
		for _, err := range modeltest.Check(p) {
			t.Fatal(err)
		}
		samples, _, _ := SelectSamples(context.Background(), p, 0, 0, 10, 30)
		for _, s := range []*Selection{SelectProfile(p, 0, 0), SelectProfile(p, 1, 1), samples, SelectWindows(p, 0, 0, 0)} {
			self, total := functionsTwin(s)
			list, err := s.Functions(context.Background())
			if err != nil || len(list) != len(total) {
				t.Fatal(len(list), len(total), err)
			}
			for i, f := range list {
				name := p.Stacks.Functions[f.Function] + " " + p.Weights.DSOs[f.DSO].Name
				if f.Self.Uint64() != self[name] || f.Total.Uint64() != total[name] {
					t.Errorf("seed %d, %s: %v %v, want %d %d", seed, name, f.Self, f.Total, self[name], total[name])
				}
				if i > 0 && list[i-1].Self.Compare(f.Self) < 0 {
					t.Error("not by self")
				}
			}
		}
	}
}

func TestProfileTotals(t *testing.T) {
	for seed := range uint64(20) {
		p := modeltest.RandomProfile(rand.New(rand.NewPCG(seed, 2)))
		for e, row := range Totals(p.Weights) {
			stacks := 0
			for _, event := range p.Weights.Records.Event {
				if int(event) == e {
					stacks++
				}
			}
			if row.Stacks != stacks {
				t.Error(row.Stacks, stacks)
			}
			for _, m := range row.Sums {
				if want := SelectProfile(p, uint16(e), m.Metric).Total(); want != m.Sum || m.Metric == 2 {
					t.Error(m, want)
				}
			}
		}
	}
}

func TestProfileSamples(t *testing.T) {
	p := modeltest.RandomProfile(rand.New(rand.NewPCG(9, 3)))
	s, ok, err := SelectSamples(context.Background(), p, 0, 0, 10, 30)
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	want := 0.0
	c := p.Weights.Samples[0]
	for i := range c.Len() {
		if s := c.At(i); s.Event == 0 && s.Time >= 10 && s.Time <= 30 && p.Weights.Records.Event[s.Record] == 0 {
			want += s.Period
		}
	}
	if got := s.Total().Float64(); got != want {
		t.Error(got, want)
	}
	if _, ok, _ := SelectSamples(context.Background(), p, 1, 0, 0, 50); ok {
		t.Error("samples cannot tell a metric that is not the event's own")
	}
	top := s.Top()
	for i := 1; i < len(top); i++ {
		if top[i-1].Value.Compare(top[i].Value) < 0 {
			t.Error("not by value")
		}
	}
}
