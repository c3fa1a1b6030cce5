package diff

import (
	"slices"
	"testing"
)

// Functions of which only an address is known differ from run to run: they are matched by their modules, and are one
// thing without.
func TestUnnamedFunctionsOfTwoRuns(t *testing.T) {
	before := sideOf("x", stacksOf("main;0x7f01", "main;0x55aa;f", "main;??"), 1, 2, 4)
	after := sideOf("y", stacksOf("main;0x7f99", "main;0x5611;f", "main;g"), 3, 2, 4)
	c := compareIn(t, before, after, Options{})
	if want := []string{"main;g 0→4 new", "main;? 5→3 shrunk", "main;?;f 2→2 same"}; !slices.Equal(changes(c), want) {
		t.Errorf("got %q, want %q", changes(c), want)
	}
	before.Stacks.Files, after.Stacks.Files = []string{"", "/lib/liba.so.1"}, []string{"", "/lib/libb.so.1"}
	for _, s := range []*Side{before, after} {
		for f := range s.Stacks.FrameFile {
			s.Stacks.FrameFile[f] = 1
		}
	}
	if c = compareIn(t, before, after, Options{Match: MatchFunctions}); c.Counts[ChangeSame] != 0 {
		t.Errorf("of two modules: %q", changes(c))
	}
	after.Stacks.Files[1] = "/usr/lib/liba.so.1"
	if c = compareIn(t, before, after, Options{Match: MatchFunctions}); c.Counts[ChangeSame] != 1 {
		t.Errorf("of one module in two folders: %q", changes(c))
	}
	texts := [2]*Side{{File: "x", Rows: []SideRow{{Key: "0x7f01", Bytes: 3}}}, {File: "y", Rows: []SideRow{{Key: "0x7f02", Bytes: 3}}}}
	if c = compareIn(t, texts[0], texts[1], Options{}); c.Counts[ChangeSame] != 1 || c.Rows[0].Key != "?" {
		t.Errorf("functions: %+v", c.Rows)
	}
}
