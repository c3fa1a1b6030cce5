package dump

import (
	"testing"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/ui"
)

// Keys that sort do no harm before there is a layout to show.
func TestFragmentsSortWithoutALayout(t *testing.T) {
	changed := 0
	p := NewFragments(&ui.Env{Changed: func() { changed++ }})
	for _, table := range []ui.Orderly{p.Types.Table, p.sparse.Table} {
		for _, a := range []keymap.Action{keymap.Sort, keymap.SortReverse, keymap.ColumnRight, keymap.ColumnLeft} {
			if !table.OrderBy(a) {
				t.Errorf("%s does nothing", a)
			}
		}
		table.ClickTitle(0)
	}
	if changed != 10 {
		t.Errorf("%d changes of the order", changed)
	}
	if p.Types.Sorted().Title != titles.Type || len(p.Fields()) < 5 {
		t.Errorf("sorted by %q, fields %v", p.Types.Sorted().Title, p.Fields())
	}
}
