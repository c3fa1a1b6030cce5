package mlyze

import (
	"context"
	stdjson "encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

func parse(text string) (*tables, *model.Stacks, []model.Problem) {
	var found findings
	t := parseMetadata(context.Background(), []byte(text), headerSize, &found, nil)
	s, _, _ := t.buildStacks(context.Background(), loaders.FrameOrderAuto, &found, nil)
	return t, s, found.list
}

func codes(list []model.Problem) string {
	var out []string
	for _, p := range list {
		out = append(out, fmt.Sprintf("%s x%d", p.Code, p.Count))
	}
	return strings.Join(out, ", ")
}

func TestMetadataOddities(t *testing.T) {
	wrap := func(frame string) string {
		return `{"stack_traces":{"3":[` + frame + `]},"files":{"0":"f"},"functions":{"1":"g"}}`
	}
	for _, c := range []struct{ text, frame, codes string }{
		{wrap(`{"file_id": 0, "line": 42, "func_id": 1}`), `{g f 42}`, ""},
		{wrap(`{"func_id":1,"file_id":0,"line":42}`), `{g f 42}`, ""},
		{wrap(` { "x" : [{"y":null}] , "line":9,"func_id" : 1 , "file_id":0 } `), `{g f 9}`, ""},
		{wrap(`{"file_id":"0","line":"42","func_id":1}`), `{g f 42}`, "frame-fields x1, frame-fields x1"},
		{wrap(`{"file_id":0.0,"line":-5,"func_id":null}`), `{ f -5}`, "frame-fields x2, frame-fields x1"},
		{wrap(`{"file_id":0,"line":1e30,"func_id":1}`), `{g f ?}`, "frame-fields x1"},
		{wrap(`{"file_id":0,"line":1e2,"func_id":1}`), `{g f 100}`, "frame-fields x1"},
		{wrap(`{"file_id":0,"line":[1],"func_id":{}}`), `{ f ?}`, "frame-fields x1, frame-fields x1"},
		{wrap(`{"file_id":0,"line":1,"line":2,"func_id":1}`), `{g f 2}`, ""},
		{wrap(`{"file_id":0}`), `{ f ?}`, "frame-fields x1"},
		{wrap(`{"file_id":18446744073709551615,"line":1,"func_id":9}`), `{<function 9?> <file 18446744073709551615?> 1}`,
			"dangling-function x1, dangling-file x1"},
		{wrap(`{"file_id":18446744073709551616,"line":1,"func_id":1}`), `{g  1}`, "frame-fields x1"},
		{`{"stack_traces":{"3":[{"file_id":0,"line":1,"func_id":0}]},"files":{"0":"\u0041\ud83d\ude00\n"},"functions":{"0":"a\"\ud800"}}`,
			"{a\"\ufffd A😀\n 1}", ""},
		{`{"stack_traces":{"3":[]},"files":{},"functions":{},"stack_traces":{"3":[{"file_id":0,"line":1,"func_id":0}]},"files":{"0":"x","0":"y"}}`,
			`{<function 0?> y 1}`, "dangling-function x1"},
	} {
		tab, s, problems := parse(c.text)
		if tab.broken != "" {
			t.Errorf("%s: %s at %d", c.text, tab.broken, tab.end)
			continue
		}
		leaf, ok := s.Node(3)
		frames := s.Frames(nil, leaf, -1)
		if !ok || len(frames) != 1 {
			t.Errorf("%s: frames %v", c.text, frames)
			continue
		}
		line := fmt.Sprint(frames[0].Line)
		if frames[0].Line == model.NoLine {
			line = "?"
		}
		if got := "{" + frames[0].Function + " " + frames[0].File + " " + line + "}"; got != c.frame || codes(problems) != c.codes {
			t.Errorf("%s: %s, %s; want %s, %s", c.text, got, codes(problems), c.frame, c.codes)
		}
	}
}

func TestQuickFrameEqualsFrame(t *testing.T) {
	pad := strings.Repeat(" ", 200)
	for _, text := range []string{
		`{"file_id": 0, "line": 0, "func_id": 0}`, `{"file_id": 12, "line": 345, "func_id": 6789}`,
		`{"file_id": 00, "line": 0, "func_id": 0}`, `{"file_id": 123456789012345678, "line": 1, "func_id": 2}`,
		`{"file_id": 1234567890123456789, "line": 1, "func_id": 2}`, `{"file_id": 1, "line": 1.5, "func_id": 2}`,
		`{"file_id": 1, "line": -1, "func_id": 2}`, `{"file_id": 1, "line": 1, "func_id": 2, "x": 1}`, `{"file_id": , "line": 1, "func_id": 2}`,
	} {
		parser := func() *metaParser {
			m := &metaParser{Cursor: json.NewBytes(t.Context(), []byte(text+pad)), found: &findings{}}
			m.Peek()
			return m
		}
		quick, slow := parser(), parser()
		f, ok := quick.quickFrame()
		if !ok {
			if quick.Offset() != 0 {
				t.Errorf("%s: left at %d", text, quick.Offset())
			}
			continue
		}
		if g := slow.frame(); slow.Dead() || f != g || quick.Offset() != slow.Offset() {
			t.Errorf("%s: %+v at %d, slowly %+v at %d", text, f, quick.Offset(), g, slow.Offset())
		}
	}
}

// FuzzMetadata compares the scanner with encoding/json: what that takes, this takes; both find the same end of depth
// allowed.
func FuzzMetadata(f *testing.F) {
	for _, text := range []string{someTables, `{}`, `null`, `{"files":{"0":"a\u00e9"}}`, `[[[[]]]]`, `{"x":[1,-2.5e3,true,{"y":null}]}`, `{"a":1,}`, `{"stack_traces":{"0":[{}]}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		tab, s, problems := parse(string(b))
		if errs := modeltest.Check(&model.Profile{Meta: model.Meta{Format: "x"}, Stacks: s, Problems: problems}); len(errs) > 0 {
			t.Fatal(errs)
		}
		if tab.end < 0 || tab.end > len(b) {
			t.Fatalf("ends at %d of %d", tab.end, len(b))
		}
		if stdjson.Valid(b) && tab.broken != "" && !strings.Contains(tab.broken, "nests") {
			t.Errorf("%q is valid, but %s at %d", b, tab.broken, tab.end)
		}
	})
}

// All stacks of a part of a trace may end in one leaf, which then looks like the root.
func TestTheFileStatesTheOrderOfFrames(t *testing.T) {
	const shared = `{"stack_traces": {"0": [{"file_id": 0, "line": 1, "func_id": 0}, {"file_id": 0, "line": 1, "func_id": 1}], ` +
		`"1": [{"file_id": 0, "line": 1, "func_id": 0}, {"file_id": 0, "line": 1, "func_id": 2}]}, ` +
		`"files": {"0": "a.c"}, "functions": {"0": "leaf", "1": "f", "2": "g"}`
	for states, leafFirst := range map[string]bool{
		"": false, `, "frame_order": "leaf_to_root"`: true, `, "frame_order": "root_to_leaf"`: false, `, "frame_order": ["?"]`: false,
	} {
		f := newFile().alloc(1, 16, 1, 0, 1)
		f.meta = shared + states + "}"
		r := openBytes(t, f.bytes())
		if r.profile.Stacks.LeafFirst != leafFirst || r.errors() > 0 || r.has("metadata-keys") != nil {
			t.Errorf("%s: leaf first %t, %v", states, r.profile.Stacks.LeafFirst, r.problems)
		}
	}
}
