package term

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
)

// Caps tells what a terminal can show, so that themes and glyphs can be chosen
// once.
type Caps struct {
	Unicode   bool // box lines, blocks, braille; else ASCII takes their place
	Colors    int  // 0 (attributes only), 8, 16, 88, 256 or 1<<24
	TrueColor bool // Colors == 1<<24
	Clipboard bool // Copy has a chance
	Tmux      bool // between: it takes what is copied only where its user allows that
}

// Color says whether colors are used.
type Color uint8

// The choices of a --color flag.
const (
	ColorAuto   Color = iota // as NO_COLOR and TERM say
	ColorNever               // attributes only
	ColorAlways              // even with NO_COLOR set
)

// describe looks TERM up. An unknown terminal is taken for an xterm, because
// that is what nearly all newer ones imitate; the hint says so. The description
// is a copy.
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
	return trim(*found), hint, nil
}

// trim leaves out what costs bytes with every change of style and does nothing:
// selecting the character set again on terminals that are driven in UTF-8.
func trim(ti terminfo.Terminfo) terminfo.Terminfo {
	if xtermLike(&ti) && ti.AttrOff == "\x1b(B\x1b[m" {
		ti.AttrOff = "\x1b[m"
	}
	return ti
}

// xtermLike decides as tcell does.
func xtermLike(ti *terminfo.Terminfo) bool {
	return ti.XTermLike || strings.HasPrefix(ti.Name, "xterm")
}

// capsOf asks an initialized screen.
func capsOf(s tcell.Screen, ti *terminfo.Terminfo, o Options) Caps {
	c := Caps{Colors: s.Colors(), Clipboard: clipboard(ti, o.Getenv), Tmux: o.Getenv("TMUX") != ""}
	if o.Color == ColorNever {
		c.Colors = 0
	}
	c.TrueColor = c.Colors >= 1<<24
	c.Unicode = !o.ASCII && showsUnicode(s.CharacterSet())
	return c
}

// clipboard tells terminals that are known to take OSC 52: those that tcell
// knows, foot, and whatever runs inside tmux, which takes it under any name. GNU
// screen drops it.
func clipboard(ti *terminfo.Terminfo, getenv func(string) string) bool {
	if getenv("STY") != "" && getenv("TMUX") == "" {
		return false
	}
	return xtermLike(ti) || strings.HasPrefix(ti.Name, "foot") || getenv("TMUX") != ""
}

// charsetFor returns nil for a terminal that shows Unicode. Asked for ASCII we
// draw no lines either.
func charsetFor(c Caps, ti *terminfo.Terminfo, o Options) *charset {
	switch {
	case c.Unicode:
		return nil
	case o.ASCII:
		return newCharset("")
	}
	return newCharset(ti.AltChars)
}
