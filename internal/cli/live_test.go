package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/screen"
	"github.com/memtui/memtui/model"
)

// service answers a heap profile that grows with each request, but for those that it is told to fail.
func service(t *testing.T, fail ...int64) (address string) {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := asked.Add(1)
		if slices.Contains(fail, n) {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, dump(int(n)*1000, 500))
	}))
	t.Cleanup(server.Close)
	return server.URL + "/debug/pprof/heap"
}

// clock returns a time of day that goes on by ten seconds whenever it is asked.
func clock() func() time.Time {
	var asked atomic.Int64
	return func() time.Time {
		return time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC).Add(time.Duration(asked.Add(1)-1) * 10 * time.Second)
	}
}

// What an address answers over a time are the windows of one profile. A fetch that fails is told, and the others stay;
// what is kept is what was answered, in files for the user alone, none of which is replaced.
func TestReportWatches(t *testing.T) {
	ticks := make(chan time.Time, 3)
	for range 3 {
		ticks <- time.Time{}
	}
	dir := filepath.Join(t.TempDir(), "kept")
	status, out, errs := run(t, Env{Ticks: ticks, Now: clock()}, "report", "--every", "10s", "--for", "30s", "--save", dir, service(t, 3), "--by", "live_bytes")
	if status != 0 || !strings.Contains(out, "3 windows") || !strings.Contains(out, "2026-01-02T03:04:00Z") || !strings.Contains(out, "1 fetch failed") || !strings.Contains(out, "4.39 KiB") {
		t.Errorf("%d %s%s", status, out, errs)
	}
	files, _ := os.ReadDir(dir)
	if len(files) != 3 || files[0].Name() != "heap-20260102T030400Z.go-heap-text" {
		t.Fatal(files)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", f.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	before, _ := os.ReadFile(filepath.Join(dir, files[0].Name()))
	if status, _, errs := run(t, Env{Now: clock()}, "report", "--save", dir, service(t)); status != 0 {
		t.Error(errs)
	}
	after, _ := os.ReadFile(filepath.Join(dir, files[0].Name()))
	if _, err := os.Stat(filepath.Join(dir, "heap-20260102T030400Z-2.go-heap-text")); err != nil || string(before) != string(after) {
		t.Errorf("a file was replaced: %v", err)
	}
	if status, out, _ := run(t, Env{}, "report", "--table", "windows", dir); status != 0 || !strings.Contains(out, "4 windows") {
		t.Errorf("what was kept: %s", out)
	}
}

// On screens the profile grows while it is looked at; it says when there is no answer, and keeps what is there.
func TestScreensWatch(t *testing.T) {
	ticks := make(chan time.Time)
	shown := func(ctx context.Context, s screen.Screen) error {
		await := func(what string, ok func(*model.Profile) bool) {
			t.Helper()
			for {
				p, changed := s.Store.Watch()
				if ok(p) {
					return
				}
				select {
				case <-changed:
				case <-time.After(30 * time.Second):
					t.Errorf("never seen: %s; %s %+v", what, p.Meta.Live, p.Problems)
					return
				}
			}
		}
		await("live", func(p *model.Profile) bool { return p.Meta.Live == "live" && len(p.Weights.Windows) == 1 })
		ticks <- time.Time{}
		await("the second window", func(p *model.Profile) bool { return len(p.Weights.Windows) == 2 })
		ticks <- time.Time{}
		await("no response", func(p *model.Profile) bool {
			return p.Meta.Live == "no response" && len(p.Weights.Windows) == 2 && strings.Contains(fmt.Sprint(p.Problems), "503")
		})
		ticks <- time.Time{}
		await("it goes on", func(p *model.Profile) bool { return p.Meta.Live == "live" && len(p.Weights.Windows) == 3 })
		s.Cancel()
		await("the end", func(p *model.Profile) bool { return p.Meta.Live == "" && len(p.Weights.Windows) == 3 })
		return nil
	}
	address := service(t, 3)
	status, _, errs := run(t, Env{Ticks: ticks, Now: clock(), IsTerminal: true, FullScreen: shown}, address, "--every", "10s")
	if status != 0 {
		t.Errorf("%d %s", status, errs)
	}
}

// What cannot be watched is refused.
func TestWatchRefused(t *testing.T) {
	_, files := series(t)
	address := service(t)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"URLs", []string{"report", files[0], "--every", "10s", "--for", "1min"}},
		{"--for", []string{"report", address, "--every", "10s"}},
		{"invalid interval", []string{"report", address, "--every", "1us", "--for", "1min"}},
		{"shorter", []string{"report", address, "--every", "10s", "--for", "1s"}},
		{"one URL", []string{"open", address, address, "--every", "10s"}},
	} {
		if status, _, errs := run(t, Env{}, c.args...); status != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%q: %d %s", c.args, status, errs)
		}
	}
}

// A URL is fetched into a folder, which opens as one recording.
func TestRecordFetches(t *testing.T) {
	ticks := make(chan time.Time, 3)
	for range 3 {
		ticks <- time.Time{}
	}
	close(ticks)
	dir := filepath.Join(t.TempDir(), "kept")
	status, _, errs := run(t, Env{Ticks: ticks, Now: clock()}, "record", "-o", dir, service(t, 3))
	if status != 0 || !strings.Contains(errs, "503") || !strings.Contains(errs, "fetched 3 profiles; open the recording with: memtui "+dir) {
		t.Errorf("%d %s", status, errs)
	}
	if status, out, errs := run(t, Env{}, "report", dir, "--by", "live_bytes"); status != 0 || !strings.Contains(out, "3 windows") {
		t.Errorf("%d %s%s", status, out, errs)
	}
	if status, _, errs := run(t, Env{Now: clock()}, "record", "-o", dir, "http://127.0.0.1:1/debug/pprof/heap"); status == 0 || !strings.Contains(errs, "127.0.0.1:1") {
		t.Errorf("%d %s", status, errs)
	}
}

// Times of record are written as those of other commands, and leaks are not judged over a part of the run.
func TestTimesThatMeanNothing(t *testing.T) {
	for line, want := range map[string]string{
		"record --for 5minutes ls":              `invalid length of time "5minutes"`,
		"record --for 50% ls":                   `invalid length of time "50%"`,
		"record --every peak ls":                `invalid length of time "peak"`,
		"check --no-leaks --from 10% " + sample: "leaks are judged over the complete run",
		"check --no-leaks --to 50% " + sample:   "leaks are judged over the complete run",
		"record --for 1h30m --frames 0 ls":      "--frames",
	} {
		if status, _, errs := run(t, Env{}, strings.Fields(line)...); status != fail.StatusUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %s", line, status, errs)
		}
	}
}
