package trace

import (
	"testing"

	"github.com/memtui/memtui/model"
)

// The figures say when a recording began, if it states that.
func TestStartOfARecording(t *testing.T) {
	for _, c := range []struct {
		meta model.Meta
		want [2]string
	}{
		{model.Meta{Start: 1767323045_000000, HasStart: true}, [2]string{"03:04:05 UTC", "2026-01-02"}},
		{model.Meta{HasStart: true}, [2]string{}},
		{model.Meta{Start: 5}, [2]string{}},
		{model.Meta{Start: 1 << 63, HasStart: true}, [2]string{}},
	} {
		got, ok := startItems(&model.Profile{Meta: c.meta})
		if ok != (c.want[0] != "") || got[0].value != c.want[0] || got[1].value != c.want[1] {
			t.Errorf("%+v: %v, %v", c.meta, got, ok)
		}
	}
}
