package all

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const spaaHead = `{"type":"header","format":"spaa","version":"1.0","source_tool":"perf","frame_order":"leaf_to_root",` +
	`"events":[{"name":"e","kind":"hardware","sampling":{"mode":"period","primary_metric":"period"}}],"stack_id_mode":"local"}` + "\n"

// TestLongNamesAreCut loads files of all formats that hold names of megabytes.
func TestLongNamesAreCut(t *testing.T) {
	long := strings.Repeat("x", 3*model.MaxName)
	for name, text := range map[string]string{
		"mlyze": string(memtest.TraceOf([]byte(`{"stack_traces": {"1": [{"file_id": 0, "line": 1, "func_id": 0}]}, "files": {"0": "`+long+`"}, "functions": {"0": "`+long+`"}}`),
			[]memtest.TraceEvent{{Delta: 1, Addr: 0x10, Size: 8, ID: 1}})),
		"spaa": spaaHead + `{"type":"dso","id":1,"name":"` + long + `","is_kernel":false}
{"type":"frame","id":1,"kind":"user","func":"` + long + `","dso":1,"srcline":"` + long + `:3"}
{"type":"thread","pid":1,"tid":2,"comm":"` + long + `"}
{"type":"stack","id":1,"frames":[1],"stack_type":"native","context":{"event":"e"},"weights":[{"metric":"period","value":1}]}
`,
		"memdump-json": `[{"name":"` + long + `","data":[{"timestamp":1,"value":2}]}]`,
	} {
		store := load(t, text)
		p := store.Current()
		if p == nil || p.Meta.Format != name {
			t.Fatalf("%s: %+v", name, p)
		}
		if !slices.ContainsFunc(p.Problems, func(q model.Problem) bool { return q.Code == "name-length" }) {
			t.Errorf("%s: nothing is said: %+v", name, p.Problems)
		}
		names := namesOf(p)
		if n := len(slices.MaxFunc(names, func(a, b string) int { return len(a) - len(b) })); n != model.MaxName {
			t.Errorf("%s: %d bytes of a name are kept", name, n)
		}
	}
}

func load(t *testing.T, text string) *model.Store {
	t.Helper()
	src, err := loaders.OpenSource(t.Context(), "-", bytes.NewReader([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	f, err := loaders.Detect(src, Formats())
	if err != nil {
		t.Fatal(err)
	}
	var store model.Store
	if err := f.Load(t.Context(), src, loaders.Options{}, &store); err != nil {
		t.Fatal(err)
	}
	return &store
}

// namesOf lists the names in a profile.
func namesOf(p *model.Profile) (names []string) {
	if p.Stacks != nil {
		names = slices.Concat(p.Stacks.Functions, p.Stacks.Files)
	}
	if p.Weights != nil {
		for _, d := range p.Weights.DSOs {
			names = append(names, d.Name)
		}
		for _, x := range p.Weights.Threads {
			names = append(names, x.Comm)
		}
	}
	if p.Timeline != nil {
		for _, s := range p.Timeline.Series {
			names = append(names, s.Name)
		}
	}
	return names
}
