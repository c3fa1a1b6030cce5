//go:build parquet

package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/cli/fail"
)

// fleetSays runs commands on a fleet, and expects what each says. DIR is the fleet.
func fleetSays(t *testing.T, dir string, env Env, list [][2]string) {
	t.Helper()
	for _, x := range list {
		line := strings.ReplaceAll(x[0], "DIR", dir)
		want, status := x[1], fail.Done
		if w, ok := strings.CutPrefix(want, "usage: "); ok {
			want, status = w, fail.StatusUsage
		}
		if w, ok := strings.CutPrefix(want, "input: "); ok {
			want, status = w, fail.StatusInput
		}
		got, out, errs := run(t, env, append([]string{"fleet"}, strings.Fields(line)...)...)
		if got != status || !strings.Contains(out+errs, want) {
			t.Errorf("fleet %s: status %d\n%s%s\nwant %d, %s", line, got, out, errs, status, want)
		}
	}
}

// A stranger's way: add a folder, look at what is in, ask with names as tables print them or misspelled, take out, add
// anew under another name.
func TestFleetOfAFolder(t *testing.T) {
	in, dir := t.TempDir(), filepath.Join(t.TempDir(), "fleet")
	text, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile("../../loaders/mlyze/testdata/edge/baseline_good.mlyze")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"a.mlyze": text, "b/c.mlyze": other, "b/notes.txt": []byte("notes\n"), ".hidden/a.mlyze": text, ".x": []byte("x")} {
		path := filepath.Join(in, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	fleetSays(t, dir, Env{Getenv: fleetEnv}, [][2]string{
		{"top --from DIR", "input: holds no fleet: it has no files of recordings, which memtui fleet add --to writes"},
		{"add --force --to DIR --service x --time 2026-01-01 " + filepath.Join(in, ".x"), "input: failed  "},
		{"add --to DIR --service shop --version 1.0 --host web-1 --time 2026-01-02 --uri https://files/x " + in, "1 file of unknown formats left out"},
		{"add --to DIR --service shop --host web-1 " + filepath.Join(in, "b", "notes.txt") + " missing", "input: failed  missing: no such file"},
		{"add --to DIR --service shop " + filepath.Join(in, ".hidden"), "known   "},
		{"add --to DIR --service shop --version 1.0 --host web-1 " + filepath.Join(in, "a.mlyze"), "a.mlyze  as shop 1.0 on web-1\n"},
		{"add --to DIR --service till --host h " + filepath.Join(in, "a.mlyze"), "a.mlyze  as shop 1.0 on web-1: --force makes it till on h\n"},
		{"list --from DIR", "2 recordings, the newest first"},
		{"list --from DIR -f json", `"uri": "https://files/x/a.mlyze"`},
		{"list --from DIR --service shp", `usage: --service: the fleet has no service "shp"; did you mean shop?`},
		{"list --from DIR --older-than 2026-01-02", "no rows"},
		{"list --from DIR --older-than 2026-01-03 -f json", `"dated_by": "user"`},
		{"top --from DIR", "whatever its version: 1 of 2 recordings count."},
		{"top --from DIR --all-versions --service shop", "every version"},
		{"top --from DIR --host web-2", `usage: --host: the fleet has no host "web-2"; did you mean web-1?`},
		{"top --from DIR --version 1.00", `usage: --version: the fleet has no version "1.00"; did you mean 1.0?`},
		{"top --from DIR --label a=b", `usage: --label: the fleet has no label "a=b"`},
		{"trend open_sesion --from DIR", "usage: the fleet has no site \"open_sesion\"; did you mean open_session"},
		{"stack 0000000000000001 --from DIR", "usage: the fleet has no stack 0000000000000001"},
		{"top --from DIR --what types", "no rows"},
		{"diff --from DIR", "usage: no service has recordings of two versions, which memtui fleet add --version names: "},
		{"remove --from DIR --version 1.0 --dry-run", "would remove  "},
		{"remove --from DIR --version 1.0", "removed  "},
		{"remove --from DIR --version 1.0", "nothing to remove"},
		{"add --to DIR --service a --version 1 --time 2026-01-02 " + filepath.Join(in, "a.mlyze"), "added   "},
		{"add --to DIR --service b --version 2 --host h --time 2026-02-02 --force " + filepath.Join(in, "a.mlyze"), "; it was a 1 on "},
		{"add --to DIR --service c --host h -f json " + filepath.Join(in, "a.mlyze"), `"rows": 0, "known_as": {"service": "b", "version": "2", "host": "h"}}`},
		{"list --from DIR --service b -f csv", ",b,2,"},
		{"add --to DIR --service b --version 2 --host h --label zone=us --force " + filepath.Join(in, "a.mlyze"), "added   "},
		{"add --to DIR --service b --version 2 --host h --label zone=eu --force " + filepath.Join(in, "a.mlyze"), "added   "},
		{"list --from DIR --label zone=eu", "1 recording"},
		{"list --from DIR --label zone=us", `usage: --label: the fleet has no label "zone=us"; did you mean zone=eu?`},
		{"top --from DIR --service a", `usage: --service: the fleet has no service "a"; available: b`},
		{"add --to DIR --service c --time 2026-02-03 " + filepath.Join(in, "b"), "added   "},
	})
}

// Sites are named as tables print them, also cut ones, and their stacks are printed.
func TestFleetSitesByTheirNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fleet")
	fleetSays(t, dir, Env{Getenv: fleetEnv}, [][2]string{{"add --to DIR --service shop --version 1 --time 2026-01-02 --host h " + sample, "added   "}})
	for _, site := range []string{"open_session(int)", "open_session(int) (kvleak.cpp)", "open_sess…", "open_sess...(kvleak.cpp)"} {
		for _, verb := range []string{"stack", "trend", "recordings"} {
			status, out, errs := run(t, Env{Getenv: fleetEnv}, "fleet", verb, site, "--from", dir)
			if status != fail.Done || strings.Contains(out, "no rows") || verb == "stack" && !strings.Contains(out, "worker_reader(int)  kvleak.cpp") {
				t.Errorf("%s %s: status %d\n%s%s", verb, site, status, out, errs)
			}
		}
	}
}

