package fetch

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
)

// Files are kept for the user alone, and asked for once; what is checked to be another is not kept.
func TestDebugServers(t *testing.T) {
	address, asked := memtest.DebugServer(t, "/buildid/abcd/debuginfo", []byte("content"))
	cache := filepath.Join(t.TempDir(), "cache")
	fetch := func(d *DebugServers, id string, check func(string) error) (string, error) {
		d.absent = nil
		path, done, err := d.Fetch(t.Context(), id, "debuginfo", check)
		defer done()
		if err != nil {
			return "", err
		}
		b, err := os.ReadFile(path)
		return string(b), err
	}
	accept, refuse := func(string) error { return nil }, func(string) error { return errors.New("another") }
	d := &DebugServers{Servers: []string{address + "/"}, Cache: cache, Limit: 7}
	if _, err := fetch(d, "abcd", refuse); err == nil {
		t.Error("what is another file is used")
	}
	if kept, _ := os.ReadDir(cache); len(kept) > 0 {
		t.Errorf("%v are kept", kept)
	}
	for range 2 {
		if s, err := fetch(d, "abcd", accept); s != "content" || err != nil {
			t.Errorf("%q, %v", s, err)
		}
	}
	if len(*asked) != 2 {
		t.Errorf("asked %v", *asked)
	}
	kept, _ := filepath.Glob(filepath.Join(cache, "*"))
	if info, err := os.Stat(kept[0]); len(kept) != 1 || err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", kept, info.Mode())
	}
	if _, err := fetch(d, "abce", accept); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	small := &DebugServers{Servers: []string{address}, Limit: 6}
	if _, err := fetch(small, "abcd", accept); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Error(err)
	}
	none := &DebugServers{Servers: []string{address}, Limit: 7}
	if s, err := fetch(none, "abcd", accept); s != "content" || err != nil {
		t.Errorf("without a Cache: %q, %v", s, err)
	}
}

// A server that does not answer, or stops within, is left when the user wants that.
func TestDebugServersAreLeft(t *testing.T) {
	entered := make(chan bool, 2)
	stuck := make(chan bool)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "within") {
			_, _ = io.WriteString(w, "part")
			w.(http.Flusher).Flush()
		}
		entered <- true
		<-stuck
	}))
	defer s.Close()
	defer close(stuck)
	for _, id := range []string{"before", "within"} {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-entered; cancel() }()
		d := &DebugServers{Servers: []string{s.URL}, Limit: 100}
		if _, _, err := d.Fetch(ctx, id, "debuginfo", nil); !errors.Is(err, context.Canceled) {
			t.Error(id, err)
		}
	}
}
