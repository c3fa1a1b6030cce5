package trace

import (
	"context"
	"encoding/binary"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/verdict"
)

// verdictKeyName is the name of the column of verdicts in reports.
const verdictKeyName = "verdict"

// verdictKey determines the verdicts about all groups.
type verdictKey struct {
	revision uint64
	by       analysis.Group
	only     calltree.Filter
}

// verdictSet is the verdicts about all groups. Read-only once made.
type verdictSet struct {
	verdictKey
	list verdict.List
}

func askVerdicts(ctx context.Context, trace analysis.Trace, k verdictKey) (*verdictSet, error) {
	list, err := trace.Verdicts(ctx, k.by, k.only)
	return &verdictSet{k, list}, err
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
