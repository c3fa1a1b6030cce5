package views

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/internal/term"
)

// saver is a fake of what writes files: it keeps what is asked for.
type saver struct {
	asked []SaveQuery
	begun chan context.Context // of writing that waits for its end; nil for none that does
}

// begin implements [Options].Save.
func (s *saver) begin(q SaveQuery) (SaveFunc, error) {
	if strings.HasSuffix(q.Path, "taken.txt") && !q.Replace {
		return nil, errors.New("taken.txt exists\x1b")
	}
	s.asked = append(s.asked, q)
	return func(ctx context.Context) (Saved, error) {
		switch {
		case strings.HasSuffix(q.Path, "full.txt"):
			return Saved{}, errors.New("no room\x1b")
		case s.begun != nil:
			s.begun <- ctx
			<-ctx.Done()
			return Saved{}, ctx.Err()
		}
		return Saved{Bytes: 1234, Notes: []string{"no lines"}}, nil
	}, nil
}

// saving opens the real trace, whose views a fake saves.
func saving(t *testing.T, w int, begun chan context.Context) (*program, *saver) {
	u, s := openKvleak(t, w, 30, colourCaps), &saver{begun: begun}
	u.sim.Do(func() { u.app.o.Save, u.app.o.Home = s.begin, "/home/me" })
	return u, s
}

func TestSaveKey(t *testing.T) {
	u := openKvleak(t, 100, 30, colourCaps)
	u.keys("Ctrl+s").has("cannot be saved here")
	u, s := saving(t, 100, nil)
	u.keys("3", "p", "Ctrl+s").has("save: small_kvleak-sites.txt", ".csv")
	u.keys("Enter").has("saved 1,234 bytes to small_kvleak-sites.txt; no lines")
	u.keys("Ctrl+s", "Ctrl+u", "Enter").has("type the name of a file").keys("Esc")
	u.keys("Ctrl+s", "Ctrl+u")
	typeText(u, "taken.txt")
	u.keys("Enter").has("save: taken.txt", "taken.txt exists").keys("!", "Enter").has("saved 1,234 bytes to taken.txt;")
	u.keys(":")
	typeText(u, "save ~/full.txt")
	u.keys("Enter").has("not saved: no room")
	u.keys(":")
	typeText(u, "save taken.txt")
	u.keys("Enter").has("Commands", "taken.txt exists").keys("Esc")
	want := []string{"report", "--at", "peak", "--table", "sites", "--by", "live_bytes", "small_kvleak.mlyze"}
	if len(s.asked) != 3 || !slices.Equal(s.asked[0].Words, want) || s.asked[0].Replace || !s.asked[1].Replace || s.asked[1].Path != "taken.txt" || s.asked[2].Path != "/home/me/full.txt" {
		t.Errorf("asked for %+v", s.asked)
	}
}

// What no command prints is not saved as something else, and rows that a filter hides are.
func TestSaveSaysWhatItDoesNotHold(t *testing.T) {
	u, s := saving(t, 160, nil)
	u.keys("d", "6", "Ctrl+s", "Enter").has("no command prints this", "sizes of blocks").keys("Esc", "d")
	u.keys("3", "Enter", "Ctrl+s", "Enter").has("no command prints this", "goes back to the table").keys("Esc", "Esc")
	if len(s.asked) > 0 {
		t.Errorf("asked for %+v", s.asked)
	}
	u.keys("3", "/", "m", "a", "i", "n", "Enter", "Ctrl+s", "Enter").has("saved 1,234 bytes", "also those that the filter hides")
	u.sim.Do(func() { u.app.o.Command = nil })
	u.keys("2", "Ctrl+s", "Enter").has("saved 1,234 bytes")
	if got := s.asked[len(s.asked)-1].Words; !slices.Equal(got, []string{"report", "--table", "curve", SampleName}) {
		t.Errorf("a sample is saved by %q", got)
	}
}

// Ctrl-C ends what is being written, not the program, and so does the end of the program.
func TestSavingEnds(t *testing.T) {
	begun := make(chan context.Context, 1)
	u, _ := saving(t, 100, begun)
	type1 := func() context.Context {
		for _, key := range []string{"Ctrl+s", "Enter"} { // the program is not idle until it is written
			if err := u.sim.Type(key); err != nil {
				t.Fatal(err)
			}
		}
		return <-begun
	}
	ctx := type1()
	if err := u.sim.Type("Ctrl+s"); err != nil {
		t.Fatal(err)
	}
	var text string
	u.sim.Do(func() { text = u.app.message })
	if !strings.Contains(text, "still being written: Ctrl-C cancels it") {
		t.Errorf("a second file: %q", text)
	}
	u.sim.Do(func() { u.app.ownKey(tcell.NewEventKey(tcell.KeyCtrlC, 0, tcell.ModCtrl)) })
	<-ctx.Done()
	u.has("not saved")
	ctx = type1()
	if err := u.sim.Stop(); err != nil {
		t.Error(err)
	}
	<-ctx.Done()
}

// Terminals do not say whether they copied: neither does the program.
func TestCopyClaimsNothing(t *testing.T) {
	for _, c := range []struct {
		caps term.Caps
		want string
	}{
		{colourCaps, "copy requested (if nothing arrives, Ctrl-S saves): memtui report"},
		{term.Caps{Unicode: true, Clipboard: true, Tmux: true}, "copy requested (tmux needs set-clipboard on, Ctrl-S saves): memtui report"},
		{term.Caps{Unicode: true}, "this terminal has no clipboard that programs can write to; Ctrl-S saves"},
	} {
		openKvleak(t, 80, 24, c.caps).keys("Y").has(c.want)
	}
}
