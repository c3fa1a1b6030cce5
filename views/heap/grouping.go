package heap

import (
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// grouping is the key of the rows of a table of groups: a set of the schema, by its types or frames, or by another
// axis.
type grouping struct{ set, axis int }

// groupings lists what a table of types can be grouped by: the objects by each axis, then the other sets of types.
func groupings(s *model.HeapSchema) (list []grouping) {
	for axis := range s.Axes {
		list = append(list, grouping{0, axis})
	}
	for set := range s.Sets {
		if set > 0 && s.Sets[set].Naming == model.NamedByType {
			list = append(list, grouping{set, 0})
		}
	}
	return list
}

// frameGrouping returns the frames of a schema; the schema has some where their screen is offered.
func frameGrouping(s *model.HeapSchema) grouping {
	for set := range s.Sets {
		if s.Sets[set].Naming == model.NamedByFrame {
			return grouping{set, 0}
		}
	}
	return grouping{}
}

// by returns the question that the grouping asks.
func (g grouping) by(s *model.HeapSchema) heapgraph.By {
	return heapgraph.By{Kinds: s.Sets[g.set].Kinds, Axis: g.axis}
}

// words returns the words for one group, many groups, and their members.
func (g grouping) words(s *model.HeapSchema) (one, many, in string) {
	set, axis := &s.Sets[g.set], &s.Axes[g.axis]
	if set.Naming == model.NamedByFrame {
		return set.One, set.Many, set.Many + " on the heap"
	}
	return axis.One, axis.Many, set.Many
}

// name returns the name of a group as tables show it.
func (g grouping) name(s *model.HeapSchema, name string) string {
	if g.axis == 0 {
		return ui.HeapName(name)
	}
	return s.Axes[g.axis].Text(name)
}

// cut returns how names of groups that have no room are cut: those of types and superclasses lose their packages.
func (g grouping) cut(s *model.HeapSchema) widget.Cut {
	if g.axis > 0 && s.Axes[g.axis].ByRow || s.Sets[g.set].Naming == model.NamedByFrame {
		return widget.CutMiddle
	}
	return widget.CutPackage
}

// title returns what the groups are, with a capital letter.
func (g grouping) title(s *model.HeapSchema) string {
	if g.set == 0 {
		return model.Capital(s.Axes[g.axis].Many)
	}
	return model.Capital(s.Sets[g.set].Many)
}

// about returns what distinguishes the grouping from the first one, for which it is "".
func (g grouping) about(s *model.HeapSchema) string {
	switch {
	case g.axis > 0:
		return "by " + s.Axes[g.axis].One
	case g.set > 0 && s.Sets[g.set].Naming == model.NamedByType:
		return s.Sets[g.set].Many
	}
	return ""
}

// schemaOf returns the schema of the file's snapshots.
func schemaOf(s *state.State) *model.HeapSchema {
	if h := s.Heaps(); h != nil {
		return h.Schema()
	}
	return &noSchema
}

// noSchema is the schema before anything is read.
var noSchema = model.HeapSchema{
	Sets:     []model.HeapSet{{Key: "objects", One: "object", Many: "objects", Naming: model.NamedByType}},
	Axes:     []model.HeapAxis{{Key: "type", One: "type", Many: "types", Word: "type"}},
	Edges:    []model.HeapEdgeInfo{{Name: "reference"}},
	Policies: []model.HeapPolicy{{Name: "all"}},
}

// secondTitle returns the title of the column of what distinguishes types of one name, "" where nothing does.
func secondTitle(s *model.HeapSchema) string {
	if axis := s.Distinct(); axis > 0 {
		return strings.ToUpper(s.Axes[axis].One)
	}
	return ""
}
