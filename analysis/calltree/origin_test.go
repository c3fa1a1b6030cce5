package calltree

import (
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/model"
)

// randomPlaces returns stacks of few functions, each with several lines, that often call themselves.
func randomPlaces(r *rand.Rand) *model.Stacks {
	s := model.NewStacks()
	s.Functions, s.Files = append(s.Functions, "a", "b", "c"), append(s.Files, "x.c", "y.c")
	for f := range 8 {
		s.FrameFunc = append(s.FrameFunc, model.FuncID(r.IntN(len(s.Functions))))
		s.FrameFile = append(s.FrameFile, model.FileID(1+r.IntN(2)))
		s.FrameLine = append(s.FrameLine, int64(f/2))
	}
	for n := 1; n < 40; n++ {
		up := model.NodeID(r.IntN(n))
		s.Parent = append(s.Parent, up)
		s.Frame = append(s.Frame, model.FrameID(1+r.IntN(8)))
		s.Depth = append(s.Depth, s.Depth[up]+1)
	}
	return s
}

// slowHeaviest finds the heaviest frame of a node by walking all stacks.
func slowHeaviest(t *testing.T, f *Folded, s *model.Stacks, leaves []model.NodeID, weights []uint64, opt TreeOptions,
	n int32) (weight map[model.FrameID]uint64) {
	t.Helper()
	var want []string // the names down to n
	for at := n; at > 0; at = f.Parent(at) {
		want = append([]string{f.Name(at)}, want...)
	}
	weight = map[model.FrameID]uint64{}
	for i, leaf := range leaves {
		var frames []model.FrameID
		for at := leaf; at != 0; at = s.Parent[at] {
			frames = append(frames, s.Frame[at])
		}
		name := func(frame model.FrameID) string {
			if f := s.Functions[s.FrameFunc[frame]]; f != "" && opt.Name != nil {
				return opt.Name(f)
			}
			return FrameFunction(s, frame)
		}
		if !opt.Invert {
			for a, b := 0, len(frames)-1; a < b; a, b = a+1, b-1 {
				frames[a], frames[b] = frames[b], frames[a]
			}
		}
		var names []string
		var at []model.FrameID // by name: the innermost frame
		for _, frame := range frames {
			if k := len(names) - 1; opt.Collapse && k >= 0 && names[k] == name(frame) {
				if !opt.Invert {
					at[k] = frame
				}
				continue
			}
			names, at = append(names, name(frame)), append(at, frame)
		}
		if len(names) < len(want) {
			continue
		}
		same := true
		for k := range want {
			same = same && names[k] == want[k]
		}
		if same {
			weight[at[len(want)-1]] += weights[i]
		}
	}
	return weight
}

func TestHeaviestFrameOfEveryNode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	mixed := 0
	for round := range 200 {
		s := randomPlaces(r)
		var leaves []model.NodeID
		var weights []uint64
		for range 20 {
			leaves = append(leaves, model.NodeID(r.IntN(len(s.Parent))))
			weights = append(weights, uint64(r.IntN(5)))
		}
		opt := TreeOptions{Invert: round&1 != 0, Collapse: round&2 != 0}
		tree, err := NewLeafTree(t.Context(), s, leaves, opt)
		if err != nil {
			t.Fatal(err)
		}
		f := tree.Fold(weights)
		for n := int32(1); n < int32(f.Len()); n++ {
			if f.Total[n] == 0 {
				continue
			}
			if first, _ := f.Frame(n); first == 0 {
				continue
			}
			of := slowHeaviest(t, f, s, leaves, weights, opt, n)
			most := uint64(0)
			for _, w := range of {
				most = max(most, w)
			}
			if _, several := f.Frame(n); several {
				mixed++
			}
			if got := f.Heaviest(n); of[got] != most {
				t.Fatalf("round %d, %+v, node %d %s: frame %d with %d, want one with %d of %v", round, opt, n, f.Name(n), got, of[got], most, of)
			}
		}
	}
	if mixed < 100 {
		t.Errorf("only %d nodes have several frames", mixed)
	}
}
