package mlyze

import (
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Events are replayed while symbols are read: what the replay publishes must survive the symbols' revision.
func TestPublishKeepsWhatOthersFound(t *testing.T) {
	src, err := loaders.OpenSource(t.Context(), "../../testdata/small_kvleak.mlyze", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	o, err := begin(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	store := &model.Store{}
	o.found.add(model.Warning, "mine", 1, "found first")
	o.lost = 3
	o.publish(store, nil, "")
	store.Update(func(old *model.Profile) *model.Profile {
		next := *old
		next.Lost += 7
		next.Problems = model.AddProblem(next.Problems, model.Problem{Severity: model.Error, Code: "theirs", Message: "found meanwhile"})
		return &next
	})
	o.found.add(model.Warning, "mine", 2, "found first")
	o.publish(store, model.NewStacks(), "")
	p := store.Current()
	if p.Lost != 10 || len(p.Problems) != 2 || p.Problems[0].Count != 2 || p.Problems[1].Code != "theirs" || p.Stacks == nil {
		t.Errorf("lost %d, problems %+v", p.Lost, p.Problems)
	}
}
