package views

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/calls"
	layouts "github.com/memtui/memtui/export/report/dump"
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/compare"
	"github.com/memtui/memtui/views/dump"
	"github.com/memtui/memtui/views/profile"
	"github.com/memtui/memtui/views/source"
	"github.com/memtui/memtui/views/trace"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// tableCase is a screen with a table: how to get there, its list and columns, and what reports call figures.
type tableCase struct {
	name  string
	open  func(t testing.TB) *program
	keys  []string
	table func(u *program) (l *widget.List, keys []string)
	says  []string
	fixed []string // titles of columns without an order
}

func onKvleak(t testing.TB) *program { return openKvleak(t, 200, 50, colorCaps) }

func openDamaged(t testing.TB) *program {
	store, ix := loadBytes(t, "small_kvleak.mlyze", damagedKvleak())
	return openUI(t, 200, 50, colorCaps, store, ix)
}

func tableCases() []tableCase {
	server := func(t testing.TB) *program { return openServer(t, 200, 50) }
	sites := func(u *program) (*widget.List, []string) {
		p := screenOf[*trace.Sites](u)
		return &p.List, keysOf(p.Columns())
	}
	leaks := func(u *program) (*widget.List, []string) {
		p := screenOf[*trace.Leaks](u)
		return &p.List, keysOf(p.Columns())
	}
	functions := func(u *program) (*widget.List, []string) {
		p := screenOf[*profile.Functions](u)
		return &p.List, keysOf(p.Columns())
	}
	live := func(u *program) (*widget.List, []string) {
		p := screenOf[*profile.Leaks](u)
		return &p.List, keysOf(p.Columns())
	}
	fragments := func(u *program) (*widget.List, []string) {
		p := screenOf[*dump.Fragments](u).Types
		return &p.List, keysOf(p.Columns())
	}
	series := func(u *program) (*widget.List, []string) {
		p := screenOf[*dump.Series](u)
		return &p.List, keysOf(p.Table.Columns())
	}
	events := func(u *program) (*widget.List, []string) {
		p := screenOf[*profile.Screen](u)
		return &p.List, keysOf(p.Columns())
	}
	windows := func(u *program) (*widget.List, []string) {
		p := screenOf[*profile.Timeline](u)
		return &p.List, keysOf(p.Table.Columns())
	}
	lines := func(u *program) (*widget.List, []string) {
		p := screenOf[*source.Screen](u)
		return &p.List, keysOf(p.Columns())
	}
	process := func(t testing.TB) *program { return openDump(t, 200, 50, colorCaps) }
	blocks := func(u *program) (*widget.List, []string) {
		p := &screenOf[*trace.BlockScreen](u).Blocks
		return &p.List, keysOf(p.Columns())
	}
	single := func(u *program) (*widget.List, []string) {
		p := screenOf[*trace.Events](u)
		return &p.List, keysOf(p.Columns())
	}
	cost := []string{"live_bytes", "live_count", "alloc_bytes", "alloc_count", "peak_bytes", "at_peak_bytes", "temporary_count", "leaked_bytes"}
	return slices.Concat(heapCases(), comparedCases(), []tableCase{
		{"Top sites", onKvleak, []string{"Tab"}, paneOf("top", "ListPane"), append(jsonKeys(report.Site{}), cost...), nil},
		{"Top sites of another cost", onKvleak, []string{"Tab", "Tab"}, paneOf("second", "ListPane"), append(jsonKeys(report.Site{}), cost...), nil},
		{"Top sites below the curve", onKvleak, []string{"2"}, paneOf("top", "ListPane"), append(jsonKeys(report.Site{}), cost...), nil},
		{"Sites", onKvleak, []string{"3"}, sites, jsonKeys(report.Site{}), nil},
		{"Sites by function", onKvleak, []string{"3", "b"}, sites, jsonKeys(report.Group{}, report.Site{}), nil},
		{"Leaks", onKvleak, []string{"4"}, leaks, jsonKeys(report.LeakSite{}, report.Site{}), nil},
		{"Late-freed", onKvleak, []string{"4", "c"}, leaks, jsonKeys(report.LeakSite{}, report.Site{}), []string{titles.Trend}},
		{"Callers and callees", onKvleak, []string{"5", "c", "c", "c", "i", "Enter", "g", "Enter"}, paneOf("ListPane"), nil, nil},
		{"Difference of callers", onKvleak, []string{"p", "A", "e", "d", "5", "g", "Down", "Down", "Down", "Down", "Down", "Enter"}, paneOf("ListPane"), nil, nil},
		{"Source", onKvleak, []string{"9"}, lines, []string{"self", "total", "text"}, []string{""}},
		{"Blocks", onKvleak, []string{"6"}, blocks, jsonKeys(report.Block{}), []string{titles.Died, titles.Thread, titles.Verdict, titles.Site}},
		{"Single events", onKvleak, []string{"'", "g"}, single, jsonKeys(report.SingleEvent{}), nil},
		{"Events", func(t testing.TB) *program { return openPython(t, 200, 50) }, []string{"1"}, events, jsonKeys(report.StackEvent{}), []string{""}},
		{"Windows", server, []string{"4"}, windows, nil, []string{""}},
		{"Functions", server, []string{"2"}, functions, jsonKeys(report.WeighedFunction{}), nil},
		{"DSOs", server, []string{"2", "b"}, functions, jsonKeys(report.StackGroup{}, report.WeighedFunction{}), nil},
		{"Leaks of a profile", server, []string{"5"}, live, []string{"live_bytes", "live_count", "alloc_bytes", "alloc_count", "free_bytes", "free_count", "peak_bytes"}, nil},
		{"Series", process, []string{"1"}, series, jsonKeys(layouts.Series{}), []string{""}},
		{"Fragmentation", process, []string{"3"}, fragments, jsonKeys(layouts.PageType{}), nil},
		{"Sparsest pages", process, []string{"3", "Tab"}, paneOf("sparse", "ListPane"), append(jsonKeys(layouts.PageType{}, layouts.SparsePage{}), "page"), nil},
	})
}

