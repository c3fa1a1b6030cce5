package themes

import (
	"fmt"
	"math"
	"slices"

	"github.com/gdamore/tcell/v2"
)

// Theme has a style for every role. It never changes: any goroutine may use it.
type Theme struct {
	name   string
	styles [RoleCount]tcell.Style
	parts  [RoleCount]spec // the parts of styles
	flame  []tcell.Style   // at least one
	heat   []tcell.Style   // at least one, from least to most
	specs  table           // the specs of the styles, for themes based on this one
	colors int             // how many colors the terminal must have: 0, 8, 16 or 256
}

// Name returns the theme's name in flags and config files.
func (t *Theme) Name() string { return t.name }

// Style returns the complete style of a role, background included.
func (t *Theme) Style(r Role) tcell.Style { return t.styles[min(r, RoleCount-1)] }

// Over returns the foreground of one role on the background of another, with the attributes of both: a gain in the
// selected row, a curve within the range.
func (t *Theme) Over(r, on Role) tcell.Style {
	part, ground := t.parts[min(r, RoleCount-1)], t.parts[min(on, RoleCount-1)]
	part.bg = ground.bg
	part.attrs |= ground.attrs
	return part.style()
}

// Heat returns the style of a value between 0 (least) and 1 (most); values outside are clamped, NaN is 0.
func (t *Theme) Heat(v float64) tcell.Style {
	if math.IsNaN(v) {
		v = 0
	}
	n := len(t.heat)
	return t.heat[min(int(min(max(v, 0), 1)*float64(n)), n-1)]
}

// Flame returns the style of a flame graph's cell, by a hash of its name: a name has one style everywhere.
func (t *Theme) Flame(hash uint32) tcell.Style { return t.flame[hash%uint32(len(t.flame))] }

// Flames returns the styles that [Theme.Flame] chooses from. The caller must not change them.
func (t *Theme) Flames() []tcell.Style { return t.flame }

// Names returns the names of the built-in themes, the default first.
func Names() []string {
	var list []string
	for _, b := range builtins() {
		list = append(list, b.name)
	}
	return list
}

// current returns the current name of a built-in theme: users' files may still have a former spelling.
func current(name string) string {
	if name == "colour-blind" {
		return "color-blind"
	}
	return name
}

// Get returns a built-in theme.
func Get(name string) (*Theme, error) {
	for _, b := range builtins() {
		if b.name == current(name) {
			return b.theme()
		}
	}
	return nil, fmt.Errorf("unknown theme %q", name)
}

// Usable returns the themes that a terminal with so many colors can show, the default first, then the user's. With
// noColor (NO_COLOR) or without colors that is mono only; with fewer than 256 colors it is terminal16, mono, and the
// user themes that need no more colors. A user theme hides the built-in one of its name.
func Usable(colors int, noColor bool, user ...*Theme) []*Theme {
	if noColor {
		colors = 0
	}
	var list []*Theme
	for _, t := range all(user) {
		if t.colors <= colors {
			list = append(list, t)
		}
	}
	return list
}

func all(user []*Theme) []*Theme {
	var list []*Theme
	for _, b := range builtins() {
		hidden := b.name != plain && slices.ContainsFunc(user, func(t *Theme) bool { return t.name == b.name })
		if t, err := b.theme(); err == nil && !hidden {
			list = append(list, t)
		}
	}
	return append(list, user...)
}

// Pick returns the theme of that name if the terminal can show it, otherwise the best one that it can show. "" and
// "auto" mean the default. Unknown names are errors, whatever the terminal.
func Pick(name string, colors int, noColor bool, user ...*Theme) (*Theme, error) {
	if !slices.ContainsFunc(user, func(t *Theme) bool { return t.name == name }) {
		name = current(name)
	}
	named := func(t *Theme) bool { return t.name == name }
	usable := Usable(colors, noColor, user...)
	if i := slices.IndexFunc(usable, named); i >= 0 {
		return usable[i], nil
	}
	if name != "" && name != "auto" && !slices.ContainsFunc(all(user), named) {
		return nil, fmt.Errorf("unknown theme %q", name)
	}
	return usable[0], nil
}
