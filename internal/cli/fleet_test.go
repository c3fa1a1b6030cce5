package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/screen"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views"
	fleetview "github.com/memtui/memtui/views/fleet"
)

// fakeFleet is a ClickHouse that knows nothing, answers every question about a fleet with the same rows, and keeps what
// it was sent.
type fakeFleet struct {
	sync.Mutex
	answers map[string]string // by a part of the statement
	down    string            // the part of the statements that fail
	sent    strings.Builder
	logins  map[string]bool
}

func (f *fakeFleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.Lock()
	defer f.Unlock()
	statement := r.URL.Query().Get("query") + string(body)
	f.sent.WriteString(r.URL.String() + string(body))
	f.logins[r.Header.Get("Authorization")] = true
	if f.down != "" && strings.Contains(statement, f.down) {
		http.Error(w, "Code: 60, no such table", http.StatusNotFound)
		return
	}
	for part, answer := range f.answers {
		if strings.Contains(statement, part) {
			fmt.Fprint(w, answer)
		}
	}
}

func newFakeFleet(t *testing.T, answers map[string]string) (*fakeFleet, string) {
	f := &fakeFleet{answers: answers, logins: map[string]bool{}}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return f, s.URL + "/db"
}

func fleetEnv(name string) string {
	return map[string]string{"MEMTUI_FLEET_USER": "me", "MEMTUI_FLEET_PASSWORD": "s3cret", "MEMTUI_FLEET_KEY": "salt", "MEMTUI_INDEX": "none"}[name]
}

