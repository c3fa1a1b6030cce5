package analysis

import "github.com/memtui/memtui/model"

// With returns the status of an index with these totals; p may be nil.
func (s Status) With(t *Totals, duration model.Time, stacks int, p *model.Profile) Status {
	s.Events, s.Duration, s.Stacks, s.FreesNever = t.Events, duration, stacks, t.FreedCount == 0
	s.Revision = s.Events << 8
	if s.Final {
		s.Revision++
	}
	if p != nil {
		s.Revision += uint64(p.Revision) << 1
	}
	return s
}
