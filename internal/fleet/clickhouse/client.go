package clickhouse

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/memtui/memtui/model"
)

// Options say who asks, and how patiently.
type Options struct {
	User, Password string
	Insecure       bool                                       // do not verify the server's certificate
	CA             string                                     // a file of certificates of authorities to trust, too; "" for none
	Timeout        time.Duration                              // for the server to answer at all; 0 for the usual
	Note           func(text string)                          // takes sentences about what takes long; nil for none
	Pause          func(context.Context, time.Duration) error // between attempts; nil to wait
}

// Store is a database of a server.
type Store struct {
	base     url.URL // without a query
	database string
	opt      Options
	client   *http.Client
	met      bool            // the server has answered
	ready    bool            // the tables were made
	stacks   map[uint64]bool // that the server has
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// Open returns the store at an address, http://host:8123/database. It does not connect.
func Open(address string, opt Options) (*Store, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("invalid address of a ClickHouse") // the error would quote a password
	case u.User != nil:
		return nil, errors.New("the address must not hold a user or password: set MEMTUI_FLEET_USER and MEMTUI_FLEET_PASSWORD in the environment")
	case u.Host == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("invalid address %q: write http://HOST:8123/DATABASE", model.Clean(address))
	}
	database := cmp.Or(strings.Trim(u.Path, "/"), "default")
	if !identifier.MatchString(database) {
		return nil, fmt.Errorf("invalid database %q: a name of letters, digits and _", model.Clean(database))
	}
	if opt.Pause == nil {
		opt.Pause = pause
	}
	if opt.Note == nil {
		opt.Note = func(string) {}
	}
	opt.Timeout = cmp.Or(opt.Timeout, usualTimeout)
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: answerTimeout, MaxIdleConnsPerHost: 2,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: opt.Insecure}}
	if opt.CA != "" {
		if transport.TLSClientConfig.RootCAs, err = trusted(opt.CA); err != nil {
			return nil, err
		}
	}
	return &Store{base: url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}, database: database, opt: opt, stacks: map[uint64]bool{},
		client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		}}}, nil
}

// trusted returns the authorities of the system and those of a file.
func trusted(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: no certificate in PEM format", model.Clean(path))
	}
	return pool, nil
}

// answerTimeout is how long a server may take until its answer to a statement begins, usualTimeout until it answers at
// all, and silence until that is said. most is how many bytes of an answer are read.
const (
	answerTimeout = 5 * time.Minute
	usualTimeout  = 20 * time.Second
	silence       = time.Second
	most          = 1 << 30
	attempts      = 5
	longest       = 5 * time.Second // between attempts to reach a server
)

// pause waits, unless ctx ends before.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// refusal is the text of a server in place of an answer.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string {
	text := r.text
	if len(text) > 400 {
		text = text[:400] + "…"
	}
	return "the server refuses: " + model.Clean(cmp.Or(strings.TrimSpace(text), http.StatusText(r.status)))
}

var code = regexp.MustCompile(`^Code: ([0-9]+)`)

// code returns the number of the server's error, 0 if it has none.
func (r *refusal) code() int {
	m := code.FindStringSubmatch(r.text)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}

// passes reports whether trying again may help: the server is busy, restarts, or something before it failed.
func (r *refusal) passes() bool {
	switch r.code() {
	case 0:
		return r.status >= 500 || r.status == http.StatusTooManyRequests
	case 159, 202, 209, 210, 241, 242, 252, 319, 425: // time-outs, too many queries, sockets, memory, read-only replicas, too many parts
		return true
	}
	return false
}

// exec sends a statement, with data after it, and returns the answer. It tries again, more and more slowly, where that
// may help.
func (s *Store) exec(ctx context.Context, statement string, data []byte) (answer []byte, err error) {
	if err := s.meet(ctx); err != nil {
		return nil, err
	}
	for n := range attempts {
		if n > 0 {
			wait := 250 * time.Millisecond << (2*n - 2)
			if wait >= silence {
				s.opt.Note(fmt.Sprintf("%v: trying again in %d s", err, int(wait.Seconds())))
			}
			if err := s.opt.Pause(ctx, wait); err != nil {
				return nil, err
			}
		}
		answer, err = s.once(ctx, statement, data)
		var no *refusal
		if err == nil || ctx.Err() != nil || errors.As(err, &no) && !no.passes() {
			break
		}
	}
	return answer, s.explained(err)
}

