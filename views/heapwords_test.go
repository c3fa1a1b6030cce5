package views

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/join"
)

// openTwoRubyHeaps starts the program on two heap dumps of Ruby as the snapshots of one recording.
func openTwoRubyHeaps(t *testing.T, w, h int) *program { return openTwoHeaps(t, "ruby-heap", w, h) }

// openTwoHeaps does so with two of any format.
func openTwoHeaps(t *testing.T, format string, w, h int) *program {
	t.Helper()
	store, _, err := opened.File(t, filepath.Join("..", framed[format]))
	if err != nil {
		t.Fatal(err)
	}
	two := *store.Current()
	heaps, err := join.NewHeaps([]model.HeapSource{two.Heaps, two.Heaps}, nil)
	if err != nil {
		t.Fatal(err)
	}
	heaps.Name([]string{"/srv/monday/shop.json", "/srv/friday/shop.json"})
	two.Heaps, two.Meta.Name = heaps, "shop.json and 1 other file"
	both := &model.Store{}
	both.Publish(&two)
	return openUI(t, w, h, colorCaps, both, nil)
}

// Of several files, the header, the list of snapshots and both sides of a comparison name the file of each snapshot,
// with its folder where two have one name.
func TestSnapshotsNameTheirFiles(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		u := openTwoRubyHeaps(t, size[0], size[1])
		u.has("FILE", "monday/shop.json", " friday/shop.json  Snapshots").hasNot("other file")
		u.keys("h").has(" monday/shop.json  Snapshots")
		u.keys("l", "6").has("before: #0 monday/shop.json · after: #1 friday/shop.json")
	}
}

// Snapshots count the objects that are classes, Types the classes that have objects: both say which.
func TestClassesAreCountedByWhatTheyAre(t *testing.T) {
	u := openTwoRubyHeaps(t, 120, 40)
	u.has("CLASSES AND MODULES", "all classes and modules", "classes with objects", "unreachable bytes")
	u.keys("2").has("25,925 objects of 75 classes · 5.28 MiB")
}

// A type that retains less than its bytes says by how much, as both may round to the same.
func TestTypesThatRetainLessThanTheirBytes(t *testing.T) {
	u := openTwoRubyHeaps(t, 120, 40).keys("2")
	u.has("together they retain 1.25 MiB (23.7 %): 40 B less than", "as some of them are unreachable, and nothing retains those")
}

// Groups without a value are none or unknown, by what the property is, and Enter on a group lists what it counted.
func TestGroupsWithoutValue(t *testing.T) {
	u := openTwoRubyHeaps(t, 120, 40).keys("2", "b")
	u.has("Superclasses ─", "<none>").hasNot("<anon>")
	u.keys("Enter").has("Classes · superclass: Object", "Esc goes back to the superclasses").keys("Esc").has("Superclasses ─")
	u.keys("b", "b").has("Allocation sites ─", "<unknown>", "The file does not state their allocation site, but the generation of 1.")
	u.keys("Enter").has("Objects of allocation site <unknown>", "WHAT")
	u.keys("Esc", "b").has("Generations ─", "<unknown>").hasNot("<anon>")
	u.keys("?").has("thread, size; heaps by")
}

// A grouping of which the file states nothing says so, and not that there are no objects.
func TestGroupingThatTheFileDoesNotState(t *testing.T) {
	store, _, err := opened.File(t, filepath.Join("..", framed["heapsnapshot"]))
	if err != nil {
		t.Fatal(err)
	}
	u := openUI(t, 120, 40, colorCaps, store, nil).keys("2", "b", "b", "b")
	u.has("The file does not state the allocation site of its objects: V8 records it in allocation timelines").hasNot("has no objects")
}

