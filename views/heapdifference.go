package views

import "github.com/memtui/memtui/keymap"

// heapDifference is the comparison of two snapshots in place of the screen that lists one.
type heapDifference struct {
	*heapComparison
	of screen
}

func newHeapDifference(e *env, of screen, by compareBy) *heapDifference {
	p := &heapDifference{newHeapComparison(e), of}
	p.by = by
	return p
}

func (p *heapDifference) name() string          { return p.of.name() }
func (p *heapDifference) action() keymap.Action { return p.of.action() }

func (p *heapDifference) about() string {
	if p.objects.open {
		return "objects"
	}
	return "difference"
}
