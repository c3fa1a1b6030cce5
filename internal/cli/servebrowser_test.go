package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// chromium opens the page of a server in a real browser. The test is skipped where there is none.
func chromium(t testing.TB, p *page, width, height int) context.Context {
	t.Helper()
	modeltest.Plain(t)
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium here")
	}
	profile, err := os.MkdirTemp("", "memtui-browser-*") // which the browser may still write to when the test has ended
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(profile) })
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(profile), chromedp.WindowSize(width, height), chromedp.WSURLReadTimeout(time.Minute))
	ctx, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {})) // about events newer than the driver
	t.Cleanup(end)
	if err := chromedp.Run(ctx); err != nil {
		t.Skipf("Chromium does not start here: %v", err)
	}
	ctx, end = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(end)
	do(t, ctx, chromedp.Navigate(p.address), chromedp.WaitReady(`html[data-ready="1"]`, chromedp.ByQuery))
	return ctx
}

func do(t testing.TB, ctx context.Context, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// await waits until an expression of the page is true.
func await(t *testing.T, ctx context.Context, what, expression string) {
	t.Helper()
	last := ""
	for range 200 {
		var ok bool
		if err := chromedp.Run(ctx, chromedp.Evaluate("!!("+expression+")", &ok)); err != nil {
			last = err.Error()
		} else if ok {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	var text string
	do(t, ctx, chromedp.Evaluate(`location.hash + "\n" + document.body.innerText`, &text))
	t.Fatalf("never seen: %s %s\n%.1500s", what, last, text)
}

// value returns what an expression of the page is.
func value[T any](t testing.TB, ctx context.Context, expression string) (v T) {
	t.Helper()
	do(t, ctx, chromedp.Evaluate(expression, &v))
	return v
}

// A person with a keyboard sees every view, moves the instant, sets a range and filters; the address holds it all.
func TestThePageByKeyboard(t *testing.T) {
	p := served(t, Env{}, sample).read()
	ctx := chromium(t, p, 1280, 800)
	await(t, ctx, "the overview", `document.querySelector(".findings") && document.querySelector("#strip canvas")`)
	if hash := value[string](t, ctx, "location.hash"); strings.Contains(hash, "token") {
		t.Errorf("the address keeps the token: %s", hash)
	}
	for _, screen := range strings.Fields("1overview 2timeline 3sites 4leaks 5flame-graph 6live-blocks 7blocks 8remarks @treemap $heat") {
		key, view := screen[:1], screen[1:]
		do(t, ctx, chromedp.KeyEvent(key))
		await(t, ctx, view, `document.querySelector('.view[data-view="`+view+`"]:not([hidden]) :is(table, canvas, .flame, .cards, .empty)')`)
	}
	do(t, ctx, chromedp.KeyEvent("3"))
	await(t, ctx, "sites", `!document.querySelector('.view[data-view="sites"]').hidden`)
	before := value[string](t, ctx, `document.querySelector("#table-sites").innerText`)
	do(t, ctx, chromedp.KeyEvent("H"), chromedp.KeyEvent("H"), chromedp.KeyEvent(kb.ArrowLeft))
	await(t, ctx, "an instant", `/at=\d+us/.test(location.hash)`)
	await(t, ctx, "sites at that instant", `document.querySelector("#table-sites").innerText !== `+quoted(before))
	do(t, ctx, chromedp.KeyEvent("v"), chromedp.KeyEvent("L"), chromedp.KeyEvent("v"))
	await(t, ctx, "a range", `/from=\d+us&to=\d+us/.test(location.hash) && document.querySelector(".chip:not(.quiet)")`)
	do(t, ctx, chromedp.KeyEvent("u"))
	await(t, ctx, "no range", `!location.hash.includes("from=")`)
	do(t, ctx, chromedp.KeyEvent("+"), chromedp.KeyEvent("+"))
	await(t, ctx, "a zoom", `location.hash.includes("zoom=")`)
	do(t, ctx, chromedp.KeyEvent("p"))
	await(t, ctx, "the peak", `location.hash.includes("at=peak")`)
	do(t, ctx, chromedp.KeyEvent("t"))
	await(t, ctx, "the box", `document.activeElement.classList.contains("go")`)
	do(t, ctx, chromedp.Evaluate(`document.activeElement.value = ""`, nil), chromedp.KeyEvent("50%\r")) // a driver types the key, too
	await(t, ctx, "half", `location.hash.includes("at=50%25")`)
	do(t, ctx, chromedp.KeyEvent("?"))
	await(t, ctx, "the keys", `document.querySelector("dialog[open]")`)
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	await(t, ctx, "no keys", `!document.querySelector("dialog")`)
	do(t, ctx, chromedp.KeyEvent("/"))
	await(t, ctx, "the search box", `document.activeElement.id === "search"`)
	do(t, ctx, chromedp.Evaluate(`document.activeElement.value = ""`, nil), chromedp.KeyEvent("buffer"))
	await(t, ctx, "matches", `/rows match/.test(document.querySelector('.view[data-view="sites"]').innerText)`)
	if e := value[string](t, ctx, `document.documentElement.dataset.error || ""`); e != "" {
		t.Errorf("the script failed: %s", e)
	}
}

func quoted(s string) string {
	out, _ := json.Marshal(s)
	return string(out)
}

// Filters narrow every view, Back takes them away, and a link shows a colleague the same.
func TestThePageFilters(t *testing.T) {
	p := served(t, Env{}, sample).read()
	ctx := chromium(t, p, 1280, 800)
	do(t, ctx, chromedp.KeyEvent("3"))
	await(t, ctx, "sites", `document.querySelector("#table-sites tr.row")`)
	do(t, ctx, chromedp.Click("#table-sites tr.row", chromedp.ByQuery))
	await(t, ctx, "a stack", `document.querySelector("#table-sites .stack .acts button")`)
	all := value[int](t, ctx, `document.querySelectorAll("#table-sites tr.row").length`)
	do(t, ctx, chromedp.Click("#table-sites .stack .acts button", chromedp.ByQuery))
	await(t, ctx, "a filter", `location.hash.includes("focus=") && document.querySelectorAll("#table-sites tr.row").length < `+jsonNumber(all))
	link := value[string](t, ctx, "location.href")
	rows := value[string](t, ctx, `document.querySelector("#table-sites tbody tr.row td").innerText`)
	do(t, ctx, chromedp.NavigateBack())
	await(t, ctx, "no filter", `!location.hash.includes("focus=") && document.querySelectorAll("#table-sites tr.row").length === `+jsonNumber(all))
	do(t, ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(link))
	await(t, ctx, "the same view", `document.querySelector("#table-sites tbody tr.row td") && document.querySelector("#table-sites tbody tr.row td").innerText === `+quoted(rows))
}

func jsonNumber(n int) string {
	out, _ := json.Marshal(n)
	return string(out)
}

// Names in a hostile file are text in every view.
func TestThePageOfAHostileFile(t *testing.T) {
	data, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	for old, evil := range map[string]string{"close_session": "<img src=x/>1", "alloc_buffer": "</script><b>"} {
		if len(old) != len(evil) || !bytes.Contains(data, []byte(old)) {
			t.Fatalf("%s is not in the sample", old)
		}
		data = bytes.ReplaceAll(data, []byte(old), []byte(evil))
	}
	path := filepath.Join(t.TempDir(), "<img src=y>.mlyze")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	p := served(t, Env{}, path).read()
	ctx := chromium(t, p, 1280, 800)
	everyView(t, ctx, func(string) {})
	await(t, ctx, "the name as text", `document.body.textContent.includes("<img src=x/>1")`)
	for _, unwanted := range []string{`document.querySelector("img")`, `document.querySelector("#content b b, .fn b, td b")`, `[...document.scripts].length !== 2`} {
		if value[bool](t, ctx, "!!("+unwanted+")") {
			t.Errorf("a name became markup: %s", unwanted)
		}
	}
	if blocked := value[bool](t, ctx, `(() => { const s = document.createElement("script"); s.textContent = "window.owned = 1"; document.body.append(s); return !window.owned; })()`); !blocked {
		t.Error("the policy lets another script run")
	}
}

// Every view fits a phone: nothing is wider than the screen but what scrolls by itself.
func TestThePageOnAPhone(t *testing.T) {
	p := served(t, Env{}, sample).read()
	ctx := chromium(t, p, 500, 844) // browsers have no smaller windows
	everyView(t, ctx, func(view string) {
		if wide := value[int](t, ctx, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); wide > 0 {
			t.Errorf("%s is %d pixels too wide", view, wide)
		}
	})
}

// everyView shows one view after the other, and waits until each is drawn.
func everyView(t *testing.T, ctx context.Context, look func(view string)) {
	t.Helper()
	views := value[[]string](t, ctx, `[...document.querySelectorAll("#nav button")].map((b) => b.dataset.view)`)
	if len(views) < 10 {
		t.Errorf("the views are %q", views)
	}
	for _, view := range views {
		do(t, ctx, chromedp.Evaluate(`document.querySelector('#nav [data-view="`+view+`"]').click()`, nil))
		await(t, ctx, view, `document.querySelector('.view[data-view="`+view+`"]:not([hidden]):not(.waiting) :is(table, canvas, .flame, .cards, .panel .empty)')`)
		look(view)
	}
}

// An address without a token says what to do, and takes the token; then it shows the view that it names.
func TestThePageWithoutASession(t *testing.T) {
	p := served(t, Env{}, sample).read()
	whole := p.address
	p.address = p.at + "/#view=leaks&at=50%25"
	ctx := chromium(t, p, 1280, 800)
	await(t, ctx, "what to do", `document.body.innerText.includes("Open the address that memtui printed")`)
	do(t, ctx, chromedp.Click(".opening input", chromedp.ByQuery), chromedp.KeyEvent(whole+"\r"))
	await(t, ctx, "the view", `document.querySelector('.view[data-view="leaks"]:not([hidden]) table') && location.hash.includes("at=50%25") && !location.hash.includes("token")`)
}

// A link that somebody shares opens the same view in a browser that has no session; the page says what it gives away.
func TestThePageIsShared(t *testing.T) {
	p := served(t, Env{}, sample).read()
	ctx := chromium(t, p, 1280, 800)
	do(t, ctx, chromedp.KeyEvent("3"), chromedp.KeyEvent("p"))
	await(t, ctx, "the peak", `location.hash.includes("at=peak") && document.querySelector("#table-sites tr.row")`)
	do(t, ctx, chromedp.Evaluate(`document.querySelector(".chips .copy").click()`, nil))
	await(t, ctx, "two addresses", `document.querySelectorAll("dialog[open] input").length === 2 && document.querySelector("dialog").innerText.includes("whoever has this address")`)
	links := value[[]string](t, ctx, `[...document.querySelectorAll("dialog input")].map((i) => i.value)`)
	if !strings.Contains(links[0], "token=") || strings.Contains(links[1], "token=") || !strings.Contains(links[0], "at=peak") {
		t.Fatalf("the addresses are %q", links)
	}
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	await(t, ctx, "the focus where it was", `!document.querySelector("dialog")`)
	p.address = links[0]
	other := chromium(t, p, 1280, 800)
	await(t, other, "the same view", `document.querySelector("#table-sites tr.row") && /at=peak/.test(location.hash) && document.querySelector(".chip.quiet").innerText.includes("61.0 ms")`)
}

// The search says where a row has what is searched for, and what is like it where none has.
func TestThePageSaysWhatIsFound(t *testing.T) {
	p := served(t, Env{}, sample).read()
	ctx := chromium(t, p, 1280, 800)
	look := func(words string) {
		t.Helper()
		do(t, ctx, chromedp.KeyEvent("3"))
		await(t, ctx, "sites", `document.querySelector("#table-sites")`)
		do(t, ctx, chromedp.KeyEvent("/"))
		await(t, ctx, "the box", `document.activeElement.id === "search"`)
		do(t, ctx, chromedp.Evaluate(`document.activeElement.value = ""`, nil), chromedp.KeyEvent(words+"\r"))
	}
	look("alloc_buf")
	await(t, ctx, "marks", `[...document.querySelectorAll("#table-sites .fn mark")].some((m) => m.textContent === "alloc_buf") && !document.querySelector("#table-sites .why")`)
	look("worker_reader")
	await(t, ctx, "reasons", `[...document.querySelectorAll("#table-sites tr.row .why")].some((w) => w.textContent.startsWith("in its stack: worker_reader") && w.querySelector("mark"))`)
	look("bufer_aloc")
	await(t, ctx, "nothing", `/No row has .bufer_aloc/.test(document.querySelector("#table-sites .none").innerText)`)
	do(t, ctx, chromedp.Click("#table-sites .none button", chromedp.ByQuery))
	await(t, ctx, "what is near", `document.querySelector("#search").value === "alloc_buffer" && document.querySelector("#table-sites mark")`)
}

// Everything that people reach with the keyboard has a name and shows that it has the focus; nothing moves by itself.
func TestThePageWithoutAMouse(t *testing.T) {
	p := served(t, Env{}, sample).read()
	ctx := chromium(t, p, 1280, 800)
	everyView(t, ctx, func(view string) {
		var nameless []string
		do(t, ctx, chromedp.Evaluate(`[...document.querySelectorAll("button, input, select, a[href], [tabindex='0']")].filter((e) => e.offsetParent && !(e.textContent.trim() || e.getAttribute("aria-label") || e.title)).map((e) => e.outerHTML.slice(0, 80))`, &nameless))
		if len(nameless) > 0 {
			t.Errorf("%s: without a name: %q", view, nameless)
		}
		if moving := value[bool](t, ctx, `document.getAnimations().length > 0`); moving {
			t.Errorf("%s moves", view)
		}
	})
	for _, view := range []string{"flame-graph", "treemap", "heat"} {
		do(t, ctx, chromedp.Evaluate(`document.querySelector('#nav [data-view="`+view+`"]').click()`, nil))
		box := `document.querySelector('.view[data-view="` + view + `"] [role=application]')`
		await(t, ctx, view, box+` && !document.querySelector('.view[data-view="`+view+`"].waiting')`)
		do(t, ctx, chromedp.Evaluate(box+`.focus()`, nil), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowRight))
		await(t, ctx, view+" with a selection", `document.activeElement === `+box+` && getComputedStyle(`+box+`).outlineStyle === "solid" && / from |%/.test(document.querySelector('.view[data-view="`+view+`"] .path').innerText)`)
	}
	before := value[string](t, ctx, "location.hash")
	do(t, ctx, chromedp.KeyEvent("\r"))
	await(t, ctx, "the instant of the cell", `location.hash !== `+quoted(before)+` && /at=\d+us/.test(location.hash)`)
}

// Two files are compared as rows, as a flame graph and as areas.
func TestThePageOfTwoFiles(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.mlyze")
	data, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, data[:len(data)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	p := served(t, Env{}, other, sample).read()
	ctx := chromium(t, p, 1280, 800)
	do(t, ctx, chromedp.KeyEvent("3"))
	await(t, ctx, "which file it is", `/Only of other.mlyze, the side before: Compare has both/.test(document.querySelector('.view[data-view="sites"]:not([hidden])').innerText)`)
	do(t, ctx, chromedp.Evaluate(`document.querySelector('.view[data-view="sites"] .side button').click()`, nil))
	await(t, ctx, "rows", `document.querySelector('.view[data-view="changes"]:not([hidden]) table') && !document.querySelector('.view[data-view="changes"] .side')`)
	do(t, ctx, chromedp.Evaluate(`document.querySelector('#nav [data-view="difference-flame-graph"]').click()`, nil))
	await(t, ctx, "the graph", `Number((document.querySelector(".flame") || {dataset: {}}).dataset.frames) > 5 && /→/.test(document.querySelector(".path").innerText)`)
	do(t, ctx, chromedp.Evaluate(`document.querySelector('#nav [data-view="difference-treemap"]').click()`, nil))
	await(t, ctx, "the areas", `document.querySelector('.view[data-view="difference-treemap"] .areas canvas').width > 300 && /red grew/.test(document.querySelector('.view[data-view="difference-treemap"]').innerText)`)
	if e := value[string](t, ctx, `document.documentElement.dataset.error || ""`); e != "" {
		t.Errorf("the script failed: %s", e)
	}
}

// BenchmarkPageScrub drags the mark over the chart of a trace, named by MEMTUI_BENCH_TRACE, and counts the pictures that the browser
// shows a second.
func BenchmarkPageScrub(b *testing.B) {
	path := os.Getenv("MEMTUI_BENCH_TRACE")
	if path == "" {
		path = sample
	}
	p := served(b, Env{}, path).read()
	ctx := chromium(b, p, 1280, 800)
	for _, view := range []string{"overview", "timeline", "sites", "flame-graph", "treemap", "heat"} {
		b.Run(view, func(b *testing.B) {
			do(b, ctx, chromedp.Evaluate(`document.querySelector('#nav [data-view="`+view+`"]').click()`, nil), chromedp.Sleep(time.Second),
				chromedp.KeyEvent("e"), chromedp.Sleep(time.Second/2))
			place, rate, slow := value[string](b, ctx, `location.href + document.body.innerText`), 0.0, 0.0
			for range b.N {
				do(b, ctx, chromedp.MouseEvent(input.MousePressed, 1219, 100, chromedp.Button("left"), chromedp.ClickCount(1)),
					chromedp.Evaluate(`{
						const own = window.seen = {gaps: [], last: performance.now(), on: true};
						(function next() { const now = performance.now(); own.gaps.push(now - own.last); own.last = now; if (own.on) requestAnimationFrame(next); })();
					}`, nil))
				for i := range 200 {
					do(b, ctx, chromedp.MouseEvent(input.MouseMoved, float64(1219-5*i), 100, chromedp.Button("left")))
				}
				gaps := value[[]float64](b, ctx, `(seen.on = false, seen.gaps)`)
				do(b, ctx, chromedp.MouseEvent(input.MouseReleased, 220, 100, chromedp.Button("left"), chromedp.ClickCount(1)))
				if value[string](b, ctx, `location.href + document.body.innerText`) == place {
					b.Fatal("the mark did not move")
				}
				sum := 0.0
				for _, g := range gaps {
					sum += g
				}
				slices.Sort(gaps)
				rate, slow = float64(len(gaps))/sum*1000, gaps[len(gaps)*95/100]
			}
			b.ReportMetric(rate, "frames/s")
			b.ReportMetric(slow, "ms-p95")
		})
	}
}

// Heap snapshots and page layouts that are compared are areas, too.
func TestThePageComparesAreas(t *testing.T) {
	for _, c := range []struct{ file, other, views string }{{heaps + "#0", heaps + "#2", "difference-treemap difference-dominators"},
		{dumps + "#0", dumps + "#3", "difference-treemap"}} {
		ctx := chromium(t, served(t, Env{}, c.file, c.other).read(), 1280, 800)
		for _, view := range strings.Fields(c.views) {
			at := `document.querySelector('.view[data-view="` + view + `"]`
			do(t, ctx, chromedp.Evaluate(`document.querySelector('#nav [data-view="`+view+`"]').click()`, nil))
			await(t, ctx, view, at+` .areas canvas').width > 300 && /red grew/.test(`+at+`').innerText) && /→/.test(`+at+` .answer').innerText)`)
		}
	}
}

// Views say why they are empty, areas fit the window and their names fit them, and the command that is copied is that of the
// view.
func TestThePageExplainsItself(t *testing.T) {
	ctx := chromium(t, served(t, Env{}, sample).read(), 1280, 800)
	open := func(view string) {
		do(t, ctx, chromedp.Evaluate(`document.querySelector('#nav [data-view="`+view+`"]').click()`, nil))
	}
	for view, words := range map[string]string{"remarks": "No problems: nothing in the file is damaged", "markers": "The recording has no markers."} {
		open(view)
		await(t, ctx, view, `document.querySelector('.view[data-view="`+view+`"]').innerText.includes(`+quoted(words)+`)`)
	}
	open("treemap")
	await(t, ctx, "all areas", `document.querySelector(".areas canvas") && document.querySelector(".areas canvas").width > 300`)
	if below := value[float64](t, ctx, `document.querySelector(".areas").getBoundingClientRect().bottom - innerHeight`); below > 0 {
		t.Errorf("areas end %.0f pixels below the window", below)
	}
	copied := func(view, words string) {
		open(view)
		await(t, ctx, view, `document.querySelector('.view[data-view="`+view+`"]:not([hidden]):not(.waiting) canvas')`)
		do(t, ctx, chromedp.Click(`//button[text()="Copy command"]`))
		await(t, ctx, "the command of "+view, `document.getElementById("said").textContent.includes(`+quoted(words)+`)`)
	}
	copied("treemap", "memtui report small_kvleak.mlyze --table treemap --limit 40 --depth 3 --by live_bytes")
	copied("heat", "memtui report small_kvleak.mlyze --table heatmap --limit 30 --by live_bytes")
	copied("treemap", "--table treemap") // which was asked for before
}
