package views

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/hprof"
	"github.com/memtui/memtui/loaders/pyheap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// javaName is a heap dump of Java.
const javaName = "shop1.hprof.zst"

// openJava starts the program on a heap dump of Java.
func openJava(t testing.TB, w, h int) *program {
	t.Helper()
	return openHeapFile(t, w, h, hprof.Format(), filepath.Join("hprof", "testdata", javaName))
}

// openPythonHeap starts the program on a heap dump of Python.
func openPythonHeap(t testing.TB, w, h int) *program {
	t.Helper()
	return openHeapFile(t, w, h, pyheap.Format(), filepath.Join("pyheap", "testdata", "shop1.pydump.zst"))
}

// openHeapFile starts the program on a file of a loader's tests.
func openHeapFile(t testing.TB, w, h int, format loaders.Format, path string) *program {
	t.Helper()
	src, err := loaders.OpenSource(t.Context(), filepath.Join("..", "loaders", path), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	store := &model.Store{}
	if err := format.Load(t.Context(), src, loaders.Options{}, store); err != nil {
		t.Fatal(err)
	}
	return openUI(t, w, h, colorCaps, store, nil)
}

// An object is found by its id before any snapshot is decoded. Its values are hidden until they are asked for, and also
// from its filter.
func TestFieldsOfObjects(t *testing.T) {
	u := openJava(t, 150, 40)
	u.sim.Do(func() {
		if err := u.app.goToRow("0x704dde520"); err != nil {
			t.Error(err)
		}
	})
	u.sim.Settle()
	u.has("leak.Shop$Everything #8,989", "everything", "Fields", "25 fields", "int      hidden", "nothing", "null", "values are hidden: r shows them", "leak.Shop$Everything")
	u.hasNot("café", "123456789", "2.5E10")
	u.keys("r").has("“café”", "“日本語 😀”", "control", "“a␉b␛[31m␊”", "123456789", "-2.5E10", "-1234567890123", "boolean  true").hasNot("hidden: r")
	u.keys("b").has("References out", "17 references", "<class>").hasNot("25 fields")
	u.keys("b").has("References out")
	u.keys("b").has("25 fields")
	u.keys("r").hasNot("café", "123456789").has("hidden")
	u.sim.Do(func() {
		if err := u.app.goToRow("0x1"); err == nil || err.Error() != "the snapshot has no object 0x1" {
			t.Error(err)
		}
	})
}

// Objects of a type are filtered by what stands in their fields and what they say.
func TestFilterOfContents(t *testing.T) {
	modeltest.Plain(t)
	u := openJava(t, 150, 40)
	u.keys("2")
	u.sim.Do(func() { u.app.emit(state.SetFilter{Text: "/^java.lang.String$/"}) })
	u.keys("Enter").has("Objects of java.lang.String", "3,986")
	u.keys("/")
	typeText(u, "text~status=ACTIVE")
	u.keys("Enter").has("501 of 3,986").hasNot("eu-west")
	u.keys("/", "Ctrl-U")
	typeText(u, ".coder=1")
	u.keys("Enter").has("of 3,986").hasNot("501 of")
	u.keys("/", "Ctrl-U")
	typeText(u, ".nothing=here")
	u.keys("Enter").has("No matches for “.nothing=here”")
}

// An object with values before its references begins with the first reference: it can be opened at once.
func TestObjectBeginsWithAReference(t *testing.T) {
	u := openJava(t, 80, 40)
	u.sim.Do(func() {
		if err := u.app.goToRow("8992"); err != nil { // a string: three values before its bytes
			t.Error(err)
		}
	})
	u.sim.Settle()
	u.has("byte[]").hasNot("cannot open")
	if why := u.app.unopened(); why != "" {
		t.Errorf("it begins with a row that cannot be opened: %s", why)
	}
	u.keys("g").has("cannot open")
}

// Waste explains what is counted, and reveals equal texts only where asked to.
func TestWasteExplained(t *testing.T) {
	u := openJava(t, 80, 40).keys("7").has("Waste", "EMPTY: ", "SPARSE: ", "r reveal")
	u.keys("/")
	typeText(u, "same text")
	u.keys("Enter").has("r reveals the texts").hasNot("“status")
	u.keys("r").has("“status=ACTIVE")
	u.keys("r").hasNot("“status")
}

// A file of one snapshot has nothing to go to or to compare with: no hint says otherwise.
func TestHintsOfOneSnapshot(t *testing.T) {
	u := openJava(t, 80, 24)
	for _, key := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		u.keys(key).hasNot("A/B", "h/l snapshot", "p largest")
	}
	u.keys("6").has("This file has one snapshot", ":compare FILE")
	u.keys("`").hasNot("y copy", "h/l time").has("? help")
}

