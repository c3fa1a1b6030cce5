package serve

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// listening is a server that answers with its question, and a browser that has its page open.
func listening(t *testing.T, answer func(context.Context, url.Values) ([]byte, error)) (*Server, string, *http.Client) {
	t.Helper()
	l, err := Listen(t.Context(), "127.0.0.1", 0, true)
	if err != nil {
		t.Fatal(err)
	}
	s := New(l.Addr())
	s.Page, s.Files = []byte("<!DOCTYPE html>page"), map[string][]byte{"page.js": []byte("code"), "page.css": []byte("style")}
	s.Answer = answer
	s.Watch = func() ([]byte, <-chan struct{}) { return []byte(`{"done":true}`), nil }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, "http://" + l.Addr().String(), &http.Client{Jar: jar}
}

func echo(_ context.Context, q url.Values) ([]byte, error) {
	return []byte(`"` + q.Get("x") + `"`), nil
}

// request returns the status and text of a response to a request with headers of that form: "Name: value".
func request(t *testing.T, c *http.Client, method, address string, headers ...string) (status int, text string, head http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	out, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Body.Close()
	body, err := io.ReadAll(out.Body)
	if err != nil {
		t.Fatal(err)
	}
	return out.StatusCode, string(body), out.Header
}

func TestOnlyTheTokenOpensASession(t *testing.T) {
	s, at, browser := listening(t, echo)
	for _, refused := range [][]string{nil, {"Authorization: Bearer wrong"}, {"Authorization: Bearer "}, {"Authorization: Basic " + s.token}} {
		if status, _, head := request(t, browser, "GET", at+"/session", refused...); status != http.StatusUnauthorized || head.Get("Set-Cookie") != "" {
			t.Errorf("%v: status %d, %q", refused, status, head.Get("Set-Cookie"))
		}
	}
	if status, text, _ := request(t, browser, "GET", at+"/ask?x=1"); status != http.StatusUnauthorized || strings.Contains(text, "1") {
		t.Errorf("an answer without a session: %d %q", status, text)
	}
	if status, _, _ := request(t, browser, "GET", at+"/events"); status != http.StatusUnauthorized {
		t.Errorf("events without a session: %d", status)
	}
	status, _, head := request(t, browser, "GET", at+"/session", "Authorization: Bearer "+s.token)
	cookie := head.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if status != http.StatusNoContent || !strings.Contains(cookie, want) || strings.Contains(cookie, s.token) {
			t.Errorf("status %d, cookie %q", status, cookie)
		}
	}
	if status, text, _ := request(t, browser, "GET", at+"/ask?x=1"); status != http.StatusOK || text != `"1"` {
		t.Errorf("%d %q", status, text)
	}
	_, other, _ := listening(t, echo)
	if status, _, _ := request(t, browser, "GET", other+"/ask?x=1"); status != http.StatusUnauthorized {
		t.Errorf("the cookie of one server opens another one: %d", status)
	}
}