// paneOf finds a list in the screen shown by the names of the fields that lead to it.
func paneOf(path ...string) func(u *program) (*widget.List, []string) {
	return func(u *program) (*widget.List, []string) {
		v := reflect.ValueOf(u.app.front()).Elem()
		for _, name := range path {
			if n, err := strconv.Atoi(name); err == nil {
				v = v.Index(n)
			} else {
				v = v.FieldByName(name)
			}
			v = reflect.Indirect(v)
		}
		p := reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Interface().(*ui.ListPane)
		cols := reflect.ValueOf(p.Order).MethodByName("Columns").Call(nil)[0]
		var keys []string
		for i := range cols.Len() {
			if key := cols.Index(i).FieldByName("Key").String(); key != "" && !cols.Index(i).FieldByName("Hidden").Bool() {
				keys = append(keys, key)
			}
		}
		return &p.List, keys
	}
}

// heapCases are the tables of heap snapshots.
func heapCases() []tableCase {
	list := paneOf("ListPane")
	diff := jsonKeys(report.DiffRow{DiffObjects: make(report.DiffObjects, 1)})
	onJava := func(t testing.TB) *program {
		u := openJava(t, 200, 50)
		u.sim.Do(func() { u.app.o.Command = []string{javaName} })
		return u
	}
	return []tableCase{
		{"Snapshots", onRecords, []string{"1"}, paneOf("list"), append(jsonKeys(report.Snapshot{}), "objects", "frames"), []string{""}},
		{"Trends", onRecords, []string{"1", "Tab", "Tab"}, paneOf("trends", "ListPane"), nil, nil},
		{"Types", onRecords, []string{"2"}, list, jsonKeys(report.HeapType{}), nil},
		{"References of a type", onRecords, []string{"2", "#"}, paneOf("around", "ListPane"), jsonKeys(calls.TypeNeighbors{}), nil},
		{"REPRs", onRecords, []string{"2", "b"}, list, jsonKeys(report.HeapType{}), nil},
		{"Frames", onRecords, []string{"3"}, list, jsonKeys(report.HeapFrame{}), nil},
		{"Objects", onRecords, []string{"2", "Enter"}, paneOf("objects", "ListPane"), jsonKeys(report.HeapObject{}), nil},
		{"Objects of a comparison", onRecords, []string{"6", "j", "Enter"}, paneOf("objects", "ListPane"), jsonKeys(report.HeapObject{}), nil},
		{"Dominators", onRecords, []string{"4"}, list, jsonKeys(report.Dominator{}), nil},
		{"Dominators by type", onRecords, []string{"4", "b"}, list, jsonKeys(report.Dominator{}), nil},
		{"References out", onRecords, []string{"4", "x", "O", "b"}, paneOf("lists", "0", "ListPane"), jsonKeys(report.HeapEdge{}, report.HeapField{}), nil},
		{"References in", onRecords, []string{"4", "x", "O", "Tab", "b"}, paneOf("lists", "1", "ListPane"), jsonKeys(report.HeapEdge{}, report.HeapField{}), nil},
		{"Changes of types", onRecords, []string{"6"}, list, diff, nil},
		{"Changes of frames", onRecords, []string{"6", "b"}, list, diff, nil},
		{"Subtrees that grew", onRecords, []string{"6", "b", "b"}, list, diff, nil},
		{"Threads", onJava, []string{"4"}, list, jsonKeys(report.HeapThread{}), []string{titles.Frame}},
		{"Waste", onJava, []string{"7"}, list, jsonKeys(report.HeapString{}, report.HeapRoom{}), nil},
		{"Found", onRecords, []string{"7"}, paneOf("objects", "ListPane"), jsonKeys(report.HeapRow{}, report.HeapObject{}), nil},
		{"Found by type", onRecords, []string{"7", "b"}, list, jsonKeys(members.Found{}), nil},
		{"Difference of types", onRecords, []string{"2", "d"}, list, diff, nil},
	}
}

