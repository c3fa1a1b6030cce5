package mvmheap

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/model"
)

func TestLongNamesAreCut(t *testing.T) {
	names := tables{f: &file{}}
	names.addString(strings.Repeat("x", model.MaxName), 0)
	if len(names.problems) > 0 {
		t.Errorf("%+v", names.problems)
	}
	names.addString(strings.Repeat("x", model.MaxName+1), 7)
	if got := len(names.all.Strings[1]); got != model.MaxName || len(names.problems) != 1 || names.problems[0].Code != "name-length" {
		t.Errorf("%d bytes are kept: %+v", got, names.problems)
	}
}
