package spaa

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// good is a small file without a fault, a record a line.
const good = `{"type":"header","format":"spaa","version":"1.0","source_tool":"perf","frame_order":"leaf_to_root","events":[{"name":"cycles","kind":"hardware","sampling":{"mode":"period","primary_metric":"period"}},{"name":"malloc","kind":"allocation","sampling":{"mode":"event","primary_metric":"alloc_bytes"}}],"time_range":{"start":100.0,"end":104.0,"unit":"seconds"},"source":{"tool":"perf","command":"perf record -g","tool_version":"6.1"},"stack_id_mode":"local"}
{"type":"dso","id":1,"name":"/usr/bin/app","build_id":"abcd1234","is_kernel":false}
{"type":"dso","id":2,"name":"[kernel.kallsyms]","is_kernel":true}
{"type":"frame","id":10,"func":"main","dso":1,"ip":"0x401000","srcline":"main.c:5","kind":"user"}
{"type":"frame","id":11,"func":"work","dso":1,"ip":"0x401100","srcline":"work.c:50:7","kind":"user"}
{"type":"frame","id":12,"func":"grow","dso":1,"ip":"0x401200","srcline":"work.c:90","inlined":true,"kind":"user"}
{"type":"frame","id":13,"func":"clear_page","dso":2,"ip":"0xffffffff81000000","kind":"kernel"}
{"type":"thread","pid":42,"tid":42,"comm":"app"}
{"type":"thread","pid":42,"tid":43,"comm":"worker"}
{"type":"stack","id":"s1","frames":[11,10],"context":{"event":"cycles","pid":42,"tid":42},"weights":[{"metric":"period","value":3000}],"exclusive":{"frame":11,"weights":[{"metric":"period","value":2000}]}}
{"type":"stack","id":"s2","frames":[13,12,11,10],"context":{"event":"cycles","pid":42,"tid":43,"x_mine":1},"weights":[{"metric":"period","value":1000}],"exclusive":{"frame":13,"weights":[{"metric":"period","value":1000}]}}
{"type":"stack","id":7,"frames":[12,11,10],"context":{"event":"malloc","tid":42},"weights":[{"metric":"alloc_bytes","value":4096.5,"unit":"bytes"}],"exclusive":{"frame":12,"weights":[{"metric":"alloc_bytes","value":4096.5,"unit":"bytes"}]}}
{"type":"sample","timestamp":100.5,"pid":42,"tid":42,"cpu":0,"event":"cycles","period":1000,"stack_id":"s1","context":{}}
{"type":"sample","timestamp":101.5,"pid":42,"tid":43,"cpu":1,"event":"cycles","period":1000,"stack_id":"s2","context":{}}
{"type":"window","id":"w1","start":100.0,"end":101.0,"unit":"seconds","by_stack":[{"stack_id":"s1","weights":[{"metric":"period","value":1000}]}]}
`

// lines is good as lines, from 0.
func lines() []string { return strings.Split(strings.TrimSuffix(good, "\n"), "\n") }

// openText opens text as a file.
func openText(t testing.TB, text []byte) *loaders.Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.spaa")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return openFile(t, path)
}

func openFile(t testing.TB, path string) *loaders.Source {
	t.Helper()
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

// loaded loads text and checks every invariant of what comes out.
func loaded(t testing.TB, text []byte) *model.Profile {
	t.Helper()
	return loadedFrom(t, openText(t, text))
}

func loadedFrom(t testing.TB, src *loaders.Source) *model.Profile {
	t.Helper()
	var store model.Store
	if err := load(context.Background(), src, loaders.Options{}, &store); err != nil {
		t.Fatal(err)
	}
	p := store.Current()
	for _, err := range modeltest.Check(p) {
		t.Error(err)
	}
	return p
}

// verdict is what validation says, by rule.
func verdict(t testing.TB, text []byte) map[string]model.Severity {
	t.Helper()
	out := map[string]model.Severity{}
	err := validate(context.Background(), openText(t, text), func(v loaders.Violation) { out[v.Rule] = max(out[v.Rule], v.Severity) })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sample reads a sample of the program as text.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := copyRecords(context.Background(), openFile(t, "../../internal/demo/samples/"+name), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
