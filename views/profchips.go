package views

import (
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/widget"
)

// Filters of stacks are kept as text, so that a state can be compared: a line each, its first letter says which one it is.
const (
	chipFocus  = '+' // only stacks with the function
	chipIgnore = '-' // no stacks with the function
)

type (
	addChip struct {
		kind byte
		name string
	}
	dropChip struct{} // the last one
)

func (i addChip) apply(s State) State {
	chip := string(i.kind) + strings.ReplaceAll(i.name, "\n", " ")
	for _, old := range chips(s.Prof.Chips) {
		if old == chip {
			return s
		}
	}
	if s.Prof.Chips != "" {
		chip = s.Prof.Chips + "\n" + chip
	}
	s.Prof.Chips = chip
	return s
}

func (dropChip) apply(s State) State {
	s.Prof.Chips = s.Prof.Chips[:max(strings.LastIndexByte(s.Prof.Chips, '\n'), 0)]
	return s
}

func chips(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// chipsText says in words what stacks are filtered by.
func chipsText(text string) string {
	var parts []string
	for _, c := range chips(text) {
		word := "only "
		if c[0] == chipIgnore {
			word = "without "
		}
		parts = append(parts, word+widget.Truncate(widget.Clean(widget.WithoutSignature(widget.ShortenTemplates(c[1:]))), 24))
	}
	return strings.Join(parts, ", ")
}

// kept tells which records pass all filters, nil for all of them.
func (d *profFile) kept(text string) (keep []bool) {
	for _, c := range chips(text) {
		through := analysis.StacksThrough(d.weights, d.profile.Stacks, map[string]bool{c[1:]: true})
		if keep == nil {
			keep = make([]bool, len(through))
			for r := range keep {
				keep[r] = true
			}
		}
		for r := range keep {
			keep[r] = keep[r] && through[r] == (c[0] == chipFocus)
		}
	}
	return keep
}

// setChip filters by a function; Esc takes that back, and so does the way back.
func (e *env) setChip(a keymap.Action, here keymap.Action, function string) {
	if function == "" {
		e.say("nothing is selected that has a function's name")
		return
	}
	kind := byte(chipFocus)
	if a == keymap.Exclude {
		kind = chipIgnore
	}
	e.visit(here, addChip{kind, function})
	e.say(chipsText(string(kind)+strings.ReplaceAll(function, "\n", " ")) + ": Esc takes it back")
}

// chip filters by the selected function.
func (p *stacks) chip(a keymap.Action) bool {
	if p.prof == nil {
		return false
	}
	name := ""
	if n := p.selected(); n > 0 {
		f, _ := p.now.frame(n)
		name = f.Function
	}
	p.setChip(a, keymap.ShowStacks, name)
	return true
}

// chip filters by the function of the selected row.
func (p *profFunctions) chip(a keymap.Action) {
	name := ""
	if row, ok := p.list.Selected(); ok && row < len(p.rows) {
		r := &p.now.rows[p.rows[row]]
		if p.now.by == analysis.ByFunctionDSO || p.now.by == analysis.BySourceLine && r.Name != "" {
			name = p.function(r.Frame)
		}
	}
	p.setChip(a, keymap.ShowFunctions, name)
}
