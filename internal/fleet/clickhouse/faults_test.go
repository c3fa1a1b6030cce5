package clickhouse

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis/fleet"
)

// fake is a server that fails as told, and remembers what was inserted.
type fake struct {
	sync.Mutex
	*httptest.Server
	inserted []string // tables, in order
	logins   []string
	fail     func(n int, w http.ResponseWriter, r *http.Request) bool // the nth request; true if it answered
	n        int
}

func newFake(t *testing.T, fail func(n int, w http.ResponseWriter, r *http.Request) bool) *fake {
	f := &fake{fail: fail}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		f.Lock()
		defer f.Unlock()
		f.n++
		f.logins = append(f.logins, r.Header.Get("Authorization"))
		if f.fail != nil && f.fail(f.n, w, r) {
			return
		}
		statement := r.URL.Query().Get("query") + string(body)
		if table, ok := strings.CutPrefix(statement, "INSERT INTO db."); ok {
			f.inserted = append(f.inserted, strings.Fields(table)[0])
		}
	}))
	t.Cleanup(f.Close)
	return f
}

// cut ends the connection without an answer.
func cut(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		conn.Close()
	}
}

func store(t *testing.T, f *fake, waits *[]time.Duration) *Store {
	s, err := Open(f.URL+"/db", Options{User: "me", Password: "s3cret", Pause: func(ctx context.Context, d time.Duration) error {
		if waits != nil {
			*waits = append(*waits, d)
		}
		return ctx.Err()
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var batch = fleet.Batch{Recordings: []fleet.Recording{{Recording: 1, ID: "1"}}, Sites: []fleet.Site{{Recording: 1, Stack: 2}}, Stacks: []fleet.Stack{{Stack: 2}}}

// Lost connections, and servers that are busy, are tried again, more and more slowly.
func TestFaultsThatPassAreTriedAgain(t *testing.T) {
	for name, fail := range map[string]func(w http.ResponseWriter){
		"lost":      cut,
		"no server": func(w http.ResponseWriter) { http.Error(w, "upstream", http.StatusBadGateway) },
		"busy": func(w http.ResponseWriter) {
			http.Error(w, "Code: 202, too many queries", http.StatusInternalServerError)
		},
		"half": func(w http.ResponseWriter) { w.Header().Set("Content-Length", "1000"); fmt.Fprint(w, "1"); cut(w) },
	} {
		f := newFake(t, func(n int, w http.ResponseWriter, _ *http.Request) bool {
			if n%3 != 0 {
				fail(w)
			}
			return n%3 != 0
		})
		var waits []time.Duration
		if err := store(t, f, &waits).Add(t.Context(), &batch); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := strings.Join(f.inserted, " "); got != "stacks sites recordings" {
			t.Errorf("%s: inserted %s", name, got)
		}
		if len(waits) < 4 || waits[1] <= waits[0] {
			t.Errorf("%s: waits %v", name, waits)
		}
	}
}

// A fault that stays ends adding: no row of recordings says that the recording is there, adding again completes it, and
// nothing that is said holds the password.
func TestLostConnectionLeavesNothingHalf(t *testing.T) {
	down := true
	f := newFake(t, func(_ int, w http.ResponseWriter, r *http.Request) bool {
		if down && strings.Contains(r.URL.Query().Get("query"), "db.sites") {
			cut(w)
			return true
		}
		return false
	})
	s := store(t, f, nil)
	err := s.Add(t.Context(), &batch)
	if err == nil || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "INSERT") {
		t.Errorf("%v", err)
	}
	if got := strings.Join(f.inserted, " "); got != "stacks" {
		t.Errorf("inserted %s", got)
	}
	f.Lock()
	down = false
	f.Unlock()
	if err := s.Add(t.Context(), &batch); err != nil || !strings.HasSuffix(strings.Join(f.inserted, " "), "sites recordings") {
		t.Errorf("%v, %v", err, f.inserted)
	}
}

// What trying again cannot help is tried once: errors of SQL, wrong passwords, redirections, which would take the
// password elsewhere.
func TestFaultsThatStayAreSaidAtOnce(t *testing.T) {
	elsewhere := newFake(t, nil)
	for name, fail := range map[string]func(w http.ResponseWriter, r *http.Request){
		"Code: 62": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Code: 62, Syntax error", http.StatusInternalServerError)
		},
		"Code: 193": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Code: 193, Wrong password", http.StatusUnauthorized)
		},
		"server refuses": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		},
		"\uFFFD[2J cleaned": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "\x1b[2J cleaned", 404) },
	} {
		f := newFake(t, func(_ int, w http.ResponseWriter, r *http.Request) bool { fail(w, r); return true })
		_, err := store(t, f, nil).Known(t.Context(), 1)
		if err == nil || f.n != 1 || strings.ContainsRune(err.Error(), 0x1b) {
			t.Errorf("%s: %v after %d requests", name, err, f.n)
		} else if !strings.Contains(err.Error(), name) && !strings.Contains(err.Error(), "cleaned") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if elsewhere.n > 0 {
		t.Error("a redirection was followed")
	}
}

