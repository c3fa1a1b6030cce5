package spaa

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

func TestGoodIsValid(t *testing.T) {
	if got := verdict(t, []byte(good)); len(got) > 0 {
		t.Error(got)
	}
	for _, name := range []string{"server.spaa.zst", "python.spaa.zst"} {
		for rule, severity := range verdict(t, sample(t, name)) {
			if severity == model.Error {
				t.Error(name, rule)
			}
		}
	}
}

// TestRules breaks each rule once. A change is "from → to" within one line.
func TestRules(t *testing.T) {
	e, w := model.Error, model.Warning
	for _, c := range []struct {
		line     int // from 1; 0 is a line added at the end
		from, to string
		rule     string
		severity model.Severity
	}{
		{1, `"type":"header"`, `"type":"dso","id":9,"name":"x"`, "header", e},
		{1, `"format":"spaa"`, `"format":"heap-diff"`, "header-field", e},
		{1, `"version":"1.0",`, ``, "version", e},
		{1, `"version":"1.0"`, `"version":"2.0"`, "version", e},
		{1, `"version":"1.0"`, `"version":"1.1"`, "version", w},
		{1, `"frame_order":"leaf_to_root",`, ``, "header-field", e},
		{1, `leaf_to_root`, `sideways`, "header-field", e},
		{1, `leaf_to_root`, `root_to_leaf`, "frame-order", e},
		{1, `"stack_id_mode":"local"`, `"stack_id_mode":"global"`, "enum", e},
		{1, `,"stack_id_mode":"local"`, ``, "header-field", w},
		{1, `"source_tool":"perf"`, `"source_tool":"x"`, "source-tool", w},
		{1, `"kind":"hardware"`, `"kind":"x"`, "enum", e},
		{1, `"mode":"period"`, `"mode":"x"`, "enum", e},
		{1, `"primary_metric":"period"`, `"x":1`, "primary-metric", e},
		{1, `"name":"cycles",`, ``, "event", e},
		{1, `"end":104.0`, `"end":1`, "time-range", w},
		{1, `"end":104.0`, `"end":"x"`, "time-range", e},
		{2, `"id":1`, `"id":2`, "duplicate-id", e},
		{2, `"id":1,`, ``, "dso", e},
		{2, `abcd1234`, `ABCD`, "build-id", w},
		{3, `"is_kernel":true`, `"is_kernel":false`, "dso", e},
		{4, `"dso":1`, `"dso":99`, "reference", e},
		{4, `"dso":1,`, ``, "frame", e},
		{4, `"id":10`, `"id":-1`, "frame", e},
		{4, `"id":10`, `"id":11`, "duplicate-id", e},
		{4, `,"kind":"user"`, ``, "enum", e},
		{4, `"kind":"user"`, `"kind":"jit"`, "enum", e},
		{7, `"dso":2`, `"dso":1`, "frame", w},
		{4, `"kind":"user"`, `"inlined":1,"kind":"user"`, "frame", e},
		{4, `"kind":"user"`, `"func_resolved":"x","kind":"user"`, "frame", e},
		{4, `"srcline":"main.c:5"`, `"srcline":5`, "frame", e},
		{8, `"comm":"app"`, `"comm":5`, "thread", e},
		{10, `"frames":`, `"related_stacks":5,"frames":`, "stack", e},
		{10, `"value":3000`, `"value":0`, "suspicious-weight", w},
		{15, `"id":"w1",`, ``, "window", e},
		{1, `"kind":"allocation"`, `"kind":"allocation","allocation_tracking":5`, "event", e},
		{8, `"pid":42,`, ``, "thread", e},
		{8, `"tid":42`, `"tid":43`, "duplicate-id", e},
		{10, `[11,10]`, `[11,999]`, "reference", e},
		{10, `[11,10]`, `[]`, "stack", w},
		{10, `[11,10]`, `"x"`, "stack", e},
		{10, `"id":"s1",`, ``, "stack", e},
		{10, `"id":"s1"`, `"id":"s2"`, "duplicate-id", e},
		{10, `"id":"s1"`, `"id":7`, "stack-id", w},
		{10, `"event":"cycles",`, ``, "context", e},
		{10, `"event":"cycles"`, `"event":"x"`, "event", e},
		{10, `"tid":42}`, `"tid":42,"mine":1}`, "context-key", w},
		{10, `"metric":"period","value":3000`, `"metric":"x","value":3000`, "primary-metric", e},
		{10, `"value":3000`, `"value":null`, "weights", e},
		{10, `"value":3000`, `"value":1e400`, "weights", e},
		{10, `"value":3000`, `"value":-3`, "suspicious-weight", w},
		{10, `[{"metric":"period","value":3000}]`, `[{"metric":"period","value":3},{"metric":"period","value":3}]`, "weights", w},
		{10, `"frame":11`, `"frame":12`, "exclusive", e},
		{10, `"frame":11`, `"frame":10`, "frame-order", e},
		{10, `,"exclusive":{"frame":11,"weights":[{"metric":"period","value":2000}]}`, ``, "exclusive", w},
		{10, `"frames":`, `"stack_type":"x","frames":`, "enum", e},
		{10, `"frames":`, `"related_stacks":["zz"],"frames":`, "reference", w},
		{10, `"id":"s1"`, `"id":"s1","id":"s1"`, "duplicate-key", w},
		{13, `"stack_id":"s1"`, `"stack_id":"zz"`, "reference", e},
		{13, `"timestamp":100.5`, `"timestamp":"x"`, "sample", e},
		{13, `"timestamp":100.5`, `"timestamp":1`, "time-range", w},
		{13, `"period":1000`, `"period":0`, "suspicious-weight", w},
		{15, `"unit":"seconds"`, `"unit":"ms"`, "window", w},
		{15, `"start":100.0,`, ``, "window", e},
		{15, `"stack_id":"s1"`, `"stack_id":"zz"`, "reference", w},
		{1, `{"type":"header"`, "\xef\xbb\xbf" + `{"type":"header"`, "utf-8", e},
		{1, `"primary_metric":"period"`, `"primary_metric":"period","sample_period":"x"`, "event", w},
		{1, `"kind":"allocation"`, `"kind":"allocation","allocation_tracking":{"tracks_frees":"x"}`, "event", w},
		{4, `"kind":"user"`, `"symoff":"54","kind":"user"`, "frame", w},
		{10, `"tid":42}`, `"tid":42,"cpu":"x"}`, "context", w},
		{10, `"tid":42}`, `"tid":42,"comm":5}`, "context", w},
		{10, `"value":3000`, `"value":3000,"unit":5`, "weights", w},
		{13, `"period":1000`, `"period":-1`, "suspicious-weight", w},
		{13, `"event":"cycles"`, `"event":"malloc"`, "sample", w},
		{15, `"start":100.0,"end":101.0`, `"start":10.0,"end":11.0`, "time-range", w},
		{0, "", `{"type":"stack","id":"n","frames":[10],"context":{"event":"cycles","tid":77},"weights":[{"metric":"period","value":1}]}` + "\n" +
			`{"type":"thread","pid":77,"tid":77}`, "order", e},
		{0, "", `[1]`, "json", e},
		{0, "", `{"type":"x"}`, "record-type", w},
		{0, "", `{"type":7}`, "record-type", e},
		{0, "", `{"type":"x","a":01}`, "json", e},
		{0, "", `{"type":"x","a":"` + "\xff" + `"}`, "utf-8", e},
		{0, "", `{"type":"x","a":[}`, "json", e},
		{0, "", lines()[0], "header", e},
		{0, "", `{"type":"stack","id":"n","frames":[20],"context":{"event":"cycles"},"weights":[{"metric":"period","value":1}]}` + "\n" +
			`{"type":"frame","id":20,"func":"f","dso":1,"kind":"user"}`, "order", e},
		{0, "", `{"type":"frame","id":20,"func":"f","dso":5,"kind":"user"}` + "\n" + `{"type":"dso","id":5,"name":"x"}`, "order", e},
	} {
		l := lines()
		if c.line == 0 {
			l = append(l, c.to)
		} else {
			old := l[c.line-1]
			if l[c.line-1] = strings.Replace(old, c.from, c.to, 1); l[c.line-1] == old {
				t.Errorf("line %d: no %q", c.line, c.from)
			}
		}
		text := []byte(strings.Join(l, "\n") + "\n")
		got, ok := verdict(t, text)[c.rule]
		if !ok || got != c.severity {
			t.Errorf("line %d, %s: %s is %v, %v; all: %v", c.line, c.to, c.rule, got, ok, verdict(t, text))
		}
		if c.line != 1 || c.rule != "header" {
			loaded(t, text)
		}
	}
}

