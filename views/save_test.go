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
	u, s := openKvleak(t, w, 30, colorCaps), &saver{begun: begun}
	u.sim.Do(func() { u.app.o.Save, u.app.o.Home = s.begin, "/home/me" })
	return u, s
}

func TestSaveKey(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps)
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
	u.keys("3", "o", "b", "Enter", "Ctrl+s", "Enter").has("no command prints this", "goes back to the table")
	for range 6 {
		u.keys("Esc")
	}
	u.keys("3", "b", "b", "b", "b", "b", "b")
	if len(s.asked) > 0 {
		t.Errorf("asked for %+v", s.asked)
	}
	u.keys("3", "/")
	typeText(u, "live>1%")
	u.keys("Enter", "Ctrl+s", "Enter").has("saved 1,234 bytes", "also those that the filter hides")
	u.keys("Esc", "/", "m", "a", "i", "n", "Enter", "Ctrl+s", "Enter").has("saved 1,234 bytes to small_kvleak-sites.txt; no lines")
	u.sim.Do(func() { u.app.o.Command = nil })
	u.keys("2", "Ctrl+s", "Enter").has("saved 1,234 bytes")
	if got := s.asked[len(s.asked)-1].Words; !slices.Equal(got, []string{"report", "--table", "curve", SampleName}) {
		t.Errorf("a sample is saved by %q", got)
	}
}

// The blocks of one row are saved, by a command that lists them alone, and files of stacks hold those of the rows shown.
func TestSaveWhatIsOnScreen(t *testing.T) {
	u, s := saving(t, 160, nil)
	for _, c := range []struct {
		keys   string
		words  string
		stacks int
	}{
		{"4 Enter", "report --focus=stack:8 -f csv --table blocks --by first_allocated", 1},
		{"3 b b b b b Enter", "report -f csv --table blocks --filter thread=1", 0},
		{"3 b Enter", "report --focus=stack:1,2,19,20 -f csv --table blocks", 4},
		{"3 b b b b b b Enter", "report -f csv --table blocks --filter size>=262144 size<=524287", 0},
		{"4", "report --table leaks --by verdict", 0},
		{"1 Down Enter", "report --table leaks --filter /^owner:open_session$/ --by verdict", 2},
	} {
		u.keys(strings.Fields(c.keys)...).keys("Ctrl+s", "Enter")
		if len(s.asked) == 0 {
			t.Fatalf("%s: not saved:\n%s", c.keys, u.Text())
		}
		got := s.asked[len(s.asked)-1]
		if words := strings.Join(got.Words[:len(got.Words)-1], " "); words != c.words || len(got.Stacks) != c.stacks {
			t.Errorf("%s: saves %d stacks by %s", c.keys, len(got.Stacks), words)
		}
		for range 12 {
			u.keys("Esc")
		}
		if strings.HasPrefix(c.keys, "3 b") {
			u.keys("3")
			for u.state().Group != 0 {
				u.keys("b")
			}
		}
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
		{colorCaps, "copy requested (if nothing arrives, Ctrl-S saves): memtui report"},
		{term.Caps{Unicode: true, Clipboard: true, Tmux: true}, "copy requested (tmux needs set-clipboard on, Ctrl-S saves): memtui report"},
		{term.Caps{Unicode: true}, "this terminal has no clipboard that programs can write to; Ctrl-S saves"},
	} {
		openKvleak(t, 80, 24, c.caps).keys("Y").has(c.want)
	}
}

// A table is saved with the columns and the rows that the screen shows, in their order; charts with tables are not.
func TestSaveTheTableThatIsShown(t *testing.T) {
	u, s := saving(t, 160, nil)
	u.keys("4", "b", "/")
	typeText(u, "session")
	u.keys("Enter", "Ctrl+s", "Enter")
	got := s.asked[0].Table
	if got == nil {
		t.Fatal("no table")
	}
	var heads []string
	for _, h := range got.Heads {
		heads = append(heads, h.Title+"="+h.Key)
	}
	want := "BYTES=bytes BLOCKS=count OF ALL=of_all OLDEST=oldest_us NEWEST=newest_us VERDICT=verdict SURE=sure OWNER=owner"
	if strings.Join(heads, " ") != want || !strings.Contains(got.About, "filter session") || !strings.Contains(got.Title, "Leaks") {
		t.Errorf("%q, %s: %s", got.Title, got.About, heads)
	}
	for plain, first := range map[bool]string{false: "32.5 KiB,13,72.2 %,75.9 ms", true: "33280,13,0.7222,75931"} {
		rows, err := got.Rows(t.Context(), plain)
		if err != nil || len(rows) != 2 || !strings.HasPrefix(strings.Join(rows[0], ","), first) || rows[0][7] != "close_session" || rows[1][7] != "open_session" {
			t.Errorf("plain %v: %v, %q", plain, err, rows)
		}
	}
	for _, screen := range []string{"1", "2", "5"} {
		u.keys(screen, "Ctrl+s", "Enter")
		if q := s.asked[len(s.asked)-1]; q.Table != nil || len(q.Words) == 0 {
			t.Errorf("screen %s is saved as %+v", screen, q)
		}
	}
}
