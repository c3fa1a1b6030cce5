package modeltest

import (
	"fmt"
	"math/rand/v2"

	"github.com/memtui/memtui/model"
)

// RandomProfile returns a small profile with recursion, two events, some exclusive weights, samples and a window.
func RandomProfile(rng *rand.Rand) *model.Profile {
	s := model.NewStacks()
	w := &model.StackProfile{
		Events:  []model.ProfileEvent{{Name: "a", PrimaryName: "period", Primary: 0}, {Name: "b", PrimaryName: "samples", Primary: 1}},
		Metrics: []model.ProfileMetric{{Name: "period"}, {Name: "samples"}, {Name: "peak_bytes"}},
		DSOs:    []model.DSO{{}, {Name: "x"}, {Name: "y"}, {Name: "x"}}, Threads: []model.ProfileThread{{}},
		FrameDSO: []model.DSOID{0}, FrameKind: []model.FrameKind{0}, FrameFlags: []model.FrameFlags{0}, FrameColumn: []uint32{0},
	}
	for i := range 8 {
		s.Functions = append(s.Functions, fmt.Sprint("f", i))
		s.FrameFunc, s.FrameFile, s.FrameLine = append(s.FrameFunc, model.FuncID(1+i/2)), append(s.FrameFile, 0),
			append(s.FrameLine, int64(i))
		w.FrameDSO, w.FrameKind = append(w.FrameDSO, model.DSOID(rng.IntN(4))), append(w.FrameKind, model.FrameUser)
		w.FrameFlags, w.FrameColumn = append(w.FrameFlags, 0), append(w.FrameColumn, 0)
	}
	for range 30 {
		parent := rng.IntN(len(s.Parent))
		s.Parent, s.Frame = append(s.Parent, model.NodeID(parent)), append(s.Frame, model.FrameID(1+rng.IntN(8)))
		s.Depth = append(s.Depth, s.Depth[parent]+1)
	}
	r := &w.Records
	for i := range 40 {
		r.Node, r.Event = append(r.Node, model.NodeID(rng.IntN(len(s.Parent)))), append(r.Event, uint16(rng.IntN(2)))
		r.Thread, r.CPU, r.Offset = append(r.Thread, 0), append(r.CPU, model.NoCPU), append(r.Offset, 0)
		r.ID, r.IDKind = append(r.ID, uint64(rng.IntN(30))), append(r.IDKind, model.IDHex)
		for range rng.IntN(4) {
			r.Weights.Add(model.MetricID(rng.IntN(3)), model.Unsigned(rng.Uint64N(1000)))
		}
		r.Weights.EndRow()
		if i%3 == 0 {
			r.Exclusive.Add(model.MetricID(rng.IntN(2)), model.Unsigned(rng.Uint64N(10)))
		}
		r.Exclusive.EndRow()
	}
	c := model.SampleChunk{}
	for range 100 {
		s := model.Sample{Time: model.Time(rng.IntN(50)), Record: model.RecordID(rng.IntN(40))}
		s.Event, s.Period = uint16(rng.IntN(2)), float64(rng.IntN(9))
		c.Add(s)
	}
	w.Samples = []model.SampleChunk{c}
	win := model.Window{Record: []model.RecordID{3, 3, model.NoRecord}}
	for range win.Record {
		win.Weights.Add(0, model.Unsigned(7))
		win.Weights.EndRow()
	}
	w.Windows = []model.Window{win}
	return &model.Profile{Meta: model.Meta{Format: "spaa"}, Stacks: s, Weights: w}
}
