// Package fetch gets files from servers by HTTP: the contents of an address, and debug files by build id.
package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const (
	dialTimeout   = 15 * time.Second
	answerTimeout = 5 * time.Minute // a profile over some seconds arrives after them
	fetchLimit    = 4 << 30         // bytes, without --max-memory
)

// IsURL reports whether an input is fetched rather than opened.
func IsURL(path string) bool {
	return strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://")
}

// errNotThere reports that a server does not have a file.
var errNotThere = errors.New("the server returned 404")

// answer is the body of a response, which closes the connection.
type answer struct {
	io.ReadCloser
	end func()
}

// Close implements [io.Closer].
func (a *answer) Close() error {
	defer a.end()
	return a.ReadCloser.Close()
}

// get returns the response of a server. Proxies are those of the environment. Passwords in the address are not shown.
func get(ctx context.Context, address string, insecure bool) (io.ReadCloser, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%s: not a valid URL", model.Clean(address))
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext, TLSHandshakeTimeout: dialTimeout,
		ResponseHeaderTimeout: answerTimeout, TLSClientConfig: &tls.Config{InsecureSkipVerify: insecure}, ForceAttemptHTTP2: true,
		DisableCompression: true, // a compressed file stays as it is stored
	}
	name := u.Redacted()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: not a valid URL", model.Clean(name))
	}
	request.Header.Set("User-Agent", "memtui")
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, fetchError(name, err)
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		transport.CloseIdleConnections()
		err := fmt.Errorf("%s: the server returned %s", model.Clean(name), model.Clean(response.Status))
		if response.StatusCode == http.StatusNotFound {
			err = &notThere{err}
		}
		return nil, err
	}
	return &answer{response.Body, transport.CloseIdleConnections}, nil
}

// notThere is an error that is [errNotThere].
type notThere struct{ error }

// Is implements [errors.Is].
func (*notThere) Is(target error) bool { return target == errNotThere }

// Open opens the response of a server, at most so many bytes of it. It is read while it arrives, and copied unchanged
// to keep, which may be nil.
func Open(ctx context.Context, address string, limit int64, insecure bool, keep io.Writer) (*loaders.Source, error) {
	response, err := limited(ctx, address, limit, insecure)
	if err != nil {
		return nil, err
	}
	response.keep = keep
	u, _ := url.Parse(address)
	return loaders.OpenStream(ctx, u.Redacted(), response)
}

// Get returns the response of a server, at most so many bytes of it.
func Get(ctx context.Context, address string, limit int64, insecure bool) (io.ReadCloser, error) {
	return limited(ctx, address, limit, insecure)
}

func limited(ctx context.Context, address string, limit int64, insecure bool) (*fetched, error) {
	response, err := get(ctx, address, insecure)
	if err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = fetchLimit
	}
	return &fetched{body: response, left: limit, limit: limit}, nil
}

// fetchError describes for the command line why there is no response.
func fetchError(name string, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) { // it repeats the address
		err = wrapped.Err
	}
	var unknown *tls.CertificateVerificationError
	if errors.As(err, &unknown) {
		return fmt.Errorf("%s: the certificate cannot be verified (%s); --insecure accepts any", model.Clean(name),
			model.Clean(unknown.Err.Error()))
	}
	return fmt.Errorf("%s: %s", model.Clean(name), model.Clean(err.Error()))
}

// fetched is the body of a response, which ends with an error at a limit.
type fetched struct {
	body        io.ReadCloser
	keep        io.Writer // nil for none
	left, limit int64
}

// Read implements [io.Reader].
func (f *fetched) Read(p []byte) (int, error) {
	if f.left <= 0 {
		if n, err := f.body.Read(make([]byte, 1)); n == 0 && err != nil {
			return 0, err
		}
		return 0, fmt.Errorf("the response is larger than %s: --max-memory raises this limit", model.Bytes(f.limit))
	}
	n, err := f.body.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	if f.keep != nil && n > 0 {
		if _, err := f.keep.Write(p[:n]); err != nil {
			return n, err
		}
	}
	return n, err
}

// Close implements [io.Closer].
func (f *fetched) Close() error { return f.body.Close() }
