package views

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/sources"
)

// sourced has a finder that knows the source of the sample: lines with tabs, and one that would change the terminal.
func sourced(t *testing.T, u *program) *program {
	t.Helper()
	dir := t.TempDir()
	lines := make([]string, 30)
	lines[14], lines[22] = "\treturn new char[n]; // \x1b[2J\u202e", "\tstore.put(k);"
	if err := os.WriteFile(filepath.Join(dir, "kvleak.cpp"), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	u.sim.Do(func() { u.app.Sources = sources.NewFinder([]string{dir}, nil, "") })
	return u
}

// TestSourceOfWhatIsSelected goes from a site to its line, to the callers of the line and back.
func TestSourceOfWhatIsSelected(t *testing.T) {
	u := sourced(t, openKvleak(t, 120, 40, colorCaps)).keys("3", "J")
	u.has(" Source ", "kvleak.cpp:23 in main", "    store.put(k);", "Called from", "Calls", "of it allocated here", "shown is", "as it is now")
	u.has("    return new char[n]; // ␛[2J\ufffd")
	u.keys("n").has("kvleak.cpp:15 in alloc_buffer")
	u.keys("N").has("kvleak.cpp:23 in main")
	u.keys("n", "Left").has("kvleak.cpp:23 in main")
	u.keys("Right").has("printf.c:33 in __printf", "no source found")
	u.keys("Alt+Left").has("kvleak.cpp:23 in main")
	u.keys("3", "Down", "J").hasNot("kvleak.cpp:23 in main")
	u.keys("Alt+Left", "Up", "J").has("kvleak.cpp:23 in main")
	u.keys("Y").has("--lines")
	if words := u.app.command([]string{"FILE"}); !slices.Contains(words, "--source") {
		t.Errorf("the command does not say where sources are: %q", words)
	}
}

// TestSourceOfOwner opens the line that a row of sites shows: that of its owner, of full names that of the library.
func TestSourceOfOwner(t *testing.T) {
	u := sourced(t, openKvleak(t, 120, 40, colorCaps)).keys("3", "Down", "Down").has("main › __GI__IO_file…  kvleak.cpp:23")
	u.keys("J").has("kvleak.cpp:23 in main").keys("3", "w", "J").has("filedoalloc.c:101 in __GI__IO_file_doallocate")
}

// TestSourceThatIsMissing shows the lines that stacks pass, their functions, and where it was looked.
func TestSourceThatIsMissing(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("5", "J")
	u.has(" Source ", "no source found: lines that stacks pass", "in worker_reader", "no source of")
	u.keys("p", "c").has("(peak)", "BLOCKS")
}

// TestSourceFollowsTheState has no weight where the range has none.
func TestSourceFollowsTheState(t *testing.T) {
	u := sourced(t, openKvleak(t, 120, 40, colorCaps)).keys("9")
	before := u.Text()
	u.keys("p")
	if after := u.Text(); after == before {
		t.Errorf("the instant changes nothing:\n%s", after)
	}
	u.keys("X").hasNot("92.2 %")
}

// TestSourceIsSortedByLines has the first other order with one key.
func TestSourceIsSortedByLines(t *testing.T) {
	u := sourced(t, openKvleak(t, 120, 40, colorCaps)).keys("9")
	u.has("LINE▼").keys("s").has("SELF▼").hasNot("LINE▼")
}
