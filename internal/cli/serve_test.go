package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/cli/ask"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model/titles"
)

// page is a browser that has the page of a server open.
type page struct {
	t       testing.TB
	address string // with the token
	at      string
	client  *http.Client
}

// served serves files until the test ends.
func served(t testing.TB, env Env, args ...string) *page {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r, w := io.Pipe()
	env.Args, env.Stdout, env.Stderr = append([]string{"serve", "--port", "0"}, args...), w, t.Output()
	if env.Getenv == nil {
		env.Getenv = func(string) string { return "" }
	}
	ended := make(chan int, 1)
	go func() {
		ended <- Main(ctx, env)
		w.Close()
	}()
	t.Cleanup(func() {
		stop()
		if status := <-ended; status != 0 {
			t.Errorf("serve ended with status %d", status)
		}
	})
	lines := bufio.NewReader(r)
	address, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v", err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	jar, _ := cookiejar.New(nil)
	p := &page{t: t, address: strings.TrimSpace(address), client: &http.Client{Jar: jar}}
	at, token, ok := strings.Cut(p.address, "/#token=")
	if p.at = at; !ok || len(token) < 20 {
		t.Fatalf("the address is %q", p.address)
	}
	q, _ := http.NewRequestWithContext(ctx, "GET", at+"/session", nil)
	q.Header.Set("Authorization", "Bearer "+token)
	out, err := p.client.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	out.Body.Close()
	return p
}

// read waits until the server has read its files.
func (p *page) read() *page {
	p.t.Helper()
	for s := range p.events() {
		if s.Done {
			return p
		}
	}
	p.t.Fatal("the events ended before everything was read")
	return p
}

// events yields what the server reports about reading its files.
func (p *page) events() iter.Seq[ask.Status] {
	return func(yield func(ask.Status) bool) {
		r, _ := http.NewRequestWithContext(p.t.Context(), "GET", p.at+"/events", nil)
		out, err := p.client.Do(r)
		if err != nil {
			p.t.Error(err)
			return
		}
		defer out.Body.Close()
		for lines := bufio.NewScanner(out.Body); lines.Scan(); {
			text, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok {
				continue
			}
			var s ask.Status
			if err := json.Unmarshal([]byte(text), &s); err != nil {
				p.t.Error(err)
				return
			}
			if !yield(s) {
				return
			}
		}
	}
}

