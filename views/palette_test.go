package views

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// Completing never eats what was typed: for every command and every part of what it can be given, the line goes on from
// the input.
func TestCompletingKeepsTheInput(t *testing.T) {
	modeltest.Plain(t)
	for _, file := range walked {
		u := file.open(t, 120, 40)
		u.sim.Do(func() {
			p := newPalette(u.app)
			lengthened := 0
			for _, line := range completable(u.app) {
				p.input.SetText(line)
				p.narrow()
				p.complete()
				got := p.input.Text()
				if len(got) < len(line) || !strings.EqualFold(got[:len(line)], line) {
					t.Errorf("%s: %q is completed to %q", file.name, line, got)
				}
				if got != line {
					lengthened++
				}
			}
			if lengthened < 20 {
				t.Errorf("%s: %d lines are completed", file.name, lengthened)
			}
		})
	}
}

// completable returns lines that begin like a command's candidates, and lines that only parts of them contain.
func completable(a *app) (lines []string) {
	for _, c := range commands() {
		lines = append(lines, c.name, c.name[:1], c.name[len(c.name)/2:], c.name+" ", c.name+" /no/such/folder/x")
		words := []string{"~/x", "./", "tes", "go"}
		if c.values != nil {
			words = append(words, c.values(a)...)
		}
		if s := a.state.Stacks(); s != nil && c.argument == functionArgument {
			names, _ := calltree.Names(a.Ctx, s, "e", 40)
			words = append(words, names...)
		}
		for _, w := range words {
			if w = strings.TrimSpace(w); w == "" || strings.ContainsAny(w, " \t\n") || !ascii(w) {
				continue
			}
			for _, part := range []string{w, w[:1], w[:(len(w)+1)/2], w[1:], w[len(w)/2:], strings.ToUpper(w)} {
				lines = append(lines, c.name+" "+part)
				if c.flag != "" {
					lines = append(lines, c.flag+" "+part)
				}
			}
		}
	}
	return lines
}

// A name that merely contains the input is offered, and taken only when it is chosen; names that begin with it are
// completed as far as they agree.
func TestContainedNamesAreChosen(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"f", "o", "c", "u", "s", " ", "s", "e", "s", "s", "Tab"}, "focus sess"},
		{[]string{"f", "o", "c", "u", "s", " ", "s", "e", "s", "s", "Down", "Tab"}, "focus close_session"},
		{[]string{"f", "o", "c", "u", "s", " ", "c", "l", "o", "s", "Tab"}, "focus close_session"},
		{[]string{"h", "i", "d", "e", " ", "C", "L", "O", "s", "Tab"}, "hide close_session"},
		{[]string{"c", "u", "s", "Tab"}, "cus"},
		{[]string{"c", "u", "s", "Enter"}, "cus"},
		{[]string{"f", "o", "c", "Tab"}, "focus "},
		{[]string{"a", "Tab"}, "a"},
		{[]string{"b", "y", " ", "l", "e", "Tab"}, "by leaked"},
		{[]string{"t", "h", "e", "m", "e", " ", "g", "h", "t", "Enter"}, "theme ght"},
		{[]string{"t", "h", "e", "m", "e", " ", "g", "h", "t", "Down", "Up", "Tab"}, "theme light"},
		{[]string{"s", "a", "v", "e", " ", "/", "n", "o", "/", "x", "Tab"}, "save /no/x"},
	} {
		u := openKvleak(t, 120, 40, colorCaps).keys(":").keys(c.keys...)
		var got string
		u.sim.Do(func() {
			if p, ok := u.app.overlays[len(u.app.overlays)-1].(*palette); ok {
				got = p.input.Text()
			}
		})
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.keys, got, c.want)
		}
	}
	openKvleak(t, 120, 40, colorCaps).keys(":", "g", "h", "t", "Tab").has("none begins with this")
	openKvleak(t, 120, 40, colorCaps).keys(":", "t", "h", "e", "m", "e", " ", "g", "h", "t", "Down", "Enter").has("Overview")
}

// ascii reports whether a text can be cut anywhere.
func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}
