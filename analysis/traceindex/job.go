package traceindex

import (
	"context"

	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/analysis/traceindex/match"
	"github.com/memtui/memtui/analysis/traceindex/tally"
	"github.com/memtui/memtui/model"
)

// job is a chunk on its way into the index: decoded, matched, folded. It is reused for later chunks.
type job struct {
	from, to, next int64 // planned begin and end in the input, and the actual end
	err            error
	decoded        chan struct{} // closed when the events and sites are there
	keep           bool          // the input cannot be read again in one piece

	events model.Columns
	sites  group.SiteTable // of this chunk alone
	siteOf []uint32        // by event that is not a FREE: number in sites

	event []uint32 // by ALLOC, as numbered in sites: its number in the chunk; set when the chunk is folded

	match.Ends

	in     tally.Chunk // set when the chunk is folded
	folded *chunk

	stacks    int // of the chunk last folded with the job
	firstRec  uint32
	survivors []uint32 // blocks that outlive the chunk, as numbered in Columns.Size
}

// reset prepares a job for another chunk.
func (j *job) reset(from, to int64) {
	j.from, j.to, j.next, j.err, j.keep = from, to, from, nil, false
	j.decoded = make(chan struct{})
	j.events.Reset()
	j.sites.Reset()
}

// numberAtOnce is the number of events that are numbered between checks of the context: each may have a site of its
// own.
const numberAtOnce = 64 << 10

// number finds the sites of all allocations. The error is that of the context.
func (j *job) number(ctx context.Context) error {
	c := &j.events
	n := len(c.Size)
	j.siteOf, j.event = column.Resize(j.siteOf, n), column.Resize(j.event, n)
	if !onlyBlocks(c.Kind) {
		return j.numberSome(ctx)
	}
	for from := 0; from < n; from += numberAtOnce {
		if err := ctx.Err(); err != nil {
			return err
		}
		j.numberAll(from, min(from+numberAtOnce, n))
	}
	return nil
}

// numberAll is number for a range of the events that are not FREE, all of which are ALLOC. hot kernel
func (j *job) numberAll(from, to int) {
	ids, threads, sites := j.events.ID[from:to], j.events.Thread[from:to], j.siteOf[from:to]
	for p, id := range ids {
		if id < uint64(len(j.sites.First)) {
			if s := j.sites.First[id]; s != 0 && j.sites.Keys[s-1].Thread == threads[p] {
				sites[p] = s - 1
				continue
			}
		}
		sites[p], _ = j.sites.Of(group.SiteKey{ID: id, Thread: threads[p]})
	}
}

// numberSome is number for chunks with other events than ALLOC and FREE.
func (j *job) numberSome(ctx context.Context) error {
	p := 0
	for _, kind := range j.events.Kind {
		if kind == model.Free {
			continue
		}
		if kind == model.Alloc {
			j.siteOf[p], _ = j.sites.Of(group.SiteKey{ID: j.events.ID[p], Thread: j.events.Thread[p]})
		}
		if p++; p%numberAtOnce == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// onlyBlocks reports whether all events are ALLOC or FREE.
func onlyBlocks(kinds []model.EventKind) bool {
	all := model.EventKind(0)
	for _, k := range kinds {
		all |= k
	}
	return all <= model.Free
}
