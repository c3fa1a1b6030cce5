package clickhouse

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
	Pause          func(context.Context, time.Duration) error // between attempts; nil to wait
}

// Store is a database of a server.
type Store struct {
	base     url.URL // without a query
	database string
	opt      Options
	client   *http.Client
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
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: answerTimeout, MaxIdleConnsPerHost: 2}
	if opt.Insecure {
		transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	}
	return &Store{base: url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}, database: database, opt: opt, stacks: map[uint64]bool{},
		client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		}}}, nil
}

// answerTimeout is how long a server may take until its answer begins, and most the bytes of an answer that are read.
const (
	answerTimeout = 5 * time.Minute
	most          = 1 << 30
	attempts      = 5
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

// passes reports whether trying again may help: the server is busy, restarts, or something before it failed.
func (r *refusal) passes() bool {
	m := code.FindStringSubmatch(r.text)
	if m == nil {
		return r.status >= 500 || r.status == http.StatusTooManyRequests
	}
	n, _ := strconv.Atoi(m[1])
	switch n {
	case 159, 202, 209, 210, 241, 242, 252, 319, 425: // time-outs, too many queries, sockets, memory, read-only replicas, too many parts
		return true
	}
	return false
}

// exec sends a statement, with data after it, and returns the answer. It tries again, more and more slowly, where that
// may help.
func (s *Store) exec(ctx context.Context, statement string, data []byte) (answer []byte, err error) {
	for n := range attempts {
		if n > 0 {
			if err := s.opt.Pause(ctx, 250*time.Millisecond<<(2*n-2)); err != nil {
				return nil, err
			}
		}
		answer, err = s.once(ctx, statement, data)
		var no *refusal
		if err == nil || ctx.Err() != nil || errors.As(err, &no) && !no.passes() {
			break
		}
	}
	return answer, err
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
