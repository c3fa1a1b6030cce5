package views

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/sources"
)

// sourced has a finder that knows the source of the sample: lines with tabs, and one that would change the terminal.
func sourced(t *testing.T, u *program) *program {
	t.Helper()
	dir := t.TempDir()
	lines := make([]string, 30)
	lines[13], lines[14], lines[15] = "char *alloc_buffer(size_t n) {", "\treturn new char[n]; // \x1b[2J\u202e", "}"
	if err := os.WriteFile(filepath.Join(dir, "kvleak.cpp"), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	u.sim.Do(func() { u.app.Sources = sources.NewFinder([]string{dir}, nil, "") })
	return u
}

// TestSourceOfWhatIsSelected goes from a site to its line, to the callers of the line and back.
func TestSourceOfWhatIsSelected(t *testing.T) {
	u := sourced(t, openKvleak(t, 120, 40, colorCaps)).keys("3", "J")
	u.has(" Source ", "kvleak.cpp:15 in alloc_buffer", "    return new char[n]; // ␛[2J", "Called from", "Calls", "of it allocated here", "Shown is", "as it is now")
	u.keys("n").has("kvleak.cpp:16 in open_session")
	u.keys("N").has("kvleak.cpp:15 in alloc_buffer")
	u.keys("Left").has("kvleak.cpp:16 in open_session", "<0.1 %")
	u.keys("Right").has("kvleak.cpp:15 in alloc_buffer")
	u.keys("Alt+Left", "Alt+Left").has("kvleak.cpp:15 in alloc_buffer")
	u.keys("Y").has("--lines")
}

// TestSourceThatIsMissing shows the lines that stacks pass, their functions, and where it was looked.
func TestSourceThatIsMissing(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("5", "J")
	u.has(" Source ", "no source found: lines that stacks pass", "in worker_reader(int)", "no source of")
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
	u.keys("X").has("ignore")
}
