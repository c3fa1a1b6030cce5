package cli

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// A time beyond the end is refused, as it is on the screens, by every command that takes one; so is a range that ends
// before it begins.
func TestInstantsBeyondTheEndAreRefused(t *testing.T) {
	modeltest.Plain(t)
	const heap, dump, other = "../demo/samples/records.mvmheap", "../demo/samples/real_proc_python.mb", "../../loaders/mlyze/testdata/real/ref_05_realistic_app.mlyze"
	profile := totalsProfile(t, 100, 200)
	out := t.TempDir()
	for _, args := range [][]string{
		{"report", sample, "--at", "5h"}, {"report", sample, "--from", "5h"}, {"report", sample, "--to", "5h"},
		{"report", "-f", "json", sample, "--at", "76002us"}, {"report", "-f", "html", sample, "--at", "5h", "-o", out + "/x.html"},
		{"report", "-f", "html", dump, "--to", "500d", "-o", out + "/y.html"}, {"report", "-f", "html", heap, "--at", "5h", "-o", out + "/z.html"},
		{"report", heap, "--at", "5h"}, {"report", dump, "--at", "500d"}, {"report", dump, "--from", "500d"}, {"report", dump, "--to", "500d"},
		{"pages", dump, "--at", "500d"}, {"heap", "types", heap, "--at", "5h"}, {"heap", "dominators", heap, "--at", "5h"},
		{"diff", sample, other, "--at", "5h"}, {"diff", "--a", "1ms", "--b", "5h", sample}, {"diff", "--a", "5h", sample}, {"diff", "--a", "1ms..5h", "--b", "end", sample},
		{"diff", "--group", "series", "--a", "1ms", "--b", "500d", dump}, {"diff", "--a", "500d", "--b", "end", dump}, {"diff", "--a", "5h", "--b", "end", heap},
		{"convert", sample, out + "/a.mlyze", "--from", "5h"}, {"convert", sample, out + "/a.folded", "--at", "5h"}, {"convert", sample, out + "/a.pb.gz", "--to", "5h"},
		{"check", sample, "--max-live-at", "5h=1G"}, {"check", sample, "--max-leak", "1G", "--to", "5h"}, {"check", heap, "--max-live-at", "5h=1G"},
		{"check", dump, "--max-live-at", "500d=1G"}, {"check", other, "--base", sample, "--max-live-at", "76500us=+10%"},
		{"evidence", sample, "-o", out + "/e", "--at", "5h"}, {"evidence", dump, "-o", out + "/f", "--to", "500d"},
		{"evidence", heap, "-o", out + "/g", "--at", "5h"},
	} {
		status, _, errs := run(t, Env{}, args...)
		if status != 2 || !strings.Contains(errs, "beyond the end") {
			t.Errorf("%q: status %d, %s", args, status, errs)
		}
	}
	for _, args := range [][]string{
		{"report", sample, "--from", "50ms", "--to", "20ms"}, {"report", dump, "--from", "50%", "--to", "20%"}, {"diff", "--a", "50ms..20ms", "--b", "end", sample},
		{"convert", sample, out + "/a.folded", "--from", "50ms", "--to", "20ms"}, {"check", sample, "--max-leak", "1G", "--from", "50ms", "--to", "20ms"},
		{"evidence", sample, "-o", out + "/h", "--from", "50ms", "--to", "20ms"},
	} {
		status, _, errs := run(t, Env{}, args...)
		if status != 2 || !strings.Contains(errs, "before it begins") {
			t.Errorf("%q: status %d, %s", args, status, errs)
		}
	}
	for _, args := range [][]string{
		{"report", sample, "--at", "end"}, {"report", sample, "--at", "peak"}, {"report", sample, "--to", "100%"}, {"report", heap, "--at", "end"},
		{"report", dump, "--at", "100%"}, {"report", profile}, {"diff", "--a", "0", "--b", "end", sample}, {"check", sample, "--max-live-at", "end=1G"},
	} {
		if status, _, errs := run(t, Env{}, args...); status != 0 {
			t.Errorf("%q: status %d, %s", args, status, errs)
		}
	}
}
