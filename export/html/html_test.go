package html

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// keys are those that the tests press.
var keys = &Terminal{Screens: []Screen{{"overview", "Overview", []string{"1"}}, {"stacks", "Stacks", []string{"5"}}, {"problems", "Problems", nil}},
	Keys: map[string][]string{"zoom-in": {"+"}, "zoom-reset": {"0"}, "help": {"?"}, "find": {"/"}, "down": {"Down", "j"}}}

// kvleak is the page of a real trace, after change had its way with the profile; nil changes nothing.
func kvleak(t *testing.T, change func(*model.Profile)) *Source {
	t.Helper()
	store, ix, err := opened.File(t, filepath.Join("..", "..", "testdata", "small_kvleak.mlyze"))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		store.Update(func(p *model.Profile) *model.Profile { next := *p; change(&next); return &next })
	}
	p := store.Current()
	r, err := report.Build(t.Context(), p, ix, report.Options{
		At: analysis.End, AtTime: ix.Status().Duration, Range: analysis.FullRange, From: model.NoTime, To: model.NoTime, Limit: 200, Ages: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &Source{Report: r, Profile: p, Program: "memtui test", Command: []string{"memtui", "report", "a b.mlyze"}, Terminal: keys, Trace: ix, At: analysis.End, Range: analysis.FullRange}
}

// hostile are names that try to become something else than names.
const hostile = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\u202e\u2066\x00\x1b[2J\xff{{data}}"

func hostileNames(p *model.Profile) {
	s := *p.Stacks
	s.Functions, s.Files = append([]string{}, s.Functions...), append([]string{}, s.Files...)
	for i := range s.Functions {
		if i > 0 {
			s.Functions[i] = hostile + s.Functions[i]
		}
	}
	for i := range s.Files {
		if i > 0 {
			s.Files[i] = s.Files[i] + hostile
		}
	}
	p.Stacks, p.Meta.Name = &s, hostile+".mlyze"
}

func write(t *testing.T, src *Source) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := Write(t.Context(), &out, src); err != nil {
		t.Fatal(err)
	}
	if out.Len() > maxBytes {
		t.Errorf("the page has %d bytes", out.Len())
	}
	return out.Bytes()
}

var dataBlock = regexp.MustCompile(`(?s)<script id="data" type="application/json">(.*?)</script>`)

func dataOf(t *testing.T, out []byte) *page {
	t.Helper()
	m := dataBlock.FindSubmatch(out)
	if m == nil {
		t.Fatal("no data in the page")
	}
	var p page
	if err := json.Unmarshal(m[1], &p); err != nil {
		t.Fatal(err)
	}
	return &p
}

func TestPageOfATrace(t *testing.T) {
	out := write(t, kvleak(t, nil))
	p := dataOf(t, out)
	if p.Title != "small_kvleak.mlyze" || !p.Complete || len(p.Findings) == 0 || len(p.Cards) < 5 || len(p.Charts) != 2 || len(p.Flames) != 1 {
		t.Errorf("the page has %q, %d findings, %d cards, %d charts", p.Title, len(p.Findings), len(p.Cards), len(p.Charts))
	}
	f := p.Flames[0]
	for c := range f.Costs {
		sum := uint64(0)
		for n, w := range f.Self[c] {
			sum += w
			if f.Parent[n] >= n {
				t.Fatalf("node %d stands before its parent", n)
			}
		}
		if sum == 0 {
			t.Errorf("%s weighs nothing", f.Costs[c].ID)
		}
	}
	for _, table := range p.Tables {
		for _, row := range table.Rows {
			if len(row) != len(table.Cols) {
				t.Errorf("%s: a row has %d cells, not %d", table.ID, len(row), len(table.Cols))
				break
			}
		}
		if table.Stacks != nil && len(table.Stacks) != len(table.Rows) {
			t.Errorf("%s: %d stacks of %d rows", table.ID, len(table.Stacks), len(table.Rows))
		}
	}
	if outside := regexp.MustCompile(`(?i)(src|href)\s*=\s*["']?(https?:|//)|url\(|@import|fetch\(|XMLHttp|WebSocket`).Find(out); outside != nil {
		t.Errorf("the page holds %q", outside)
	}
}

// What the flame graph weighs is what the trace allocated, however much is put together.
func TestFlameLosesNothing(t *testing.T) {
	src := kvleak(t, nil)
	for l := unlimited(); l.nodes > 50; l = l.half() {
		p, err := build(t.Context(), src, l, (*builder).report)
		if err != nil {
			t.Fatal(err)
		}
		sum := uint64(0)
		for _, w := range p.Flames[0].Self[0] {
			sum += w
		}
		if sum != src.Report.Trace.AllocBytes {
			t.Errorf("%d nodes weigh %d, not %d", len(p.Flames[0].Parent), sum, src.Report.Trace.AllocBytes)
		}
	}
}

func TestHostileNamesStayNames(t *testing.T) {
	out := write(t, kvleak(t, hostileNames))
	text := string(out)
	for _, evil := range []string{"<script>document", "<img", "\u202e", "\u2066", "\x00", "\x1b"} {
		if strings.Contains(text, evil) {
			t.Errorf("the page holds %q", evil)
		}
	}
	if n := strings.Count(text, "</script>"); n != 2 {
		t.Errorf("%d ends of scripts", n)
	}
	for _, name := range dataOf(t, out).Names {
		if name != model.Clean(name) {
			t.Fatalf("%q is not clean", name)
		}
	}
}

func TestLongNamesAreCut(t *testing.T) {
	if modeltest.UnderRace {
		t.Skip("one goroutine reads much of one kind: other tests read it under the race detector")
	}
	out := write(t, kvleak(t, func(p *model.Profile) {
		s := *p.Stacks
		s.Functions = append([]string{}, s.Functions...)
		for i := 1; i < len(s.Functions); i++ {
			s.Functions[i] = strings.Repeat("é"+s.Functions[i], 3000)
		}
		p.Stacks = &s
	}))
	if cut := strings.Join(dataOf(t, out).Cut, "\n"); !strings.Contains(cut, "names longer than") {
		t.Errorf("what was cut: %s", cut)
	}
}

func TestCommandLine(t *testing.T) {
	if got := CommandLine([]string{"memtui", "report", "it's a.mlyze", ""}); got != `memtui report 'it'\''s a.mlyze' ''` {
		t.Error(got)
	}
}

// browser renders a page in a real browser and returns its document; the test is skipped where there is none.
func browser(t *testing.T, out []byte, hash string) string {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium here")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, out, 0o600); err != nil {
		t.Fatal(err)
	}
	dom, errs, err := visit(t, path, "file://"+file+"#"+hash)
	if err != nil {
		if _, _, never := visit(t, path, "about:blank"); never == nil {
			t.Fatalf("Chromium does not show the page: %v\n%s", err, errs)
		}
		t.Skipf("Chromium does not start here: %v\n%s", err, errs)
	}
	return dom
}

