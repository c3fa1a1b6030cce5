package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/cli/fail"
)

// dump returns the text of a heap profile of Go in which two functions hold bytes.
func dump(leak, cache int) string {
	return fmt.Sprintf("heap profile: 2: %d [9: %d] @ heap/1\n1: %d [5: %d] @ 0x1 0x3\n#\t0x1\tmain.leak+0x1\t/x/main.go:10\n#\t0x3\tmain.main+0x1\t/x/main.go:1\n\n"+
		"1: %d [4: %d] @ 0x2 0x3\n#\t0x2\tmain.cache+0x1\t/x/main.go:20\n#\t0x3\tmain.main+0x1\t/x/main.go:1\n",
		leak+cache, 9*(leak+cache), leak, 9*leak, cache, 9*cache)
}

// series writes dumps of rising leaks into a folder, a minute apart, so that names sort otherwise than times.
func series(t *testing.T) (dir string, files []string) {
	t.Helper()
	dir = t.TempDir()
	at := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	for i, n := range []int{1, 2, 10} {
		file := filepath.Join(dir, fmt.Sprintf("heap.%d.txt", n))
		if err := os.WriteFile(file, []byte(dump(1000*(i+1), 500)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.md"), []byte("# Notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, files
}

// reported is what a report says about stacks.
type reported struct {
	Problems []struct{ Code, Message string }
	Time     struct {
		Duration int64 `json:"duration_us"`
	}
	Stacks struct {
		Total     int64
		Functions []struct {
			Function string
			Self     int64
		}
		Windows []struct {
			ID    string
			Start int64 `json:"start_us"`
			Value int64
		}
	}
}

func seriesReport(t *testing.T, args ...string) (r reported) {
	t.Helper()
	status, out, errs := run(t, Env{}, append([]string{"report", "-f", "json"}, args...)...)
	if status != 0 {
		t.Fatalf("%q: %d %s", args, status, errs)
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// Several files of one moment each are windows of one profile, in the order of their times. States are never added up.
func TestStackSeries(t *testing.T) {
	dir, files := series(t)
	for _, args := range [][]string{{dir}, {files[2], files[0], files[1]}} {
		r := seriesReport(t, append(args, "--by", "live_bytes")...)
		text := fmt.Sprint(r.Stacks.Windows)
		if want := "[{heap.1.txt 0 1500} {heap.2.txt 60000000 2500} {heap.10.txt 120000000 3500}]"; text != want || r.Stacks.Total != 3500 || r.Time.Duration != 120_000_000 {
			t.Errorf("%s, want %s; %+v", text, want, r)
		}
		if said := fmt.Sprint(r.Problems); !strings.Contains(said, "3 files are windows of one profile, in the order of when the files were last written") {
			t.Errorf("nothing says what was assumed: %s", said)
		}
	}
	for _, c := range []struct {
		args string
		leak int64
	}{{"--window heap.2.txt", 2000}, {"--window #0", 1000}, {"--from 0s --to 1min", 2000}, {"--from 90s", 3000}, {"--by alloc_bytes", 27000}} {
		r := seriesReport(t, append(strings.Fields(c.args), dir)...)
		if f := r.Stacks.Functions; len(f) == 0 || f[0].Function != "main.leak" || f[0].Self != c.leak {
			t.Errorf("%s: %v, want main.leak %d", c.args, f, c.leak)
		}
	}
	_, out, errs := run(t, Env{}, "diff", "-f", "csv", dir)
	if !strings.Contains(out, "main.leak (/x/main.go:10)") && !strings.Contains(out, "1000,3000,2000") {
		t.Errorf("the first and the last window: %s%s", out, errs)
	}
	for _, format := range []string{"text", "markdown", "html"} {
		if _, out, _ := run(t, Env{}, "report", "-f", format, dir); !strings.Contains(out, "heap.10.txt") {
			t.Errorf("%s has no windows: %s", format, out[:min(len(out), 2000)])
		}
	}
}

// Without times the names tell the order, and that is said.
func TestStackSeriesWithoutTimes(t *testing.T) {
	dir, files := series(t)
	for _, file := range files {
		if err := os.Chtimes(file, time.Unix(7, 0), time.Unix(7, 0)); err != nil {
			t.Fatal(err)
		}
	}
	_, out, _ := run(t, Env{}, "report", "--table", "windows", dir)
	if !strings.Contains(out, "2 files") || strings.Index(out, "heap.2.txt ") > strings.Index(out, "heap.10.txt ") || !strings.Contains(out, "their times are unknown") {
		t.Error(out)
	}
}

// What is not of one moment, or of another format, is refused with a reason.
func TestStackSeriesRefused(t *testing.T) {
	_, files := series(t)
	for _, c := range []struct{ other, want string }{
		{"../../loaders/pprof/testdata/go.heap.pb.gz", "different formats"},
		{"../../loaders/valgrind/testdata/massif.default.out", "covers more than one moment"},
		{"../../loaders/mvmheap/testdata/small.mvmheap", ""},
	} {
		if _, err := os.Stat(c.other); err != nil {
			continue
		}
		status, _, errs := run(t, Env{}, "report", files[0], c.other)
		if status != 2 || !strings.Contains(errs, c.want) {
			t.Errorf("%s: %d %s", c.other, status, errs)
		}
	}
}

// TestAtChoosesAWindow expects --at to mean the same window in every command.
func TestAtChoosesAWindow(t *testing.T) {
	_, files := series(t)
	for _, c := range []struct {
		at     string
		window string
		total  int64
	}{
		{"0", "heap.1.txt", 1500}, {"59s", "heap.1.txt", 1500}, {"60s", "heap.2.txt", 2500}, {"50%", "heap.2.txt", 2500},
		{"peak", "heap.10.txt", 3500}, {"end", "heap.10.txt", 3500},
	} {
		_, out, errs := run(t, Env{}, append([]string{"report", "-f", "json", "--at", c.at}, files...)...)
		var r struct {
			Stacks struct {
				Window string
				Total  int64
			}
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil || r.Stacks.Window != c.window || r.Stacks.Total != c.total {
			t.Errorf("report --at %s: %+v, %v, %s, want %s with %d", c.at, r, err, errs, c.window, c.total)
		}
	}
	_, out, errs := run(t, Env{}, append([]string{"diff", "-f", "json", "--a", "0", "--b", "50%"}, files...)...)
	if !strings.Contains(out, `"before_bytes": 1500`) || !strings.Contains(out, `"after_bytes": 2500`) {
		t.Errorf("diff: %s %s", out, errs)
	}
	massif := "../../loaders/valgrind/testdata/massif.default.out"
	if _, out, errs := run(t, Env{}, "convert", "--at", "peak", "--to", "csv", massif); strings.Count(out, "1048576") != 2 || errs != "" {
		t.Errorf("convert: %.200s %s", out, errs)
	}
	for _, args := range [][]string{{"--at", "1", massif}, {"--at", "9000000", massif}, {"--at", "1s", files[0]}} {
		if status, _, errs := run(t, Env{}, append([]string{"report"}, args...)...); status != fail.StatusUsage || !strings.Contains(errs, "window") && !strings.Contains(errs, "beyond the end of the recording, which is at 2.43M instructions") {
			t.Errorf("%s: status %d, %s", args, status, errs)
		}
	}
}

// TestSeriesAreWritten expects convert and evidence to take several files, or a folder, as report does.
func TestSeriesAreWritten(t *testing.T) {
	dir, files := series(t)
	want := ""
	for _, in := range [][]string{files, {dir}} {
		out := filepath.Join(t.TempDir(), "out.folded")
		for _, args := range [][]string{append(append([]string{"convert"}, in...), out), append([]string{"convert", "-o", out}, in...)} {
			if status, _, errs := run(t, Env{}, args...); status != 0 {
				t.Fatal(args, errs)
			}
			b, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if want == "" {
				want = string(b)
			}
			if got := string(b); got != want || !strings.Contains(got, "main.main;main.leak 3000\n") {
				t.Errorf("%s: %s", args, got)
			}
		}
		place := filepath.Join(t.TempDir(), "evidence")
		if status, _, errs := run(t, Env{}, append([]string{"evidence", "-o", place}, in...)...); status != 0 {
			t.Fatal(errs)
		}
		commands, err := os.ReadFile(filepath.Join(place, "COMMANDS.txt"))
		if err != nil || !strings.Contains(string(commands), " "+strings.Join(in, " ")) {
			t.Errorf("%v %s", err, commands)
		}
	}
	before, err := os.ReadFile(files[2])
	if err != nil {
		t.Fatal(err)
	}
	status, _, errs := run(t, Env{}, append([]string{"convert", "--to", "folded"}, files...)...)
	if after, err := os.ReadFile(files[2]); status != fail.StatusUsage || err != nil || string(after) != string(before) || !strings.Contains(errs, "--output") {
		t.Errorf("the last file was taken for the output: status %d, %s", status, errs)
	}
}

// TestCommandsOfTwoFiles expects the evidence of two files, which the full screen compares, to say so, or to name their
// folder if it holds nothing else.
func TestCommandsOfTwoFiles(t *testing.T) {
	dir, files := series(t)
	for _, alone := range []bool{false, true} {
		if alone {
			for _, f := range []string{files[2], filepath.Join(dir, "notes.md")} {
				if err := os.Remove(f); err != nil {
					t.Fatal(err)
				}
			}
		}
		place := filepath.Join(t.TempDir(), "evidence")
		if status, _, errs := run(t, Env{}, "evidence", "-o", place, files[0], files[1]); status != 0 {
			t.Fatal(errs)
		}
		commands, err := os.ReadFile(filepath.Join(place, "COMMANDS.txt"))
		want := "which compares two files (a folder of only these two is opened as one recording)\nmemtui " + files[0] + " " + files[1] + "\n"
		if alone {
			want = "# the full screen\nmemtui " + dir + "\n"
		}
		if err != nil || !strings.Contains(string(commands), want) {
			t.Errorf("%v %s", err, commands)
		}
	}
}
