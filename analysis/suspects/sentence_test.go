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
