package heap

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// objectsPane is a table that can list the rows of one of its groups in its place.
type objectsPane struct {
	ui.TablePane
	objects *objects
	lists   ui.Filtered // the table itself
}

func newObjectsPane(e *ui.Env) objectsPane {
	return objectsPane{TablePane: ui.NewTablePane(e), objects: newObjects(e)}
}

// Fields implements [ui.Filtered].
func (p *objectsPane) Fields() []analysis.Field {
	if p.objects.open {
		return p.objects.fields()
	}
	return p.lists.Fields()
}

// FocusedList implements [ui.Lister].
func (p *objectsPane) FocusedList() *widget.List {
	if p.objects.open {
		return p.objects.FocusedList()
	}
	return p.TablePane.FocusedList()
}

// Sorting implements [ui.Sorting].
func (p *objectsPane) Sorting() (title, key string, usual bool) {
	if p.objects.open {
		return p.objects.Sorting()
	}
	if t, ok := p.FocusedList().Table.(ui.Sorting); ok {
		return t.Sorting()
	}
	return "", "", true
}

// Searches implements [ui.Explainer].
func (p *objectsPane) Searches() string {
	if p.objects.open {
		return searches(p.State.Heaps())
	}
	return ""
}

// SearchText and Search implement [ui.Searcher]: the rows of one have a filter of their own, as long as they are
// listed.
func (p *objectsPane) SearchText() string {
	if p.objects.open {
		return p.objects.filter
	}
	return p.State.Filter
}

func (p *objectsPane) Search(text string) {
	if !p.objects.open {
		p.Emit(state.SetFilter{Text: text})
		return
	}
	p.objects.filter = text
	p.Changed()
}

func (p *objectsPane) Click(x, y int, double bool) {
	if p.objects.open {
		p.objects.Click(x, y, double)
		return
	}
	p.TablePane.Click(x, y, double)
}

func (p *objectsPane) Wheel(x, y, rows int) {
	if p.objects.open {
		p.objects.Wheel(x, y, rows)
		return
	}
	p.TablePane.Wheel(x, y, rows)
}
