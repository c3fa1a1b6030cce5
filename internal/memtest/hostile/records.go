package hostile

import (
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Stack is a record as text: frames from the root and weights.
type Stack struct {
	Frames  []model.Frame
	Weights map[string]model.Amount
	Labels  []model.Label
}

// Stacks lists the records of a profile.
func Stacks(p *model.Profile) (out []Stack) {
	w := p.Weights
	for r := range w.Records.Len() {
		s := Stack{Weights: map[string]model.Amount{}}
		for _, f := range p.Stacks.Frames(nil, w.Records.Node[r], -1) {
			s.Frames = append([]model.Frame{f}, s.Frames...)
		}
		addWeights(s.Weights, w, r)
		if w.Records.Labels != nil {
			s.Labels = w.Labels[w.Records.Labels[r]]
		}
		out = append(out, s)
	}
	return out
}

// addWeights adds the weights of a record by metric.
func addWeights(to map[string]model.Amount, w *model.StackProfile, r int) {
	for m, n := range w.Records.Weights.All(r) {
		a := to[w.Metrics[m].Name]
		a.Add(n)
		to[w.Metrics[m].Name] = a
	}
}

// Sums returns the sums of all records by metric.
func Sums(p *model.Profile) map[string]model.Amount {
	sums := map[string]model.Amount{}
	for r := range p.Weights.Records.Len() {
		addWeights(sums, p.Weights, r)
	}
	return sums
}

// Totals returns the profile of a valid file that its first bytes identify with certainty, and the sums of the metrics
// that have one.
func Totals(t *testing.T, f loaders.Format, name string) (*model.Profile, map[string]string) {
	t.Helper()
	r := Open(t, f, read(t, name))
	if r.Err != nil {
		t.Fatal(name, r.Err)
	}
	if r.Sniffed != loaders.Sure {
		t.Errorf("%s is not recognized", name)
	}
	sums, out := Sums(r.Profile), map[string]string{}
	for i := range r.Profile.Weights.Metrics {
		m := &r.Profile.Weights.Metrics[i]
		if sum, ok := sums[m.Name]; ok && !m.NoSum() {
			out[m.Name] = sum.String()
		}
	}
	return r.Profile, out
}
