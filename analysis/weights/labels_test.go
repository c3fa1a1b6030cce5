package weights

import (
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis/calltree"
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

// Stacks can be chosen by their labels, alone and together with functions.
func TestLabelFilter(t *testing.T) {
	p := labelled(3)
	p.Stacks.DSOs, p.Stacks.FrameDSO = p.Weights.DSOs, p.Weights.FrameDSO
	for text, keeps := range map[string][4]bool{
		"focus label:tenant=a": {false, true, false, true}, "ignore label:tenant=a": {true, false, true, false}, "focus label:tenant": {false, true, true, true},
		"focus label:tenant=/A|c/": {false, true, false, true}, "focus label:bytes=64": {false, true, false, false}, "focus label:bytes=64 bytes": {false, true, false, false},
		"focus label:none": {}, "focus label:tenant=a\nignore label:tenant=b": {false, true, false, false},
	} {
		view, err := calltree.FilterStacks(t.Context(), p.Stacks, calltree.Filter(text), calltree.FullStacks)
		if err != nil {
			t.Fatal(err)
		}
		whole := SelectProfile(p, 0, 0)
		s := whole.Filter(view)
		for r, set := range p.Weights.Records.Labels {
			n, had := whole.Weight(model.RecordID(r))
			m, has := s.Weight(model.RecordID(r))
			if has != (had && keeps[set]) || has && m != n {
				t.Fatalf("%s: record %d of set %d: %v %v", text, r, set, has, keeps[set])
			}
		}
		if lost, _ := calltree.FindUnmatched(t.Context(), calltree.Filter(text), p.Stacks); len(lost) > 0 {
			t.Errorf("%s: %v", text, lost)
		}
	}
	if calltree.CheckStep(calltree.Step{Kind: calltree.HideFrame, Name: "label:tenant"}) == nil {
		t.Error("frames have no labels that could be hidden")
	}
}

func TestLabelWords(t *testing.T) {
	p := &model.StackProfile{Labels: [][]model.Label{nil, {{Key: "Tenant", Text: "a"}}, {{Key: "Tenant", Text: "b"}, {Key: "bytes", Number: 96, Unit: "bytes", Numeric: true}}}}
	for typed, want := range map[string][]string{
		"ten":           {"label:Tenant"},
		"label:":        {"label:Tenant", "label:bytes"},
		"label:bytes":   {"label:bytes", "label:bytes=96 bytes"},
		"label:Tenant=": {"label:Tenant=a", "label:Tenant=b"},
		"main":          nil,
	} {
		if got := LabelWords(p, typed, 9); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
}
