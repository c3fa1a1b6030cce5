package memtest

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/themes"
)

// How [RoleTheme] encodes the part of a style that a color is for: in the highest byte of RGB; the number of the role
// is in the lowest one.
const (
	roleFg = iota + 1
	roleBg
	heatOf
	flameOf
)

// grounds are the roles with a background of their own; the others have that of text.
var grounds = []themes.Role{
	themes.Text, themes.StatusBar, themes.Badge, themes.Selection, themes.Unfocused, themes.Cursor, themes.RangeMark,
	themes.Match, themes.FlameSelected, themes.FlameRest, themes.Input, themes.Popup,
}

// RoleTheme returns a theme in which every role has a style of its own, without attributes, so that [RoleName] can
// identify roles by styles. It is independent of real themes.
func RoleTheme() (*themes.Theme, error) {
	color := func(kind, n int) string { return fmt.Sprintf("#%02x00%02x", kind, n) }
	var lines []themes.Line
	for r := range themes.RoleCount {
		lines = append(lines, themes.Line{Key: r.String(), Value: color(roleFg, int(r))})
	}
	for _, r := range grounds {
		lines[r].Value += " on " + color(roleBg, int(r))
	}
	list := func(kind, n int) string {
		var all []string
		for i := range n {
			all = append(all, color(kind, i)+" on "+color(kind, i))
		}
		return strings.Join(all, ", ")
	}
	lines = append(lines, themes.Line{Key: "heat", Value: list(heatOf, 6)}, themes.Line{Key: "flame", Value: list(flameOf, 8)})
	return themes.Load("roles", lines)
}

// RoleName describes a style of [RoleTheme] by roles: "muted", or "gain on selection" for the foreground of one on the
// background of another, followed by attributes that the screen added. Plain text is "".
func RoleName(style tcell.Style) string {
	fg, bg, attrs := style.Decompose()
	front, back := partName(fg), partName(bg)
	name := front
	if back != front && back != themes.Text.String() {
		name += " on " + back
	}
	if name += attrNames(attrs); name == themes.Text.String() {
		return ""
	}
	return name
}

// partName returns the role of one color.
func partName(c tcell.Color) string {
	kind, n := c.Hex()>>16, c.Hex()&0xff
	switch {
	case c == tcell.ColorDefault:
		return "default"
	case kind == roleFg || kind == roleBg:
		return themes.Role(n).String()
	case kind == heatOf:
		return fmt.Sprint("heat ", n)
	case kind == flameOf:
		return fmt.Sprint("flame ", n)
	}
	return colorName(c)
}