// comparedCases are the tables of differences, and that of findings.
func comparedCases() []tableCase {
	diff := jsonKeys(report.DiffRow{DiffObjects: make(report.DiffObjects, 1)})
	return []tableCase{
		{"Difference of sites", onKvleak, []string{"p", "A", "e", "d", "3"}, paneOf("ListPane"), diff, nil},
		{"Difference by owner", onKvleak, []string{"p", "A", "e", "d", "3", "b"}, paneOf("ListPane"), diff, nil},
		{"Problems", openDamaged, []string{"8"}, paneOf("list"), jsonKeys(report.Problem{}), nil},
		{"Difference of blocks", onKvleak, []string{"p", "A", "e", "d", "6"}, paneOf("Blocks", "ListPane"), jsonKeys(report.Block{}), []string{titles.Died, titles.Thread, titles.Verdict, titles.Site}},
	}
}

// jsonKeys lists what reports call the fields of values.
func jsonKeys(values ...any) (keys []string) {
	var add func(v reflect.Value)
	add = func(v reflect.Value) {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" {
				keys = append(keys, key)
			} else if !f.IsExported() {
				continue
			} else if m, ok := v.Field(i).Interface().(object.Membered); ok {
				for _, member := range m.Members() {
					keys = append(keys, member.Name)
				}
			} else if f.Anonymous && f.Type.Kind() == reflect.Struct {
				add(v.Field(i))
			}
		}
	}
	for _, v := range values {
		add(reflect.ValueOf(v))
	}
	return keys
}

// keysOf lists what reports call columns.
func keysOf[R any](cols []ui.Column[R]) (keys []string) {
	for i := range cols {
		if cols[i].Key != "" && !cols[i].Hidden {
			keys = append(keys, cols[i].Key)
		}
	}
	return keys
}

// header finds where the title of a column stands.
func (u *program) header(l *widget.List, col int) (x, y int, ok bool) {
	u.sim.Do(func() {
		for y = range 50 {
			for x = range 200 {
				if got, hit := l.HitHeader(x, y); hit && got == col {
					ok = true
					return
				}
			}
		}
	})
	return x, y, ok
}

// order reads what a list is sorted by.
func (u *program) order(l *widget.List) (col int, down bool) {
	u.sim.Settle()
	u.sim.Do(func() { col, down = l.SortColumn, l.Descending })
	return col, down
}

