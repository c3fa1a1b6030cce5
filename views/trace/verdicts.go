package trace

import (
	"context"
	"encoding/binary"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

// verdictKeyName is the name of the column of verdicts in reports.
const verdictKeyName = "verdict"

// verdictKey determines the verdicts about all groups.
type verdictKey struct {
	revision uint64
	by       analysis.Group
	only     calltree.Filter
	to       model.Time // that a recording goes until then, 0 for everything
}

// verdictSet is the verdicts about all groups. Read-only once made.
type verdictSet struct {
	verdictKey
	list    verdict.List
	upTo    model.Time              // of a recording that is followed, 0 for everything, see [goneTo]
	peaks   map[analysis.Key]uint64 // highest live bytes of groups, of a recording that is followed
	peaksTo model.Time              // until when they go
}

// judging is a trace that notes until when the verdicts go that it returned last.
type judging struct {
	analysis.Trace
	to model.Time
}

// Verdicts implements [analysis.Trace].
func (t *judging) Verdicts(ctx context.Context, by analysis.Group, only calltree.Filter) (verdict.List, error) {
	list, err := t.Trace.Verdicts(ctx, by, only)
	t.to = list.To()
	return list, err
}

// goneTo returns until when answers go that were requested at a time, which is 0 for everything: of a recording that is
// followed, verdicts may go until later, as it has grown meanwhile.
func goneTo(asked, to model.Time) model.Time {
	if asked == 0 {
		return 0
	}
	return max(asked, to)
}

func askVerdicts(ctx context.Context, trace analysis.Trace, k verdictKey) (*verdictSet, error) {
	list, err := trace.Verdicts(ctx, k.by, k.only)
	if err != nil || k.to == 0 {
		return &verdictSet{verdictKey: k, list: list}, err
	}
	until := trace.Status().Duration
	sites, err := trace.Sites(ctx, analysis.Query{At: analysis.End, Range: analysis.FullRange, By: k.by,
		Cell: analysis.Cell{Stacks: k.only}})
	out := &verdictSet{k, list, goneTo(k.to, list.To()), make(map[analysis.Key]uint64, len(sites)), until}
	for i := range sites {
		out.peaks[sites[i].Key] = sites[i].PeakBytes
	}
	return out, err
}

// about returns which part of a recording that is followed the answers are about ("first 24.9 s"), "" for all of it.
func (s *verdictSet) about() string {
	if s == nil || s.upTo == 0 {
		return ""
	}
	return "first " + s.upTo.String()
}

// aboutPeaks returns which part of a recording that is followed the peaks are about, "" for all of it. A group that has
// more live now has its peak now, see [verdictSet.showPeaks].
func (s *verdictSet) aboutPeaks() string {
	if s == nil || s.peaks == nil {
		return ""
	}
	return "first " + s.peaksTo.String() + " and now"
}

// ofWhen returns what of a heading says of when a column is, "" where that is not to be said.
func ofWhen(column, about string) string {
	if about == "" {
		return ""
	}
	return " · " + column + ": " + about
}

// showPeaks has a column show the highest live bytes of groups where the rows have none: they take a walk over the trace,
// and come with the verdicts of a recording that is followed.
func (s *verdictSet) showPeaks(c *ui.Column[analysis.Site], by analysis.Group, only calltree.Filter, lacking bool) {
	c.Known = func(x *analysis.Site) bool { return !lacking }
	if !lacking || s == nil || s.peaks == nil || s.by != by || s.only != only {
		return
	}
	c.Known = func(x *analysis.Site) bool { return x.LiveBytes > 0 || s.peaks[x.Key] > 0 }
	c.Value = func(x *analysis.Site) uint64 { return max(x.LiveBytes, s.peaks[x.Key]) }
}

// of returns the verdict about a group, none before it is known.
func (s *verdictSet) of(by analysis.Group, only calltree.Filter, k analysis.Key) verdict.Verdict {
	if s == nil || s.by != by || s.only != only {
		return verdict.Verdict{}
	}
	return s.list.Of(uint32(k))
}

// trendKey determines sparklines: the groups are packed, four bytes each, to be comparable.
type trendKey struct {
	revision uint64
	by       analysis.Group
	only     calltree.Filter
	keys     string
}

func packKeys(keys []analysis.Key) string {
	b := make([]byte, 0, 4*len(keys))
	for _, k := range keys {
		b = binary.LittleEndian.AppendUint32(b, uint32(k))
	}
	return string(b)
}

// unpackKeys returns what [packKeys] packed.
func unpackKeys(packed string) (keys []analysis.Key) {
	for b := []byte(packed); len(b) >= 4; b = b[4:] {
		keys = append(keys, analysis.Key(binary.LittleEndian.Uint32(b)))
	}
	return keys
}

// trendSet is the sparklines of a few groups. Read-only once made.
type trendSet struct {
	by    analysis.Group
	only  calltree.Filter
	byKey map[analysis.Key][]uint64
	to    model.Time // how long the recording was when they were requested
}

// about returns which part of a recording that is followed the sparklines are about, "" before they are known.
func (t *trendSet) about() string {
	if t == nil {
		return ""
	}
	return "first " + t.to.String()
}

// of returns the sparkline of a group, none before it is known.
func (t *trendSet) of(by analysis.Group, only calltree.Filter, k analysis.Key) []uint64 {
	if t == nil || t.by != by || t.only != only {
		return nil
	}
	return t.byKey[k]
}

// computeTrends computes the histories of a few groups.
func computeTrends(ctx context.Context, trace analysis.Trace, k trendKey) (*trendSet, error) {
	keys, to := unpackKeys(k.keys), trace.Status().Duration
	histories, err := trace.History(ctx, k.by, k.only, keys, analysis.HistoryColumns)
	if err != nil {
		return nil, err
	}
	out := &trendSet{k.by, k.only, make(map[analysis.Key][]uint64, len(keys)), to}
	for i, h := range histories {
		out.byKey[keys[i]] = h
	}
	return out, nil
}