// Adding says what became of every file, in order; the password is in a header and nowhere else.
func TestFleetAdd(t *testing.T) {
	f, address := newFakeFleet(t, nil)
	status, out, errs := run(t, Env{Getenv: fleetEnv}, "fleet", "add", "--to", address, "--service", "shop", "--host", "h", "--label", "a=b", sample, sample, "missing.mlyze")
	if status != fail.StatusInput || !strings.Contains(out, "failed  missing.mlyze") || !strings.Contains(out, "known   "+sample) || !strings.Contains(out, "added   "+sample) {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	if !f.logins["Basic bWU6czNjcmV0"] || len(f.logins) != 1 || strings.Contains(f.sent.String()+out+errs, "s3cret") {
		t.Errorf("logins %v", f.logins)
	}
	if sent := f.sent.String(); !strings.Contains(sent, "open_session") || !strings.Contains(sent, "kvleak") {
		t.Error("names are missing")
	}
}

// Redacted, no name and no path of the file leaves the machine, and nor does the secret.
func TestFleetAddRedacted(t *testing.T) {
	f, address := newFakeFleet(t, nil)
	line := []string{"fleet", "add", "--redact", "--to", address, "--service", "shop", sample}
	if status, out, errs := run(t, Env{Getenv: fleetEnv}, line...); status != fail.Done {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	for _, name := range []string{"open_session", "kvleak", "libstdc", "salt", "testdata"} {
		if strings.Contains(f.sent.String(), name) {
			t.Errorf("%s was sent", name)
		}
	}
	if status, _, errs := run(t, Env{}, line...); status != fail.StatusUsage || !strings.Contains(errs, "MEMTUI_FLEET_KEY") {
		t.Errorf("without a secret: status %d, %s", status, errs)
	}
}

// What cannot be sent is said with what was.
func TestFleetAddToABrokenServer(t *testing.T) {
	f, address := newFakeFleet(t, nil)
	f.down = "INSERT INTO db.sites"
	status, out, errs := run(t, Env{Getenv: fleetEnv}, "fleet", "add", "-f", "json", "--to", address, "--service", "shop", sample)
	if status != fail.StatusInput || !strings.Contains(errs, "no such table); 0 of 1 file are in the fleet: adding all again adds the rest") || !strings.Contains(out, `"files": []`) {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
}

// Questions print their rows in every format.
func TestFleetQuestions(t *testing.T) {
	_, address := newFakeFleet(t, map[string]string{
		"count(*) AS recordings":                      basis,
		"count_sum FROM (SELECT service, item, total": "shop\t255\tgr\x1bow\tcart.c\t\t3072\t1024\t2048\t2048\t2\t4\t0\n",
		"AS change":                     "shop\t255\tgrow\tcart.c\t\t512.5\t0\t512.5\t0\t0\t0\t4\t1024\t2048\t2\t4\n",
		"max(uri)":                      "shop\t1.1\tweb-7\t9216\t1000000\t2000000\t0\tmlyze\t/srv/a\x1b.mlyze\t255\n",
		"AS score":                      "shop\tweb-7\t4096\t1024\t12.5\n",
		"first, coalesce(total, 0)":     "shop\t1.0\t1000000\t1024\t1024\t1024\t1024\t1\t4\nshop\t1.1\t2000000\t4096\t2048\t2048\t2048\t2\t4\n",
		"arrayStringConcat(frames":      "255\tstack_v1\tgrow\tcart.c\tapp\tmalloc\\tlibc.so\\ngrow\\tcart.c\\n?\t\\napp\\nlib\x1bx.so\n",
		"SELECT service, total, median": "shop\t3072\t1024\t2048\t2048\t2\t4\n",
		"AS part":                       "shop\t1.1\t7\t1000000\t9\t1024\t1024\t1024\t2\t4\nshop\t1.1\t7\t2000000\t9\t2048\t3072\t4096\t1\t4\n",
		"groupUniqArray":                "255\tgr\x1bow\tcart.c\t\tpay\x1b\\tshop\t3072\t1024\t2048\t2048\t2\t4\n",
	})
	for line, want := range map[string]string{
		"top":                            "3.00 KiB  1.00 KiB  2.00 KiB      2  50.0 %  shop     gr␛ow (cart.c)",
		"top --service shop -f csv":      "shop,00000000000000ff,gr␛ow,cart.c,,3072,1024,2048,2048,2,4",
		"top -f markdown":                "| 3.00 KiB | 1.00 KiB | 2.00 KiB | 2 | 50.0 % | `shop` | `gr␛ow (cart.c)` | 00000000000000ff |",
		"top -f json":                    `"stack": "00000000000000ff"`,
		"diff":                           "+512 B     0 B  512 B  1.00 KiB  2.00 KiB  50.0 %  new     shop     grow (cart.c)",
		"diff --before 1 --after 2":      "leaked_bytes · 1 → 2",
		"outliers --by live":             "+12.5  4.00 KiB  1.00 KiB  shop     web-7",
		"trend":                          "1970-01-01 00:00  shop     1.1",
		"stack 00000000000000ff":         "grow  cart.c",
		"stack 00000000000000ff -f json": `"frames": [`,
		"stack grow --service x -f csv":  "shop,3072,1024,2048,2048,2,4",
		"stack --service x -f csv":       "shop,3072,1024,2048,2048,2,4",
		"recordings":                     "9.00 KiB  1970-01-01 00:00  2.00 s  cut     shop     1.1      web-7  /srv/a␛.mlyze",
		"recordings grow -f json":        `"recording": "00000000000000ff"`,
		"top -f html":                    `"cols":[{"head":"SUM","kind":"bytes"}`,
		"diff -f html":                   `"new","shop"`,
		"outliers -f html":               `[12.5,4096,1024,"shop","web-7"]`,
		"trend -f html":                  `"1970-01-01 00:00","shop","1.1"]`,
		"stack 00000000000000ff -f html": `"title":"Frames"`,
		"recordings -f html":             `"title":"Recordings"`,
		"outliers":                       "standard deviations",
		"top --all-versions":             "largest of its versions' newest recordings counts: 4 of 6 recordings count.",
		"trend --limit 3":                "2 recordings lack leaked_bytes: 1 as no FREE is recorded (--by alloc_bytes)",
		"diff --what types":              "+512 B",
		"stack grow":                     "?  lib␛x.so",
		"curve --ascii":                  "1.00 KiB  2.00 KiB  2.00 KiB  3.00 KiB      1  25.0 %  2.00 s  shop     1.1",
		"curve -f csv":                   "shop,1.1,7,2000000,9,2048,3072,4096,1,4",
		"curve -f html":                  `[2000000,2048,3072,4096,1,0.25,"shop","1.1"]`,
		"curve -f markdown":              "| 1.00 KiB | 2.00 KiB | 2.00 KiB | 3.00 KiB |",
		"curve --service shop -f json":   `"until_us": 2000000`,
		"shared":                         "3.00 KiB  1.00 KiB  2.00 KiB      2  50.0 %  gr␛ow (cart.c)  pay␛, shop",
		"shared -f csv":                  "00000000000000ff,gr␛ow,cart.c,,pay␛ shop,3072,",
		"shared -f html":                 `"pay␛, shop"`,
		"shared --what types":            "Types that several services have",
		"shared -f json":                 `"services": [`,
		"sql stack x' --service a\\":     `function = 'x\x27'`,
	} {
		words := strings.Fields(line)
		words = append([]string{"fleet", words[0], "--from", address}, words[1:]...)
		status, out, errs := run(t, Env{Getenv: fleetEnv}, words...)
		if status != fail.Done || !strings.Contains(out, want) || strings.ContainsRune(out, 0x1b) {
			t.Errorf("%s: status %d, %s\n%s", line, status, errs, out)
		}
		if strings.Contains(line, "json") && !json.Valid([]byte(out)) {
			t.Errorf("%s: %s", line, out)
		}
	}
}

// basis is what a fake fleet says that answers are of.
const basis = "6\t4\t2\t1\t1\t3\t1\t0\n"

// A release that needs more than allowed fails the check; mistakes in usage are said.
func TestFleetCheck(t *testing.T) {
	_, address := newFakeFleet(t, map[string]string{"count(*) AS recordings": basis, "DISTINCT version": "1.0\n1.1\n", "min(start_us)": "shop\t1.0\t1\t100\t100\t100\t100\t1\t4\nshop\t1.1\t2\t106\t106\t106\t106\t2\t4\n" +
		"pay\t1.0\t3\t7\t7\t7\t7\t1\t1\n"}) // which began with 1.0 later
	for line, want := range map[string]struct {
		status int
		text   string
	}{
		"check --fleet PLACE --max-regression 5%":                          {fail.Violated, "FAIL  --max-regression  shop: the median host's leaked_bytes of 1.1, 106 B, exceeds 105 B (+5% of 100 B in 1.0)"},
		"check --fleet PLACE --max-regression 6% -f csv":                   {fail.Done, ",shop,1.0,1.1,"},
		"check --fleet PLACE --max-regression 6% -f json":                  {fail.Done, `"ok": true`},
		"check --fleet PLACE --max-regression 5% --before 1.1 --after 1.0": {fail.Done, "is within 111 B"},
		"check --fleet PLACE":                                              {fail.StatusUsage, "--max-regression=PERCENT"},
		"check --fleet PLACE --max-regression 5M":                          {fail.StatusUsage, "invalid limit"},
		"check --fleet PLACE --max-regression 5% --before 7 --after 8":     {fail.StatusUsage, "no service has recordings of both 7 and 8"},
		"check --fleet PLACE --max-regression 5% " + sample:                {fail.StatusUsage, "give a file or --fleet, not both"},
		"check": {fail.StatusUsage, "missing argument"},
		"fleet top --from http://me:s3cret@host/db":                   {fail.StatusUsage, "MEMTUI_FLEET_USER"},
		"fleet diff --from PLACE --before 3 --after 3":                {fail.StatusUsage, "both versions are 3: there is nothing to compare"},
		"fleet top --from ftp://host/db":                              {fail.StatusUsage, "unknown kind of address"},
		"fleet top":                                                   {fail.StatusUsage, "--from=PLACE"},
		"fleet top --from PLACE --by size":                            {fail.StatusUsage, "unknown figure"},
		"fleet top --from PLACE --label x":                            {fail.StatusUsage, "KEY=VALUE"},
		"fleet diff --from PLACE --before 1":                          {fail.StatusUsage, `--before: the fleet has no version "1"; did you mean 1.0`},
		"fleet diff --from PLACE --before 1.1":                        {fail.StatusUsage, "no service has recordings of 1.1 and of a version after it"},
		"fleet top --from PLACE --what types --by alloc":              {fail.StatusUsage, "types have live_bytes only"},
		"fleet remove --from PLACE":                                   {fail.StatusUsage, "say which recordings"},
		"fleet remove --from PLACE xyz":                               {fail.StatusUsage, "invalid id"},
		"fleet list --from PLACE --older-than soon":                   {fail.StatusUsage, "invalid age"},
		"fleet add --to PLACE --service a\x1bb " + sample:             {fail.StatusUsage, "control characters"},
		"fleet add --to PLACE --service a --time yesterday " + sample: {fail.StatusUsage, "invalid time"},
		"fleet sql diff":                                              {fail.StatusUsage, "--before=VERSION"},
		"fleet sql top --dialect duckdb":                              {fail.StatusUsage, "name the folder"},
		"fleet curve --from PLACE --by leaked":                        {fail.StatusUsage, "curves have live_bytes only"},
		"fleet sql curve --what types":                                {fail.StatusUsage, "curve is about complete recordings"},
		"fleet sql shared main":                                       {fail.StatusUsage, "leave out"},
		"report --from PLACE " + sample:                               {fail.StatusUsage, "--from: invalid time"},
	} {
		status, out, errs := run(t, Env{Getenv: fleetEnv}, strings.Fields(strings.ReplaceAll(line, "PLACE", address))...)
		if status != want.status || !strings.Contains(out+errs, want.text) || strings.Contains(out+errs, "s3cret") {
			t.Errorf("%s: status %d, want %d: %s%s", line, status, want.status, out, errs)
		}
	}
}

// Full-screen, a fleet is asked, a recording is opened at what was looked at there, and the fleet is shown again.
func TestFleetFullScreen(t *testing.T) {
	_, address := newFakeFleet(t, map[string]string{"count(*) AS recordings": basis,
		"AS change":     "shop\t255\tgrow\tcart.c\t\t512.5\t0\t512.5\t0\t0\t0\t4\t1024\t2048\t2\t4\n",
		"min(start_us)": "shop\t1.0\t1000000\t1024\t1024\t1024\t1024\t1\t4\nshop\t1.1\t2000000\t4096\t2048\t2048\t2048\t2\t4\n"})
	saved, times := filepath.Join(t.TempDir(), "a.csv"), 0
	var began []views.Start
	placed := func(name string) string {
		if name == "MEMTUI_FROM" {
			return address
		}
		return fleetEnv(name)
	}
	env := Env{Getenv: placed, IsTerminal: true,
		FullScreen: func(_ context.Context, s screen.Screen) error { began = append(began, s.Start); return nil },
		Fleet: func(ctx context.Context, f screen.Fleet) (*fleetview.Opened, error) {
			o := f.Options
			switch times++; times {
			case 1:
				q := fleet.Question{Kind: fleet.Diff, Figure: fleet.Leaked, What: fleet.Sites}
				a, err := o.Fleet.Ask(ctx, &q)
				if err != nil || q.Before != "1.0" || q.After != "1.1" || len(a.Diff) != 1 {
					t.Errorf("%+v, %+v, %v", q, a, err)
				}
				if words := strings.Join(o.Command(&q), " "); words != "memtui fleet diff --from "+address+" --by leaked --before 1.0 --after 1.1" {
					t.Error(words)
				}
				if _, err := o.Save(ctx, "a.folded", fleetview.Answer{Question: &q, Answer: a}); err == nil {
					t.Error("stacks were written")
				}
				if n, err := o.Save(ctx, saved, fleetview.Answer{Question: &q, Answer: a}); err != nil || n == 0 {
					t.Error(n, err)
				}
				if _, err := o.Save(ctx, saved, fleetview.Answer{Question: &q, Answer: a}); err == nil {
					t.Error("a file was replaced")
				}
				if _, err := o.Save(ctx, filepath.Join(saved, "no", "b.csv"), fleetview.Answer{Question: &q, Answer: a}); err == nil ||
					!strings.HasPrefix(err.Error(), filepath.Join(saved, "no", "b.csv")+": ") {
					t.Errorf("not saved: %v", err)
				}
				for _, hostile := range []fleet.Question{{Kind: fleet.Top, Figure: fleet.Leaked, Filter: fleet.Filter{Service: "zzz"}},
					{Kind: fleet.Diff, Figure: fleet.Leaked, Before: "1.0", After: "1.0"}} {
					if _, err := o.Fleet.Ask(ctx, &hostile); err == nil || strings.Contains(err.Error(), "--") {
						t.Errorf("%+v: %v", hostile, err)
					}
				}
				if notes := o.Notes(&fleet.Question{Kind: fleet.Top, Figure: fleet.Leaked}, &fleet.Answer{Basis: fleet.Basis{Recordings: 3, Lacking: 3, Freeless: 1}}); strings.Contains(
					strings.Join(notes, " "), "--") {
					t.Errorf("notes %q", notes)
				}
				if o.Openable("missing.mlyze") == nil || o.Openable("-") == nil || o.Openable(sample) != nil {
					t.Error("what can be opened")
				}
				return &fleetview.Opened{URI: sample, Stack: 7, Place: fleet.Place{Function: "open_session(int)", File: "kvleak.cpp"}, Leaking: true}, nil
			case 2:
				return &fleetview.Opened{URI: "missing.mlyze"}, nil
			}
			return nil, nil
		}}
	if status, out, errs := run(t, env, "fleet", "--service", "shop"); status != fail.Done || out+errs != "" {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	if times != 3 || len(began) != 1 || began[0].Function != "open_session(int)" || !began[0].Leaks ||
		began[0].Stacks == nil || len(began[0].Stacks(model.NewStacks())) > 0 {
		t.Errorf("shown %d times, recordings %+v", times, began)
	}
	if data, err := os.ReadFile(saved); err != nil || !strings.Contains(string(data), "change_per_host") {
		t.Errorf("%s, %v", data, err)
	}
	if status, out, errs := run(t, Env{Getenv: fleetEnv}, "fleet", "--from", address, "--what", "types"); status != fail.Done || !strings.Contains(out, "Types of the fleet") {
		t.Errorf("without a terminal: status %d: %s%s", status, out, errs)
	}
}
