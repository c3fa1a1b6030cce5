package heap

import (
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/ui"
)

// heapDifference is the comparison of two snapshots in place of the screen that lists one.
type heapDifference struct {
	*heapComparison
	of ui.Screen
}

// NewDifference returns the comparison of snapshots that stands for the screen of.
func NewDifference(e *ui.Env, of ui.Screen, by compareBy) *heapDifference {
	p := &heapDifference{NewComparison(e), of}
	p.by = by
	return p
}

func (p *heapDifference) Name() string { return p.of.Name() }

func (p *heapDifference) Action() keymap.Action { return p.of.Action() }

func (p *heapDifference) About() string {
	if p.objects.open {
		return "objects"
	}
	return "difference"
}
