package weights

import (
	"testing"

	"github.com/memtui/memtui/model"
)

// labelled is a made profile whose records have labels by turns.
func labelled(seed uint64) *model.Profile {
	p := madeProfile(seed)
	w := p.Weights
	w.Labels = [][]model.Label{nil, {{Key: "tenant", Text: "a"}, {Key: "bytes", Number: 64, Numeric: true, Unit: "bytes"}}, {{Key: "tenant", Text: "b"}}, {{Key: "tenant", Text: "a"}, {Key: "tenant", Text: "b"}}}
	for i := range w.Records.Len() {
		w.Records.Labels = append(w.Records.Labels, model.LabelSetID(i%4))
	}
	return p
}

// Stacks belong whole to the value that their labels have, and nothing is lost.
func TestLabelGroups(t *testing.T) {
	p := labelled(3)
	for key, values := range map[string][]string{"tenant": {"", "a", "b", "a, b"}, "bytes": {"", "64 bytes"}} {
		by, ok := labelBy(p.Weights, key)
		if !ok {
			t.Fatal(key)
		}
		if named, ok := GroupNamed(p.Weights, by.Word(p.Weights)); !ok || named != by || by.Next() != ByFunctionDSO {
			t.Errorf("%s: written as %q", key, by.Word(p.Weights))
		}
		s := SelectProfile(p, 0, 0)
		rows, err := Table(t.Context(), by, nil, s)
		if err != nil || len(rows) != len(values) {
			t.Fatalf("%s: %v, %+v", key, err, rows)
		}
		var sum model.Amount
		for i, r := range rows {
			var want model.Amount
			for rec, set := range p.Weights.Records.Labels {
				if n, ok := s.Weight(model.RecordID(rec)); ok && labelValue(p.Weights.Labels[set], key) == values[i] {
					want.Add(n)
				}
			}
			if r.Name != values[i] || r.Weights[0].Total != want || r.Weights[0].Self != want {
				t.Errorf("%s: %+v, want %q %v", key, r, values[i], want)
			}
			sum.Sum(r.Weights[0].Total)
		}
		if sum.Compare(s.Total()) != 0 {
			t.Errorf("%s: %v of %v", key, sum, s.Total())
		}
	}
	if _, ok := labelBy(p.Weights, "none"); ok {
		t.Error("a label that is not there")
	}
}

// Metrics are found by what pprof calls them.
func TestNamed(t *testing.T) {
	p := &model.StackProfile{Metrics: []model.ProfileMetric{{Name: "alloc_objects"}, {Name: "alloc_space"}, {Name: "inuse_objects"}, {Name: "inuse_space"}}}
	for name, want := range map[string]model.MetricID{"live_bytes": 3, "live_count": 2, "alloc_bytes": 1, "alloc_count": 0, "inuse_space": 3} {
		if m, ok := Named(p, name); !ok || m != want {
			t.Error(name, m, ok)
		}
	}
	if m, ok := CountMetric(p, 3); !ok || m != 2 {
		t.Error(m, ok)
	}
	if _, ok := Named(p, "peak_bytes"); ok {
		t.Error("peaks")
	}
}
