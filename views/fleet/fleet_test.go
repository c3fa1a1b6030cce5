package fleet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/fleets"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/themes"
)

// made is a fleet in memory. The newest versions are those that are planted.
type made struct {
	fleets.Memory
	fails error
	asked []fleet.Question
}

func (m *made) Ask(ctx context.Context, q *fleet.Question) (*fleet.Answer, error) {
	if m.asked = append(m.asked, *q); m.fails != nil {
		return nil, m.fails
	}
	if q.Kind == fleet.Diff && q.Before == "" {
		q.Before, q.After = fleets.Old, fleets.New
	}
	return q.Ask(ctx, &m.Memory)
}

func (m *made) Stack(_ context.Context, key fleet.Key) (*fleet.Stack, error) {
	for i := range m.Batch.Stacks {
		if s := &m.Batch.Stacks[i]; fleet.Key(s.Stack) == key {
			return s, nil
		}
	}
	return nil, nil
}

func (m *made) Names(_ context.Context, column string) (list []string, err error) {
	for i := range m.Batch.Recordings {
		r := &m.Batch.Recordings[i]
		if column == fleet.Labels {
			list = append(list, r.Labels...)
			continue
		}
		name := map[string]string{"service": r.Service, "version": r.Version, "host": r.Host}[column]
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list, nil
}

func (m *made) Places(_ context.Context, what fleet.What) (list []fleet.Place, err error) {
	for i := range m.Batch.Stacks {
		if p := (fleet.Place{Function: m.Batch.Stacks[i].Function, File: m.Batch.Stacks[i].File}); !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list, nil
}

func (m *made) Warnings() []string { return nil }

// someRecordings returns a fleet of forty recordings like a real one.
func someRecordings(t testing.TB) *made {
	t.Helper()
	like := fleets.Recorded(t, filepath.Join("..", "..", "testdata", "small_kvleak.mlyze"))
	m := &made{}
	for n := range 40 {
		m.Batch.Append(fleets.Nth(like, n))
	}
	m.Batch.Stacks = like.Stacks
	return m
}

// program is the program on a simulated terminal.
type program struct {
	t     testing.TB
	sim   *term.Simulation
	app   *app
	saved string
}

func start(t testing.TB, w, h int, caps term.Caps, m *made, memory *Memory) *program {
	t.Helper()
	u := &program{t: t, sim: term.NewSimulationCaps(w, h, caps)}
	u.app = newApp(Options{
		Terminal: u.sim.Terminal, Fleet: m, Place: "http://ch:8123/memory", Keys: keymap.Default(),
		Start:  fleet.Question{Kind: fleet.Top, What: fleet.Sites, Figure: fleet.Leaked},
		Themes: themes.Usable(caps.Colors, caps.Colors == 0), Patience: 5 * time.Second, Memory: memory,
		Notes: func(_ *fleet.Question, a *fleet.Answer) []string {
			return []string{fmt.Sprintf("Of each host the newest recording counts: %d of %d.", a.Basis.Counted, a.Basis.Recordings)}
		},
		Command: func(q *fleet.Question) []string { return []string{"memtui", "fleet", q.Kind.String(), "it's"} },
		Save: func(_ context.Context, path string, x Answer) (int64, error) {
			u.saved = fmt.Sprint(path, " ", len(x.Answer.Top))
			return 7, nil
		},
		Openable: func(uri string) error {
			if strings.HasSuffix(uri, "1") {
				return errors.New("it is \x1b[31mgone")
			}
			return nil
		},
	})
	u.sim.Start(u.app)
	t.Cleanup(func() { _ = u.sim.Stop() })
	u.sim.Settle()
	return u
}

func (u *program) keys(names ...string) *program {
	u.t.Helper()
	for _, n := range names {
		if err := u.sim.Type(n); err != nil {
			u.t.Fatal(err)
		}
		u.sim.Settle()
	}
	return u
}

// types types a text.
func (u *program) types(text string) *program {
	u.t.Helper()
	for _, r := range text {
		name := string(r)
		if r == ' ' {
			name = "Space"
		}
		u.keys(name)
	}
	return u
}

func (u *program) text() (out string) {
	u.sim.Settle()
	u.sim.Do(func() { out = memtest.Text(u.sim.Screen()) })
	return out
}

func (u *program) has(texts ...string) *program {
	u.t.Helper()
	got := u.text()
	for _, want := range texts {
		if !strings.Contains(got, want) {
			u.t.Errorf("the screen does not hold %q:\n%s", want, got)
		}
	}
	return u
}

var colored = term.Caps{Unicode: true, Colors: 1 << 24, TrueColor: true, Clipboard: true}

// TestScreens draws every screen.
func TestScreens(t *testing.T) {
	m := someRecordings(t)
	for i, k := range screens() {
		name := strings.ToLower(nameOf(k))
		key := fmt.Sprint(i + 1)
		memtest.Golden(t, name+"-80x24", start(t, 80, 24, colored, m, nil).keys(key).text())
		memtest.Golden(t, name+"-120x40", start(t, 120, 40, colored, m, nil).keys(key).text())
	}
	memtest.Golden(t, "sites-200x50", start(t, 200, 50, colored, m, nil).text())
	memtest.Golden(t, "sites-80x24-ascii", start(t, 80, 24, term.Caps{}, m, nil).text())
	memtest.Golden(t, "sites-20x5", start(t, 20, 5, colored, m, nil).text())
	memtest.Golden(t, "help-80x24", start(t, 80, 24, colored, m, nil).keys("?").text())
}

// TestDownToARecording goes from the site that a version made worse to a recording that has it, and back again after it.
func TestDownToARecording(t *testing.T) {
	m, memory := someRecordings(t), &Memory{}
	u := start(t, 120, 40, colored, m, memory).keys("2").has(fleets.Old, fleets.New, "New in 1.1")
	u.keys("Enter").has("version 1.1", "site ", "Recordings", "/r/")
	for range 3 { // as far as one that can be opened
		u.keys("Enter")
		if u.sim.Context().Err() != nil {
			break
		}
		u.has("not opened: it is ␛[31mgone").keys("Down")
	}
	if u.app.opened == nil || !strings.HasPrefix(u.app.opened.URI, "/r/") || u.app.opened.Place.Function == "" || !u.app.opened.Leaking ||
		u.app.opened.Stack.String() != u.app.now.site {
		t.Fatalf("opened %+v", u.app.opened)
	}
	memory.Say("it could not be read")
	again := start(t, 120, 40, colored, m, memory).has("it could not be read", "site ", u.app.opened.URI)
	again.keys("Esc").has("Changes ·").keys("Esc").has("Sites ·")
}

// TestWhatIsAsked asks about services, figures and things by key and by command.
func TestWhatIsAsked(t *testing.T) {
	m := someRecordings(t)
	u := start(t, 120, 40, colored, m, nil).keys("o").has("only  service").keys("Esc")
	u.keys("c").has("live at the end").keys("b").has("by owner, live at the end", "OWNER", "asking about owners", "Its sites")
	u.keys("b").has("leaks by their verdict").keys("b").has("types of heap snapshots", "COUNT", "HashMap$Node", "it's a [B")
	u.keys("c").has("one figure").keys("b", "b")
	u.keys(":").types("service s").has("service shop").keys("Tab", "Enter").has("service shop")
	u.keys(":").types("host shop-99").keys("Enter").has("the fleet has no host").keys("Esc")
	u.keys(":").types("label zone=1").keys("Enter").has("label zone=1")
	u.keys(":").types("all-versions").keys("Enter").has("hosts count by every version")
	u.keys(";").has("Only these recordings count").keys("Enter", "Esc")
	u.keys(":").types("clear").keys("Enter").keys(":").types("hosts").keys("Enter").has("Hosts ·", "ROBUST Z")
	u.keys(":").types("figure alloc").keys("Enter").has("allocated")
	u.keys("/").types("no such").keys("Enter").has("No row contains that.").keys("Esc")
	if !slices.ContainsFunc(m.asked, func(q fleet.Question) bool {
		return q.Kind == fleet.Outliers && q.Figure == fleet.Alloc && q.IsEmpty()
	}) {
		t.Errorf("asked %+v", m.asked)
	}
}

// Filters take the names of columns as they are shown, and those of reports.
func TestFilterByTitles(t *testing.T) {
	m := someRecordings(t)
	u := start(t, 120, 40, colored, m, nil)
	for filter, want := range map[string]string{"sum>10M": "close_session", "total_bytes>10M": "close_session", "p95 > 1M": "close_session",
		"hosts=1 service=shop": "close_session", "service:SHOP site:close": "close_session", "service:till": "till's"} {
		u.keys("/", "Ctrl+U").types(filter).keys("Enter").has(want)
		if all := u.app.page().table.Now(); len(all.Order) == 0 || len(all.Order) == len(all.Rows) {
			t.Errorf("%s keeps %d of %d rows", filter, len(all.Order), len(all.Rows))
		}
		u.keys("Esc")
	}
	u.keys("/").types("summ>500K").has("unknown column summ; available: sum, median, p95, hosts, share, service").keys("Esc")
	u.keys("/").types("service>x").has("service is a text, write service:x").keys("Esc")
	u.keys("4", "/").types("first:20").keys("Enter").has("Versions").keys("Esc", "6", "/").types("length<1h").keys("Enter").has("Recordings")
}

// Recordings that end early are counted where what they have is.
func TestCutRecordings(t *testing.T) {
	m := someRecordings(t)
	for i := range m.Batch.Recordings {
		m.Batch.Recordings[i].Complete = m.Batch.Recordings[i].Host != fleets.OddHost
	}
	start(t, 120, 40, colored, m, nil).has("28 of 40 recordings, 1 cut", "Cut: ", "what was live where they end counts")
	for i := range m.Batch.Recordings {
		m.Batch.Recordings[i].Complete = true
	}
	start(t, 120, 40, colored, m, nil).has("28 of 40 recordings |")
}

// A site is chosen by the beginning of its name, and one that the fleet lacks is refused.
func TestSiteByItsName(t *testing.T) {
	u := start(t, 120, 40, colored, someRecordings(t), nil)
	largest := u.app.page().table.Now().Of.rows[0].name()
	u.keys(":").types("site ").has("site " + largest)
	if offered := u.app.offers("site "); offered[0].text != "site "+largest {
		t.Errorf("%q is offered before the largest, %s", offered[0].text, largest)
	}
	if offered := u.app.offers("site wor"); len(offered) < 2 || !strings.HasPrefix(offered[0].text, "site worker_") {
		t.Errorf("%v", offered)
	}
	if list := firstOffered(make([]proposal, 20), 12); len(list) != 12 || list[11].text != "9 more: type a part of the name" {
		t.Errorf("%v", list)
	}
	u.keys("Esc")
	u.keys(":").types("site open_ses").has("site open_session(int) (kvleak.cpp)").keys("Enter").has("site open_session(int) (kvleak.cpp)")
	for _, key := range []string{"2", "3", "4", "5", "6", "1"} {
		u.keys(key)
		if q := u.app.page().table.Now().Of.question; q.Site != "open_session(int) (kvleak.cpp)" {
			t.Errorf("screen %s is about %q", key, q.Site)
		}
	}
	u.keys(":").types("site close_sesion").keys("Enter").has("did you mean close_session").keys("Esc")
	u.keys(":").types("site 706d25c22940b2e3").keys("Enter").has("main (kvleak.cpp)").keys(":").types("site").keys("Enter")
	if u.app.now.site != "" {
		t.Errorf("the site is still %q", u.app.now.site)
	}
}

// TestOutside saves, copies, and shows what a fleet that does not answer says, without its control characters.
func TestOutside(t *testing.T) {
	m := someRecordings(t)
	u := start(t, 120, 40, colored, m, nil)
	u.keys("Ctrl+S", "Ctrl+U").types("a.csv").keys("Enter").has("saved 7 B in a.csv")
	if want := fmt.Sprint("a.csv ", len(u.app.pages[fleet.Top].table.Now().Rows)); u.saved != want {
		t.Errorf("saved %q, not %q", u.saved, want)
	}
	u.keys("Y").has("memtui fleet top 'it'").keys("y").has("copy requested").keys("Space").has("Selected row", "STACK").keys("Esc")
	u.keys("h").has("does nothing here").keys("=").has(" B ").keys("T").has("theme ").keys("z", "Tab", "Esc", "s", "S", "]", "[", "Z")
	m.fails = errors.New("code 60: \x1b]0;no table\a")
	u.keys("Ctrl+R").has("No answer: code 60: ␛]0;no table␇.").keys("Enter").keys("3").has("No answer")
	m.fails = nil
	u.keys("Ctrl+R").has("ROBUST Z").keys("q")
	if err := u.sim.Stop(); err != nil {
		t.Error(err)
	}
}

// A site is chosen in one service, and shared with others.
func TestServicesThatShareASite(t *testing.T) {
	v := view{kind: fleet.Spread, service: "shop", site: "grow"}
	if q := v.question(); q.Service != "" || q.Site != "grow" || v.matters(&restriction{label: "service"}) {
		t.Errorf("%+v", q)
	}
	v.site = ""
	if q := v.question(); q.Service != "shop" || !v.matters(&restriction{label: "service"}) {
		t.Errorf("%+v", q)
	}
}

// Of few hosts no part is a twentieth.
func TestMostOfFewHosts(t *testing.T) {
	for hosts, want := range map[uint64]string{5: "the one with the most 9", 19: "the one with the most 9", 20: "one in twenty 7 or more"} {
		if got := upper(&fleet.Summary{Hosts: hosts, P95: 7, Most: 9}, func(n uint64) string { return fmt.Sprint(n) }); got != want {
			t.Errorf("of %d hosts: %q", hosts, got)
		}
	}
}

// Names that begin with what is typed are offered before those that have it elsewhere.
func TestLikestNamesAreFirst(t *testing.T) {
	if got := likest([]string{"b_grow", "grow_b", "Grow_a"}, "grow"); !slices.Equal(got, []string{"grow_b", "Grow_a", "b_grow"}) {
		t.Errorf("%v", got)
	}
}

// Recordings without a version are shown as such, and what is not there is said with what makes it.
func TestRecordingsWithoutAVersion(t *testing.T) {
	m := someRecordings(t)
	for i := range m.Batch.Recordings {
		m.Batch.Recordings[i].Version = ""
	}
	u := start(t, 120, 40, colored, m, nil)
	u.keys("4").has("shop             no version", "hosts (100 %) of shop: the median")
}
