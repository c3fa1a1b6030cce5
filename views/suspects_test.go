package views

import (
	"strings"
	"testing"
)

// On a small terminal the first suspect is told in a whole sentence, and Enter leads to where its objects gather.
func TestSuspects(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		u := openRecords(t, size[0], size[1], colorCaps)
		if want, words := "6,000 Record (2.30 MiB, 32.5 % of the heap) are held by <mainline> (grow-shrink.nqp:1) through `Register`; grew by 4,000 since #0, in every snapshot", u.words(); !strings.Contains(words, want) {
			t.Errorf("%v: the screen does not say %q:\n%s", size, want, words)
		}
		u.keys("Tab", "Enter").has("Dominated by <mainline> (grow-shrink.nqp:1) #11", "NQPArray #12")
		u.keys("1").has("Look here first")
	}
}

// Many objects right below one row are one row of their type.
func TestCrowdsOfSuspects(t *testing.T) {
	u := openPythonHeap(t, 120, 40)
	u.keys("Tab", "Enter").has("Dominated by dict", "1,000 × __main__.Session")
	u.keys("Enter").has("only __main__.Session").keys("Esc").has("1,000 × __main__.Session")
	u.keys("b").has("Dominated by dict").hasNot("1,000 ×")
	u.keys("b").keys("1").has("through `SESSIONS`")
}

// words returns what the screen says, with one blank between words.
func (u *program) words() (text string) {
	u.sim.Do(func() { text = strings.Join(strings.Fields(u.sim.Text()), " ") })
	return text
}

// The pane follows the snapshot, and its last suspect can be reached and copied.
func TestSuspectsFollow(t *testing.T) {
	u := openRecords(t, 120, 40, colorCaps)
	u.keys("k", "k")
	if want, words := "2,000 Record (784 KiB, 12.2 % of the heap) are held by <mainline> (grow-shrink.nqp:1) through `Register`; grew to 6,000 by #2", u.words(); !strings.Contains(words, want) {
		t.Errorf("the screen does not say %q:\n%s", want, words)
	}
	u.keys("Tab", "G", "Enter").has("Dominated by ")
	u.keys("1", "g", "Enter").has("Dominated by NQPArray", "1,999 × Record")
}

// What cannot be decoded is said in the place of suspects, and Enter leads nowhere.
func TestSuspectsOfDamagedSnapshot(t *testing.T) {
	u := openSlow(t, &slowHeaps{damaged: true}, 0)
	u.has("This cannot be computed: its columns are gone.")
	u.keys("Tab", "Enter").has("Look here first", "This cannot be computed")
}
