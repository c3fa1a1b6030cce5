package heap

import (
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/ui"
)

// difference is the comparison of two snapshots in place of the screen that lists one.
type difference struct {
	*comparison
	of ui.Screen
}

// newDifference returns the comparison of snapshots that replaces a screen.
func newDifference(e *ui.Env, of ui.Screen, by compareBy) *difference {
	p := &difference{NewComparison(e), of}
	p.by = by
	return p
}

func (p *difference) Name() string { return p.of.Name() }

func (p *difference) Action() keymap.Action { return p.of.Action() }

func (p *difference) About() string {
	if p.objects.open {
		return "objects"
	}
	return "difference"
}

// Difference implements [ui.Differing].
func (p *Groups) Difference(func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	if p.Frames {
		return newDifference(p.Env, p, CompareFrames)
	}
	return newDifference(p.Env, p, CompareTypes)
}

// Difference implements [ui.Differing].
func (p *Dominators) Difference(func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return newDifference(p.Env, p, CompareSubtrees)
}
