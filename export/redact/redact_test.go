package redact

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/all"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// collect gathers every string in v, also in fields that are not exported.
func collect(v reflect.Value, into map[string]bool, seen map[uintptr]bool) {
	switch v.Kind() {
	case reflect.String:
		into[v.String()] = true
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return
		}
		seen[v.Pointer()] = true
		collect(v.Elem(), into, seen)
	case reflect.Struct:
		for i := range v.NumField() {
			collect(v.Field(i), into, seen)
		}
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.Uint8, reflect.Uint32, reflect.Uint64, reflect.Int64, reflect.Float64, reflect.Bool, reflect.Uint16:
			return
		}
		for i := range v.Len() {
			collect(v.Index(i), into, seen)
		}
	}
}

func load(t *testing.T, path string) *model.Profile {
	t.Helper()
	src, err := loaders.OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	format, err := loaders.Detect(src, all.Formats())
	if err != nil {
		t.Fatal(err)
	}
	store := &model.Store{}
	if err := format.Load(t.Context(), src, loaders.Options{}, store); err != nil {
		t.Fatal(err)
	}
	return store.Current()
}

// namesOf are the strings of the tables that a profile holds in memory.
func namesOf(p *model.Profile) map[string]bool {
	names := map[string]bool{}
	for _, part := range []any{p.Meta, p.Stacks, p.Weights, p.Timeline, p.Problems} {
		collect(reflect.ValueOf(part), names, map[uintptr]bool{})
	}
	return names
}

// stays reports whether a string may be in a redacted profile: a word of ours, or one that says nothing.
func stays(r *Redactor, s string) bool {
	return s == "" || r.kept[s] || s == "mlyze" || s == "spaa" || s == "memdump-mb" || s == "memdump-json" || s == "mvmheap"
}

func TestNoNameIsLeft(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret.spaa")
	lines := []string{
		`{"type":"header","format":"spaa","version":"1.0","source_tool":"toolX","frame_order":"leaf_to_root","events":[{"name":"uprobe:secretEvent","kind":"kindX","sampling":{"mode":"event","primary_metric":"secret_bytes"}}],"source":{"tool":"x","command":"/home/bob/secret --password","tool_version":"v-secret"},"stack_id_mode":"local"}`,
		`{"type":"dso","id":1,"name":"/home/bob/libsecret.so","build_id":"deadbeef","is_kernel":false}`,
		`{"type":"frame","id":1,"func":"bob::Secret::leak()","dso":1,"kind":"user","srcline":"/home/bob/src/secret.cc:12"}`,
		`{"type":"frame","id":2,"func":"malloc","dso":1,"kind":"user"}`,
		`{"type":"thread","pid":1,"tid":2,"comm":"bobsthread"}`,
		`{"type":"stack","id":"my stack","frames":[2,1],"context":{"event":"uprobe:secretEvent","pid":1,"tid":2},"weights":[{"metric":"secret_bytes","value":7,"unit":"bobs"}]}`,
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, filepath.Join("..", "..", "testdata", "small_kvleak.mlyze")} {
		p, r := load(t, file), New()
		before, out := namesOf(p), r.Profile(p)
		for _, q := range p.Problems {
			delete(before, q.Code) // a word of ours
		}
		for name := range namesOf(out) {
			if before[name] && !stays(r, name) {
				t.Errorf("%q is left", name)
			}
			for _, part := range []string{"secret", "bob", "Secret", "deadbeef", "kvleak"} {
				if strings.Contains(name, part) {
					t.Errorf("%q is left of %q", part, name)
				}
			}
		}
		if len(out.Stacks.Functions) != len(p.Stacks.Functions) || len(r.Pairs()) < 3 {
			t.Errorf("%s: %d functions, %d pairs", file, len(out.Stacks.Functions), len(r.Pairs()))
		}
	}
}

func TestEqualNamesStayEqual(t *testing.T) {
	r := New()
	a, b := r.Path("/home/bob/src/a.cc"), r.Path("/home/bob/src/b.cc")
	if filepath.Dir(a) != filepath.Dir(b) || a == b || filepath.Ext(a) != ".cc" || !strings.HasPrefix(a, "/") {
		t.Errorf("%q and %q", a, b)
	}
	if r.Name("function", "f") != r.Name("type", "f") || r.Name("x", "f") == r.Name("x", "g") {
		t.Error("names are not told apart by themselves alone")
	}
	for _, same := range []string{"", "malloc", "main", "P6opaque"} {
		if got := r.Name("function", same); got != same {
			t.Errorf("%q became %q", same, got)
		}
	}
	if r.Path("../x") == "../x" || !strings.HasPrefix(r.Path("../x"), "../") {
		t.Errorf("a relative path became %q", r.Path("../x"))
	}
	back := map[string]string{}
	for _, p := range r.Pairs() {
		if back[p.StandIn] != "" {
			t.Errorf("%s stands for two names", p.StandIn)
		}
		back[p.StandIn] = p.Name
	}
}

// secretive is every kind of source, full of names.
type secretive struct{ model.HeapSource }

func (secretive) Schema() *model.HeapSchema { return mvmheap.Schema() }