// titles reads those of a list.
func (u *program) titles(l *widget.List) (titles []string) {
	u.sim.Settle()
	u.sim.Do(func() {
		for _, c := range l.Columns {
			titles = append(titles, c.Title)
		}
	})
	return titles
}

// length reads how many rows a list has.
func (u *program) length(l *widget.List) (n int) {
	u.sim.Settle()
	u.sim.Do(func() { n = l.Len() })
	return n
}

// column reads the cells of a column from top to bottom.
func (u *program) column(l *widget.List, col int) (texts []string) {
	u.sim.Settle()
	u.sim.Do(func() {
		for row := range l.Len() {
			texts = append(texts, l.Table.Cell(row, col).Text)
		}
	})
	return texts
}

// A click on a title sorts by it, and the second click reverses that, on every screen with a table.
func TestTablesSortByTheirTitles(t *testing.T) {
	modeltest.Plain(t)
	for _, tt := range tableCases() {
		t.Run(tt.name, func(t *testing.T) {
			u := tt.open(t).keys(tt.keys...)
			l, _ := tt.table(u)
			sorted := 0
			if n := u.length(l); n < 2 {
				t.Fatalf("%d rows", n)
			}
			for col, title := range u.titles(l) {
				x, y, ok := u.header(l, col)
				if !ok {
					continue
				}
				before, up := u.order(l)
				u.sim.Click(x, y)
				by, down := u.order(l)
				if by == before && down == up && slices.Contains(tt.fixed, title) {
					continue
				}
				first := u.column(l, by)
				u.sim.Click(x, y)
				if again, still := u.order(l); again != by || still == down {
					t.Errorf("two clicks on %q: by column %d, descending %v, then by %d, %v", title, by, down, again, still)
				}
				if by == col {
					sorted++
				}
				if by == col && !slices.Contains(parted, tt.name) {
					u.reversed(t, title, first, u.column(l, col))
				}
			}
			if sorted < 1+leastFigures(tt.name) {
				t.Errorf("%d columns sort by themselves", sorted)
			}
		})
	}
}

// parted are the tables whose rows stay in parts in every order: the heap, types and frames; callers, a function, and
// what it calls.
var parted = []string{"Trends", "References of a type", "Callers and callees", "Difference of callers"}

// leastFigures returns how many figures a table has at least.
func leastFigures(name string) int {
	if name == "Callers and callees" { // which all are of one weight
		return 1
	}
	return 2
}

// reversed checks that an order is the other one from its end: by what it reads, as rows of the same figure stay as
// they are. A row that sums up the others stays on top.
func (u *program) reversed(t *testing.T, title string, first, second []string) {
	t.Helper()
	if title == titles.Verdict { // the word is not what sorts
		return
	}
	if title == titles.Row || title == titles.Where { // names sort, whatever the numbers
		first, second = rowNames(first), rowNames(second)
	}
	from := 0
	if first[0] == second[0] {
		from = 1
	}
	back := slices.Clone(second[from:])
	slices.Reverse(back)
	if !slices.Equal(first[from:], back) {
		slices.Reverse(second)
		if !slices.Equal(first, second) {
			t.Errorf("%s: %q, and the other way round %q", title, first, second)
		}
	}
}

// rowNames leaves out the numbers of rows, and the signs before them.
func rowNames(texts []string) (names []string) {
	for _, text := range texts {
		name, _, _ := strings.Cut(text, " #")
		names = append(names, strings.TrimLeft(name, "▸ "))
	}
	return names
}

