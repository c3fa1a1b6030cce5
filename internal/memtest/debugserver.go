package memtest

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// DebugServer runs a debuginfod server until the test ends, which has content at one path and nothing elsewhere. It
// returns the server's address and the paths that were requested.
func DebugServer(t *testing.T, at string, content []byte) (address string, requested *[]string) {
	t.Helper()
	requested = new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requested = append(*requested, r.URL.Path)
		if r.URL.Path != at {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(s.Close)
	return s.URL, requested
}