// Standard input, pipes and addresses are recordings as files are.
func TestFleetAddOfStreams(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "fleet")
	text, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.FileServer(http.Dir("../../testdata")))
	t.Cleanup(server.Close)
	address := strings.Replace(server.URL, "http://", "http://me:s3cret@", 1) + "/small_kvleak.mlyze?token=s3cret"
	status, out, errs := run(t, Env{Getenv: fleetEnv, Stdin: strings.NewReader(string(text))}, "fleet", "add", "--force", "--to", dir, "--service", "s", "-")
	if status != fail.Done || !strings.Contains(out, "added   -") {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	status, out, errs = run(t, Env{Getenv: fleetEnv}, "fleet", "add", "--force", "--to", dir, "--service", "s", address)
	if status != fail.Done || !strings.Contains(out, "added   ") {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	status, out, _ = run(t, Env{Getenv: fleetEnv}, "fleet", "list", "-f", "json", "--from", dir)
	if status != fail.Done || strings.Count(out, `"uri"`) != 1 || !strings.Contains(out, server.URL+`/small_kvleak.mlyze"`) || strings.Contains(out, "s3cret") {
		t.Errorf("status %d: %s", status, out)
	}
}

// Where files can no longer be written, those before are added, and said to be: copies of the one that fails are not.
func TestFleetThatFills(t *testing.T) {
	in, dir := t.TempDir(), filepath.Join(t.TempDir(), "fleet")
	for name, from := range map[string]string{"a.mlyze": sample, "b.mlyze": "../../loaders/mlyze/testdata/edge/baseline_good.mlyze",
		"c.mlyze": "../../loaders/mlyze/testdata/edge/baseline_good.mlyze"} {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(in, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	fleetSays(t, dir, Env{Getenv: fleetEnv}, [][2]string{{"add --to DIR --service s --host h " + filepath.Join(in, "b.mlyze"), "added   "}})
	files, err := filepath.Glob(filepath.Join(dir, "recordings", "service=s", "*", "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(files[0], "x"), 0o755); err != nil { // no file can take this place
		t.Fatal(err)
	}
	status, out, errs := run(t, Env{Getenv: fleetEnv}, "fleet", "add", "--to", dir, "--service", "s", "--host", "h", in)
	if status != fail.StatusInput || strings.Count(out, "added ")+strings.Count(out, "known ") != 1 || !strings.Contains(out, "a.mlyze") ||
		!strings.Contains(errs, "; 1 of 3 files are in the fleet") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	fleetSays(t, dir, Env{Getenv: fleetEnv}, [][2]string{{"list --from DIR", "1 recording"}})
}