// A filter hides what it does not fit, compares every figure that the table has, and says so of one that it has not.
func TestTablesFilter(t *testing.T) {
	modeltest.Plain(t)
	for _, tt := range tableCases() {
		t.Run(tt.name, func(t *testing.T) {
			u := tt.open(t).keys(tt.keys...)
			l, _ := tt.table(u)
			all := u.length(l)
			typed := func(text string) int {
				u.keys("/", "Ctrl+U")
				typeText(u, text)
				u.keys("Enter")
				return u.length(l)
			}
			if n := typed("nothing-is-called-so"); n != 0 {
				t.Errorf("%d rows pass a word that none has", n)
			}
			var fields []analysis.Field
			u.sim.Do(func() { fields = u.app.front().(ui.Filtered).Fields() })
			if len(fields) < min(2, leastFigures(tt.name)) {
				t.Fatalf("fields %v", fields)
			}
			for _, f := range fields {
				if f.Text || f.Inside {
					continue // no figure: contents_test.go looks for them
				}
				for _, name := range f.Names {
					zero := "0"
					if f.Time {
						zero = "0s"
					}
					some, none := typed(name+">="+zero), typed(name+"<"+zero)
					if name == "occupied" { // a share of its own
						some, none = typed(name+">=0%"), typed(name+"<0%")
					}
					if strings.HasSuffix(f.Example, "<0") { // a change either way
						some, none = some+none, 0
					}
					if some == 0 || some > all || none != 0 {
						t.Errorf("%s: %d of %d rows have 0 or more, %d less", name, some, all, none)
					}
				}
			}
			if u.keys("/", "Ctrl+U"); tt.name != "Blocks" { // which searches addresses, too
				u.has(ui.FilterHint(fields))
			}
			typeText(u, "heft>1")
			u.has("unknown column heft; available: " + fields[0].Names[0])
			u.keys("Esc")
			u.keys(":")
			typeText(u, "filter "+fields[0].Names[0]+">=0")
			if u.keys("Enter"); u.length(l) == 0 {
				t.Error("no row passes the filter of a command")
			}
			if n := typed(""); n != all {
				t.Errorf("%d of %d rows without a filter", n, all)
			}
		})
	}
}

// y copies the selected row.
func TestTablesCopyTheirRow(t *testing.T) {
	for _, tt := range tableCases() {
		t.Run(tt.name, func(t *testing.T) {
			u := tt.open(t).keys(tt.keys...)
			u.keys("j", "y").has("copy requested")
			second := u.sim.Clipboard()
			if u.keys("k", "y"); second == "" || u.sim.Clipboard() == second {
				t.Errorf("two rows are copied as %q", second)
			}
		})
	}
}

// Columns are called as in reports.
func TestColumnsHaveTheKeysOfReports(t *testing.T) {
	modeltest.Plain(t)
	for _, tt := range tableCases() {
		t.Run(tt.name, func(t *testing.T) {
			u := tt.open(t).keys(tt.keys...)
			_, keys := tt.table(u)
			if len(keys) < 2 && tt.says != nil {
				t.Fatalf("keys %q", keys)
			}
			for _, key := range keys {
				if !slices.Contains(tt.says, key) {
					t.Errorf("no report has %s: %q", key, tt.says)
				}
			}
		})
	}
}

// A click on a title of the top sites weighs by it, the second one shows the smallest first.
func TestTopSitesSortByTheirTitles(t *testing.T) {
	u := openKvleak(t, 145, 50, colorCaps).keys("Tab")
	click := func(title string) {
		for y, line := range strings.Split(u.Text(), "\n") {
			if before, _, ok := strings.Cut(line, title); ok && strings.Contains(line, titles.Site) {
				u.sim.Click(len([]rune(before)), y)
				u.sim.Settle()
				return
			}
		}
		t.Fatalf("no title %s:\n%s", title, u.Text())
	}
	click(titles.Blocks)
	u.has("by live blocks")
	lacks(t, u, "smallest first")
	click(titles.Blocks)
	u.has("by live blocks at the end, the smallest first")
	u.keys("S")
	lacks(t, u, "smallest first")
	click(titles.Allocated)
	u.has("by allocated bytes")
}

// Esc leaves the detail of a block of a difference before it leaves anything else.
func TestDifferenceOfBlocksLeavesItsDetail(t *testing.T) {
	u := onKvleak(t).keys("p", "A", "e", "d", "6")
	pane := &u.app.current().(*compare.Blocks).Blocks.ListPane
	inDetail := func() (in bool) {
		u.sim.Do(func() { in = pane.InDetail })
		return in
	}
	u.keys("Tab")
	if !inDetail() {
		t.Fatal("Tab does not go to the detail")
	}
	u.keys("Esc")
	if inDetail() || !u.app.state.Compare.On {
		t.Errorf("Esc: in the detail %v, comparing %v", inDetail(), u.app.state.Compare.On)
	}
	u.keys("z").has("New blocks")
	u.keys("Esc")
	if !u.app.state.Compare.On {
		t.Error("Esc ends the difference before it gives the list its room back")
	}
}

