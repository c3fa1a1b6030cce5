package widget

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// press types text; keys in angle brackets are names from the table below.
func press(in *Input, keys string) (last InputResult) {
	named := map[string]*tcell.EventKey{
		"left": key(tcell.KeyLeft, 0, 0), "right": key(tcell.KeyRight, 0, 0), "home": key(tcell.KeyHome, 0, 0), "end": key(tcell.KeyEnd, 0, 0),
		"back": key(tcell.KeyBackspace2, 0, 0), "del": key(tcell.KeyDelete, 0, 0), "cw": key(tcell.KeyCtrlW, 0, 0), "cu": key(tcell.KeyCtrlU, 0, 0),
		"ck": key(tcell.KeyCtrlK, 0, 0), "ab": key(tcell.KeyRune, 'b', tcell.ModAlt), "af": key(tcell.KeyRune, 'f', tcell.ModAlt), "ad": key(tcell.KeyRune, 'd', tcell.ModAlt),
		"up": key(tcell.KeyUp, 0, 0), "down": key(tcell.KeyDown, 0, 0), "tab": key(tcell.KeyTab, 0, 0), "btab": key(tcell.KeyBacktab, 0, 0),
		"enter": key(tcell.KeyEnter, 0, 0), "esc": key(tcell.KeyEscape, 0, 0), "f5": key(tcell.KeyF5, 0, 0), "cleft": key(tcell.KeyLeft, 0, tcell.ModCtrl),
		"cright": key(tcell.KeyRight, 0, tcell.ModCtrl), "aback": key(tcell.KeyBackspace2, 0, tcell.ModAlt), "cb": key(tcell.KeyCtrlB, 0, 0), "cf": key(tcell.KeyCtrlF, 0, 0),
	}
	for keys != "" {
		if end := strings.IndexByte(keys, '>'); keys[0] == '<' && end > 0 {
			last = in.Key(named[keys[1:end]])
			keys = keys[end+1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(keys)
		last = in.Key(key(tcell.KeyRune, r, 0))
		keys = keys[n:]
	}
	return last
}

func TestInputKeys(t *testing.T) {
	for _, c := range []struct {
		keys, text string
		last       InputResult
	}{
		{"abc", "abc", InputChanged},
		{"abc<left><left>X", "aXbc", InputChanged},
		{"abc<home>X<end>Y", "XabcY", InputChanged},
		{"abc<back>", "ab", InputChanged},
		{"<back>", "", InputCanceled},
		{"ab<home><del>", "b", InputChanged},
		{"ab<del>", "ab", InputMoved},
		{"one two<cw>", "one ", InputChanged},
		{"one two <cw>", "one ", InputChanged},
		{"one two<aback>", "one ", InputChanged},
		{"one two<cu>", "", InputChanged},
		{"one two<cleft><ck>", "one ", InputChanged},
		{"one two<ab><ab>X", "Xone two", InputChanged},
		{"one two<home><af>X", "oneX two", InputChanged},
		{"one two<home><cright><cright><cb><cf>X", "one twoX", InputChanged},
		{"one two<home><ad>", " two", InputChanged},
		{"größe<left><left><back>", "grße", InputChanged},
		{"e\u0301x<left><back>", "x", InputChanged},
		{"a<enter>", "a", InputAccepted},
		{"a<esc>", "a", InputCanceled},
		{"a<f5>", "a", InputIgnored},
		{"<up>", "last", InputChanged},
		{"dr<up><up><up>", "first", InputMoved},
		{"dr<up><up><down><down>", "dr", InputChanged},
		{"p<tab>", "p", InputIgnored},
	} {
		in := &Input{History: []string{"first", "last"}}
		if last := press(in, c.keys); in.Text() != c.text || last != c.last {
			t.Errorf("%s: %q, %d; want %q, %d", c.keys, in.Text(), last, c.text, c.last)
		}
	}
}

func TestInputPasteAndHistory(t *testing.T) {
	in := &Input{}
	in.SetText("ad")
	press(in, "<left>")
	in.Paste("b\nc\x1b\r\n")
	if in.Text() != "ab c␛d" {
		t.Errorf("%q", in.Text())
	}
	in.Remember()
	in.Remember()
	in.SetText("")
	in.Remember()
	if len(in.History) != 1 {
		t.Errorf("%q", in.History)
	}
	in.Paste(strings.Repeat("x", maxInput+1))
	if in.Text() != "" {
		t.Error("took more than fits")
	}
}

func TestInputDraw(t *testing.T) {
	s, k := newScreen(t, 30, 4), testLook()
	in := &Input{Prompt: "/", Hint: "text to filter by"}
	in.Draw(s, Rect{0, 0, 30, 1}, k)
	in.SetText("a line that is longer than the field")
	in.Draw(s, Rect{0, 1, 30, 1}, k)
	in.SetText("12:x")
	in.Problem = "not a time"
	in.Draw(s, Rect{0, 2, 30, 1}, k)
	in.Problem = "not a time, nor anything else that is known"
	in.Draw(s, Rect{0, 3, 30, 1}, k)
	want := []string{"/text to filter by", "/hat is longer than the field", "/12:x               not a time", "/12:x       not a time, nor a…"}
	for i, line := range rows(s) {
		if line != want[i] {
			t.Errorf("%q, want %q", line, want[i])
		}
	}
}

// TestInputRandom types garbage and checks that text and cursor stay sound.
func TestInputRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	keys := []string{"<left>", "<right>", "<home>", "<end>", "<back>", "<del>", "<cw>", "<ck>", "<ab>", "<af>", "<ad>", "<up>", "<down>", "<tab>", "<cleft>", "<cright>", "a", " ", "日", "\u0301", "👨", "\u200d"}
	s, k := newScreen(t, 10, 1), testLook()
	in := &Input{History: []string{"日本", "e\u0301"}}
	for step := range 20_000 {
		press(in, keys[rng.IntN(len(keys))])
		if rng.IntN(50) == 0 {
			in.Paste(hostile(rng))
		}
		if rng.IntN(200) == 0 {
			in.SetText(hostile(rng))
		}
		if in.cursor < 0 || in.cursor > len(in.text) || !utf8.ValidString(in.text) || !utf8.ValidString(in.text[:in.cursor]) {
			t.Fatalf("step %d: cursor %d in %q", step, in.cursor, in.text)
		}
		in.Draw(s, Rect{0, 0, 10, 1}, k)
	}
}
