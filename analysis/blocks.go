package analysis

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/model"
)

// Blocks implements [Trace]. The list holds four bytes per block and reads the rest when asked for a row.
func (ix *Index) Blocks(ctx context.Context, q BlockQuery) (BlockList, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	d, f := dimOf(q.By), ix.foldOf(q.By)
	l := &blockList{ix: ix}
	take := func(b uint32) {
		if q.All || f.keyOf(ix.key(d, b)) == q.Key {
			l.blocks = append(l.blocks, b)
		}
	}
	if q.Leaked {
		lo, hi := ix.eventRange(q.Range)
		_, to := ix.bounds(q.Range)
		end := min(to, ix.duration())
		ix.kept(lo, hi, func(b uint32) {
			if end-ix.bornAt(b) >= q.MinAge {
				take(b)
			}
		})
	} else {
		ix.kept(0, ix.eventsAt(q.At), take)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch q.Sort {
	case LargestFirst:
		slices.SortStableFunc(l.blocks, func(a, b uint32) int { return cmp.Compare(ix.size.at(int(b)), ix.size.at(int(a))) })
	case NewestFirst:
		slices.Reverse(l.blocks)
	}
	return l, nil
}

type blockList struct {
	ix     *Index
	blocks []uint32
}

func (l *blockList) Len() int { return len(l.blocks) }

func (l *blockList) Row(i int) Block {
	l.ix.mu.RLock()
	defer l.ix.mu.RUnlock()
	ix, b := l.ix, int(l.blocks[i])
	out := Block{
		Addr: ix.addr.at(b), Size: ix.size.at(b), Born: ix.bornAt(uint32(b)), Died: model.NoTime,
		Stack: ix.stackIDs[ix.stack.at(b)], Thread: ix.threads[ix.thread.at(b)],
	}
	if died := ix.died.at(b); died != alive {
		out.Died = ix.time.at(int(died))
	}
	return out
}
