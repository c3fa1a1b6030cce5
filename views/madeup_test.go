package views

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/testdata/madeup"
)

// openMadeUp starts the program on a file of a format that only its folder knows.
func openMadeUp(t *testing.T, w, h int) *program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.madeup")
	if err := os.WriteFile(path, madeup.Sample(), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := loaders.OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	store := &model.Store{}
	if err := madeup.Format().Load(t.Context(), src, loaders.Options{}, store); err != nil {
		t.Fatal(err)
	}
	u := openUI(t, w, h, colorCaps, store, nil)
	u.sim.Do(func() { u.app.o.Command = []string{"x.madeup"} })
	return u
}

// Every screen speaks of a format in its own words: the kinds, axes and policies that it states, and none of another
// one.
func TestMadeUpFormatOnEveryScreen(t *testing.T) {
	u := openMadeUp(t, 160, 40)
	u.keys("1").has("THINGS", "LOADED CLASSES", "5.59 GiB", "2 snapshots", "things")
	u.keys("2").has("Classes ─", "5 things of 4 classes · 5.59 GiB", "CLASS", "Picture", "RETAINED")
	u.keys("b").has("Packages ─", "PACKAGE", "shop.media", "Enter lists the classes with this package")
	u.keys("Enter").has("Classes · package: shop.media", "of 2 classes", "Esc goes back to the packages")
	u.keys("Esc").has("Packages ─").keys("b").has("Regions ─", "REGION", "large", "young", "Enter lists the things")
	u.keys("Enter").has("Objects of region large", "Picture #3", "#7")
	u.keys("Esc", "b").has("Loaded classes ─", "1 loaded class of 1 class · 512 B")
	u.keys("b").has("Classes ─")
	u.keys("Enter").has("Objects of Picture", "most retained first", "DOMINATOR", "Cache #2")
	u.keys("Esc", "3").has("Dominators", "RETAINED", "main loop #1", "The Ground")
	u.keys("Enter").has("Dominated by main loop #1", "Cache #2", "Registry #6")
	u.keys("Enter").has("Dominated by Cache #2", "Picture #3", "Cache (class) #5", "Note #4")
	u.keys("E").has("edges everything: weak references keep memory alive like strong ones", "and weak references")
	u.keys("E").has("edges strong: weak references keep alive only what no strong one reaches")
	u.sim.Do(func() {
		if err := u.app.goToRow("0x3000"); err != nil {
			t.Error(err)
		}
	})
	u.sim.Settle()
	u.has("Note #4", "cell · shop.store · young · 0x3000", "values are hidden: r shows them", "] (weak)", "[7]", "Registry #6")
	u.hasNot("hello")
	u.keys("r").has("“hello␛[2J there, this is a note that goes on and on”", "values are shown and may be secrets: r hides them")
	u.keys("r").hasNot("hello").has("values are hidden: r shows them")
	u.keys("4").has("Threads ─", "1 thread", "main loop", "run", "cache = Cache #2")
	u.keys("7").has("Waste ─", "Registry", "list")
	u.keys("6").has("Comparison", "CLASS", "things", "Picture")
	u.keys("b", "b", "b", "c", "c", "c").has("Comparison")
	u.keys("2", "d").has("CLASS")
	for _, screen := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		u.keys(screen)
		for range 12 {
			u.keys("s", "S")
		}
		u.keys("b", "Tab", "j", "Enter", "Esc", "y")
		for _, never := range []string{"REPR", "STable", "anaged", "MANAGED", "FRAMES", "Frames"} {
			if text := u.Text(); strings.Contains(text, never) {
				t.Errorf("screen %s says %q:\n%s", screen, never, text)
			}
		}
	}
}
