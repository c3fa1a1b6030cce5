package views

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// restrictionList lists the filters, to remove any of them.
type restrictionList struct {
	app  *app
	list widget.List
}

func newRestrictionList(a *app) *restrictionList {
	v := &restrictionList{app: a}
	v.list = widget.List{
		Table: v, SortColumn: -1, Column: -1, HideHeader: true, Focused: true, Columns: []widget.Column{{Width: 20, Grow: 1}},
		Empty: []string{"No filters left.", a.Hint("{undo} restores the last one.")},
	}
	return v
}

// Len, ID and Cell implement widget.Table.
func (v *restrictionList) Len() int { return len(v.app.restrictions()) }

func (v *restrictionList) ID(row int) uint64 { return uint64(row) }

func (v *restrictionList) Cell(row, _ int) widget.Cell {
	return widget.Cell{Text: v.app.restrictions()[row].text, Style: v.app.Look.InBox().Text}
}

func (v *restrictionList) Title() string { return "Filters" }

func (v *restrictionList) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeFilters} }

func (v *restrictionList) Key(*tcell.EventKey) bool { return false }

func (v *restrictionList) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	in := ui.OverlayBox(s, r, 80, max(v.Len()+4, 6), k, v.Title())
	list, hint := in.CutBottom(1)
	v.list.Refresh()
	v.list.Draw(s, list, k.InBox())
	widget.Print(s, hint.X, hint.Y, hint.W, v.app.Hint("{open} removes the selected filter, {undo} undoes, {redo} redoes, {back} closes"), k.InBox().Muted)
}

func (v *restrictionList) Do(a keymap.Action) bool {
	switch a {
	case keymap.Open, keymap.Exclude:
		if row, ok := v.list.Selected(); ok && row < v.Len() {
			v.app.emit(v.app.restrictions()[row].drop)
		}
	case keymap.Undo, keymap.Redo:
		v.app.doFilters(a)
	case keymap.Filters:
		return false
	default:
		return ui.MoveList(&v.list, a)
	}
	return true
}

// CopyText implements copier.
func (v *restrictionList) CopyText() string {
	if row, ok := v.list.Selected(); ok && row < v.Len() {
		return widget.Clean(v.app.restrictions()[row].text)
	}
	return ""
}
