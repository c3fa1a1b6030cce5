package analysis

import "github.com/memtui/memtui/model"

// Add adds the totals of later events, and reports whether all sums fit.
func (t *Totals) Add(o *Totals) bool {
	fit := true
	for _, s := range []struct {
		to *uint64
		n  uint64
	}{
		{&t.Events, o.Events}, {&t.AllocCount, o.AllocCount}, {&t.AllocBytes, o.AllocBytes}, {&t.FreeCount, o.FreeCount},
		{&t.FreedCount, o.FreedCount}, {&t.FreedBytes, o.FreedBytes}, {&t.UnmatchedFrees, o.UnmatchedFrees},
		{&t.OverwrittenCount, o.OverwrittenCount}, {&t.OverwrittenBytes, o.OverwrittenBytes},
		{&t.UnaddressedCount, o.UnaddressedCount}, {&t.UnaddressedBytes, o.UnaddressedBytes}, {&t.GCCount, o.GCCount},
		{&t.GCObjects, o.GCObjects}, {&t.GCBytes, o.GCBytes}, {&t.MarkerCount, o.MarkerCount}, {&t.TemporaryCount, o.TemporaryCount},
	} {
		var ok bool
		*s.to, ok = model.SaturatingAdd(*s.to, s.n)
		fit = fit && ok
	}
	return fit
}
