package reading

import (
	"testing"

	"github.com/memtui/memtui/model"
)

func TestDamagedProfilesAreNotComplete(t *testing.T) {
	p := &model.Profile{Complete: true, Problems: []model.Problem{{Severity: model.Warning}}}
	if damaged(p) != nil {
		t.Error("a warning makes a file incomplete")
	}
	p.Problems = append(p.Problems, model.Problem{Severity: model.Error})
	if next := damaged(p); next == nil || next.Complete || !p.Complete {
		t.Error("an error leaves the file complete, or the published revision was changed")
	}
}
