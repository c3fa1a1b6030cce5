package livechart

import (
	"testing"

	"github.com/memtui/memtui/model"
)

// The title of the curve says since when a recording goes, if that states it.
func TestStartOfARecording(t *testing.T) {
	for _, c := range []struct {
		meta model.Meta
		want string
	}{
		{model.Meta{Start: 1767323045_000000, HasStart: true}, " · since 2026-01-02 03:04:05 UTC"},
		{model.Meta{HasStart: true}, ""},
		{model.Meta{Start: 5}, ""},
		{model.Meta{Start: 1 << 63, HasStart: true}, ""},
	} {
		if got := sinceText(&model.Profile{Meta: c.meta}); got != c.want {
			t.Errorf("%+v: %q", c.meta, got)
		}
	}
}
