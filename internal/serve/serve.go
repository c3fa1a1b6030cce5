// Package serve lets a browser ask about open files: an HTTP server for the person who started the program.
//
// A profile names code and paths, so other users and sites must not read it. The address has a random token in its fragment, which
// browsers do not send; the page exchanges it for a cookie that other sites cannot use. Requests must name this server as
// their host and as their origin, which defeats DNS rebinding and requests forged by other sites. The page may load nothing
// from elsewhere. No part of a request reaches the file system.
package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"
)

// Server answers the requests of one page. Its methods may be called by any goroutine.
type Server struct {
	Page   []byte            // the document, which is the same for all files
	Files  map[string][]byte // what it loads, by name: page.js
	Answer func(ctx context.Context, question url.Values) ([]byte, error)
	// Watch returns what is known about reading the files, as JSON, and a channel that is closed when that changes.
	Watch func() (status []byte, changed <-chan struct{})

	token string
	port  string
	hosts map[string]bool // that requests may name
	busy  chan struct{}   // one element for each answer in progress
}

// maxAnswers is the maximum number of answers that are computed at the same time.
const maxAnswers = 4

// New returns a server at an address; hosts are further names that reach it.
func New(listen net.Addr, hosts ...string) *Server {
	_, port, _ := net.SplitHostPort(listen.String())
	s := &Server{token: rand.Text(), port: port, hosts: map[string]bool{}, busy: make(chan struct{}, maxAnswers)}
	for _, host := range append([]string{"localhost", "127.0.0.1", "::1"}, hosts...) {
		s.hosts[strings.ToLower(net.JoinHostPort(host, port))] = true
		if port == "80" { // which browsers leave out
			s.hosts[strings.ToLower(host)] = true
		}
	}
	return s
}

// Address returns the address to open in a browser, with the token.
func (s *Server) Address(host string) string {
	return "http://" + net.JoinHostPort(host, s.port) + "/#token=" + s.token
}

// Serve answers requests until ctx is done, when it ends answers in progress.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	over := context.AfterFunc(ctx, func() { _ = h.Close() })
	defer over()
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return ctx.Err()
}

// Handler returns the handler of all requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) { send(w, r, "text/html; charset=utf-8", s.Page) })
	for name, data := range s.Files {
		kind := "text/css; charset=utf-8"
		if strings.HasSuffix(name, ".js") {
			kind = "text/javascript; charset=utf-8"
		}
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, r *http.Request) { send(w, r, kind, data) })
	}
	mux.HandleFunc("/session", s.session)
	mux.Handle("/ask", gzhttp.GzipHandler(s.known(s.ask)))
	mux.Handle("/events", s.known(s.events))
	return s.guarded(mux)
}

// policy is what the page may load: what this server has.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// guarded refuses requests that other sites may have caused, and sets what browsers must know.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", policy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cache-Control", "no-store")
		switch host := strings.ToLower(r.Host); {
		case !s.hosts[host]:
			http.Error(w, "this server has another name", http.StatusForbidden)
		case !sameOrigin(r, host):
			http.Error(w, "the request comes from another site", http.StatusForbidden)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			head.Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// sameOrigin reports whether the page of this server, or the user, made a request, as far as the browser says.
func sameOrigin(r *http.Request, host string) bool {
	if origin := r.Header.Get("Origin"); origin != "" && !strings.EqualFold(origin, "http://"+host) {
		return false
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin":
		return true
	case "none": // an address that the user opened
		return true
	default: // a link elsewhere may lead to the page, which has no data
		return r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
	}
}

// session exchanges the token for a cookie.
func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || !same(token, s.token) {
		http.Error(w, "open the address that memtui printed", http.StatusUnauthorized)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: s.cookie(), Value: s.secret(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.WriteHeader(http.StatusNoContent)
}

// cookie returns a name of its own for each port: browsers send cookies to all ports of a host.
func (s *Server) cookie() string { return "memtui-" + s.port }

// secret returns the value of the cookie, which does not give away the token.
func (s *Server) secret() string {
	sum := sha256.Sum256([]byte("cookie " + s.token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// known lets those in who have the cookie.
func (s *Server) known(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, c := range r.CookiesNamed(s.cookie()) {
			if same(c.Value, s.secret()) {
				next(w, r)
				return
			}
		}
		http.Error(w, "open the address that memtui printed", http.StatusUnauthorized)
	})
}

// send writes what does not change while the program runs.
func send(w http.ResponseWriter, r *http.Request, kind string, data []byte) {
	w.Header().Set("Content-Type", kind)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
}

// ask answers a question. An answer that is no longer waited for is ended.
func (s *Server) ask(w http.ResponseWriter, r *http.Request) {
	select {
	case s.busy <- struct{}{}:
		defer func() { <-s.busy }()
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "application/json")
	data, err := s.Answer(r.Context(), r.URL.Query())
	if r.Context().Err() != nil {
		return
	}
	if err != nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		data, _ = json.Marshal(map[string]string{"error": err.Error()})
	}
	_, _ = w.Write(data)
}

// keepAlive is how often a silent stream of events shows that the server is there.
const keepAlive = 15 * time.Second

// events streams what is known about reading the files, each time it changes, but not more often than twice a second.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		status, changed := s.Watch()
		fmt.Fprintf(w, "data: %s\n\n", status)
		if out.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(500 * time.Millisecond):
		}
	waiting:
		for {
			select {
			case <-r.Context().Done():
				return
			case <-changed:
				break waiting
			case <-alive.C:
				fmt.Fprint(w, ":\n\n")
				if out.Flush() != nil {
					return
				}
			}
		}
	}
}

// Listen listens at a host's port. Unless exact, it takes any other free port if that one is taken.
func Listen(ctx context.Context, host string, port int, exact bool) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil && !exact {
		return config.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
	}
	return l, err
}
