// Package damaged opens files of one format whole, cut and changed, and checks what every loader promises about them.
package damaged

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Result is what a format makes of a file.
type Result struct {
	Profile    *model.Profile // nil where the file was refused
	Err        error
	Sniffed    loaders.Confidence
	Violations []loaders.Violation
}

// Valid reports whether nothing that was found is an error.
func (r *Result) Valid() bool {
	for _, v := range r.Violations {
		if v.Severity == model.Error {
			return false
		}
	}
	return r.Err == nil
}

// Open loads b, asks for its headers, and validates it. What no file may cause fails the test.
func Open(t testing.TB, f loaders.Format, b []byte) *Result {
	t.Helper()
	r := &Result{}
	src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader(b))
	if err != nil {
		r.Err = err
		return r
	}
	defer src.Close()
	head := make([]byte, loaders.SniffLength)
	n, _ := src.ReadAt(head, 0)
	r.Sniffed = f.Sniff(head[:n])
	var store model.Store
	if r.Err = f.Load(t.Context(), src, loaders.Options{}, &store); r.Err == nil {
		r.Profile = store.Current()
	}
	if r.Profile != nil {
		for _, err := range modeltest.Check(r.Profile) {
			t.Fatal(err)
		}
	}
	p, err := f.Info(t.Context(), src, loaders.Options{})
	if err == nil && (p.Weights != nil || p.Stacks != nil) {
		t.Fatal("headers have facets")
	}
	if err := f.Validate(t.Context(), src, func(v loaders.Violation) { r.Violations = append(r.Violations, v) }); err != nil && r.Err == nil {
		t.Fatal("what can be loaded cannot be validated:", err)
	}
	for _, err := range []error{r.Err, err} {
		if model.Internal(err) {
			t.Fatal(err)
		}
	}
	for _, v := range r.Violations {
		if v.Rule == "" || v.Count < 1 || v.Offset > int64(len(b))+1<<20 {
			t.Fatalf("%+v", v)
		}
	}
	return r
}

// Hurt cuts b at 200 places, and changes bytes at as many. A cut that leaves nothing usable must be an error; one that
// leaves something must not pass as whole where tells holds.
func Hurt(t *testing.T, f loaders.Format, b []byte, tells func(cut int) bool) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(len(b))))
	for i := range 200 {
		n := 1 + i*(len(b)-1)/200
		r := Open(t, f, b[:n])
		if r.Err == nil && r.Profile.Complete && r.Valid() && tells(n) {
			t.Errorf("cut at %d of %d: it is whole", n, len(b))
		}
		if r.Err != nil && r.Err.Error() == "" {
			t.Error("an error says nothing")
		}
		bad := bytes.Clone(b)
		for range 1 + rng.IntN(3) {
			bad[rng.IntN(len(bad))] ^= byte(1 << rng.IntN(8))
		}
		Open(t, f, bad)
	}
}

// Stack is a record in words: frames from the root and weights.
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
		for m, n := range w.Records.Weights.All(r) {
			a := s.Weights[w.Metrics[m].Name]
			a.Add(n)
			s.Weights[w.Metrics[m].Name] = a
		}
		if w.Records.Labels != nil {
			s.Labels = w.Labels[w.Records.Labels[r]]
		}
		out = append(out, s)
	}
	return out
}

// Total returns the sum of a metric.
func Total(p *model.Profile, metric string) (sum model.Amount) {
	w := p.Weights
	for r := range w.Records.Len() {
		for m, n := range w.Records.Weights.All(r) {
			if w.Metrics[m].Name == metric {
				sum.Add(n)
			}
		}
	}
	return sum
}
