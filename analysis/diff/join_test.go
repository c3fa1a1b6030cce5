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

// TestFunctionsOfTwoRecorders compares stacks of one program by two recorders: one keeps what starts a program and the
// functions that allocate, the other does not, and each names the start of a thread in its own way.
func TestFunctionsOfTwoRecorders(t *testing.T) {
	before := sideOf("x", stacksOf("_start;__libc_start_main_impl;__libc_start_call_main;main;work;operator new(unsigned long);malloc",
		"clone3;start_thread;0x7f74c2cd44a2 in libstdc++.so.6;std::thread::_State_impl<std::thread::_Invoker<int> >::_M_run();"+
			"void std::__invoke_impl<void, int>(std::__invoke_other, int&&);job;malloc", "_start;main;work;calloc", "malloc;__libc_malloc"), 1, 7, 2, 3)
	after := sideOf("y", stacksOf("(below main);main;work", "main;idle", "malloc",
		"clone;start_thread;0x49314A2 in libstdc++.so.6.0.30;std::thread::_State_impl<std::thread::_Invoker<int> >::_M_run();"+
			"operator();_M_invoke<0, 1>;__invoke_impl<void, int>;job"), 3, 4, 3, 7)
	c := compareIn(t, before, after, Options{Match: MatchFunctions})
	if want := []string{"main;idle 0→4 new", "job 7→7 same", "main;work 3→3 same", "malloc 3→3 same"}; !slices.Equal(changes(c), want) {
		t.Errorf("got %q, want %q", changes(c), want)
	}
	if c = compareIn(t, before, after, Options{Match: MatchFrames}); c.Counts[ChangeSame] != 0 {
		t.Errorf("where frames match: %q", changes(c))
	}
}

// TestLibraryOfTheRecorder compares two recordings of this program, each of which kept its library in a new folder.
func TestLibraryOfTheRecorder(t *testing.T) {
	const stack = "main;memtui-hook.so+0x91e6;f"
	sides := [2]*Side{sideOf("x", stacksOf(stack), 3), sideOf("y", stacksOf(stack), 3)}
	for i, folder := range []string{"/tmp/memtui-record-1010322958/", "/var/tmp/memtui-record-112528596/"} {
		s := sides[i].Stacks
		s.Files = []string{"", folder + "memtui-hook.so"}
		s.FrameFile[2] = 1
		sides[i].Rows = append(sides[i].Rows, SideRow{Key: folder + "memtui-hook.so", Bytes: 1})
	}
	c := compareIn(t, sides[0], sides[1], Options{})
	if c.Counts[ChangeSame] != 2 || len(c.Rows) != 2 {
		t.Errorf("got %q", changes(c))
	}
	for name, want := range map[string]string{
		"/tmp/memtui-record-7/memtui-hook.so": "memtui-hook.so", "/memtui-record-7/memtui-built.so": "memtui-built.so",
		"/srv/memtui-record-x/app.so": "/srv/memtui-record-x/app.so", "": "", "f at /tmp/memtui-record-7/a": "f at /tmp/memtui-record-7/a",
	} {
		if got := withoutRecordFolder(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