// Comparisons group objects by every property that both sides have: by the place of allocation that grew.
func TestComparisonByAllocationSite(t *testing.T) {
	u := openTwoRubyHeaps(t, 120, 40).keys("6", "b").has("Subtrees that grew").keys("b").has("Superclasses by Δ bytes")
	u.keys("b", "b").has("Allocation sites by Δ bytes", "all 97 · 0 new", "ALLOCATION SITE", "<unknown>", "0 new, 17,936 kept")
	u.keys("j", "j").has("dominated by", "0 new, 1,000 kept").keys("Y").has("--group site")
	u.keys("Enter").has("Objects of allocation site /srv/webshop/gen/ruby/shop.rb:11 *")
	u.keys("Esc", "b", "b").has("Types by Δ bytes")
}

// A comparison by what neither side states says so, and what makes files state it.
func TestComparisonByWhatIsNotStated(t *testing.T) {
	u := openTwoHeaps(t, "heapsnapshot", 120, 40).keys("5", "b", "b").has("Node types by Δ bytes").keys("b", "b")
	u.has("Sites by Δ bytes", "Before does not state the allocation site of its objects: V8 records it in allocation timelines")
}

// A suspect names the object that Enter leads to, beside its owner.
func TestSuspectsNameWhereEnterLeads(t *testing.T) {
	u := openTwoRubyHeaps(t, 200, 50)
	u.has("1,000 Shop::Session (743 KiB, 13.7 % of the heap) are held by Shop::SessionCache (class)", "they are in Hash #17,543")
	u.keys("Tab", "j", "Enter")
	u.has("Dominated by Hash #17,543", "Shop::SessionCache (class)", "1,000 × Shop::Session")
}

// What another screen leads to on Types is shown there, whatever was grouped or opened before.
func TestTypesShowWhatOthersLeadTo(t *testing.T) {
	for _, before := range [][]string{{"2", "b"}, {"2", "b", "Enter"}, {"2", "Enter"}, {"2", "#"}, {"2", "b", "b", "b", "Enter"}} {
		u := openTwoRubyHeaps(t, 120, 40).keys(before...)
		u.keys("1", "Tab", "Tab", "/", "R", "e", "g", "e", "x", "p", "Enter", "Enter")
		u.has("Classes · filter “Regexp”", "84 objects of 1 of 75 classes").hasNot("Classes · superclass")
	}
}

// What a root retains is more than objects: the count of its rows says so.
func TestRootsRetainRows(t *testing.T) {
	u := openTwoRubyHeaps(t, 80, 24).keys("3")
	u.has("Dominators ─", "5.28 MiB in 25,9", " rows, roots included")
	u.keys("Enter").has("Dominated by Thread", "objects, itself 1.00 MiB").keys("5").has(" rows, roots included")
}

// Who types a text where names are searched is told what searches texts, and that this reads contents.
func TestSearchForATextSaysHow(t *testing.T) {
	u := openTwoRubyHeaps(t, 80, 24).keys("2", "/").has("filter: text, !text")
	u.keys("t", "o", "k", "x", "Enter").has("No matches for “tokx”", ":find text~tokx searches the texts of strings", "reads what objects hold")
	u.keys("Esc", "/", "t", "e", "x", "t", "~", "a", ".", "c", "Enter").has(":find text~a.c searches").keys("Esc")
	u.keys("Enter", "/").has("text~^abc, /regex/", "text~abc searches the texts of strings").keys("t", "o", ".", "x", "Enter")
	u.has("Objects of String · filter “to.x”", `Only names were searched: text~to\.x searches`)
	u.keys("Esc", "Esc", "8", "/").has("text~^abc, /regex/", "text~abc searches the texts of strings", ".FIELD~REGEX look into objects")
	u.keys("t", "o", "k", "x", "Enter").has("Only names were searched: text~tokx")
	u.keys("/", "Home", "t", "e", "x", "t", "~", "Enter").has("No matches for “text~tokx”").hasNot("Only names")
	openRecords(t, 80, 24, colorCaps).keys("2", "/", "t", "o", "k", "x", "Enter").has("No matches for “tokx”").hasNot("texts of strings")
}

