package views

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// chipList lists the filters, to remove any of them.
type chipList struct {
	app  *app
	list widget.List
}

func newChipList(a *app) *chipList {
	v := &chipList{app: a}
	v.list = widget.List{
		Table: v, SortColumn: -1, Column: -1, HideHeader: true, Focused: true, Columns: []widget.Column{{Width: 20, Grow: 1}},
		Empty: []string{"No filters left.", a.Hint("{undo} restores the last one.")},
	}
	return v
}

// Len, ID and Cell implement widget.Table.
func (v *chipList) Len() int { return len(v.app.chips()) }

func (v *chipList) ID(row int) uint64 { return uint64(row) }

func (v *chipList) Cell(row, _ int) widget.Cell {
	return widget.Cell{Text: v.app.chips()[row].text, Style: v.app.Look.InBox().Text}
}

func (v *chipList) Title() string { return "Filters" }

func (v *chipList) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeFilters} }

func (v *chipList) Key(*tcell.EventKey) bool { return false }

func (v *chipList) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	in := ui.OverlayBox(s, r, 80, max(v.Len()+4, 6), k, v.Title())
	list, hint := in.CutBottom(1)
	v.list.Refresh()
	v.list.Draw(s, list, k.InBox())
	widget.Print(s, hint.X, hint.Y, hint.W, v.app.Hint("{open} removes the selected filter, {undo} undoes, {redo} redoes, {back} closes"), k.InBox().Muted)
}

func (v *chipList) Do(a keymap.Action) bool {
	switch a {
	case keymap.Open, keymap.Exclude:
		if row, ok := v.list.Selected(); ok && row < v.Len() {
			v.app.emit(v.app.chips()[row].drop)
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
func (v *chipList) CopyText() string {
	if row, ok := v.list.Selected(); ok && row < v.Len() {
		return widget.Clean(v.app.chips()[row].text)
	}
	return ""
}
