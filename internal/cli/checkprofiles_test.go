package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// TestChecksOfProfilesOfferWhatTheyCanCheck expects no message to name a limit that the file cannot be held against,
// and no check to pass that compares nothing.
func TestChecksOfProfilesOfferWhatTheyCanCheck(t *testing.T) {
	modeltest.Plain(t)
	const leaks, adhoc, heap = "../../loaders/sanitizer/testdata/lsan.txt", "../../loaders/valgrind/testdata/dhat.adhoc.json", "../../loaders/heaptext/testdata/every.0.i0.heap"
	for line, want := range map[string]string{
		"--max-live-at end=1K " + leaks: "it does not record what is live; available: --max-leak\n",
		"--max-peak 1K " + leaks:        "available: --max-leak\n",
		"--max-leak 1K " + adhoc:        "it does not record what was never freed; no limit can be checked for it\n",
		"--max-peak 1K " + heap:         "available: --max-leak, --max-live-at\n",
		"--base " + adhoc + " " + adhoc: "have no figure in common that check can limit",
		"--no-leaks " + heap:            "cannot be checked for every.0.i0.heap",
	} {
		status, out, errs := run(t, Env{}, append(strings.Fields("check --index none"), strings.Fields(line)...)...)
		if status != fail.StatusUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %q", line, status, errs)
		}
	}
	if _, out, _ := run(t, Env{}, "check", "--max-leak", "1K", heap); !strings.Contains(out, "live: ") || strings.Contains(out, "leaked") {
		t.Errorf("what lives in a running program is said to be leaked:\n%s", out)
	}
	if _, out, _ := run(t, Env{}, "check", "--max-leak", "1K", leaks); !strings.Contains(out, "leaked: ") {
		t.Errorf("what a tool calls leaked is not:\n%s", out)
	}
	for line, want := range map[string]int{
		"--max-leak 1K " + leaks: fail.Violated, "--max-leak 1M " + leaks: fail.Done, "--base " + leaks + " " + leaks: fail.Done,
	} {
		if status, _, errs := run(t, Env{}, append([]string{"check"}, strings.Fields(line)...)...); status != want {
			t.Errorf("%s: status %d, want %d; %q", line, status, want, errs)
		}
	}
}

// TestLeakReportsAreGates expects leak reports to fail a check by the leaks that they list, unless those are accepted;
// what memcheck calls reachable is no leak.
func TestLeakReportsAreGates(t *testing.T) {
	const lsan, memcheck = "../../loaders/sanitizer/testdata/lsan.txt", "../../loaders/valgrind/testdata/memcheck.xml"
	known, rules := filepath.Join(t.TempDir(), "known.json"), filepath.Join(t.TempDir(), "rules")
	if err := os.WriteFile(rules, []byte("leak:open_session\nleak:session_buffer\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		line   string
		status int
		out    string
	}{
		{"--no-leaks " + lsan, fail.Violated, "open_session (/home/dev/src/shop.cpp:19)"},
		{"--no-leaks " + lsan, fail.Violated, "LeakSanitizer reports it as leaked (direct)"},
		{"--no-leaks=1M " + lsan, fail.Done, "no leaks of 1.00 MiB or more"},
		{"--no-leaks --suppressions " + rules + " " + lsan, fail.Done, "suppressed"},
		{"--write-baseline " + known + " --no-leaks " + memcheck, fail.Violated, "open_session"},
		{"--no-leaks --baseline " + known + " " + memcheck, fail.Done, "in the baseline"},
	} {
		status, out, errs := run(t, Env{}, append([]string{"check"}, strings.Fields(x.line)...)...)
		if status != x.status || !strings.Contains(out, x.out) || strings.Contains(out, "reachable") {
			t.Errorf("%s: status %d, want %d: %s%s", x.line, status, x.status, out, errs)
		}
	}
}
