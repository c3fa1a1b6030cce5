package memdump

import (
	"testing"

	"github.com/memtui/memtui/model"
)

// TestRealWriter reads files that the application's own encoder wrote, and what they were made from. The figures are of
// an independent program.
func TestRealWriter(t *testing.T) {
	for name, want := range map[string]struct {
		series         int
		occupied, free uint64
	}{
		"small.json": {3, 1928, 1269}, "small.mb": {3, 1928, 1269},
		// The writer turned an occupancy into bits; in JSON that page has no bits of its own and counts as full here.
		"legacy_freelist.json": {1, 1444 + 384, 1753 - 384}, "legacy_freelist.mb": {1, 1444, 1753},
	} {
		r := openPath(t, "testdata/"+name)
		if r.err != nil || len(r.violations) > 0 || len(r.layouts) != 2 || len(r.profile.Timeline.Series) != want.series || !r.profile.Complete {
			t.Errorf("%s: %v %+v", name, r.err, r.violations)
			continue
		}
		s := r.profile.Timeline.Series[0]
		if s.Name != "Main Process" || s.ID != "00000001-1111-4222-8333-000000000001" || s.Color != "#1a73e8" || !s.Visible || s.Layouts != 2 {
			t.Errorf("%s: %+v", name, s)
		}
		if s.Values[3] != 3145728.5 || s.Times[4] != 4*model.Second || r.profile.Timeline.Start != 1763613840000000 || len(s.Events) != 2 || s.Events[0].Name != "GC_START" {
			t.Errorf("%s: %+v", name, s)
		}
		var occupied, free uint64
		for i := range r.layouts[0].Types {
			p := &r.layouts[0].Types[i]
			for page := range p.Len() {
				o, f := bitsOf(p, page)
				occupied, free = occupied+o, free+f
			}
		}
		if types := r.layouts[0].Types; len(types) != 3 || types[0].Name != "Heap" || types[0].Uniform != 4096 || types[1].Size(1) != 1000 || types[2].Len() != 0 {
			t.Errorf("%s: %+v", name, types)
		}
		if occupied != want.occupied || free != want.free || len(r.layouts[1].Types) != 0 {
			t.Errorf("%s: %d and %d bits", name, occupied, free)
		}
	}
}
