package join

import (
	"testing"
	"time"

	"github.com/memtui/memtui/model"
)

// What is found in any of several files later is added once, with the name of the file, and without being asked for.
func TestTogetherHasWhatIsFoundLater(t *testing.T) {
	problem := func(n int64, message string) []model.Problem {
		return []model.Problem{{Severity: model.Note, Code: "lines", Message: message, Count: n, Offset: 7}}
	}
	files := []*model.Store{{}, {}}
	whole := &model.Profile{Complete: true}
	for i, name := range []string{"a.json", "b.json"} {
		files[i].Publish(&model.Profile{Meta: model.Meta{Name: name}, Problems: problem(2, "a line is odd"), Complete: true})
		whole.Problems = append(whole.Problems, problem(2, name+": a line is odd")...)
	}
	all := NewTogether(whole, files)
	defer all.Close()
	_, changed := all.Store.Watch()
	for i, n := range []int64{2, 5} { // nothing new in the first file but another problem, and three more in the second
		files[i].Update(func(old *model.Profile) *model.Profile {
			next := *old
			next.Problems = append(problem(n, "a line is odd"), problem(1, "a line is cut")[i:]...)
			next.Lost, next.Complete = 9, false
			return &next
		})
	}
	select {
	case <-changed:
	case <-time.After(10 * time.Second):
		t.Fatal("nothing was added")
	}
	all.Renew()
	all.Renew()
	p, got := all.Store.Current(), map[string]int64{}
	for _, q := range p.Problems {
		got[q.Message] = q.Count
	}
	if len(got) != 3 || got["a.json: a line is odd"] != 2 || got["b.json: a line is odd"] != 5 || got["a.json: a line is cut"] != 1 {
		t.Errorf("%v", got)
	}
	if p.Lost != 18 || p.Complete {
		t.Errorf("%d bytes are lost; complete: %v", p.Lost, p.Complete)
	}
}
