package cli

import (
	"strings"
	"testing"
)

// TestChecksOfProfilesOfferWhatTheyCanCheck expects no message to name a limit that the file cannot be held against, and no check to pass
// that compares nothing.
func TestChecksOfProfilesOfferWhatTheyCanCheck(t *testing.T) {
	const leaks, adhoc, heap = "../../loaders/sanitizer/testdata/lsan.txt", "../../loaders/valgrind/testdata/dhat.adhoc.json", "../../loaders/heaptext/testdata/every.0.i0.heap"
	for line, want := range map[string]string{
		"--max-live-at end=1K " + leaks: "it does not record what is live; available: --max-leak\n",
		"--max-peak 1K " + leaks:        "available: --max-leak\n",
		"--max-leak 1K " + adhoc:        "it does not record what was never freed; no limit can be checked for it\n",
		"--max-peak 1K " + heap:         "available: --max-leak, --max-live-at\n",
		"--base " + adhoc + " " + adhoc: "have no figure in common that must not grow",
		"--no-leaks " + leaks:           "lsan.txt is neither; --max-leak is a limit for what",
	} {
		status, out, errs := run(t, Env{}, append(strings.Fields("check --index none"), strings.Fields(line)...)...)
		if status != statusUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %q", line, status, errs)
		}
	}
	for line, want := range map[string]int{
		"--max-leak 1K " + leaks: statusViolations, "--max-leak 1M " + leaks: statusDone, "--base " + leaks + " " + leaks: statusDone,
	} {
		if status, _, errs := run(t, Env{}, append([]string{"check"}, strings.Fields(line)...)...); status != want {
			t.Errorf("%s: status %d, want %d; %q", line, status, want, errs)
		}
	}
}