// meet waits until the server answers for the first time, and says so where that takes long.
func (s *Store) meet(ctx context.Context) error {
	if s.met {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, s.opt.Timeout)
	defer cancel()
	said := time.AfterFunc(silence, func() {
		s.opt.Note(fmt.Sprintf("waiting for ClickHouse at %s, at most %v (--timeout)", s.base.Host, s.opt.Timeout))
	})
	defer said.Stop()
	var err error
	for wait := 250 * time.Millisecond; ; wait = min(2*wait, longest) {
		var failed error
		if _, failed = s.once(within, "SELECT 1", nil); failed == nil {
			s.met = true
			return nil
		}
		if within.Err() == nil || err == nil {
			err = failed
		}
		var no *refusal
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &no) && !no.passes():
			return s.explained(err)
		case isFinal(err):
			return s.unreachable(err, "")
		}
		if s.opt.Pause(within, wait) == nil {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return s.unreachable(err, fmt.Sprintf(" within %v", s.opt.Timeout))
	}
}

// isFinal reports whether trying again cannot help: there is no such host, or its certificate is not trusted.
func isFinal(err error) bool {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &dns) && dns.IsNotFound || errors.As(err, &certificate)
}

// unreachable says why a server does not answer, and what to look at.
func (s *Store) unreachable(err error, within string) error {
	hint := "is it running there, with its HTTP port?"
	var certificate *tls.CertificateVerificationError
	var dns *net.DNSError
	switch {
	case errors.As(err, &certificate):
		hint = "name the file of the authority that signed its certificate with --ca"
	case errors.As(err, &dns):
		hint = "is the name of the host right?"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("ClickHouse at %s does not answer%s: %s", s.base.Host, within, hint)
	}
	return fmt.Errorf("ClickHouse does not answer%s: %w: %s", within, err, hint)
}

// explained returns an error that says what to do where that is known.
func (s *Store) explained(err error) error {
	var no *refusal
	if !errors.As(err, &no) {
		return err
	}
	switch no.code() {
	case 60, 81: // no such table, no such database
		return fmt.Errorf("the database %s at %s holds no fleet: nothing was added to it with memtui fleet add (%w)", s.database, s.base.Host, err)
	case 47: // no such column
		return fmt.Errorf("the tables of %s are those of an older memtui: the next `fleet add` adds what is missing (%w)", s.database, err)
	}
	return err
}

func (s *Store) once(ctx context.Context, statement string, data []byte) ([]byte, error) {
	u, body := s.base, []byte(statement)
	query := url.Values{"wait_end_of_query": {"1"}, "max_query_size": {"16777216"}}
	if data != nil {
		body = data
		query.Set("query", statement)
	}
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if s.opt.User != "" || s.opt.Password != "" {
		req.SetBasicAuth(cmp.Or(s.opt.User, "default"), s.opt.Password)
	}
	resp, err := s.client.Do(req)
	if failed := (*url.Error)(nil); errors.As(err, &failed) { // it would quote the statement
		err = fmt.Errorf("%s: %w", s.base.Host, failed.Err)
	}
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: the connection was lost: %w", s.base.Host, err)
	case resp.StatusCode != http.StatusOK:
		return nil, &refusal{resp.StatusCode, string(answer)}
	case len(answer) > most:
		return nil, fmt.Errorf("%s: the answer is too large", s.base.Host)
	}
	return answer, nil
}

// ask returns the rows of a query as text.
func (s *Store) ask(ctx context.Context, query string) (rows [][]string, err error) {
	answer, err := s.exec(ctx, query+" FORMAT TabSeparated", nil)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(answer)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i, c := range cells {
			cells[i] = unescape.Replace(c)
		}
		rows = append(rows, cells)
	}
	return rows, nil
}

// unescape reads cells of TabSeparated.
var unescape = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r", `\0`, "\x00", `\b`, "\b", `\f`, "\f", `\'`, "'")
