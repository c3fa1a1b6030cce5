package widget

import (
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

// InputResult is the effect of a key on an [Input].
type InputResult uint8

const (
	InputIgnored  InputResult = iota // the key means nothing here
	InputMoved                       // at most the cursor
	InputChanged                     // the text
	InputAccepted                    // Enter
	InputCanceled                    // Esc, Ctrl-C, or Backspace in an empty line
)

// maxInput is the maximum number of bytes of a line; further input is ignored.
const maxInput = 64 << 10

// Input is a one-line edit field with the keys of a shell's line editor. The zero value is an empty line.
type Input struct {
	Prompt  string
	Hint    string   // shown muted while the line is empty
	Beside  bool     // the hint stays next to a text if both fit
	Problem string   // shown at the right, for an invalid text
	History []string // oldest first; Up and Down walk through it

	text   string
	cursor int // byte offset, between two characters

	back  int    // how many entries back in History
	draft string // the line before walking through History
}

// Text returns what the line holds, without line breaks.
func (in *Input) Text() string { return in.text }

// SetText replaces the line and puts the cursor at its end. Line breaks and tabs become spaces.
func (in *Input) SetText(text string) {
	in.replace(oneLine(text))
	in.back = 0
}

func (in *Input) replace(text string) { in.text, in.cursor = text, len(text) }

// Paste inserts text at the cursor; line breaks and tabs become spaces.
func (in *Input) Paste(text string) { in.insert(oneLine(text)) }

func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\r', '\t':
			return ' '
		}
		return r
	}, strings.TrimRight(text, "\r\n"))
	return Clean(text)
}

func (in *Input) insert(text string) {
	if len(in.text)+len(text) > maxInput {
		return
	}
	in.text = in.text[:in.cursor] + text + in.text[in.cursor:]
	in.cursor += len(text)
}

// Remember appends the line to History, unless it is empty or the newest entry already.
func (in *Input) Remember() {
	n := len(in.History)
	if in.text != "" && (n == 0 || in.History[n-1] != in.text) {
		in.History = append(in.History, in.text)
	}
	in.back = 0
}

// Key edits the line.
func (in *Input) Key(ev *tcell.EventKey) InputResult {
	switch ev.Key() {
	case tcell.KeyEnter:
		return InputAccepted
	case tcell.KeyEscape, tcell.KeyCtrlC:
		return InputCanceled
	case tcell.KeyRune:
		return in.runeKey(ev.Rune(), ev.Modifiers())
	case tcell.KeyUp, tcell.KeyCtrlP:
		return in.historyStep(1)
	case tcell.KeyDown, tcell.KeyCtrlN:
		return in.historyStep(-1)
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		if in.text == "" {
			return InputCanceled
		}
	}
	if in.moveKey(ev) {
		return InputMoved
	}
	return in.deleteKey(ev)
}

func (in *Input) runeKey(r rune, mod tcell.ModMask) InputResult {
	if mod&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) == 0 {
		in.insert(Clean(string(r)))
		return InputChanged
	}
	switch {
	case mod != tcell.ModAlt:
		return InputIgnored
	case r == 'b':
		in.cursor = in.wordLeft()
		return InputMoved
	case r == 'f':
		in.cursor = in.wordRight()
		return InputMoved
	case r == 'd':
		return in.delete(in.cursor, in.wordRight())
	}
	return InputIgnored
}

func (in *Input) moveKey(ev *tcell.EventKey) bool {
	word := ev.Modifiers()&(tcell.ModCtrl|tcell.ModAlt) != 0
	switch ev.Key() {
	case tcell.KeyLeft:
		in.cursor = in.left()
		if word {
			in.cursor = in.wordLeft()
		}
	case tcell.KeyRight:
		in.cursor = in.right()
		if word {
			in.cursor = in.wordRight()
		}
	case tcell.KeyHome, tcell.KeyCtrlA:
		in.cursor = 0
	case tcell.KeyEnd, tcell.KeyCtrlE:
		in.cursor = len(in.text)
	case tcell.KeyCtrlB:
		in.cursor = in.left()
	case tcell.KeyCtrlF:
		in.cursor = in.right()
	default:
		return false
	}
	return true
}

