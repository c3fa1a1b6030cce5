package themes

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2"
)

// Line is one `key = value` line. It is an alias, so that the lines of a config file can be used unchanged without
// importing the package that read them.
type Line = struct {
	Number int // in its file, from 1
	Key    string
	Value  string
}

// Load builds a user theme from the lines of its section:
//
//	base = light                    the theme it is based on; default dark
//	text = #eeeeee on 234           a role: [color] [on color] [attributes]
//	warning = bright-yellow bold
//	flame = 16 on 173, 16 on 179    styles of flame graph cells, at least six
//	heat = 52, 88, 124, 160, 196    from least to most, at least two
//
// A color is default, #rrggbb, #rgb, a number 0 … 255, or the name of one of the 16 colors of terminals. Attributes are
// bold, dim, italic, underline, reverse, and normal for none. A role without a color has that of text, and changes with
// it. Every error names its line.
func Load(name string, lines []Line) (*Theme, error) {
	base, err := baseOf(lines)
	if err != nil {
		return nil, err
	}
	specs := base.clone()
	var errs []error
	for _, l := range lines {
		if err := specs.set(l.Key, l.Value); err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", l.Number, err))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return specs.resolve(name), nil
}

func baseOf(lines []Line) (table, error) {
	name, number := Names()[0], 0
	for _, l := range lines {
		if l.Key == "base" {
			name, number = l.Value, l.Number
		}
	}
	t, err := Get(name)
	if err != nil {
		return table{}, fmt.Errorf("line %d: %w", number, err)
	}
	return t.specs, nil
}

// spec is a style as written: colors may be left open.
type spec struct {
	fg, bg       tcell.Color
	hasFg, hasBg bool
	attrs        attrs
}

// attrs is a set of attributes.
type attrs uint8

const (
	bold attrs = 1 << iota
	dim
	italic
	underline
	reverse
)

// style renders a spec without open colors.
func (s spec) style() tcell.Style {
	return tcell.StyleDefault.Foreground(s.fg).Background(s.bg).Bold(s.attrs&bold != 0).Dim(s.attrs&dim != 0).
		Italic(s.attrs&italic != 0).Underline(s.attrs&underline != 0).Reverse(s.attrs&reverse != 0)
}

// on fills open colors with the colors of text.
func (s spec) on(text spec) spec {
	if !s.hasFg {
		s.fg = text.fg
	}
	if !s.hasBg {
		s.bg = text.bg
	}
	return s
}

// needs returns how many colors a terminal must have to show s.
func (s spec) needs() int { return max(needs(s.fg), needs(s.bg)) }

// table is a theme as written.
type table struct {
	roles       [RoleCount]spec
	isSet       [RoleCount]bool
	flame, heat []spec
}

func (t table) clone() *table { return &t } // lists are only ever replaced

func (t *table) set(key, value string) error {
	switch key {
	case "base":
		return nil
	case "flame":
		return parseList(&t.flame, value, 6)
	case "heat":
		return parseList(&t.heat, value, 2)
	}
	role, ok := roleNamed(key)
	if !ok {
		return fmt.Errorf("unknown theme role %q", key)
	}
	s, err := parseSpec(value)
	if err != nil {
		return err
	}
	t.roles[role], t.isSet[role] = s, true
	return nil
}

func parseList(list *[]spec, value string, least int) error {
	var specs []spec
	for part := range strings.SplitSeq(value, ",") {
		s, err := parseSpec(part)
		if err != nil {
			return err
		}
		specs = append(specs, s)
	}
	if len(specs) < least {
		return fmt.Errorf("%d styles, at least %d are needed", len(specs), least)
	}
	*list = specs
	return nil
}

// resolve builds the styles.
func (t *table) resolve(name string) *Theme {
	theme := &Theme{name: name, specs: *t}
	text := t.roles[Text]
	for r, s := range t.roles {
		s = s.on(text)
		theme.parts[r], theme.styles[r] = s, s.style()
		theme.colors = max(theme.colors, s.needs())
	}
	for _, s := range t.flame {
		theme.flame = append(theme.flame, s.on(text).style())
		theme.colors = max(theme.colors, s.on(text).needs())
	}
	for _, s := range t.heat {
		theme.heat = append(theme.heat, s.on(text).style())
		theme.colors = max(theme.colors, s.on(text).needs())
	}
	return theme
}

// needs returns how many colors a terminal must have to show c.
func needs(c tcell.Color) int {
	switch {
	case c == tcell.ColorDefault:
		return 0
	case c < tcell.PaletteColor(8):
		return 8
	case c < tcell.PaletteColor(16):
		return 16
	}
	return 256
}

func parseSpec(text string) (spec, error) {
	var s spec
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		if a, ok := attribute(words[i]); ok {
			s.attrs |= a
			continue
		}
		if words[i] == "on" && i+1 < len(words) && !s.hasBg {
			i++
			c, err := parseColor(words[i])
			if err != nil {
				return spec{}, err
			}
			s.bg, s.hasBg = c, true
			continue
		}
		c, err := parseColor(words[i])
		if err != nil {
			return spec{}, err
		}
		if s.hasFg {
			return spec{}, fmt.Errorf("%q: a second color; write on before a background", words[i])
		}
		s.fg, s.hasFg = c, true
	}
	if len(words) == 0 {
		return spec{}, errors.New("a style is missing")
	}
	return s, nil
}

func attribute(word string) (a attrs, ok bool) {
	switch word {
	case "bold":
		a = bold
	case "dim":
		a = dim
	case "italic":
		a = italic
	case "underline":
		a = underline
	case "reverse":
		a = reverse
	case "normal":
	default:
		return 0, false
	}
	return a, true
}

func parseColor(word string) (tcell.Color, error) {
	if word == "default" {
		return tcell.ColorDefault, nil
	}
	if hex, ok := strings.CutPrefix(word, "#"); ok {
		if len(hex) == 3 {
			hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
		}
		if n, err := strconv.ParseUint(hex, 16, 24); err == nil && len(hex) == 6 {
			return tcell.NewHexColor(int32(n)), nil
		}
	} else if n, err := strconv.ParseUint(word, 10, 8); err == nil {
		return tcell.PaletteColor(int(n)), nil
	}
	names := [...]string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
	bright, isBright := strings.CutPrefix(word, "bright-")
	for i, name := range names {
		if isBright {
			i += len(names)
		}
		if name == bright {
			return tcell.PaletteColor(i), nil
		}
	}
	return 0, fmt.Errorf("%q is neither a color nor an attribute", word)
}
