package weights

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// Nothing is lost or made up: what a focus keeps and what ignoring leaves are all, and hiding frames changes no sum.
func TestFilteredSelections(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := modeltest.RandomProfile(rng)
		sum := func(f calltree.Filter) model.Amount {
			view, err := calltree.FilterStacks(t.Context(), p.Stacks, f, calltree.FullStacks)
			if err != nil {
				t.Fatal(err)
			}
			sel := SelectProfile(p, 0, 0).Filter(view)
			rows, err := sel.Functions(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var self model.Amount
			for _, r := range rows {
				self.Sum(r.Self)
			}
			if self.Compare(sel.Total()) > 0 {
				t.Fatalf("seed %d: functions weigh %v of %v", seed, self, sel.Total())
			}
			return sel.Total()
		}
		name := fmt.Sprint("f", rng.IntN(4))
		all, with := sum(""), sum(calltree.NewFilter(calltree.Step{Kind: calltree.Focus, Name: name}))
		with.Sum(sum(calltree.NewFilter(calltree.Step{Kind: calltree.Ignore, Name: name})))
		if with.Compare(all) != 0 || sum(calltree.NewFilter(calltree.Step{Kind: calltree.HideFrame, Name: name})).Compare(all) != 0 {
			t.Fatalf("seed %d: %v of %v", seed, with, all)
		}
	}
}
