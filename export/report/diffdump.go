package report

import (
	"math"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// DumpSide is one layout to compare, or the curves of a file without layouts.
type DumpSide struct {
	Profile *model.Profile
	Index   int           // of the layout
	Layout  *model.Layout // nil without layouts
}

func (s DumpSide) side() DiffSide {
	out := DiffSide{File: NewHeader(SchemaDiff, s.Profile).File}
	if s.Layout == nil {
		end := analysis.TimelineEnd(s.Profile.Timeline)
		out.At = &end
		return out
	}
	out.Snapshot = &s.Index
	if at := s.Profile.Pages.Info(s.Index).At; at != model.NoTime {
		out.At = &at
	}
	return out
}

// DumpDiffKeys names what layouts can be compared by, the default first.
func DumpDiffKeys() []string { return []string{"occupied_bytes", "free_bytes", "bytes"} }

// DiffDumps compares the page types of two layouts, by one of [DumpDiffKeys], or without layouts the last values of curves of
// one name; n rows at most, 0 for all.
func DiffDumps(before, after DumpSide, by string, n int) *Diff {
	d := newDiff(before.Profile, after.Profile, before.side(), after.side())
	if before.Layout == nil || after.Layout == nil {
		d.series(before.Profile.Timeline, after.Profile.Timeline)
		d.finish(n)
		return d
	}
	d.what = "page type"
	for _, side := range []DumpSide{before, after} {
		for _, p := range side.Layout.Problems {
			d.Problems = append(d.Problems, newProblem(p))
			d.Complete = d.Complete && p.Severity != model.Error
		}
	}
	for _, c := range analysis.DiffLayouts(before.Layout, after.Layout).Types {
		d.add(DiffRow{
			Key: c.Name, named: true, NewlyOccupied: &c.NewlyOccupied, NewlyFree: &c.NewlyFree, SameOccupied: &c.SameOccupied,
			DiffFigures: newFigures(pageBytes(&c.Before, by), pageBytes(&c.After, by), uint64(c.Before.Pages), uint64(c.After.Pages)),
		})
	}
	d.finish(n)
	return d
}

func pageBytes(f *analysis.PageFigures, by string) uint64 {
	switch by {
	case "bytes":
		return f.Bytes
	case "free_bytes":
		return f.Bytes - f.OccupiedBytes
	}
	return f.OccupiedBytes
}

// series compares curves by name, the second of a name with the second. Counts are points.
func (d *Diff) series(before, after *model.Timeline) {
	d.what = "series"
	type name struct {
		text string
		nth  int
	}
	at := map[name]int{}
	for side, t := range []*model.Timeline{before, after} {
		seen := map[string]int{}
		for i := range t.Series {
			s := &t.Series[i]
			key := name{s.Name, seen[s.Name]}
			seen[s.Name]++
			k, ok := at[key]
			if !ok {
				k = len(d.Rows)
				at[key] = k
				d.Rows = append(d.Rows, DiffRow{Key: s.Name, named: true})
			}
			bytes, count := lastValue(s), uint64(len(s.Times))
			if side == 0 {
				d.Rows[k].BeforeBytes, d.Rows[k].BeforeCount = bytes, count
			} else {
				d.Rows[k].AfterBytes, d.Rows[k].AfterCount = bytes, count
			}
		}
	}
	rows := d.Rows
	d.Rows = []DiffRow{}
	for _, r := range rows {
		r.DiffFigures = newFigures(r.BeforeBytes, r.AfterBytes, r.BeforeCount, r.AfterCount)
		d.add(r)
	}
}

// lastValue is a curve's last value in whole bytes, 0 for a negative one and for none.
func lastValue(s *model.Series) uint64 {
	if len(s.Values) == 0 {
		return 0
	}
	return uint64(math.Round(min(max(s.Values[len(s.Values)-1], 0), 1<<63)))
}
