package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/cli/fail"
)

// rubyDump writes a heap dump of Ruby with as many strings of a place as it says; those of "" have none.
func rubyDump(t *testing.T, name string, places map[string]int) string {
	t.Helper()
	var objects, refs []string
	address := 0x1000
	for _, place := range []string{"a.rb", "b.rb", ""} {
		for range places[place] {
			address += 8
			site := ""
			if place != "" {
				site = fmt.Sprintf(`"file":"/srv/app/%s", "line":7, "method":"load", "generation":3, `, place)
			}
			objects = append(objects, fmt.Sprintf(`{"address":"0x%x", "type":"STRING", "class":"0x20", %s"memsize":100, "value":"x"}`, address, site))
			refs = append(refs, fmt.Sprintf(`"0x%x"`, address))
		}
	}
	lines := append([]string{
		`{"type":"ROOT", "root":"vm", "references":["0x10", "0x20"]}`,
		`{"address":"0x20", "type":"CLASS", "class":"0x20", "name":"String", "memsize":400}`,
		`{"address":"0x10", "type":"ARRAY", "class":"0x20", "length":3, "memsize":40, "references":[` + strings.Join(refs, ",") + `]}`,
	}, objects...)
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A comparison tells which line allocated more, in every form, and which of its objects are new.
func TestDiffBySite(t *testing.T) {
	before := rubyDump(t, "before.json", map[string]int{"a.rb": 5, "b.rb": 2, "": 3})
	after := rubyDump(t, "after.json", map[string]int{"a.rb": 5, "b.rb": 9, "": 3})
	status, out, errs := run(t, Env{}, "diff", "--group", "site", "-f", "json", before, after)
	var got struct {
		Summary   string
		MatchedBy string `json:"matched_by"`
		Rows      []struct {
			Key, Site, Status string
			Type              *string
			Delta             int64   `json:"delta_bytes"`
			Count             int64   `json:"delta_count"`
			New               *uint64 `json:"new_count"`
		}
	}
	parseJSON(t, out, &got)
	if status != fail.Done || got.MatchedBy != "site" || len(got.Rows) != 3 || !strings.Contains(got.Summary, "; /srv/app/b.rb:7 load grew by 700 B, 100 % of the growth") {
		t.Fatalf("status %d, %s: %s", status, errs, out)
	}
	if r := got.Rows[0]; r.Site != "/srv/app/b.rb:7 load" || r.Key != r.Site || r.Type != nil || r.Status != "grown" || r.Delta != 700 || r.Count != 7 || r.New == nil {
		t.Errorf("%+v", r)
	}
	for format, want := range map[string][]string{
		"text":     {"Changes by allocation site", "1 allocation site of 3", "ALLOCATION SITE", "+700 B", "/srv/app/b.rb:7 load"},
		"markdown": {"## Changes by allocation site", "/srv/app/b.rb:7 load"},
		"csv":      {"key,type,site,before_bytes,", "\n/srv/app/b.rb:7 load,,/srv/app/b.rb:7 load,200,900,700,2,9,7,grown,350,"},
	} {
		if status, out, _ := run(t, Env{}, "diff", "--group", "site", "-f", format, before, after); status != fail.Done || !holdsAll(out, want) {
			t.Errorf("%s: status %d: %s", format, status, out)
		}
	}
	if _, out, _ := run(t, Env{}, "diff", "--group", "site", "--only", "same", before, after); !holdsAll(out, []string{"<unknown>", "a.rb:7"}) {
		t.Errorf("%s", out)
	}
	if _, out, _ := run(t, Env{}, "diff", "--group", "site", "--mask", "paths", before, after); !holdsAll(out, []string{"  b.rb:7 load"}) {
		t.Errorf("%s", out)
	}
}

func holdsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// Other properties group comparisons, too, each once and complete.
func TestDiffByEveryProperty(t *testing.T) {
	file := filepath.Join("..", "..", "loaders", "hprof", "testdata", "shop1.hprof.zst")
	for _, group := range []string{"type", "loader", "package", "superclass", "kind"} {
		for _, by := range []string{"bytes", "count", "retained_bytes"} {
			status, out, errs := run(t, Env{}, "diff", "--group", group, "--by", by, "--limit", "0", "-f", "json", file, file)
			var got struct {
				Totals struct {
					Count uint64 `json:"after_count"`
				}
				Rows []struct {
					Count uint64 `json:"after_count"`
				}
			}
			parseJSON(t, out, &got)
			sum := uint64(0)
			for _, r := range got.Rows {
				sum += r.Count
			}
			if status != fail.Done || sum != got.Totals.Count || len(got.Rows) < 2 {
				t.Errorf("%s by %s: status %d, %d objects of %d: %s", group, by, status, sum, got.Totals.Count, errs)
			}
		}
	}
}

// Where files do not state what rows are to be grouped by, the message says so, and what makes files state it.
func TestDiffByWhatIsNotStated(t *testing.T) {
	const traced = "after ObjectSpace.trace_object_allocations_start"
	plain, sites := rubyDump(t, "plain.json", map[string]int{"": 3}), rubyDump(t, "sites.json", map[string]int{"a.rb": 3})
	java := filepath.Join("..", "..", "loaders", "hprof", "testdata", "shop1.hprof.zst")
	v8 := filepath.Join("..", "..", "loaders", "v8heap", "testdata", "chrome1.heapsnapshot.zst")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"diff", "--group", "site", plain, sites}, []string{"plain.json does not state the allocation site of its objects", traced}},
		{[]string{"diff", "--group", "site", sites, plain}, []string{"plain.json does not state the allocation site"}},
		{[]string{"diff", "--group", "site", v8, v8}, []string{"does not state the allocation site", "V8 records it in allocation timelines"}},
		{[]string{"diff", "--group", "site", java, java}, []string{`cannot be grouped by "site"`, "type, dominators, loader, package", traced, "V8 records"}},
		{[]string{"heap", "types", "--group", "site", java}, []string{`cannot be grouped by "site"`, traced}},
		{[]string{"diff", "--group", "frame", java, java}, []string{`cannot be grouped by "frame"`}},
		{[]string{"diff", "--group", "module", sites, java}, []string{`cannot be grouped by "module"`, "superclass"}},
	} {
		if status, _, errs := run(t, Env{}, c.args...); status != fail.StatusUsage || !holdsAll(errs, c.want) {
			t.Errorf("%q: status %d, %s", c.args, status, errs)
		}
	}
	if status, out, _ := run(t, Env{}, "heap", "types", "--group", "site", v8); status != fail.Done || !strings.Contains(out, "the file does not state the allocation site") {
		t.Errorf("status %d: %s", status, out)
	}
}
