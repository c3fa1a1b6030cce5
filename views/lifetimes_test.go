package views

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

func TestLifetimesGolden(t *testing.T) {
	goldenSizes(t, "lifetimes", "7")
	openKvleak(t, 200, 50, colorCaps).keys("7", "Left", "Left", "Enter").golden("lifetimes-200x50-cell")
	openKvleak(t, 200, 50, monoCaps).keys("7", "m", "G", "Down").golden("lifetimes-200x50-mono")
}

func TestBlockScreenGolden(t *testing.T) {
	goldenSizes(t, "block-screen", "6", "j")
	openKvleak(t, 200, 50, colorCaps).keys("6", "o", "s", "s", "s", "s", "S").golden("block-screen-200x50-born")
}

// A cell narrows sites, leaks, stacks and blocks to the same blocks; charts say that they do not heed it.
func TestCellOfLeaks(t *testing.T) {
	modeltest.Plain(t)
	u := openKvleak(t, 120, 40, colorCaps).keys("7", "PgDn", "PgDn", "PgDn", "G", "Left", "Enter") // never freed, any size
	u.has("only any size, never freed", "all screens show only these")
	u.keys("Enter").has("Blocks · live", "44 blocks live at the end, 429 KiB") // again lists them
	u.keys("3").has("6 sites · live 429 KiB")
	u.keys("4").has("429 KiB in 44 blocks")
	u.keys("5").has("429 KiB = 100 %", "never freed")
	u.keys("1").has("tables not by size and lifetime")
	u.keys("2")
	var words []string
	u.sim.Do(func() { words = u.app.command(u.app.o.Command) })
	if line := strings.Join(words, " "); !strings.Contains(line, "--table curve") || !strings.Contains(line, "--cell") {
		t.Errorf("the curve of a cell is copied as %q", line)
	}
	u.keys("3", "Esc").has("21 sites")
	lacks(t, u, "never freed, any")
	if !u.state().Cell.IsAll() {
		t.Error("Esc leaves the cell")
	}
}

func TestLifetimesOfFew(t *testing.T) {
	store, ix := loadFew(t)
	u := openUI(t, 100, 24, colorCaps, store, ix).keys("7")
	u.has("3 blocks, 175 B, all freed", "64–127 B that lived 16 µs–31 µs: 1 block (33.3 %), 100 B (57.1 %)")
	u.keys("o").has("no site is selected")
	u.keys("m").has("Blocks by size")
	u.keys("g").has("lived 1 µs: 0 blocks").keys("Enter").has("no block has that size")
	u.keys("Alt+a", "Alt+a", "Alt+a", "Alt+a", "Alt+a", "Alt+a", "Alt+a", "a", "a", "a", "a").has("shorter than 16 µs: 1 block (33.3 %), 25 B (14.3 %)")
	u.keys("g", "Down", "Down", "Enter").has("only 16–31 B, 1 µs")
	u.keys("6").has("1 block allocated in the run, 25 B", "draw")
	u.keys("5").has("No block of 16–31 B, 1 µs is here")
	u.keys("Esc", "3", "Down", "Up", "7", "o").has("of the selected stack")
}

func TestUsesOfAnAddress(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("6", "Enter")
	u.has("Uses of 0x7f2a83330010", "2 blocks in the whole run, 1.34 MiB", "earliest first")
	u.keys("s").has("in order of time").keys("S").has("latest first").keys("Esc").has("44 blocks live at the end")
	u.keys("/")
	typeText(u, "0x7f2a83330123") // in the middle of it
	u.keys("Enter").has("Blocks that hold 0x7f2a83330123", "1 block live at the end, 391 KiB")
	u.keys("p").has("1 block live at 61.0 ms, 977 KiB").keys("t")
	typeText(u, "1ms")
	u.keys("Enter").has("No block that is live at 1.00 ms holds").keys("Enter").has("Uses of 0x7f2a83330123", "2 blocks")
	u.keys("Esc", "Esc", "e", "/")
	typeText(u, "close size>4K")
	u.keys("Enter").has("3 of 44 blocks live at the end, 13.5 KiB")
}

func TestBlocksOfTheRange(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("6", ":")
	typeText(u, "range 70ms 100%")
	u.keys("Enter").has("allocated in the range", "LIVED")
	u.keys("o").has("live at 76.0 ms").keys("o").has("allocated in the range")
	u.keys("s", "s", "s", "s").has("shortest-lived first")
	command := ""
	u.sim.Do(func() { command = u.app.commandLine() })
	if !strings.Contains(command, "--table born_blocks") {
		t.Error(command)
	}
}

func TestLifetimesMouse(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("7")
	u.sim.Click(60, 3)
	u.sim.Settle()
	u.has("256 KiB–512 KiB, never freed: 1 block")
}

func TestCommandOfACell(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("7", "Enter", "3")
	var command string
	var cell analysis.Cell
	u.sim.Do(func() { command, cell = u.app.commandLine(), u.app.state.Cell })
	if want := "--cell " + cell.Argument() + " "; cell.IsAll() || !strings.Contains(command, want) {
		t.Errorf("%s of %+v", command, cell)
	}
	for _, c := range []struct {
		cell analysis.Cell
		want string
	}{
		{analysis.Cell{SizeTo: analysis.SizeClasses, LifeFrom: analysis.NeverFreed, LifeTo: analysis.LifeClasses}, "any,never"},
		{analysis.Cell{SizeFrom: 7, SizeTo: 8, LifeTo: analysis.LifeClasses}, "64B,any"},
		{analysis.Cell{SizeFrom: 0, SizeTo: 1, LifeFrom: 11, LifeTo: 12}, "0B,2ms"},
		{analysis.Cell{SizeFrom: 64, SizeTo: 65, LifeFrom: 0, LifeTo: 1}, "8EiB,0us"},
	} {
		if got := c.cell.Argument(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
