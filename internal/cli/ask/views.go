package ask

import (
	"github.com/memtui/memtui/export/report/areas"
	"github.com/memtui/memtui/internal/cli/kind"
)

// View is a view of a page that has the answer of "report --table".
type View struct {
	ID, Title string
	Table     string
	By        string // the figure, "" for that of the command line
	Limit     int    // unless the command line states one
}

// Views have so much of treemaps and of heat maps.
const (
	parts = 40
	rows  = 30
	// Depth is the number of levels of a treemap.
	Depth = 3
	// Parts is the number of parts of a treemap in all.
	Parts = 2000
	// Lines is the number of source lines of a view.
	Lines = 200
	// Files is the number of source files of a page.
	Files = 8
)

// Views returns the views of areas and heat maps of a kind of file.
func Views(k kind.Kind) (list []View) {
	tree := View{ID: "treemap", Title: "Treemap", Table: areas.TreemapTable, Limit: parts}
	switch k {
	case kind.Trace:
		for _, by := range []string{"live_bytes", "alloc_bytes"} {
			tree.By = by
			list = append(list, tree, View{"heat", "Heat map", areas.HeatTable, by, rows},
				View{"lifetimes-heat", "Lifetimes over time", areas.LifetimeTable, by, rows})
		}
	case kind.Heap:
		list = append(list, tree, View{"dominator-areas", "Dominators as areas", areas.DominatorTable, "", parts})
	case kind.Dump, kind.Stacks:
		list = append(list, tree)
	}
	return list
}
