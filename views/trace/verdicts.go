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
	list  verdict.List
	upTo  model.Time              // of a recording that is followed, 0 for everything: later than asked where it has grown meanwhile
	peaks map[analysis.Key]uint64 // highest live bytes of groups by then, of a recording that is followed
}

func askVerdicts(ctx context.Context, trace analysis.Trace, k verdictKey) (*verdictSet, error) {
	list, err := trace.Verdicts(ctx, k.by, k.only)
	if err != nil || k.to == 0 {
		return &verdictSet{verdictKey: k, list: list}, err
	}
	sites, err := trace.Sites(ctx, analysis.Query{At: analysis.End, Range: analysis.FullRange, By: k.by,
		Cell: analysis.Cell{Stacks: k.only}})
	out := &verdictSet{k, list, max(k.to, list.To()), make(map[analysis.Key]uint64, len(sites))}
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
	keys := unpackKeys(k.keys)
	histories, err := trace.History(ctx, k.by, k.only, keys, analysis.HistoryColumns)
	if err != nil {
		return nil, err
	}
	out := &trendSet{k.by, k.only, make(map[analysis.Key][]uint64, len(keys))}
	for i, h := range histories {
		out.byKey[keys[i]] = h
	}
	return out, nil
}
