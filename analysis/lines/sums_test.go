package lines

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/model"
)

// randomLines returns stacks that often pass a line more than once, with two figures each.
func randomLines(seed uint64) *Query {
	r := rand.New(rand.NewPCG(seed, 1))
	s := model.NewStacks()
	s.Functions, s.Files = append(s.Functions, "f", "g"), append(s.Files, "a.c", "b.c")
	for range 8 {
		s.FrameFunc = append(s.FrameFunc, model.FuncID(r.IntN(3)))
		s.FrameFile = append(s.FrameFile, model.FileID(r.IntN(3)))
		s.FrameLine = append(s.FrameLine, []int64{model.NoLine, 1, 2}[r.IntN(3)])
	}
	for n := 1; n < 60; n++ {
		p := model.NodeID(r.IntN(n))
		s.Parent, s.Frame = append(s.Parent, p), append(s.Frame, model.FrameID(1+r.IntN(8)))
		s.Depth = append(s.Depth, s.Depth[p]+1)
	}
	q := &Query{Stacks: s, Weights: make([][]uint64, 2), own: make([][]uint64, 2)}
	for range 40 {
		q.Leaves = append(q.Leaves, model.NodeID(r.IntN(len(s.Parent))))
		if seed%2 == 0 {
			q.Sites = append(q.Sites, s.Parent[q.Leaves[len(q.Leaves)-1]])
		}
		q.Weights[0] = append(q.Weights[0], r.Uint64N(5))
		q.Weights[1] = append(q.Weights[1], r.Uint64N(100))
		q.own[1] = append(q.own[1], r.Uint64N(3))
	}
	return q
}

// slowLines walks every stack of a query.
func slowLines(q *Query) map[Place][2][2]uint64 {
	out := map[Place][2][2]uint64{}
	for i, leaf := range q.Leaves {
		met := map[Place]bool{}
		for n := leaf; n != 0; n = q.Stacks.Parent[n] {
			f := q.Stacks.Frame[n]
			at := Place{q.Stacks.FrameFile[f], q.Stacks.FrameLine[f]}
			if at.File == 0 {
				continue
			}
			w := out[at]
			for k := range w {
				own := q.Weights[k][i]
				if q.own[k] != nil {
					own = q.own[k][i]
				}
				if n == q.site(i) {
					w[k][0] += own
				}
				if !met[at] {
					w[k][1] += q.Weights[k][i]
				}
			}
			met[at], out[at] = true, w
		}
	}
	maps.DeleteFunc(out, func(_ Place, w [2][2]uint64) bool { return w == [2][2]uint64{} })
	return out
}

func TestSum(t *testing.T) {
	for seed := range uint64(200) {
		q := randomLines(seed)
		rows, err := sumLines(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got := map[Place][2][2]uint64{}
		for _, r := range rows {
			got[r.Place] = [2][2]uint64{{r.Self[0], r.Total[0]}, {r.Self[1], r.Total[1]}}
		}
		if want := slowLines(q); !maps.Equal(got, want) || len(rows) != len(want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := sumLines(ctx, randomLines(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// TestMemoryOfLines has no room for the sums.
func TestMemoryOfLines(t *testing.T) {
	budget := model.NewBudget(1 << 10)
	_, err := sumLines(model.WithBudget(t.Context(), budget), randomLines(1))
	if short := (*model.MemoryError)(nil); !errors.As(err, &short) {
		t.Errorf("%v", err)
	}
}

// TestAround compares the calls around every line with walks over all stacks.
func TestAround(t *testing.T) {
	for seed := range uint64(100) {
		q := randomLines(seed)
		s := q.Stacks
		for at := range slowLines(q) {
			above, below := map[model.FrameID]uint64{}, map[model.FrameID]uint64{}
			for i, leaf := range q.Leaves {
				var path []model.FrameID // from the leaf
				for n := leaf; n != 0; n = s.Parent[n] {
					path = append(path, s.Frame[n])
				}
				path = append(path, 0)
				is := func(f model.FrameID) bool { return f != 0 && at == Place{s.FrameFile[f], s.FrameLine[f]} }
				if in := slices.IndexFunc(path, is); in >= 0 && q.Weights[0][i] > 0 {
					outer := len(path) - 1
					for !is(path[outer]) {
						outer--
					}
					above[path[outer+1]] += q.Weights[0][i]
					callee := model.FrameID(0)
					if in > 0 {
						callee = path[in-1]
					}
					below[callee] += q.Weights[0][i]
				}
			}
			got := Around(q, at, 0)
			if !slices.Equal(got.Callers, heaviestCalls(above)) || !slices.Equal(got.Callees, heaviestCalls(below)) {
				t.Fatalf("seed %d, %v: %v", seed, at, got)
			}
		}
	}
}