// Enter on wasted memory lists what the row counted; O shows one of them, and another snapshot has others.
func TestWasteListsWhatItCounts(t *testing.T) {
	u := openTwoRubyHeaps(t, 80, 24).keys("7").has("Waste ─", "Enter lists them, O shows")
	u.keys("/", "t", "e", "x", "t", "Enter", "Enter").has("Waste · objects", "Strings with the text of #", " objects, ", " own\n", "WHAT")
	u.keys("Esc").has("Waste · filter “text”", "#15 in Shop::Session ").hasNot("Unknown").keys("O").has("  Object · #")
	u = openTwoRubyHeaps(t, 80, 24).keys("7", "/", "l", "i", "s", "t", "Enter").has("what wastes most").keys("Enter").has("Objects of (array) ─").hasNot("WHAT")
	u.keys("h").has("Waste · filter “list”").hasNot("Objects of (array)")
}

// Enter on a row of several classes, whose masked names are the same, lists the objects of them all.
func TestMergedRowsListAllTheirObjects(t *testing.T) {
	u := openTwoRubyHeaps(t, 120, 40).keys("6")
	u.sim.Do(func() {
		if err := u.app.maskCommand("Shop::(Session|Link)=Shop::*"); err != nil {
			t.Error(err)
		}
	})
	u.sim.Settle()
	u.keys("/", "S", "h", "o", "p", ":", ":", "*", "Enter").has("Shop::*", "2 classes have this name; dominators are those of the largest: Shop::")
	u.has("after 156 KiB in 3,000").keys("Enter").has("Objects of Shop::* · 2 classes ─", "3,000 objects, 156 KiB own", "WHAT")
}

// What Find lists and what Types counts differ by the roots that V8 counts as objects, and Find says so.
func TestFindSaysWithoutWhichRoots(t *testing.T) {
	u := openTwoHeaps(t, "heapsnapshot", 80, 24).keys("2")
	types := regexp.MustCompile(`([\d,]+) objects of`).FindStringSubmatch(u.Text())
	u.keys("7").has("without ")
	found := regexp.MustCompile(`Objects ─+ ([\d,]+) objects, .* own · without (\d+) roots`).FindStringSubmatch(u.Text())
	if types == nil || found == nil {
		t.Fatal(types, found)
	}
	number := func(text string) int {
		n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
		if err != nil {
			t.Error(err)
		}
		return n
	}
	if number(found[1])+number(found[2]) != number(types[1]) {
		t.Errorf("Types counts %s, Find %s without %s", types[1], found[1], found[2])
	}
}

// In narrow columns the names of classes lose their packages, and stay apart.
func TestClassesKeepTheirNamesInNarrowColumns(t *testing.T) {
	u := openJava(t, 80, 24).keys("2").has("…util.HashMap$Node[]", "ConcurrentHashMap$Node ", "java.lang.String ")
	u.keys("3").has("▸ …ConcurrentHashMap #", "▸ …lang.System (class) #").keys("4").has("…lang.Thread.sleep")
}

// The title of a list of objects says how many it lists and their own bytes, not what they are below, and keeps both
// ends of a name that has no room.
func TestTitlesSayWhatIsListed(t *testing.T) {
	u := openTwoRubyHeaps(t, 80, 24).keys("2", "Enter").has("Objects of String ──", "12,580 objects, 1.25 MiB own\n").hasNot("first")
	u.keys("/", "#", "1", "7", "Enter").has("Objects of String · filter “#17”", " of 12,580 objects, ").keys("Esc", "Esc")
	u.keys("b", "b", "b", "j", "j", "Enter").has("Objects of allocation si", "shop.rb:11 * ─ 1,000 objects, 626 KiB own\n")
	u.keys("Esc", "3", "x", "b").has("2 × String", "1.01 MiB in 8 objects")
	u.keys("Enter").has(" · only String ─", "─ 2 objects, 5.95 KiB own\n").hasNot("in 8 objects")
	u.keys("8").has("Objects ──", "25,925 objects, 5.28 MiB own\n")
	openTwoRubyHeaps(t, 120, 40).keys("2", "Enter").has("12,580 objects, 1.25 MiB own · most retained first")
}
