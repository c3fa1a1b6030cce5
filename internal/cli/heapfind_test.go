package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// TestFindByContents finds objects by what stands in their fields and what they say, and tells values only where asked
// to.
func TestFindByContents(t *testing.T) {
	modeltest.Plain(t)
	path := filepath.Join("..", "..", "loaders", "hprof", "testdata", "shop1.hprof.zst")
	ask := func(want int, args ...string) string {
		t.Helper()
		status, out, errs := run(t, Env{}, append(append([]string{"heap", "find", "-f", "json"}, args...), path)...)
		if status != want {
			t.Fatalf("%q: status %d: %s", args, status, errs)
		}
		if status == 0 {
			return out
		}
		return out + errs
	}
	type answer struct {
		Rows []struct {
			ID, Label string
			Text      *string
		}
		Count  int `json:"row_count"`
		Groups []struct {
			Value        string
			Count, Bytes uint64
		} `json:"row_groups"`
	}
	find := func(args ...string) (a answer) {
		t.Helper()
		parseJSON(t, ask(0, args...), &a)
		return a
	}
	if a := find("--filter", "0x704dde520"); a.Count != 1 || a.Rows[0].Label != "leak.Shop$Everything" {
		t.Errorf("by identity: %+v", a)
	}
	if a := find("--per", "kind"); len(a.Groups) < 3 || a.Count < 20_000 {
		t.Errorf("everything by kind: %+v", a)
	}
	if a := find("--filter", "class:Everything .z=true .i>1M .c=é .wide~^日 .latin=café .ia.[2]=3 .nothing=null .d<0"); a.Count != 1 || a.Rows[0].ID != "0x704dde520" {
		t.Errorf("%+v", a)
	}
	for _, filter := range []string{".z=false", ".i>1G", ".wide~^本", ".ia.[3]=3", ".nothing.x=null", "!.z=true", "retained>1M", "id:0x1"} {
		if a := find("--filter", "class:Everything kind:instance "+filter); a.Count != 0 {
			t.Errorf("%s: %+v", filter, a)
		}
	}
	if a := find("--text", "STATUS=active;", "--limit", "2"); a.Count != 501 || len(a.Rows) != 2 || a.Rows[0].Label != "java.lang.String" || a.Rows[0].Text != nil {
		t.Errorf("%+v", a)
	}
	if a := find("--text", "status=ACTIVE;region=eu-west-1", "--exact", "--values", "--limit", "2"); a.Count != 501 || *a.Rows[0].Text != "status=ACTIVE;region=eu-west-1" {
		t.Errorf("%+v", a)
	}
	if a := find("--filter", "class:leak.Shop retained>500 kind:instance", "--per", "type"); len(a.Groups) == 0 || a.Groups[0].Count < a.Groups[len(a.Groups)-1].Count || a.Count < 1000 {
		t.Errorf("%+v", a)
	}
	ofType, key, word := find("--type", "Session"), find("--filter", "type:Session"), find("--filter", "Session")
	if ofType.Count != key.Count || word.Count <= key.Count { // a word is also part of the name of what has no such type
		t.Errorf("%d by --type, %d by type:, %d by a word", ofType.Count, key.Count, word.Count)
	}
	if a := find("--text", "status=", "--per", "text", "--values"); len(a.Groups) != 1 || a.Groups[0].Count != 501 {
		t.Errorf("%+v", a)
	}
	for want, args := range map[string][]string{
		"give --values, too":         {"--text", "x", "--per", ".hash"},
		"invalid regular expression": {"--filter", "text~("},
		"invalid number":             {"--filter", ".x>abc"},
		"unknown key":                {"--text", "x", "--per", "nothing"},
		"give --type, --name":        {"--kind", "instance"},
	} {
		if out := ask(2, args...); !strings.Contains(out, want) {
			t.Errorf("%q: %s", args, out)
		}
	}
}

// What objects without a value have says in tables what is missing, and is empty for programs.
func TestFoundGroupsWithoutValue(t *testing.T) {
	java := filepath.Join("..", "..", "loaders", "hprof", "testdata", "shop1.hprof.zst")
	ruby := rubyDump(t, "sites.json", map[string]int{"a.rb": 1, "": 7})
	for _, c := range []struct{ file, per, format, want string }{
		{java, "package", "text", "  <none>\n"}, {java, "package", "csv", "value,count,bytes\n,5088,"}, {ruby, "site", "text", "  <unknown>\n"},
		{ruby, "site", "markdown", "| 8 | 740 B | `<unknown>` |\n"}, {ruby, "site", "json", `"value": "", "count": 8`}, {ruby, "site", "text", "  /srv/app/a.rb:7 load\n"},
	} {
		if _, out, errs := run(t, Env{}, "heap", "find", "--filter", "bytes>0 class:/^(byte..|String|Array)$/", "--per", c.per, "-f", c.format, c.file); !strings.Contains(out, c.want) {
			t.Errorf("%+v: %s%s", c, out, errs)
		}
	}
}

// Roots are no objects: what finds objects leaves them out, and says so where a type has nothing else.
func TestFindLeavesOutRoots(t *testing.T) {
	v8 := filepath.Join("..", "..", "loaders", "v8heap", "testdata", "chrome1.heapsnapshot.zst")
	_, _, errs := run(t, Env{}, "heap", "find", "--type", "(synthetic)", v8)
	_, out, _ := run(t, Env{}, "heap", "types", "--group", "kind", "-f", "csv", v8)
	at := strings.Index(out, "\nsynthetic,")
	if at < 0 {
		t.Fatal(out)
	}
	n, _, _ := strings.Cut(out[at+len("\nsynthetic,"):], ",")
	if !strings.Contains(errs, "of the type (synthetic) are "+n+" roots, which are no objects") {
		t.Errorf("%s roots: %s", n, errs)
	}
	if _, out, errs := run(t, Env{}, "heap", "find", "--filter", "bytes>=0", "--per", "kind", "-f", "csv", v8); strings.Contains(out, "synthetic") {
		t.Error(out, errs)
	}
}

// TestFindNothing says that nothing was found, where the rows would stand and as a warning, with the types that may be
// meant.
func TestFindNothing(t *testing.T) {
	path, command := madeUp(t)
	for _, format := range []string{"text", "markdown"} {
		out, errs := command(0, "heap", "find", "-f", format, "--type", "Pictur e", path)
		if !strings.Contains(out, "Found") || !strings.Contains(out, "no object matches") || !strings.Contains(errs, "no object has the type Pictur e") {
			t.Errorf("%s: %s%s", format, out, errs)
		}
	}
	out, errs := command(0, "heap", "find", "-f", "json", "--type", "Picture", "--name", "nothing", path)
	if !strings.Contains(out, `"rows": []`) || !strings.Contains(errs, "no object matches all conditions") {
		t.Error(out + errs)
	}
	for text, args := range map[string][]string{"; --text searches": {"--name", "tokx"}, "conditions\n": {"--text", "tokx"}} {
		ruby := rubyDump(t, "app.json", map[string]int{"a.rb": 1})
		if _, _, errs := run(t, Env{}, append([]string{"heap", "find", ruby}, args...)...); !strings.Contains(errs, "matches all conditions") || !strings.Contains(errs, text) {
			t.Error(errs)
		}
	}
	out, errs = command(0, "heap", "types", "--filter", "count>1G", path)
	if !strings.Contains(out, "no matches") || !strings.Contains(errs, "--filter count>1G matches nothing in this file") {
		t.Error(out + errs)
	}
}
