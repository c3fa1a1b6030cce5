package mlyze

import (
	"encoding/json"
	"testing"

	"github.com/memtui/memtui/model"
)

func TestMetadata(t *testing.T) {
	var empty, m Metadata
	m.LeafFirst()
	m.Member(`a "key"`, []byte("[1]"))
	m.Stacks()
	frames := AppendFrame(nil, Frame{File: 1, Line: 7, Function: 2})
	frames = AppendFrame(frames, Frame{File: -1, Line: model.NoLine, Function: -1})
	m.Stack(3, frames)
	m.Stack(4, AppendFrames(AppendFrame(nil, Frame{File: -1, Line: 0, Function: 0}), frames))
	m.Stack(5, nil)
	m.Files()
	m.Functions()
	m.Name(0, "")
	m.Name(1<<63, "a\n\xff\u202e")
	const want = `{"frame_order": "leaf_to_root", "a \"key\"": [1], "stack_traces": {` +
		`"3": [{"file_id": 1, "line": 7, "func_id": 2}, {}], ` +
		`"4": [{"line": 0, "func_id": 0}, {"file_id": 1, "line": 7, "func_id": 2}, {}], "5": []}, ` +
		`"files": {}, "functions": {"0": "", "9223372036854775808": "a\u000a` + "\ufffd" + `\u202e"}}`
	for _, tt := range []struct {
		m    *Metadata
		want string
	}{{&empty, "{}"}, {&m, want}} {
		got := string(tt.m.Finish())
		if got != tt.want || !json.Valid([]byte(got)) {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
