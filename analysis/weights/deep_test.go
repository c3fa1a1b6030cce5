package weights

import (
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// Totals that are summed over the tree are those of walks along each stack.
func TestTotalsOfTrees(t *testing.T) {
	summed := 0
	for seed := range uint64(60) {
		p := modeltest.RandomProfile(rand.New(rand.NewPCG(seed, 5)))
		samples, _, _ := SelectSamples(t.Context(), p, 0, 0, 10, 30)
		for _, s := range []*Selection{SelectProfile(p, 0, 0), SelectProfile(p, 1, 1), samples} {
			rows, of := s.functionRows()
			got, hit := make([]uint64, len(rows)), map[uint32]bool{}
			ok, err := s.treeTotals(t.Context(), of, len(rows), func(row uint32, sum uint64) {
				got[row] += sum
				hit[row] = true
			})
			if err != nil || !ok {
				if err != nil || len(hit) > 0 {
					t.Fatal(err, len(hit))
				}
				continue
			}
			summed++
			_, total := functionsTwin(s)
			if len(hit) != len(total) {
				t.Errorf("seed %d: %d rows, want %d", seed, len(hit), len(total))
			}
			for row := range hit {
				name := p.Stacks.Functions[rows[row].Function] + " " + p.Weights.DSOs[rows[row].DSO].Name
				if got[row] != total[name] {
					t.Errorf("seed %d, %s: %d, want %d", seed, name, got[row], total[name])
				}
			}
		}
	}
	if summed < 100 {
		t.Errorf("only %d selections have small integers alone", summed)
	}
}

// Functions of deep stacks that share most of their frames are summed over the tree, as tables are.
func TestFunctionsOfDeepStacks(t *testing.T) {
	const deep = 3500
	rng := rand.New(rand.NewPCG(3, 6))
	p := modeltest.RandomProfile(rng)
	st, r := p.Stacks, &p.Weights.Records
	for range deep {
		parent := max(len(st.Parent)-1-rng.IntN(2), 0)
		st.Parent, st.Frame = append(st.Parent, model.NodeID(parent)), append(st.Frame, model.FrameID(1+rng.IntN(8)))
		st.Depth = append(st.Depth, st.Depth[parent]+1)
	}
	for range 4 * deep {
		r.Node, r.Event = append(r.Node, model.NodeID(len(st.Parent)-1-rng.IntN(deep))), append(r.Event, 0)
		r.Thread, r.CPU, r.Offset = append(r.Thread, 0), append(r.CPU, model.NoCPU), append(r.Offset, 0)
		r.ID, r.IDKind = append(r.ID, rng.Uint64()), append(r.IDKind, model.IDHex)
		r.Weights.Add(0, model.Unsigned(rng.Uint64N(1000)))
		r.Weights.EndRow()
		r.Exclusive.EndRow()
	}
	s := SelectProfile(p, 0, 0)
	if !s.deep(t.Context()) || SelectProfile(modeltest.RandomProfile(rng), 0, 0).deep(t.Context()) {
		t.Fatal("deep stacks are not told from others")
	}
	self, total := functionsTwin(s)
	list, err := s.Functions(t.Context())
	if err != nil || len(list) != len(total) {
		t.Fatal(len(list), len(total), err)
	}
	for _, f := range list {
		name := p.Stacks.Functions[f.Function] + " " + p.Weights.DSOs[f.DSO].Name
		if f.Self.Uint64() != self[name] || f.Total.Uint64() != total[name] {
			t.Errorf("%s: %v %v, want %d %d", name, f.Self, f.Total, self[name], total[name])
		}
	}
	rows, err := Table(t.Context(), ByFunctionDSO, nil, s)
	if err != nil || len(rows) != len(list) {
		t.Fatal(len(rows), err)
	}
	for _, row := range rows {
		frame := row.Frame
		name := p.Stacks.Functions[p.Stacks.FrameFunc[frame]] + " " + p.Weights.DSOs[p.Weights.FrameDSO[frame]].Name
		if w := row.Weights[0]; w.Self.Uint64() != self[name] || w.Total.Uint64() != total[name] {
			t.Errorf("table, %s: %v", name, w)
		}
	}
}