// visit returns the document of an address.
func visit(t *testing.T, path, address string) (dom, errs string, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir="+filepath.Join(t.TempDir(), "profile"), "--window-size=1280,900", "--dump-dom", address)
	var buf bytes.Buffer
	cmd.Stderr = &buf
	out, err := cmd.Output()
	return string(out), buf.String(), err
}

// has fails the test unless a document was drawn to its end and holds every text.
func has(t *testing.T, dom string, texts ...string) {
	t.Helper()
	root := regexp.MustCompile(`<html[^>]*>`).FindString(dom)
	if !strings.Contains(root, `data-ready="1"`) || strings.Contains(root, "data-error") {
		t.Errorf("the page was not drawn: %s", root)
	}
	for _, want := range texts {
		if !strings.Contains(dom, want) {
			t.Errorf("the document does not hold %q", want)
		}
	}
}

func TestInABrowser(t *testing.T) {
	out := write(t, kvleak(t, nil))
	dom := browser(t, out, "view=flame-graph")
	has(t, dom, `data-theme="light"`, "1.13<small>MiB</small>", `id="s-timeline"`, "<canvas", `id="s-flame-graph"`, `id="table-sites"`, "close_session(Session*, bool)", "Show all 69 rows", "memtui report 'a b.mlyze'", `id="strip"`, `data-view="leaks"`)
	if m := regexp.MustCompile(`class="flame"[^>]*data-frames="(\d+)"`).FindStringSubmatch(dom); m == nil || len(m[1]) < 2 {
		t.Errorf("the flame graph has frames: %q", m)
	}
	dom = browser(t, out, "view=flame-graph&theme=dark&q=alloc_buffer&turn=1&cost=peak")
	has(t, dom, `data-theme="dark"`, "flame searching", "rows match", `aria-pressed="true"`, "found in")
}

func TestHostileNamesInABrowser(t *testing.T) {
	dom := browser(t, write(t, kvleak(t, hostileNames)), "q=script")
	has(t, dom, "&lt;/script&gt;&lt;script&gt;")
	if strings.Contains(dom, "<title>owned") || strings.Contains(dom, "<img") {
		t.Error("a name became markup")
	}
}