// A site whose name leads to this machine, and scripts of other sites, get nothing, even with the user's cookie.
func TestOtherSitesAreRefused(t *testing.T) {
	s, at, browser := listening(t, echo)
	request(t, browser, "GET", at+"/session", "Authorization: Bearer "+s.token)
	for _, c := range []struct {
		path   string
		header []string
		status int
	}{
		{"/ask?x=1", nil, 200},
		{"/ask?x=1", []string{"Sec-Fetch-Site: same-origin", "Origin: " + at}, 200},
		{"/", []string{"Host: localhost:" + s.port}, 200},
		{"/ask?x=1", []string{"Host: localhost:" + s.port}, 401}, // cookies are of one name
		{"/ask?x=1", []string{"Host: evil.example"}, 403},
		{"/ask?x=1", []string{"Host: evil.example:" + s.port}, 403},
		{"/ask?x=1", []string{"Host: 127.0.0.1"}, 403},
		{"/ask?x=1", []string{"Host: 127.0.0.1:1"}, 403},
		{"/", []string{"Host: evil.example:" + s.port}, 403},
		{"/session", []string{"Host: evil.example:" + s.port, "Authorization: Bearer " + s.token}, 403},
		{"/ask?x=1", []string{"Origin: http://evil.example"}, 403},
		{"/ask?x=1", []string{"Origin: null"}, 403},
		{"/ask?x=1", []string{"Origin: https://127.0.0.1:" + s.port}, 403},
		{"/ask?x=1", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"/ask?x=1", []string{"Sec-Fetch-Site: same-site"}, 403},
		{"/events", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"}, 403},
		{"/", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"}, 200},
		{"/page.js", []string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"}, 403},
	} {
		if status, text, _ := request(t, browser, "GET", at+c.path, c.header...); status != c.status || status == 403 && strings.Contains(text, "1\"") {
			t.Errorf("%s with %v: %d %q, want %d", c.path, c.header, status, text, c.status)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH"} {
		if status, _, _ := request(t, browser, method, at+"/ask?x=1"); status != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, status)
		}
	}
}

func TestEveryResponseRestrictsThePage(t *testing.T) {
	_, at, browser := listening(t, echo)
	for _, path := range []string{"/", "/page.js", "/page.css", "/ask", "/nothing", "/../../etc/passwd", "/session"} {
		_, _, head := request(t, browser, "GET", at+path)
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store", "Access-Control-Allow-Origin": "",
		} {
			if got := head.Get(name); !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		if p := head.Get("Content-Security-Policy"); strings.Contains(p, "unsafe") || !strings.Contains(p, "frame-ancestors 'none'") {
			t.Errorf("%s: %q", path, p)
		}
	}
}

func TestMistakesAreAnswersToo(t *testing.T) {
	s, at, browser := listening(t, func(context.Context, url.Values) ([]byte, error) { return nil, errors.New(`unknown "table"`) })
	request(t, browser, "GET", at+"/session", "Authorization: Bearer "+s.token)
	if status, text, _ := request(t, browser, "GET", at+"/ask"); status != http.StatusUnprocessableEntity || text != `{"error":"unknown \"table\""}` {
		t.Errorf("%d %q", status, text)
	}
}

// An answer ends when the browser no longer waits for it, and so many are computed at once.
func TestAnswersAreGivenUpAndBounded(t *testing.T) {
	var mu sync.Mutex
	now, most := 0, 0
	begun, ended := make(chan struct{}, 100), make(chan struct{}, 100)
	s, at, browser := listening(t, func(ctx context.Context, _ url.Values) ([]byte, error) {
		mu.Lock()
		now++
		most = max(most, now)
		mu.Unlock()
		begun <- struct{}{}
		<-ctx.Done()
		mu.Lock()
		now--
		mu.Unlock()
		ended <- struct{}{}
		return nil, ctx.Err()
	})
	request(t, browser, "GET", at+"/session", "Authorization: Bearer "+s.token)
	ctx, leave := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	for range 3 * maxAnswers {
		asking.Go(func() {
			r, _ := http.NewRequestWithContext(ctx, "GET", at+"/ask", nil)
			if out, err := browser.Do(r); err == nil {
				out.Body.Close()
			}
		})
	}
	for range maxAnswers {
		<-begun
	}
	leave()
	asking.Wait()
	for range maxAnswers {
		<-ended
	}
	mu.Lock()
	defer mu.Unlock()
	if most != maxAnswers {
		t.Errorf("%d answers at once", most)
	}
}

func TestEventsFollowChanges(t *testing.T) {
	s, at, browser := listening(t, echo)
	var mu sync.Mutex
	status, changed := "1", make(chan struct{})
	s.Watch = func() ([]byte, <-chan struct{}) {
		mu.Lock()
		defer mu.Unlock()
		return []byte(status), changed
	}
	request(t, browser, "GET", at+"/session", "Authorization: Bearer "+s.token)
	ctx, leave := context.WithTimeout(t.Context(), time.Minute)
	defer leave()
	r, _ := http.NewRequestWithContext(ctx, "GET", at+"/events", nil)
	out, err := browser.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Body.Close()
	lines := bufio.NewScanner(out.Body)
	next := func() string {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return text
			}
		}
		return ""
	}
	if got := next(); got != "1" {
		t.Fatalf("%q", got)
	}
	mu.Lock()
	status = "2"
	close(changed)
	changed = make(chan struct{})
	mu.Unlock()
	if got := next(); got != "2" {
		t.Fatalf("%q", got)
	}
}

func TestATakenPort(t *testing.T) {
	first, err := Listen(t.Context(), "127.0.0.1", 0, true)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	port := first.Addr().(*net.TCPAddr).Port
	if l, err := Listen(t.Context(), "127.0.0.1", port, true); err == nil {
		l.Close()
		t.Error("two listen at one port")
	}
	l, err := Listen(t.Context(), "127.0.0.1", port, false)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

func TestPort80HasNoNumber(t *testing.T) {
	s := New(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80})
	r := httptest.NewRequest("GET", "http://localhost/", nil)
	w := httptest.NewRecorder()
	if s.Handler().ServeHTTP(w, r); w.Code != http.StatusOK {
		t.Errorf("status %d", w.Code)
	}
}
