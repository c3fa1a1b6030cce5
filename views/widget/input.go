package widget

import "github.com/gdamore/tcell/v2"

// InputResult says what a key did to an [Input].
type InputResult uint8

const (
	InputIgnored  InputResult = iota // the key means nothing here
	InputMoved                       // cursor only
	InputChanged                     // the text
	InputAccepted                    // Enter
	InputCanceled                    // Esc, Ctrl-C, or Backspace in an empty line
)

// Input is a one-line edit field with the keys of a shell's line editor. The zero value is an empty line.
type Input struct {
	Prompt   string
	Hint     string                     // shown muted while the line is empty
	Problem  string                     // shown at the right, for a text that means nothing
	History  []string                   // oldest first; Up and Down walk through it
	Complete func(text string) []string // full texts that the line could become, best first; Tab walks through them; may be nil

	text   string
	cursor int // byte offset, between two characters
}

// Text is what the line holds, without line breaks.
func (in *Input) Text() string { return in.text }

// SetText replaces the line and puts the cursor at its end.
func (in *Input) SetText(text string) {}

// Key edits the line.
func (in *Input) Key(ev *tcell.EventKey) InputResult { return InputIgnored }

// Paste inserts text at the cursor; line breaks and tabs become spaces.
func (in *Input) Paste(text string) {}

// Remember appends the line to History, unless it is empty or the newest entry already.
func (in *Input) Remember() {}

// Draw shows the line in the first row of r and the terminal's cursor in it.
func (in *Input) Draw(s tcell.Screen, r Rect, k *Look) {}