// clicks uses the page like a person, and puts down what it sees.
const clicks = `
const seen = [], see = (name, ok) => seen.push(name + ": " + !!ok), $ = (q) => document.querySelector(q), all = (q) => [...document.querySelectorAll(q)];
const key = (e, k) => e.dispatchEvent(new KeyboardEvent("keydown", {key: k, bubbles: true, cancelable: true}));
see("the overview is first", !$(".view[data-view=overview]").hidden && $(".view[data-view=sites]").hidden && $("#strip canvas"));
see("views have the names and the order of screens", all("#nav button").slice(0, 2).map((b) => b.textContent).join() === "1Overview,5Stacks" && all("#nav button").every((b) => b.dataset.view !== "remarks" || b.textContent === "Problems"));
key(document.body, "5");
see("a number shows a view", !$(".view[data-view=flame-graph]").hidden && $(".view[data-view=overview]").hidden && location.hash.includes("view=flame-graph"));
const flame = $(".flame"), frames = flame.dataset.frames, corner = flame.getBoundingClientRect();
const pixel = (x, y) => [...flame.querySelector("canvas").getContext("2d").getImageData(x, y, 1, 1).data].join();
see("frames are drawn", Number(frames) > 20 && pixel(3, 3) !== pixel(3, 19 * 3 - 1) && flame.querySelector("canvas").width > 300);
flame.dispatchEvent(new MouseEvent("click", {clientX: corner.left + 5, clientY: corner.top + 19 * 6 + 5, bubbles: true}));
see("a click zooms", flame.dataset.frames !== frames && flame.dataset.at !== "0");
key(flame, "0");
see("0 shows everything", flame.dataset.frames === frames);
key(flame, "ArrowDown"); key(flame, "ArrowRight");
see("arrows select", flame.dataset.at !== "0");
const path = $(".path").textContent;
$("#s-flame-graph button").click();
see("inverted", $("#s-flame-graph button").getAttribute("aria-pressed") === "true" && location.hash.includes("turn=1") && Number($(".flame").dataset.frames) > 5 && $(".flame").dataset.frames !== frames);
const sites = $("#table-sites"), first = () => sites.querySelector("tbody tr").textContent, before = first();
sites.querySelectorAll("th button")[3].click();
see("a heading sorts", first() !== before && sites.querySelectorAll("th")[3].getAttribute("aria-sort") === "descending");
sites.querySelector("tbody tr[aria-expanded]").click();
see("a row opens its stack", sites.querySelectorAll(".stack li").length > 1);
key(sites.querySelector("tbody tr[aria-expanded=true]"), "Enter");
see("Enter closes it", !sites.querySelector(".stack"));
all("#s-sites [role=tab]")[2].click();
see("a tab shows another table", $("#table-peak_sites") && !$("#table-sites"));
key($(".chart"), "+");
see("+ zooms the chart", location.hash.includes("zoom="));
key($(".chart"), "0");
see("0 shows the whole chart", !location.hash.includes("zoom="));
$(".findings button").click();
see("a finding searches its name", $("#search").value && $(".flame.searching") && $(".view[data-view=overview]").hidden);
see("the views say how much is found", all("#nav .hits").some((h) => h.textContent));
key(document.body, "?");
see("a question mark shows the keys", $("dialog[open]"));
$("dialog button").click();
see("the keys close", !$("dialog[open]"));
$("#theme").click();
see("the theme switches", document.documentElement.dataset.theme === "dark" && location.hash.includes("theme=dark"));
key(document.body, "/");
see("slash goes to the search box", document.activeElement === $("#search"));
document.documentElement.dataset.seen = seen.join("; ");
`

func TestUsingThePage(t *testing.T) {
	out := string(write(t, kvleak(t, nil)))
	out = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`).ReplaceAllString(out, "") // it would forbid the script of this test
	out = strings.Replace(out, "</body>", "<script>(() => {"+clicks+"})();</script></body>", 1)
	dom := browser(t, []byte(out), "")
	has(t, dom)
	m := regexp.MustCompile(`data-seen="([^"]*)"`).FindStringSubmatch(dom)
	if m == nil {
		t.Fatal("the clicks did not come to their end")
	}
	for _, what := range strings.Split(m[1], "; ") {
		if !strings.HasSuffix(what, ": true") {
			t.Error(what)
		}
	}
}

// The policy lets nothing else in: not even a script that somebody put into the page.
func TestThePolicyForbidsOtherScripts(t *testing.T) {
	out := strings.Replace(string(write(t, kvleak(t, nil))), "</body>", "<script>document.title = 'owned'</script></body>", 1)
	if dom := browser(t, []byte(out), ""); strings.Contains(dom, "<title>owned") {
		t.Error("another script ran")
	}
}