// TestInlineOrder holds frames of one address against the order of their depths.
func TestInlineOrder(t *testing.T) {
	frame := `{"type":"frame","id":%d,"func":"f%d","dso":1,"ip":"0x9","kind":"user","inlined":true,"inline_depth":%d}` + "\n"
	dictionary := fmt.Sprintf(frame, 30, 30, 2) + fmt.Sprintf(frame, 31, 31, 1) + fmt.Sprintf(frame, 32, 32, 0)
	stack := `{"type":"stack","id":"in","frames":[%s],"context":{"event":"cycles"},"weights":[{"metric":"period","value":1}]}` + "\n"
	for frames, want := range map[string]bool{"30,31,32,10": false, "31,30,32,10": true, "10": false} {
		if _, got := verdict(t, []byte(good+dictionary+fmt.Sprintf(stack, frames)))["inline-order"]; got != want {
			t.Error(frames, got)
		}
	}
}

// TestAllowed holds that what the specification allows is not a violation: null for what may be missing, and any
// numeric id.
func TestAllowed(t *testing.T) {
	for _, extra := range []string{
		`{"type":"dso","id":9,"name":"x","build_id":null}`,
		`{"type":"frame","id":90,"func":"f","dso":1,"ip":null,"symoff":null,"srcline":null,"inline_depth":null,"kind":"unknown"}`,
		`{"type":"thread","pid":77,"tid":77,"comm":null}`,
		`{"type":"stack","id":-5,"frames":[10],"context":{"event":"cycles","pid":null,"tid":-1,"cpu":null},"weights":[{"metric":"period","value":1,"unit":null}],` +
			`"exclusive":{"frame":10,"weights":[{"metric":"period","value":1}]}}` + "\n" + `{"type":"sample","timestamp":101,"event":"cycles","stack_id":-5,"cpu":-1}`,
	} {
		if got := verdict(t, []byte(good+extra+"\n")); len(got) > 0 {
			t.Error(extra, got)
		}
	}
}

