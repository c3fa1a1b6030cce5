package suspects

import (
	"testing"

	"github.com/memtui/memtui/model"
)

// TestWhatIsNoWord tells names of types from words of the sentence.
func TestWhatIsNoWord(t *testing.T) {
	s := Suspect{Count: 2, Schema: &model.HeapSchema{Axes: []model.HeapAxis{{Word: "class"}}, Sets: []model.HeapSet{{One: "object", Many: "objects"}}}}
	for name, want := range map[string]string{"Module": "objects of class Module", "shop.Session": "shop.Session", "": "<anon>"} {
		if s.Name = name; s.What() != want {
			t.Errorf("%q: %q", name, s.What())
		}
	}
	if s.Name, s.Count = "type", 1; s.What() != "object of class type" {
		t.Error(s.What())
	}
}

// A certainty is about the verdict that it stands beside: how often what was seen was as that says.
func TestCertaintyIsOfTheVerdict(t *testing.T) {
	for _, c := range []struct {
		verdict Verdict
		counts  []uint64
		want    float64
	}{
		{once, []uint64{5}, 0},
		{Grows, []uint64{5, 9}, sureOfTwo}, {once, []uint64{5, 9}, sureOfTwo}, {Bounded, []uint64{9, 9}, sureOfTwo},
		{Grows, []uint64{1, 2, 3}, 3. / 4}, {Grows, []uint64{1, 2, 2, 3}, 3. / 5}, {Grows, []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 9. / 10},
		{once, []uint64{1, 1, 9}, 1. / 2}, {once, []uint64{1, 9, 9, 9}, 3. / 4}, {once, []uint64{1, 9, 9, 10}, 2. / 4},
		{Bounded, []uint64{9, 8, 9, 8}, 4. / 5}, {Bounded, []uint64{1, 9, 8}, 2. / 3}, {Bounded, []uint64{1, 8, 9}, 1. / 2},
	} {
		s := Suspect{Verdict: c.verdict}
		for i, n := range c.counts {
			s.course = append(s.course, moment{i, figures{n, n}})
		}
		if got := s.Confidence(); got != c.want {
			t.Errorf("%v of %v: %v, not %v", c.verdict, c.counts, got, c.want)
		}
	}
}
