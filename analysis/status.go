package analysis

import "github.com/memtui/memtui/model"

// With returns the status of an index with these totals; p may be nil.
func (s Status) With(t *Totals, duration model.Time, stacks int, p *model.Profile) Status {
	s.Events, s.Duration, s.Stacks = t.Events, duration, stacks
	s.FreesNever = t.FreedCount == 0 && (p == nil || !p.Meta.RecordsFrees)
	s.Revision = s.Events << 8
	if s.Final {
		s.Revision++
	}
	if p != nil {
		s.Revision += uint64(p.Revision) << 1
	}
	return s
}
