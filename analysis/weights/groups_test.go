package weights

import (
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// Weights that are added up over the tree are those that are added up stack by stack, of any grouping and selection:
// also where some are 0, have a fraction or are too large.
func TestTablesOverTheTreeAgree(t *testing.T) {
	for seed := range uint64(40) {
		p := madeProfile(seed)
		r := rand.New(rand.NewPCG(seed, 2))
		var table model.WeightTable
		for range p.Weights.Records.Len() {
			n := model.Unsigned(uint64(r.IntN(3)))
			switch {
			case seed >= 30 && r.IntN(20) == 0:
				n = model.Float(0.5)
			case seed >= 20 && r.IntN(20) == 0:
				n = model.Unsigned(math.MaxUint64)
			}
			table.Add(0, n)
			table.EndRow()
		}
		p.Weights.Records.Weights = table
		p.Weights.Samples = madeSamples(r, p.Weights.Records.Len())
		samples, _, err := SelectSamples(t.Context(), p, 0, 0, 100, 900)
		if err != nil {
			t.Fatal(err)
		}
		for by := range ProfileByCount {
			g := NewGrouping(p.Weights, p.Stacks, by, nil)
			list := []*Selection{SelectProfile(p, 0, 0), SelectProfile(p, 1, 0), samples}
			got, err := g.Table(t.Context(), list...)
			if err != nil {
				t.Fatal(err)
			}
			want := slowTable(t, g, list)
			if len(got) != len(want) {
				t.Fatalf("seed %d by %v: %d rows of %d", seed, by, len(got), len(want))
			}
			for i := range got {
				if got[i].ID != want[i].ID || got[i].Name != want[i].Name || !slices.Equal(got[i].Weights, want[i].Weights) {
					t.Fatalf("seed %d by %v: %+v, want %+v", seed, by, got[i], want[i])
				}
			}
		}
	}
}

// slowTable walks every stack.
func slowTable(t *testing.T, g *Grouping, list []*Selection) (out []Row) {
	rows, hit := slices.Clone(g.rows), make([]bool, len(g.rows))
	for i := range rows {
		rows[i].Weights = make([]FrameWeight, len(list))
	}
	for k, s := range list {
		if err := s.weigh(t.Context(), g, k, rows, hit); err != nil {
			t.Fatal(err)
		}
	}
	for i := range rows {
		if hit[i] {
			out = append(out, rows[i])
		}
	}
	return out
}

// Owners hold what the stacks weigh that they own, and the setting says who owns none.
func TestOwnersWeighTheirStacks(t *testing.T) {
	for seed := range uint64(20) {
		p := madeProfile(seed)
		for _, libraries := range []*regexp.Regexp{nil, regexp.MustCompile("^[fgh]$"), regexp.MustCompile(".")} {
			s, want := SelectProfile(p, 0, 0), map[string]uint64{}
			for r := range p.Weights.Records.Len() {
				n, ok := s.Weight(model.RecordID(r))
				leaf := s.Node(model.RecordID(r))
				if !ok || leaf == 0 {
					continue
				}
				owner := leaf
				for n := leaf; n != 0 && libraries != nil; n = p.Stacks.Parent[n] {
					if !libraries.MatchString(calltree.FunctionName(p.Stacks, n)) {
						owner = n
						break
					}
				}
				weight, _ := n.Small(math.MaxUint64)
				want[calltree.FunctionName(p.Stacks, owner)] += weight
			}
			rows, err := Table(t.Context(), ByOwner, libraries, s)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]uint64{}
			for _, r := range rows {
				if got[r.Name] = r.Weights[0].Self.Uint64(); r.Weights[0].Total != r.Weights[0].Self {
					t.Errorf("seed %d: %s has %v of %v", seed, r.Name, r.Weights[0].Self, r.Weights[0].Total)
				}
			}
			if !maps.Equal(got, want) {
				t.Fatalf("seed %d without %v: %v, want %v", seed, libraries, got, want)
			}
		}
	}
}

// madeSamples are many chunks of samples of records.
func madeSamples(r *rand.Rand, records int) []model.SampleChunk {
	out := make([]model.SampleChunk, 3*fewChunks)
	for i := range out {
		for range 20 {
			s := model.Sample{Time: model.Time(r.IntN(1000)), Record: model.RecordID(r.IntN(records)), Period: float64(r.IntN(100))}
			s.Event = uint16(r.IntN(2))
			if r.IntN(10) == 0 {
				s.Record = model.NoRecord
			}
			out[i].Add(s)
		}
		if i%2 == 0 {
			out[i].Seal()
		}
	}
	return out
}

// Samples that are added up side by side are those that are added up one by one.
func TestPickedSamplesAreThoseInTheRange(t *testing.T) {
	for seed := range uint64(20) {
		p := madeProfile(seed)
		p.Weights.Samples = madeSamples(rand.New(rand.NewPCG(seed, 3)), p.Weights.Records.Len())
		for _, counts := range []bool{false, true} {
			got, err := pickSamples(t.Context(), p.Weights, 0, counts, 200, 700)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float64, p.Weights.Records.Len())
			for i := range p.Weights.Samples {
				c := &p.Weights.Samples[i]
				for k := range c.Len() {
					s := c.At(k)
					if s.Event != 0 || s.Time < 200 || s.Time > 700 || s.Record == model.NoRecord {
						continue
					}
					if counts {
						s.Period = 1
					}
					want[s.Record] += s.Period
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %v, want %v", seed, got, want)
			}
		}
	}
}

// Trees are added up as node by node, and nothing wraps.
func TestFoldAddsUp(t *testing.T) {
	for seed := range uint64(40) {
		p := madeProfile(seed)
		r := rand.New(rand.NewPCG(seed, 4))
		weights := make([]uint64, p.Weights.Records.Len())
		for i := range weights {
			weights[i] = uint64(r.IntN(3))
			if seed >= 30 && r.IntN(10) == 0 {
				weights[i] = math.MaxUint64 / 3
			}
		}
		for _, invert := range []bool{false, true} {
			tree, err := calltree.NewLeafTree(t.Context(), p.Stacks, p.Weights.Records.Node, calltree.TreeOptions{Invert: invert})
			if err != nil {
				t.Fatal(err)
			}
			want := make([]uint64, tree.Len())
			for i, w := range weights {
				for n := tree.Leaf(i); n >= 0; n = tree.Parent(n) {
					want[n], _ = model.SaturatingAdd(want[n], w)
				}
			}
			if got := tree.Fold(weights); !slices.Equal(got.Total, want) {
				t.Fatalf("seed %d: %v, want %v", seed, got.Total, want)
			}
		}
	}
}