// ask returns the answer to a question, which may be a mistake.
func (p *page) ask(question string) (status int, answer string) {
	p.t.Helper()
	r, _ := http.NewRequestWithContext(p.t.Context(), "GET", p.at+"/ask?"+question, nil)
	out, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer out.Body.Close()
	text, err := io.ReadAll(out.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return out.StatusCode, string(text)
}

// servedTable is a table of an answer.
type servedTable struct {
	ID   string `json:"id"`
	Cols []struct {
		Head string `json:"head"`
	} `json:"cols"`
	Rows [][]any `json:"rows"`
}

// tables returns the tables of a section.
func (p *page) tables(section, flags string) map[string]servedTable {
	p.t.Helper()
	status, text := p.ask("do=report&show=" + section + flags)
	var answer struct{ Tables []servedTable }
	if err := json.Unmarshal([]byte(text), &answer); err != nil || status != http.StatusOK {
		p.t.Fatalf("%s: %d %v %.300s", section, status, err, text)
	}
	out := map[string]servedTable{}
	for _, t := range answer.Tables {
		out[t.ID] = t
	}
	return out
}

func (t servedTable) column(head string) (list []any) {
	i := slices.IndexFunc(t.Cols, func(c struct {
		Head string `json:"head"`
	}) bool {
		return c.Head == head
	})
	for _, r := range t.Rows {
		list = append(list, r[i])
	}
	return list
}

// What the page shows is what the command prints, at any instant and over any range.
func TestThePageShowsWhatTheCommandPrints(t *testing.T) {
	modeltest.Plain(t)
	p := served(t, Env{}, sample).read()
	for _, flags := range [][]string{
		{"at=50%"}, {"at=10%"}, {"at=peak"}, {"at=end"}, {"from=20%", "to=60%"}, {"focus=/worker/", "at=70%"}, {"min-age=10%"},
	} {
		query, args := "&limit=0", []string{"report", "-f", "json", "--limit", "0"}
		for _, f := range flags {
			name, value, _ := strings.Cut(f, "=")
			query += "&" + name + "=" + url.QueryEscape(value)
			args = append(args, "--"+f)
		}
		_, out, _ := run(t, Env{}, append(args, sample)...)
		var r struct {
			Trace struct {
				Sites []struct {
					Bytes uint64 `json:"alloc_bytes"`
				} `json:"sites"`
				LiveSites []struct {
					Bytes uint64 `json:"live_bytes"`
				} `json:"live_sites"`
				Leaks struct {
					Sites []struct {
						Bytes uint64 `json:"bytes"`
					} `json:"sites"`
				} `json:"leaks"`
			} `json:"trace"`
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		sites, leaks := p.tables("sites", query), p.tables("leaks", query)
		var want, live, leaked []any
		for _, s := range r.Trace.Sites {
			want = append(want, float64(s.Bytes))
		}
		for _, s := range r.Trace.LiveSites {
			live = append(live, float64(s.Bytes))
		}
		for _, s := range r.Trace.Leaks.Sites {
			leaked = append(leaked, float64(s.Bytes))
		}
		for _, c := range []struct {
			what      string
			got, want []any
		}{
			{"sites", sites["sites"].column("ALLOC"), want}, {"live sites", sites["live_sites"].column("LIVE"), live},
			{"leaks", leaks["leaks"].column("BYTES"), leaked},
		} {
			if fmt.Sprint(c.got) != fmt.Sprint(c.want) {
				t.Errorf("%v: the %s are\n%v, want\n%v", flags, c.what, c.got, c.want)
			}
		}
	}
}

func TestThePageAsksCommands(t *testing.T) {
	modeltest.Plain(t)
	p := served(t, Env{}, sample).read()
	for _, c := range []struct{ query, command string }{
		{"do=report&table=blocks&limit=5&at=50%25", "report --table blocks --limit 5 --at 50%"},
		{"do=report&table=events&limit=5&from=50%25", "report --table events --limit 5 --from 50%"},
		{"do=report&table=tree&limit=5", "report --table tree --limit 5"},
	} {
		status, got := p.ask(c.query)
		_, want, _ := run(t, Env{}, append(strings.Fields(c.command), "-f", "json", sample)...)
		var a, b map[string]any
		if json.Unmarshal([]byte(got), &a) != nil || json.Unmarshal([]byte(want), &b) != nil || status != 200 {
			t.Fatalf("%s: %d %.200s", c.query, status, got)
		}
		for _, key := range []string{"events", "tree"} {
			if fmt.Sprint(a[key]) != fmt.Sprint(b[key]) {
				t.Errorf("%s: %s is\n%v, want\n%v", c.query, key, a[key], b[key])
			}
		}
		if x, ok := a["trace"].(map[string]any); ok && fmt.Sprint(x["blocks"]) != fmt.Sprint(b["trace"].(map[string]any)["blocks"]) {
			t.Errorf("%s: other blocks", c.query)
		}
	}
}

// The page asks about the files of the command line, and has no way to others.
func TestThePageReachesNoOtherFiles(t *testing.T) {
	modeltest.Plain(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "secret-place", "kv.mlyze")
	data, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	p := served(t, Env{}, path).read()
	out := filepath.Join(dir, "out.json")
	for _, q := range []string{
		"do=report&output=" + out, "do=report&o=" + out, "do=convert&to=pprof", "do=evidence", "do=validate", "do=record", "do=serve", "do=", "",
		"do=report&source=/", "do=report&map-path=/=/", "do=report&symbols=/", "do=report&index=none", "do=report&max-memory=1", "do=report&save=" + dir,
		"do=report&every=1s", "do=report&format=html", "do=report&debuginfod=http://evil.example", "do=report&--output=" + out, "do=report&show=nothing",
		"do=report&output%3D" + out + "=1", "do=report&config=" + out, "do=diff&show=all", "do=heap+path&id=--help", "do=heap+object&id=0",
	} {
		status, text := p.ask(q)
		if q == "do=report&show=nothing" {
			if status != 200 { // a page without sections
				t.Errorf("%s: %d", q, status)
			}
			continue
		}
		if status == http.StatusOK {
			t.Errorf("%s is answered: %.200s", q, text)
		}
		if strings.Contains(text, "secret-place") {
			t.Errorf("%s tells where the file is: %s", q, text)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the page wrote a file")
	}
	for _, q := range []string{"do=report&show=all", "do=report&show=overview", "do=report&table=events", "do=report&by=nonsense", "do=report&lines=kv_put"} {
		if _, text := p.ask(q); strings.Contains(text, "secret-place") || strings.Contains(text, dir) {
			t.Errorf("%s tells where the file is", q)
		}
	}
}

// A page of two files compares them as diff does.
func TestThePageCompares(t *testing.T) {
	modeltest.Plain(t)
	other := filepath.Join(t.TempDir(), "other.mlyze")
	data, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, data[:len(data)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	p := served(t, Env{}, other, sample)
	status, text := p.ask("do=diff&show=all&limit=0")
	var a struct{ Tables []servedTable }
	if err := json.Unmarshal([]byte(text), &a); err != nil || status != 200 || len(a.Tables) == 0 {
		t.Fatalf("%d %v %.300s", status, err, text)
	}
	_, out, _ := run(t, Env{}, "diff", "-f", "json", "--limit", "0", other, sample)
	var d struct {
		Rows []struct {
			Delta  float64 `json:"delta_bytes"`
			Status string  `json:"status"`
		} `json:"rows"`
	}
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	got, want := a.Tables[0].column(titles.Delta), []any{}
	for _, r := range d.Rows {
		if r.Status != "same" {
			want = append(want, r.Delta)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("changes\n%v, want\n%v", got, want)
	}
}

// A file that grows is shown while it does, and the page learns about it.
func TestThePageFollowsAFileThatGrows(t *testing.T) {
	modeltest.Plain(t)
	data, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	defer w.Close()
	go func() { _, _ = w.Write(data[:len(data)*3/4]) }()
	p := served(t, Env{Stdin: r}, "-")
	first, late := true, time.Now().Add(30*time.Second)
	for s := range p.events() {
		if time.Now().After(late) {
			t.Fatal("never done")
		}
		if s.Done {
			break
		}
		if s.Kind != "trace" || s.Doing == "" {
			t.Errorf("%+v", s)
		}
		if !first {
			continue
		}
		if first = false; s.Revision == 0 {
			t.Errorf("%+v", s)
		}
		if status, text := p.ask("do=report&show=overview"); status != 200 {
			t.Errorf("before the end: %d %.200s", status, text)
		}
		go func() { _, _ = w.Write(data[len(data)*3/4:]); w.Close() }()
	}
	if first {
		t.Error("the file was read at once")
	}
	_, want, _ := run(t, Env{}, "report", "-f", "json", sample)
	_, got := p.ask("do=report")
	total := func(text string) (n float64) {
		var r struct{ Trace map[string]any }
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		return r.Trace["alloc_bytes"].(float64)
	}
	if total(got) != total(want) {
		t.Errorf("%v bytes, want %v", total(got), total(want))
	}
}

func TestServeRefuses(t *testing.T) {
	for _, args := range [][]string{
		{"serve"}, {"serve", "--port", "70000", sample}, {"serve", "--port", "-1", sample}, {"serve", "nothing.mlyze"}, {"serve", "--host", "no such host", sample},
		{"serve", "--at", "5s", sample}, {"serve", "-f", "json", sample},
	} {
		if status, out, errs := run(t, Env{}, args...); status == 0 || out != "" || errs == "" {
			t.Errorf("%v: %d %q %q", args, status, out, errs)
		}
	}
}

// The views of a heap's objects and threads have the answers of commands, and switches that the terminal has, too.
func TestThePageFindsObjects(t *testing.T) {
	java := "../../loaders/hprof/testdata/shop1.hprof.zst"
	modeltest.Plain(t)
	p := served(t, Env{}, java).read()
	for query, command := range map[string]string{
		"do=heap+find&filter=bytes%3E%3D0&limit=5&by=bytes":       "heap find --filter bytes>=0 --limit 5 --by bytes",
		"do=heap+find&filter=String&limit=5&per=kind":             "heap find --filter String --limit 5 --per kind",
		"do=heap+find&filter=String&limit=5&by=bytes&values=true": "heap find --filter String --limit 5 --by bytes --values",
		"do=heap+threads&limit=5":                                 "heap threads --limit 5",
	} {
		status, got := p.ask(query)
		if _, want, _ := run(t, Env{}, append(strings.Fields(command), "-f", "json", java)...); status != 200 || got != want {
			t.Errorf("%s: %d\n%.300s, want\n%.300s", query, status, got, want)
		}
	}
}
