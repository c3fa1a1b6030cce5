package weights

import (
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// madeProfile is a profile of random stacks under two events, with samples.
func madeProfile(seed uint64) *model.Profile {
	r := rand.New(rand.NewPCG(seed, 1))
	s := model.NewStacks()
	w := &model.StackProfile{
		Events: []model.ProfileEvent{{Name: "a", PrimaryName: "period"}, {Name: "b"}}, Metrics: []model.ProfileMetric{{Name: "period"}, {Name: "samples"}},
		DSOs: []model.DSO{{}, {Name: "x"}, {Name: "y"}}, Threads: []model.ProfileThread{{PID: -1, TID: -1}, {PID: 1, TID: 1}, {PID: 1, TID: 2, Comm: "t"}},
		FrameDSO: []model.DSOID{0}, FrameKind: []model.FrameKind{0}, FrameFlags: []model.FrameFlags{0}, FrameColumn: []uint32{0},
	}
	for f := range 6 {
		s.Functions = append(s.Functions, string(rune('f'+f)))
	}
	for range 12 {
		s.FrameFunc = append(s.FrameFunc, model.FuncID(1+r.IntN(6)))
		s.FrameFile = append(s.FrameFile, 0)
		s.FrameLine = append(s.FrameLine, model.NoLine)
		w.FrameDSO = append(w.FrameDSO, model.DSOID(r.IntN(3)))
		w.FrameKind = append(w.FrameKind, model.FrameKind(r.IntN(3)))
		w.FrameFlags, w.FrameColumn = append(w.FrameFlags, 0), append(w.FrameColumn, 0)
	}
	for n := 1; n < 60; n++ {
		parent := model.NodeID(r.IntN(n))
		s.Parent = append(s.Parent, parent)
		s.Frame = append(s.Frame, model.FrameID(1+r.IntN(12)))
		s.Depth = append(s.Depth, s.Depth[parent]+1)
	}
	for range 80 {
		rec := &w.Records
		rec.Node = append(rec.Node, model.NodeID(r.IntN(60)))
		rec.Event = append(rec.Event, uint16(r.IntN(2)))
		rec.Thread = append(rec.Thread, model.ThreadID(r.IntN(3)))
		rec.CPU, rec.Offset = append(rec.CPU, model.NoCPU), append(rec.Offset, 0)
		rec.ID, rec.IDKind = append(rec.ID, r.Uint64()), append(rec.IDKind, model.IDHex)
		rec.Weights.Add(0, model.Unsigned(uint64(1+r.IntN(100))))
		rec.Weights.Add(1, model.Unsigned(1))
		rec.Weights.EndRow()
		rec.Exclusive.EndRow()
	}
	return &model.Profile{Weights: w, Stacks: s}
}

// A table by function is the list of functions; the other groupings and both kinds of trees add up to the same whole.
func TestProfileTableAgrees(t *testing.T) {
	for seed := range uint64(20) {
		p := madeProfile(seed)
		a, b := SelectProfile(p, 0, 0), SelectProfile(p, 1, 1)
		rows, err := Table(t.Context(), ByFunctionDSO, nil, a, b)
		if err != nil {
			t.Fatal(err)
		}
		for k, s := range []*Selection{a, b} {
			list, _ := s.Functions(t.Context())
			for _, f := range list {
				found := false
				for _, r := range rows {
					dso := p.Weights.DSOs[p.Weights.FrameDSO[r.Frame]].Name
					if r.Name == p.Stacks.Functions[f.Function] && dso == p.Weights.DSOs[f.DSO].Name {
						found = r.Weights[k].Self.Compare(f.Self) == 0 && r.Weights[k].Total.Compare(f.Total) == 0
					}
				}
				if !found {
					t.Fatalf("seed %d: %s is another one in the table", seed, p.Stacks.Functions[f.Function])
				}
			}
		}
		total := a.Total()
		threads, _ := Table(t.Context(), ByProfileThread, nil, a)
		var sum model.Amount
		for _, r := range threads {
			sum.Sum(r.Weights[0].Self)
		}
		if sum.Compare(total) != 0 {
			t.Errorf("seed %d: threads weigh %v of %v", seed, sum, total)
		}
		weights := make([]uint64, p.Weights.Records.Len())
		for r := range weights {
			if n, ok := a.Weight(model.RecordID(r)); ok {
				weights[r] = uint64(n.Float64())
			}
		}
		for _, invert := range []bool{false, true} {
			tree, err := calltree.NewLeafTree(t.Context(), p.Stacks, p.Weights.Records.Node, calltree.TreeOptions{Invert: invert})
			if err != nil {
				t.Fatal(err)
			}
			if f := tree.Fold(weights); f.Total[0] != total.Uint64() {
				t.Errorf("seed %d: the tree weighs %d of %v", seed, f.Total[0], total)
			}
		}
	}
}

// Every sample is in one column.
func TestSampleCurve(t *testing.T) {
	p := madeProfile(1)
	p.Weights.Samples = make([]model.SampleChunk, 2) // one without samples
	for i, t := range []model.Time{0, 5, 9, 10, 3} {
		s := model.Sample{Time: t, Record: model.RecordID(i), Period: float64(int(1) << i)}
		if i == 2 {
			s.Event = 1
		}
		p.Weights.Samples[0].Add(s)
	}
	for n := 1; n < 20; n++ {
		c, err := SampleCurve(t.Context(), p.Weights, 0, nil, false, 0, 10, n)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, v := range c {
			sum += v
		}
		if sum != 27 {
			t.Errorf("%d columns hold %v", n, sum)
		}
	}
}