// A filter of a snapshot's tables knows their figures, and none that only traces have.
func TestHeapFiltersKnowTheirFigures(t *testing.T) {
	u := openRecords(t, 120, 40, colorCaps).keys("2", "/")
	typeText(u, "live>0")
	u.has("unknown column live; available: count, bytes, ")
	u.keys("Esc", "3", "/")
	typeText(u, "temp>0")
	u.has("unknown column temp; available: ")
	u.keys("Esc", "4", "/")
	typeText(u, "peak>0")
	u.has("unknown column peak; available: retained, rows, self")
	u.keys("Esc", "6", "/")
	typeText(u, "blocks>0")
	u.has("unknown column blocks; available: before, after, delta, count")
	u.keys("Esc")
	m := openMadeUp(t, 160, 40).keys("2", "/")
	typeText(m, "unmanaged>0")
	m.has("unknown column unmanaged; available: count, bytes, retained, mean")
}

// Rows that stand for all of a type are filtered as they read.
func TestDominatorsFilterTheirGroups(t *testing.T) {
	u := openRecords(t, 120, 40, colorCaps).keys("4", "b")
	l, _ := paneOf("ListPane")(u)
	all := u.length(l)
	u.keys("/")
	typeText(u, "retained>100K")
	u.keys("Enter")
	some := u.column(l, 0)
	if len(some) == 0 || len(some) == all {
		t.Fatalf("%d of %d groups are left", len(some), all)
	}
	for _, text := range some {
		if strings.HasSuffix(text, " KiB") && len(text) < len("100 KiB") || strings.HasSuffix(text, " B") {
			t.Errorf("%s passes", text)
		}
	}
	u.has(" × ")
}

// The objects of a type have a filter of their own, which Esc clears before it closes them.
func TestObjectsHaveTheirOwnFilter(t *testing.T) {
	u := openRecords(t, 120, 40, colorCaps).keys("2", "/")
	typeText(u, "count>100")
	u.keys("Enter", "Enter").has("Objects of VMString ─", "22,258 objects, 1.71 MiB own · ")
	u.keys("/")
	typeText(u, "bytes>1K")
	u.keys("Enter").has("Objects of VMString · filter “bytes>1K”", "2 of 22,258 objects, 4.54 KiB own · ")
	u.keys("Esc").has("Objects of VMString ─")
	u.keys("Esc").has("Types · filter “count>100”")
}

// The neighbors of an object that holds nothing are listed with it selected, and one can go on from there.
func TestDominatorsOfALeafMove(t *testing.T) {
	u := openRecords(t, 120, 40, colorCaps).keys("2", "Enter", "D")
	l, _ := paneOf("ListPane")(u)
	at := func() (row int) {
		u.sim.Settle()
		u.sim.Do(func() { row, _ = l.Selected() })
		return row
	}
	for range 3 {
		before := at()
		if u.keys("j"); at() != before+1 {
			t.Errorf("down from row %d leads to row %d", before, at())
		}
	}
}

// Every list of a screen is sorted by the titles above it, the one below the pointer.
func TestSnapshotsAndTrendsSort(t *testing.T) {
	u := onRecords(t).keys("1", "s", "s")
	list, _ := paneOf("list")(u)
	trends, _ := paneOf("trends", "ListPane")(u)
	by, _ := u.order(list)
	if before, _ := u.order(trends); by < 0 || before != 2 {
		t.Errorf("s sorts snapshots by column %d, trends by column %d", by, before)
	}
	u.keys("Tab", "Tab", "s", "s").has("by bytes, most grown first")
	if again, _ := u.order(list); again != by {
		t.Error("s in the trends sorts snapshots")
	}
	x, y, _ := u.header(list, 3)
	u.sim.Click(x, y)
	if by, down := u.order(list); by != 3 || !down {
		t.Errorf("a click on BYTES sorts by column %d, descending %v", by, down)
	}
	u.keys("S").has("most grown first, reversed")
}

func onRecords(t testing.TB) *program { return openRecords(t, 200, 50, colorCaps) }
