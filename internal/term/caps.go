package term

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
)

// Caps is what a terminal can show, for choosing themes and glyphs once.
type Caps struct {
	Unicode   bool // box lines, blocks, braille; otherwise ASCII replaces them
	Colors    int  // 0 (attributes only), 8, 16, 88, 256 or 1<<24
	TrueColor bool // Colors == 1<<24
	Clipboard bool // Copy may work
	Tmux      bool // in between: it accepts a copy only if its user allows that
}

// Color is whether colors are used.
type Color uint8

// The choices of a --color flag.
const (
	ColorAuto   Color = iota // depending on NO_COLOR and TERM
	ColorNever               // attributes only
	ColorAlways              // even with NO_COLOR set
)

// describe looks up TERM. An unknown terminal is treated as an xterm, which nearly all newer ones imitate; the hint
// says so. The description is a copy.
func describe(name string) (ti terminfo.Terminfo, hint string, err error) {
	switch name {
	case "":
		return ti, "", fmt.Errorf("%w: TERM is not set", ErrUnusable)
	case "dumb":
		return ti, "", fmt.Errorf("%w: TERM is %q, which has no cursor movement", ErrUnusable, name)
	}
	found, err := tcell.LookupTerminfo(name)
	if err != nil {
		const instead = "xterm-256color"
		hint = fmt.Sprintf("the terminal type %q is unknown here; used %s instead", printable(name), instead)
		if found, err = tcell.LookupTerminfo(instead); err != nil {
			return ti, "", fmt.Errorf("%w: %w", ErrUnusable, err)
		}
	}
	if found.SetCursor == "" {
		return ti, "", fmt.Errorf("%w: TERM is %q, which has no cursor movement", ErrUnusable, name)
	}
	ti = trim(*found)
	if hint != "" {
		ti.Name = name // of which nothing else is known
	}
	return ti, hint, nil
}

// trim removes what costs bytes with every change of style and has no effect: selecting the character set again on
// terminals in UTF-8 mode.
func trim(ti terminfo.Terminfo) terminfo.Terminfo {
	if xtermLike(&ti) && ti.AttrOff == "\x1b(B\x1b[m" {
		ti.AttrOff = "\x1b[m"
	}
	return ti
}

// xtermLike decides like tcell.
func xtermLike(ti *terminfo.Terminfo) bool {
	return ti.XTermLike || strings.HasPrefix(ti.Name, "xterm")
}

// capsOf returns the caps of an initialized screen.
func capsOf(s tcell.Screen, ti *terminfo.Terminfo, o Options) Caps {
	c := Caps{Colors: s.Colors(), Clipboard: clipboard(ti, o.Getenv), Tmux: o.Getenv("TMUX") != ""}
	if o.Color == ColorNever {
		c.Colors = 0
	}
	c.TrueColor = c.Colors >= 1<<24
	c.Unicode = !o.ASCII && showsUnicode(s.CharacterSet())
	return c
}

// clipboard reports whether the terminal is known to support OSC 52: those that tcell knows, foot, and tmux, which
// supports it under any name. GNU screen drops it.
func clipboard(ti *terminfo.Terminfo, getenv func(string) string) bool {
	if getenv("STY") != "" && getenv("TMUX") == "" {
		return false
	}
	return xtermLike(ti) || strings.HasPrefix(ti.Name, "foot") || getenv("TMUX") != ""
}

// charsetFor returns nil for a terminal that shows Unicode. With Options.ASCII it draws no lines either.
func charsetFor(c Caps, ti *terminfo.Terminfo, o Options) *charset {
	switch {
	case c.Unicode:
		return nil
	case o.ASCII:
		return newCharset("")
	}
	return newCharset(ti.AltChars)
}