// Weights below 1, such as seconds, are not lost to rounding.
func TestFlameOfFractions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.spaa")
	lines := `{"type":"header","format":"spaa","version":"1.0","source_tool":"x","frame_order":"leaf_to_root","events":[{"name":"e","kind":"timer","sampling":{"mode":"event","primary_metric":"seconds"}}],"stack_id_mode":"local"}
{"type":"frame","id":1,"func":"f","kind":"user"}
{"type":"stack","id":1,"frames":[1],"context":{"event":"e"},"weights":[{"metric":"seconds","value":0.25}]}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	store, _, err := opened.File(t, path)
	if err != nil {
		t.Fatal(err)
	}
	p := store.Current()
	metric, _ := p.Weights.Metric("seconds")
	s := weights.SelectProfile(p, 0, metric)
	r, err := report.BuildStacks(t.Context(), p, report.StackOptions{Selection: s})
	if err != nil {
		t.Fatal(err)
	}
	out := dataOf(t, write(t, &Source{Report: r, Profile: p, Selection: s}))
	if len(out.Flames) != 1 || out.Flames[0].Costs[0].Scale == 0 || out.Flames[0].Self[0][1] != out.Flames[0].Costs[0].Scale/4 {
		t.Errorf("the flame graph is %+v", out.Flames)
	}
}

// Filters of stacks narrow the flame graph as they narrow the tables, and the page says so.
func TestFilteredPage(t *testing.T) {
	src := kvleak(t, nil)
	sum := func(f calltree.Filter) (n uint64, page *page) {
		src.Cell.Stacks = f
		src.Report.Trace.Filters = nil
		if f != "" {
			src.Report.Trace.Filters = []string{string(f)}
		}
		page = dataOf(t, write(t, src))
		for _, self := range page.Flames[0].Self[0] {
			n += self
		}
		return n, page
	}
	all, _ := sum("")
	only, page := sum("focus /worker/")
	rest, _ := sum("ignore /worker/")
	if only == 0 || only+rest != all {
		t.Errorf("%d and %d are not %d", only, rest, all)
	}
	if scope := strings.Join(page.Scope, "\n"); !strings.Contains(scope, "tables: focus /worker/") {
		t.Errorf("the page says: %s", scope)
	}
}

// Shares on the page and in its tables read as model.Share writes them.
func TestSharesReadAsEverywhere(t *testing.T) {
	for _, v := range []float64{0, 1e-9, 0.0004, 0.0005, 0.076, 0.5, 0.9987, 0.99951, 1 - 1e-9, 1} {
		if got, want := model.Share(round(v)).String(), model.Share(v).String(); got != want {
			t.Errorf("%v reads %q in tables, want %q", v, got, want)
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run the page's script with")
	}
	script, err := os.ReadFile("assets/format.js")
	if err != nil {
		t.Fatal(err)
	}
	_, body, ok := strings.Cut(string(script), "function share(v) {")
	body, _, closed := strings.Cut(body, "\n}\n")
	if !ok || !closed {
		t.Fatal("there is no function share")
	}
	var values []float64
	for part := range 10_001 {
		values = append(values, float64(part)/10_000, float64(part)/9973)
	}
	list, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "shares.js")
	code := "const share = (v) => {" + body + "}; for (const v of " + string(list) + ") console.log(share(v));"
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, path).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(got) != len(values) {
		t.Fatalf("%d lines for %d shares", len(got), len(values))
	}
	for i, v := range values {
		if want := model.Share(v).String(); got[i] != want {
			t.Errorf("%v reads %q on the page, want %q", v, got[i], want)
		}
	}
}

// Wherever a page tells a verdict, it tells how certain that is.
func TestVerdictsAreCertain(t *testing.T) {
	told := 0
	for _, table := range dataOf(t, write(t, kvleak(t, nil))).Tables {
		head := func(name string) int {
			return slices.IndexFunc(table.Cols, func(c column) bool { return c.Head == name })
		}
		word, sure := head(titles.Verdict), head(titles.Sure)
		if (word < 0) != (sure < 0) {
			t.Errorf("%s has the columns %v", table.ID, table.Cols)
			continue
		}
		for _, row := range table.Rows {
			if word >= 0 && (row[word] == "" && row[sure] != nil || row[word] != "" && row[word] != "unknown" && row[sure] == nil) {
				t.Errorf("%s: %v is certain to %v", table.ID, row[word], row[sure])
			} else if word >= 0 {
				told++
			}
		}
	}
	if told == 0 {
		t.Error("there is no verdict in the page")
	}
}

// The blocks of a site that were never freed are next to those that were, by age, and all are counted once.
func TestAgesOfSurvivorsAreNextToLifetimes(t *testing.T) {
	src := kvleak(t, nil)
	counts := map[uint64][2]uint64{}
	for _, table := range dataOf(t, write(t, src)).Tables {
		if table.ID != "ages" {
			continue
		}
		for _, row := range table.Rows {
			n := counts[uint64(row[7].(float64))]
			n[0] += uint64(row[3].(float64))
			n[1] += uint64(row[5].(float64))
			counts[uint64(row[7].(float64))] = n
		}
	}
	if len(src.Report.Trace.Ages) == 0 {
		t.Fatal("no finding has ages")
	}
	for _, a := range src.Report.Trace.Ages {
		if got := counts[a.Stack]; got != [2]uint64{a.NeverFreed, a.Freed} {
			t.Errorf("stack %d has %v blocks in the page, want %d and %d", a.Stack, got, a.NeverFreed, a.Freed)
		}
	}
}

// Of a sampled recording, what is counted are samples.
func TestSampledPagesCountSamples(t *testing.T) {
	for sampled, want := range map[string]string{"": "BLOCKS block", "sampled every 512 KiB": "SAMPLES sample"} {
		p := dataOf(t, write(t, kvleak(t, func(p *model.Profile) { p.Meta.Sampled = sampled })))
		heads, notes := map[string]bool{}, ""
		for _, table := range p.Tables {
			for _, c := range table.Cols {
				heads[c.Head] = true
			}
		}
		for _, c := range p.Cards {
			notes += c.Note + "\n"
		}
		head, word, _ := strings.Cut(want, " ")
		if heads[titles.Blocks] == (head != titles.Blocks) || heads[titles.Samples] == (head != titles.Samples) || !strings.Contains(notes, word) {
			t.Errorf("%q: heads %v, cards\n%s", sampled, heads, notes)
		}
		if sampled != "" && strings.Contains(notes, "block") {
			t.Errorf("cards of samples say\n%s", notes)
		}
		if got := slices.Contains(p.Facts, model.Estimates(sampled)); got != (sampled != "") {
			t.Errorf("%q: the head says %q", sampled, p.Facts)
		}
		for _, c := range p.Charts {
			if got := strings.HasPrefix(c.Unit, "~"); got != (sampled != "") || strings.Contains(c.Answer, "~") != got {
				t.Errorf("%q: chart %s is in %q, %q", sampled, c.ID, c.Unit, c.Answer)
			}
		}
		for _, f := range p.Flames {
			for _, c := range f.Costs {
				if got := strings.HasPrefix(c.Unit, "~"); got != (sampled != "" && strings.HasSuffix(c.Unit, "bytes")) {
					t.Errorf("%q: %s of %s is in %q", sampled, c.Label, f.Title, c.Unit)
				}
			}
		}
	}
}

// A lower bound reads as on the screens, sorts by its number, and is no exact figure.
func TestLowerBoundsSaySo(t *testing.T) {
	n := uint64(2048)
	cells, err := json.Marshal([]any{retained(&report.HeapRetained{AtLeast: &n}), retained(&report.HeapRetained{Retained: &n}), retained(&report.HeapRetained{})})
	if want := `[{"least":2048},2048,null]`; err != nil || string(cells) != want {
		t.Fatalf("%s, %v, want %s", cells, err, want)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no node to run the page's script with")
	}
	code := `const document = {getElementById: () => ({textContent: "{}"}), documentElement: {dataset: {}}}, addEventListener = () => {}, location = {hash: ""};`
	for _, name := range []string{"format.js", "table.js"} {
		script, err := os.ReadFile("assets/" + name)
		if err != nil {
			t.Fatal(err)
		}
		code += string(script)
	}
	code += `el = () => ({}); for (const v of ` + string(cells) + `) { const td = cell({}, {kind: "bytes"}, v, 0); console.log(keyOf({kind: "bytes"}, v), td.textContent, td.title); }
console.log(text("~bytes", 2048), exact("~bytes", 2048), text("~rate", 2048), text("~count", 7), text("~bytes", 0));`
	path := filepath.Join(t.TempDir(), "cells.js")
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(node, path).CombinedOutput()
	want := "2048 ≥ 2.00 KiB ≥ 2,048 B\n2048 2.00 KiB 2,048 B\nnull undefined undefined\n~2.00 KiB ~2,048 B ~2.00 KiB/s ~7 0 B\n"
	if err != nil || string(out) != want {
		t.Errorf("%s, %v, want %s", out, err, want)
	}
}