func (secretive) Open(context.Context, int, func(float64)) (*model.Heap, error) {
	return nil, errors.New("secret")
}

func (secretive) Tables(context.Context, int) (*model.HeapTables, error) {
	return &model.HeapTables{
		Strings: []string{"P6opaque", "Secret", "secretFrame", "/home/secret.nqp", "1", "secret edge"},
		Types:   []model.HeapType{{Name: 1}}, Axes: [][]uint32{1: {0}}, Frames: []model.HeapFrame{{Name: 2, File: 3, ID: 4}},
	}, nil
}

func TestSources(t *testing.T) {
	r := New()
	p := r.Profile(&model.Profile{Heaps: secretive{}, Problems: []model.Problem{{Code: "odd-name", Message: "secret"}}})
	tables, err := p.Heaps.Tables(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(tables.Strings, " ")
	if got != "P6opaque type-1 frame-1 /folder-1/file-1.nqp id-1 text-1" {
		t.Errorf("the strings are %q", got)
	}
	if _, err := p.Heaps.Open(t.Context(), 0, nil); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error is %v", err)
	}
	if m := p.Problems[0].Message; !strings.HasPrefix(m, "odd name") {
		t.Errorf("the problem is %q", m)
	}
}

// keeping is a source of snapshots about which results are kept between runs.
type keeping struct{ secretive }

func (keeping) Open(context.Context, int, func(float64)) (*model.Heap, error) {
	return &model.Heap{Schema: mvmheap.Schema(), Kept: &sections.Named{}}, nil
}

// What an earlier run has kept about a snapshot, such as suspects, has its names; and what is found without them must
// not be kept for later runs.
func TestNothingKeptIsUsed(t *testing.T) {
	p := New().Profile(&model.Profile{Heaps: keeping{}})
	if h, err := p.Heaps.Open(t.Context(), 0, nil); err != nil || h.Kept != nil {
		t.Errorf("%v, %v", h, err)
	}
	if h, _ := (keeping{}).Open(t.Context(), 0, nil); h.Kept == nil {
		t.Error("the snapshot itself was changed")
	}
}

// Hashes of stacks are made of their frames' names: who guesses those could prove them.
func TestHashesOfStacksAreReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.spaa")
	lines := `{"type":"header","format":"spaa","version":"1.0","source_tool":"x","frame_order":"leaf_to_root","events":[{"name":"a","kind":"timer","sampling":{"mode":"event","primary_metric":"n"}},{"name":"b","kind":"timer","sampling":{"mode":"event","primary_metric":"n"}}],"stack_id_mode":"content_addressable"}
{"type":"frame","id":1,"func":"f","kind":"user"}
{"type":"stack","id":"0xdeadbeefdeadbeef","frames":[1],"context":{"event":"a"},"weights":[{"metric":"n","value":1}]}
{"type":"stack","id":"0xdeadbeefdeadbeef","frames":[1],"context":{"event":"b"},"weights":[{"metric":"n","value":1}]}
{"type":"stack","id":7,"frames":[1],"context":{"event":"b"},"weights":[{"metric":"n","value":1}]}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	p := load(t, path)
	records := &New().Profile(p).Weights.Records
	for i, want := range []string{"stack-1", "stack-1", "7"} {
		if got, _ := records.Name(model.RecordID(i)); got != want {
			t.Errorf("record %d is %s, not %s", i, got, want)
		}
	}
	if name, _ := p.Weights.Records.Name(0); name != "0xdeadbeefdeadbeef" {
		t.Errorf("the profile itself was changed: %s", name)
	}
}

// Values of fields and texts of strings are replaced, equal ones by equal stand-ins.
func TestContentsAreReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.hprof")
	if err := os.WriteFile(path, memtest.Java(memtest.JavaSpec{Notes: 5}), 0o600); err != nil {
		t.Fatal(err)
	}
	p := load(t, path)
	hidden := New().Profile(p).Heaps
	h, err := hidden.Open(t.Context(), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, ok := model.HeapFacet[model.HeapContents](p.Heaps)
	contents, also := model.HeapFacet[model.HeapContents](hidden)
	if !ok || !also {
		t.Fatal("there are no contents")
	}
	values := 0
	for r := range h.Len() {
		before, n, err := plain.Fields(t.Context(), 0, h, model.Row(r), 0, 100)
		after, m, err2 := contents.Fields(t.Context(), 0, h, model.Row(r), 0, 100)
		if err != nil || err2 != nil || n != m || len(before) != len(after) {
			t.Fatal(r, n, m, err, err2)
		}
		for i := range before {
			b, a := before[i], after[i]
			if b.Form == model.FieldValue {
				values++
			}
			if b.Form != a.Form || b.Row != a.Row || b.Name != "" && a.Name == b.Name || b.Form == model.FieldValue && !strings.HasPrefix(a.Value, "value-") {
				t.Errorf("row %d: %+v became %+v", r, b, a)
			}
		}
	}
	if values < 5 {
		t.Errorf("%d values were seen", values)
	}
	if _, ok := model.HeapFacet[model.HeapContents](New().Profile(&model.Profile{Heaps: secretive{}}).Heaps); ok {
		t.Error("redaction adds contents to a format that has none")
	}
}