// References without a name are told apart: those of roots, and those that the recorder does not name.
func TestEdgesWithoutNames(t *testing.T) {
	u := openPythonHeap(t, 120, 40).keys("4").has("root › ").hasNot("? › ")
	u.keys("5").has("thread 1 (", "has no object for this thread").hasNot("RETAINED")
}

// findIn types a search on the Find screen.
func findIn(u *program, text string) {
	u.keys("8", "/", "Ctrl-U")
	typeText(u, text)
	u.keys("Enter")
}

// Find looks through the whole heap: by class, field, text, size and identity, and what it shows is what the command
// prints.
func TestFindInTheWholeHeap(t *testing.T) {
	modeltest.Plain(t)
	u := openJava(t, 150, 40)
	u.sim.Do(func() { u.app.o.Command = []string{javaName} })
	u.keys("8").has("Objects ─", "most retained first", "java.util.ArrayList")
	findIn(u, "text~^status=ACTIVE class:String")
	u.has("501 of 23,", "java.lang.String").hasNot("eu-west")
	u.keys("r").has("“status=ACTIVE").keys("r").hasNot("eu-west")
	findIn(u, "retained>500k kind:class")
	u.has("leak.Shop$SessionCache", "1 of 23,")
	findIn(u, "0x704dde520")
	u.has("1 of 23,", "leak.Shop$Everything")
	u.keys("Enter").has("25 fields")
	findIn(u, ".nothing=here")
	u.has("No matches for “.nothing=here”")
	u.keys("Esc").has("Objects ─", "most retained first")
	u.sim.Do(func() {
		if err := u.app.findCommand("retained>"); err == nil {
			t.Error("a comparison without a value is found")
		}
		if err := u.app.findCommand("class:Everything .z=true"); err != nil {
			t.Error(err)
		}
	})
	u.sim.Settle()
	u.has("1 of 23,", "leak.Shop$Everything")
	u.sim.Do(func() {
		if words := u.app.command([]string{javaName}); !slices.Equal(words, []string{"memtui", "heap", "find", javaName, "--filter", "class:Everything .z=true", "--snapshot", "0"}) {
			t.Errorf("%q", words)
		}
	})
}

// What is found is counted by what it has in common. Values are hidden there, too, and a group can be listed.
func TestFindCounts(t *testing.T) {
	modeltest.Plain(t)
	u := openJava(t, 150, 40)
	findIn(u, "class:String text~^status")
	u.keys("b").has("Objects by type", "502 objects in 1 group", "java.lang.String")
	u.sim.Do(func() {
		if err := u.app.perCommand("nonsense"); err == nil {
			t.Error("objects are counted by nonsense")
		}
		if err := u.app.perCommand("text"); err != nil {
			t.Error(err)
		}
	})
	u.sim.Settle()
	u.has("r reveals what objects hold").hasNot("eu-west")
	u.keys("r").has("502 objects in 2 groups", "status=ACTIVE;region=eu-west-1", "501")
	u.keys("Enter").has("501 of 23,", "java.lang.String")
	u.keys("r").hasNot("eu-west").has("reveals what objects hold")
	u.keys("r", "Enter").has("501 of 23,").keys("Esc").has("502 objects in 2 groups")
	u.keys("Esc").has("in ", " groups", "Objects by text ─").keys("Esc").has("Objects ─")
	u.keys("b", "b", "b").has("Objects by ").hasNot("Objects by type")
}

// What a text is compared with is said where it is typed.
func TestPromptSaysWhatIsSearched(t *testing.T) {
	u := openJava(t, 80, 24)
	u.sim.Do(func() { u.app.do("find-objects") })
	u.sim.Settle()
	u.keys("/").has("filter: ", "A word is searched in the names of types").keys("x").has("A word is searched in")
	u.keys("Esc")
	lacks(t, u, "A word is searched in")
}

// A file with one snapshot has nothing to compare, which is said.
func TestOneSnapshotHasNothingToCompare(t *testing.T) {
	openJava(t, 120, 40).has("one snapshot: nothing to compare", "all class objects", "all references")
}