// TestPlaces holds that violations tell line and offset of the first of their kind, and count the others.
func TestPlaces(t *testing.T) {
	l := lines()
	for _, i := range []int{10, 11} {
		l[i] = strings.Replace(l[i], `"frames":[`, `"frames":[77,`, 1)
	}
	text := strings.Join(l, "\n")
	got := violations(t, text)
	for _, v := range got {
		if v.Rule == "reference" && v.Line == 11 && v.Count == 2 && strings.HasPrefix(text[v.Offset:], l[10]) {
			return
		}
	}
	t.Error(got)
}

// Violations found at the end of the file are reported once as well: the first, with its place.
func TestLatePlaces(t *testing.T) {
	l := lines()
	window := strings.Replace(l[14], `"stack_id":"s1"`, `"stack_id":"zz"`, 1)
	text := "\xef\xbb\xbf" + good + window + "\n"
	for _, v := range violations(t, text) {
		if v.Rule == "reference" && (v.Line != 16 || !strings.HasPrefix(text[v.Offset:], window)) {
			t.Error(v)
		}
	}
}

func violations(t *testing.T, text string) (got []loaders.Violation) {
	if err := validate(t.Context(), openText(t, []byte(text)), func(v loaders.Violation) { got = append(got, v) }); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestLongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("needs memory")
	}
	text := append([]byte(good+`{"type":"x","a":"`), make([]byte, maxLine+3*blockSize)...)
	text = append(text, "\"}\n"+lines()[12]+"\n"...)
	p := loaded(t, text)
	if p.Complete || p.Weights.Counts.Samples != 3 || len(p.Problems) != 1 || p.Problems[0].Code != "line-length" || p.Problems[0].Line != 16 {
		t.Error(p.Complete, p.Weights.Counts, p.Problems)
	}
}
