package mvmheap

import (
	"slices"
	"strings"
	"testing"
)

// Metadata is read as far as it is sound, and what is wrong with it is told with its place.
func TestMetadata(t *testing.T) {
	for text, want := range map[string]string{
		`{"start_time":5,"pid":7,"other":[{"pid":1}],"highscore_structure":{"entry_count":3,"data_order":["a","b"]}}`: "",
		`{"start_time":5,"pid":7,"highscore_structure":{"entry_count":3,"data_order":["a","b"]}} `:                    "",
		`{"highscore_structure":{"data_order":["a","b"],"entry_count":3},"start_time":5,"pid":7}x`:                    "byte 87",
		`{"start_time":5,"pid":7,"highscore_structure":{"entry_count":3,"data_order":["a","b"]},"pid":}`:              "byte 93",
		`{"start_time":5,"pid":7,"highscore_structure":{"entry_count":3,"data_order":["a","b",1]}}`:                   "not an array of texts",
	} {
		var m fileMeta
		err := readMembers([]byte(text), m.read)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
		pid := m.PID != nil && *m.PID == 7 || strings.HasSuffix(text, ":}")
		if m.Start == nil || *m.Start != 5 || !pid || m.Scores.Count != 3 || !slices.Equal(m.Scores.Order, []string{"a", "b"}) {
			t.Errorf("%s: %+v", text, m)
		}
	}
	for _, text := range []string{``, `[]`, `{"pid":"x"}`, `{"pid":1.5}`, `{"pid":1e99}`, `{"pid"`, `{"pid":7,}`} {
		var m fileMeta
		if err := readMembers([]byte(text), m.read); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
	var m snapMeta
	if err := readMembers([]byte(`{"snap_time":9,"total_refs":null,"total_objects":3}`), m.read); err != nil || *m.Time != 9 || m.References != nil || *m.Objects != 3 {
		t.Errorf("%+v, %v", m, err)
	}
}
