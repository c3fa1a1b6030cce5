package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/cli/fail"
)

func TestPages(t *testing.T) {
	status, out, errs := run(t, Env{}, "report", "-f", "html", sample)
	if status != 0 || errs != "" || !strings.HasPrefix(out, "<!DOCTYPE html>") || !strings.Contains(out, "memtui report -f html") {
		t.Errorf("status %d, %q: %.200s", status, errs, out)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	status, out, errs = run(t, Env{IsTerminal: true}, "report", "--format=html", "--at", "peak", "-o", path, sample)
	if status != 0 || out+errs != "" {
		t.Errorf("status %d, %q %q", status, out, errs)
	}
	page, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(page), "live figures at 61.0 ms") {
		t.Errorf("%v: the page is about another instant", err)
	}
	if status, _, errs = run(t, Env{IsTerminal: true}, "report", "-f", "html", sample); status != fail.StatusUsage || !strings.Contains(errs, "-o page.html") {
		t.Errorf("a terminal gets a page: status %d, %q", status, errs)
	}
	for _, args := range [][]string{{"validate", "-f", "html", sample}, {"info", "--format=html", sample}, {"heap", "types", "-f", "html", sample}, {"keys", "-f", "html"}} {
		if status, _, _ := run(t, Env{}, args...); status != fail.StatusUsage {
			t.Errorf("%q: status %d", args, status)
		}
	}
	always := func(name string) string { return map[string]string{"MEMTUI_FORMAT": "html"}[name] }
	if status, out, errs := run(t, Env{Getenv: always}, "info", sample); status != 0 || strings.Contains(out, "<html") {
		t.Errorf("a setting keeps info from working: status %d, %q", status, errs)
	}
}

// Every kind of file has a page.
func TestPagesOfEveryFormat(t *testing.T) {
	for _, name := range []string{"kvleak", "stacks", "heap", "pages", "perf"} {
		status, out, errs := run(t, Env{}, "demo", name, "-f", "html")
		if status != 0 || !strings.HasPrefix(out, "<!DOCTYPE html>") {
			t.Errorf("%s: status %d, %q", name, status, errs)
		}
	}
}