func (in *Input) deleteKey(ev *tcell.EventKey) InputResult {
	switch ev.Key() {
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		if ev.Modifiers()&(tcell.ModAlt|tcell.ModCtrl) != 0 {
			return in.delete(in.wordLeft(), in.cursor)
		}
		return in.delete(in.left(), in.cursor)
	case tcell.KeyDelete, tcell.KeyCtrlD:
		return in.delete(in.cursor, in.right())
	case tcell.KeyCtrlW:
		return in.delete(in.wordLeft(), in.cursor)
	case tcell.KeyCtrlU:
		return in.delete(0, in.cursor)
	case tcell.KeyCtrlK:
		return in.delete(in.cursor, len(in.text))
	}
	return InputIgnored
}

func (in *Input) delete(from, to int) InputResult {
	if from >= to {
		return InputMoved
	}
	in.text = in.text[:from] + in.text[to:]
	in.cursor = from
	return InputChanged
}

// left returns the offset of the character before the cursor.
func (in *Input) left() int {
	rest, state, at, last := in.text[:in.cursor], -1, 0, 0
	cluster := ""
	for rest != "" {
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		last = at
		at += len(cluster)
	}
	return last
}

// right returns the offset after the character at the cursor.
func (in *Input) right() int {
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(in.text[in.cursor:], -1)
	return in.cursor + len(cluster)
}

func (in *Input) wordLeft() int {
	i := len(strings.TrimRight(in.text[:in.cursor], " "))
	return strings.LastIndexByte(in.text[:i], ' ') + 1
}

func (in *Input) wordRight() int {
	rest := strings.TrimLeft(in.text[in.cursor:], " ")
	i := strings.IndexByte(rest, ' ')
	if i < 0 {
		return len(in.text)
	}
	return len(in.text) - len(rest) + i
}

// historyStep goes n entries back, or forward to the line that was being edited.
func (in *Input) historyStep(n int) InputResult {
	back := max(0, min(in.back+n, len(in.History)))
	if back == in.back {
		return InputMoved
	}
	if in.back == 0 {
		in.draft = in.text
	}
	in.back = back
	if back == 0 {
		in.replace(in.draft)
	} else {
		in.replace(in.History[len(in.History)-back])
	}
	return InputChanged
}

// Draw shows the line in the first row of r, with the terminal's cursor in it. Whoever draws the frame must hide the
// cursor before.
func (in *Input) Draw(s tcell.Screen, r Rect, k *Look) {
	if r.Empty() {
		return
	}
	x := r.X + Print(s, r.X, r.Y, r.W, in.Prompt, k.Title)
	w := r.X + r.W - x
	if in.Problem != "" {
		problem := Truncate(in.Problem, w-1-min(max(Width(in.text)+1, 10), w/2))
		PrintRight(s, x, r.Y, w, problem, k.Match)
		w -= Width(problem) + 1
	}
	before := Width(in.text[:in.cursor])
	skip := max(0, before-w+1) // cells scrolled out at the left
	shown := suffix(in.text, skip)
	at := x + before - skip
	if shown = shown[:prefixLen(shown, w)]; in.text == "" {
		printText(s, x, r.Y, w, in.Hint, k.Muted, k.Glyphs.Ellipsis)
	} else if room := w - Width(in.text) - 2; in.Beside && in.Problem == "" && Width(in.Hint) <= room {
		PrintRight(s, x, r.Y, w, in.Hint, k.Muted)
	}
	putClusters(s, x, r.Y, shown, k.Text)
	if w > 0 {
		s.ShowCursor(at, r.Y)
	}
}
