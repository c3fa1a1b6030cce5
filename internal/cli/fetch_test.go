package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/fetch"
)

// An address is an input like any other: what the server answers is read, and what it does not answer is said.
func TestFetch(t *testing.T) {
	profile, err := os.ReadFile("../../loaders/pprof/testdata/go.heap.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/heap":
			w.Write(profile)
		case "/moved":
			http.Redirect(w, r, "/heap", http.StatusFound)
		case "/page":
			w.Write([]byte("<html>hello</html>\n"))
		default:
			http.NotFound(w, r)
		}
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer secure.Close()
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"report", "-f", "json", plain.URL + "/heap"}, 0, `"inuse_space": 524336`},
		{[]string{"report", "-f", "json", plain.URL + "/moved"}, 0, `"inuse_space": 524336`},
		{[]string{"info", plain.URL + "/heap"}, 0, "pprof"},
		{[]string{"report", plain.URL + "/none"}, 3, "the server returned 404"},
		{[]string{"report", plain.URL + "/page"}, 3, "no known format"},
		{[]string{"report", secure.URL + "/heap"}, 3, "--insecure accepts any"},
		{[]string{"report", "-f", "json", "--insecure", secure.URL + "/heap"}, 0, `"inuse_space": 524336`},
		{[]string{"report", strings.Replace(plain.URL, "http://", "http://bob:secret@", 1) + "/none"}, 3, "bob:xxxxx@"},
		{[]string{"report", "http://"}, 3, "not a valid URL"},
	} {
		status, out, errs := run(t, Env{}, c.args...)
		if status != c.status || !strings.Contains(out+errs, c.want) || strings.Contains(out+errs, "secret") {
			t.Errorf("%q: %d %s %s", c.args, status, out[:min(len(out), 300)], errs)
		}
	}
	src, err := fetch.Open(t.Context(), plain.URL+"/heap", 100, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	src.ReadAt(make([]byte, 1<<20), 0) // waits for the end
	if said := fmt.Sprint(src.Problems()); !strings.Contains(said, "--max-memory") {
		t.Errorf("an answer that is too large: %s", said)
	}
}