// A slow server is waited for until the user ends the command.
func TestSlowServerCanBeLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := newFake(t, func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		cancel()
		<-r.Context().Done()
		return true
	})
	if _, err := store(t, f, nil).Known(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Addresses hold no passwords, and no statements; those that do are not repeated.
func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"http://me:s3cret@host/db":    "must not hold a user or password",
		"http://me@host/db":           "must not hold a user or password",
		"http://host/db?password=s3c": "invalid address",
		"http://host/d b":             "invalid database",
		"http://host/db;DROP":         "invalid database",
		"http://host/db/x":            "invalid database",
		"http:///db":                  "invalid address",
		"http://me:s3cret%zz@host/":   "invalid address",
	} {
		if _, err := Open(address, Options{}); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", address, err)
		}
	}
	s, err := Open("https://host:8443", Options{})
	if err != nil || s.database != "default" || s.base.String() != "https://host:8443/" {
		t.Errorf("%+v, %v", s, err)
	}
}

// The password goes into the header alone.
func TestLogin(t *testing.T) {
	f := newFake(t, nil)
	if _, err := store(t, f, nil).Known(t.Context(), 1); err != nil || f.logins[0] != "Basic bWU6czNjcmV0" {
		t.Errorf("%v, %v", f.logins, err)
	}
}

// An answer of the wrong shape is an error.
func TestAnswersAreChecked(t *testing.T) {
	for _, answer := range []string{"x\n", "a\tb\n", "shop\t1\tf\tx\t-5\t0\t0\t0\t0\t0\n", "shop\t1\tf\tx\t1\t2\t3\t4\t5\t6\t7\n"} {
		f := newFake(t, func(_ int, w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, answer); return true })
		if a, err := store(t, f, nil).Ask(t.Context(), &fleet.Question{Figure: fleet.Leaked}); err == nil {
			t.Errorf("%q is read as %+v", answer, a)
		}
	}
}

// A server that does not answer is named within a second or so, with the time that is left, and given up after the
// time that the user set.
func TestUnreachableServers(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // it takes connections, and never answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for address, want := range map[string]string{
		silent.Addr().String(): "does not answer within 1.5s", closed.Addr().String(): "connection refused",
	} {
		var mu sync.Mutex
		var notes []string
		s, err := Open("http://"+address+"/db", Options{Timeout: 1500 * time.Millisecond, Note: func(text string) {
			mu.Lock()
			defer mu.Unlock()
			notes = append(notes, text)
		}})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = s.Known(t.Context(), 1)
		if took := time.Since(began); err == nil || !strings.Contains(err.Error(), want) || took > 10*time.Second || !strings.Contains(err.Error(), address) {
			t.Errorf("%s: %v after %v", address, err, took)
		}
		mu.Lock()
		if len(notes) != 1 || !strings.Contains(notes[0], address) || !strings.Contains(notes[0], "--timeout") {
			t.Errorf("%s: notes %q", address, notes)
		}
		mu.Unlock()
	}
	s, err := Open("http://no-such-host.invalid/db", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Known(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "no-such-host.invalid") {
		t.Errorf("%v", err)
	}
}

// The certificate of a server is verified, by authorities of the system and those of a file.
func TestCertificatesAreVerified(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		opt  Options
		want string
	}{{Options{}, "--ca"}, {Options{CA: file}, ""}, {Options{Insecure: true}, ""}} {
		s, err := Open(server.URL+"/db", x.opt)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Known(t.Context(), 1); (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v", x.opt, err)
		}
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "missing"), "faults_test.go"} {
		if _, err := Open(server.URL, Options{CA: path}); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// What a database lacks is said as what it means.
func TestEmptyDatabasesAreSaid(t *testing.T) {
	for text, want := range map[string]string{"Code: 60, no table": "with memtui fleet add", "Code: 81, no database": "holds no fleet", "Code: 47, no column": "older memtui"} {
		f := newFake(t, func(_ int, w http.ResponseWriter, r *http.Request) bool {
			http.Error(w, text, http.StatusNotFound)
			return true
		})
		if _, err := store(t, f, nil).Ask(t.Context(), &fleet.Question{Figure: fleet.Leaked}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
