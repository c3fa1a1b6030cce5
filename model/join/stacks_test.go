package join_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/join"
)

// moment returns a profile of two stacks, the second of which has labels.
func moment(name string, first, second uint64, length model.Time) *model.Profile {
	s := model.NewStacks()
	s.Functions, s.FrameFunc = append(s.Functions, "f", name), append(s.FrameFunc, 1, 2)
	s.FrameFile, s.FrameLine = append(s.FrameFile, 0, 0), append(s.FrameLine, model.NoLine, model.NoLine)
	s.Parent, s.Frame, s.Depth = append(s.Parent, 0, 0), append(s.Frame, 1, 2), append(s.Depth, 1, 1)
	w := &model.StackProfile{
		DSOs: []model.DSO{{}}, Threads: []model.ProfileThread{{PID: -1, TID: -1}}, Labels: [][]model.Label{nil, {{Key: "k", Text: "v"}}},
		FrameDSO: make([]model.DSOID, 3), FrameKind: make([]model.FrameKind, 3), FrameFlags: make([]model.FrameFlags, 3), FrameColumn: make([]uint32, 3),
		Events:  []model.ProfileEvent{{Name: "heap", Primary: 0, PrimaryName: "live_bytes"}},
		Metrics: []model.ProfileMetric{{Name: "live_bytes"}, {Name: "alloc_bytes"}}, Start: model.NoTime, End: model.NoTime,
	}
	if length > 0 {
		w.Start, w.End = 0, length
	}
	r := &w.Records
	for i, n := range []uint64{first, second} {
		r.Node, r.Event, r.Thread, r.CPU = append(r.Node, model.NodeID(i+1)), append(r.Event, 0), append(r.Thread, 0), append(r.CPU, model.NoCPU)
		r.Offset, r.ID, r.IDKind = append(r.Offset, 0), append(r.ID, 0), append(r.IDKind, model.IDNone)
		r.Labels = append(r.Labels, model.LabelSetID(i))
		r.Weights.Add(0, model.Unsigned(n))
		r.Weights.Add(1, model.Unsigned(10*n))
		r.Weights.EndRow()
		r.Exclusive.EndRow()
	}
	return &model.Profile{Meta: model.Meta{Name: name, Path: "/" + name, Format: "x", Size: 5}, Stacks: s, Weights: w, Complete: true}
}

// weights returns what the records of a profile weigh by a metric.
func weightsOf(p *model.Profile, m model.MetricID) (out []string) {
	for r := range p.Weights.Records.Len() {
		n, ok := p.Weights.Records.Weights.Get(r, m)
		text := "-"
		if ok {
			var a model.Amount
			a.Add(n)
			text = a.String()
		}
		out = append(out, text)
	}
	return out
}

// What files have in common is kept once; the whole is the last file, and what came before stays as it was published.
func TestStackJoin(t *testing.T) {
	j := join.NewStacks()
	add := func(p *model.Profile, at model.Time) *model.Profile {
		t.Helper()
		if err := j.Add(p, at*1_000_000); err != nil {
			t.Fatal(err)
		}
		out := j.Profile()
		if errs := modeltest.Check(out); len(errs) > 0 {
			t.Fatal(errs)
		}
		return out
	}
	add(moment("b", 3, 4, 0), 200)
	one := add(moment("a", 1, 2, 0), 100)
	two := add(moment("c", 5, 6, 0), 300)
	if got := weightsOf(two, 0); !slices.Equal(got, []string{"5", "-", "-", "6"}) || two.Weights.Labels == nil {
		t.Errorf("the last file: %v", got)
	}
	if got := weightsOf(one, 1); !slices.Equal(got, []string{"30", "40", "-"}) {
		t.Errorf("the revision before: %v", got)
	}
	if w := two.Weights.Windows; len(w) != 3 || w[0].ID != "a" || w[2].Start != 200_000_000 || two.Meta.Name != "a and 2 other files" || two.Meta.Size != 15 {
		t.Errorf("%+v %+v", w, two.Meta)
	}
	for i := range 5 {
		add(moment("d", 5, 6, 0), model.Time(400+i))
	}
	j.Thin()
	if n := add(moment("e", 5, 6, 0), 500).Weights.Numbers; !slices.Equal(n, []int{0, 2, 4, 5, 6, 7, 8}) {
		t.Errorf("numbers after thinning: %d", n)
	}
	if p := j.Profile(); len(p.Weights.Windows) != 7 || p.Weights.Windows[1].ID != "c" || p.Problems[len(p.Problems)-1].Code != "thinned" {
		t.Errorf("after thinning: %+v", p.Problems)
	}
}

// Files that were copied together have no times: their numbers stand in the place. What is wrong with each names its
// file.
func TestStackJoinOfCopies(t *testing.T) {
	j := join.NewStacks()
	for i, name := range []string{"a", "b", "c"} {
		p := moment(name, 1, 2, 0)
		p.Problems = []model.Problem{{Severity: model.Note, Code: "x", Message: "odd", Count: 1, Offset: model.NoOffset}}
		if err := j.Add(p, model.Time(1_000_000+41*i)); err != nil {
			t.Fatal(err)
		}
		if got := j.Profile().Problems; i == 0 && got[0].Message != "odd" || i == 2 && (got[0].Message != "a: odd" || got[2].Message != "c: odd") {
			t.Errorf("problems of %d files: %+v", i+1, got)
		}
	}
	p := j.Profile()
	if w := p.Weights; w.AxisUnit != "files" || w.Windows[2].Start != 2 || !strings.Contains(p.Problems[len(p.Problems)-1].Message, "as if copied") {
		t.Errorf("%q %+v %+v", w.AxisUnit, w.Windows, p.Problems)
	}
}

// Where files say how long they cover, what is no state is added up.
func TestStackJoinSpans(t *testing.T) {
	j := join.NewStacks()
	for i, n := range []uint64{1, 10} {
		if err := j.Add(moment("a", n, 0, 50), model.Time(100*i)); err != nil {
			t.Fatal(err)
		}
	}
	p := j.Profile()
	if live, all := weightsOf(p, 0), weightsOf(p, 1); live[0] != "10" || all[0] != "110" || p.Weights.End != 150 {
		t.Errorf("live %v, allocated %v, end %v", live, all, p.Weights.End)
	}
}
