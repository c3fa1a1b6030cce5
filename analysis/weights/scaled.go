package weights

import (
	"math"

	"github.com/memtui/memtui/model"
)

// Scaled are the weights of a selection as integers, one for each record that weighs anything. Negative ones count as 0.
type Scaled struct {
	Leaves  []model.NodeID
	Weights []uint64
	Own     []uint64 // of the leaves alone; nil where that is all of the weight
	Factor  float64  // that the weights were multiplied by
}

// fine keeps six decimals of weights that are not integers.
const fine = 1e6

// Scaled returns the weights of a selection.
func (s *Selection) Scaled() (w Scaled) {
	for _, w.Factor = range []float64{1, fine} {
		w.Leaves, w.Weights, w.Own = w.Leaves[:0], w.Weights[:0], w.Own[:0]
		whole := true
		for i := range s.Profile.Records.Len() {
			r := model.RecordID(i)
			n, ok := s.Weight(r)
			own, _ := s.Self(r)
			total, exact := scaled(n, w.Factor)
			if !ok || total == 0 {
				continue
			}
			self, exactly := scaled(own, w.Factor)
			whole = whole && exact && exactly
			w.Leaves, w.Weights, w.Own = append(w.Leaves, s.Node(r)), append(w.Weights, total), append(w.Own, self)
		}
		if whole {
			break
		}
	}
	if !s.HasSelf() {
		w.Own = nil
	}
	return w
}

// scaled returns a weight times a factor; exact reports that nothing of it is lost.
func scaled(n model.Number, factor float64) (weight uint64, exact bool) {
	v, small := n.Small(math.MaxUint64)
	if small && factor == 1 {
		return v, true
	}
	f := n.Float64()
	return uint64(min(max(f*factor, 0), math.MaxUint64/2)), small || f == math.Trunc(f)
}
