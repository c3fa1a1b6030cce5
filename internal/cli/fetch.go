package cli

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
	answerTimeout = 5 * time.Minute // a profile over some seconds is answered after them
	fetchLimit    = 4 << 30         // bytes, where --max-memory says nothing
)

// isURL reports whether an input is fetched rather than opened.
func isURL(path string) bool {
	return strings.HasPrefix(path, "http://") || strings.HasPrefix(path, "https://")
}

// fetch opens what a server answers, at most so many bytes of it. Proxies are those of the environment. The answer is read while it
// arrives; passwords in the address are not shown.
func fetch(ctx context.Context, address string, limit int64, insecure bool) (*loaders.Source, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%s: this is no address", model.Clean(address))
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext, TLSHandshakeTimeout: dialTimeout,
		ResponseHeaderTimeout: answerTimeout, TLSClientConfig: &tls.Config{InsecureSkipVerify: insecure}, ForceAttemptHTTP2: true,
		DisableCompression: true, // a compressed file stays as it is stored
	}
	name := u.Redacted()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: this is no address", model.Clean(name))
	}
	request.Header.Set("User-Agent", "memtui")
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return nil, fetchError(name, err)
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return nil, fmt.Errorf("%s: the server answers %s", model.Clean(name), model.Clean(answer.Status))
	}
	if limit <= 0 {
		limit = fetchLimit
	}
	return loaders.OpenStream(ctx, name, &fetched{body: answer.Body, left: limit, limit: limit, close: transport.CloseIdleConnections})
}

// fetchError says in the words of the command line why there is no answer.
func fetchError(name string, err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) { // it repeats the address
		err = wrapped.Err
	}
	var unknown *tls.CertificateVerificationError
	if errors.As(err, &unknown) {
		return fmt.Errorf("%s: the certificate cannot be verified (%s); --insecure accepts any", model.Clean(name), model.Clean(unknown.Err.Error()))
	}
	return fmt.Errorf("%s: %s", model.Clean(name), model.Clean(err.Error()))
}

// fetched is the body of an answer, which ends with an error at a limit.
type fetched struct {
	body        io.ReadCloser
	left, limit int64
	close       func()
}

// Read implements [io.Reader].
func (f *fetched) Read(p []byte) (int, error) {
	if f.left <= 0 {
		if n, err := f.body.Read(make([]byte, 1)); n == 0 && err != nil {
			return 0, err
		}
		return 0, fmt.Errorf("the answer is larger than %s: --max-memory raises this limit", model.Bytes(f.limit))
	}
	n, err := f.body.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	return n, err
}

// Close implements [io.Closer].
func (f *fetched) Close() error {
	defer f.close()
	return f.body.Close()
}
