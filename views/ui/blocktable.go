package ui

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// blockKey determines a list of blocks.
type blockKey struct {
	revision uint64
	analysis.BlockQuery
	uses uint64     // instead of the query: all blocks that ever held this address
	gone model.Time // only blocks that ended before, 0 for all

	filter string // with what it needs to know, else all zero
	stacks *model.Stacks
	labels *SiteLabels
	until  model.Time
	full   bool
}

// maxUses bounds the uses of an address that are listed.
const maxUses = 100_000

// blockTable is a list of blocks, filtered. Read-only once made.
type blockTable struct {
	analysis.BlockList
	rows  []uint32 // of the list, nil for all of them
	bytes uint64   // of what is listed
	cut   int      // uses that are not listed

	filtered bool // rows are those that a filter leaves
}

func fetchBlocks(ctx context.Context, trace analysis.Trace, k blockKey) (*blockTable, error) {
	if k.uses != 0 {
		blocks, total, err := trace.Uses(ctx, k.uses, maxUses)
		list := useList(blocks)
		return &blockTable{BlockList: list, bytes: list.Bytes(), cut: total - len(blocks)}, err
	}
	list, err := trace.Blocks(ctx, k.BlockQuery)
	if err != nil {
		return nil, err
	}
	t := &blockTable{BlockList: list, bytes: list.Bytes()}
	f, err := analysis.ParseFilter(k.filter)
	if err != nil { // a filter that means nothing hides nothing
		k.filter = ""
	}
	if k.filter == "" && k.gone == 0 {
		return t, nil
	}
	return t, t.choose(ctx, k, f)
}

// choose filters the list.
func (t *blockTable) choose(ctx context.Context, k blockKey, f *analysis.Filter) error {
	t.rows, t.bytes, t.filtered = []uint32{}, 0, k.filter != ""
	row := filterBlock{key: k, texts: map[model.StackID][]string{}}
	for i := range t.BlockList.Len() {
		if i&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row.Block = t.BlockList.Row(i)
		if (k.gone == 0 || died(&row.Block, k.gone)) && (k.filter == "" || f.Match(&row)) {
			t.rows = append(t.rows, uint32(i))
			t.bytes, _ = model.SaturatingAdd(t.bytes, row.Size)
		}
	}
	return nil
}

// Len is the number of blocks that the filter leaves.
func (t *blockTable) Len() int {
	if t.rows != nil {
		return len(t.rows)
	}
	return t.BlockList.Len()
}

// row is a block of those that the filter leaves, up: from the end.
func (t *blockTable) row(i int, up bool) analysis.Block {
	if up {
		i = t.Len() - 1 - i
	}
	if t.rows != nil {
		i = int(t.rows[i])
	}
	return t.BlockList.Row(i)
}

// count is how many blocks there are.
func (t *blockTable) count() string {
	text := CountBlocks(uint64(t.Len()))
	if t.filtered {
		text = model.Group(uint64(t.Len())) + " of " + CountBlocks(uint64(t.BlockList.Len()))
	}
	if t.cut > 0 {
		text = "the last " + text + " of " + model.Group(uint64(t.cut+t.Len()))
	}
	return text
}

// useList is blocks in memory.
type useList []analysis.Block

func (l useList) Len() int { return len(l) }

func (l useList) Row(i int) analysis.Block { return l[i] }

func (l useList) Bytes() (sum uint64) {
	for i := range l {
		sum, _ = model.SaturatingAdd(sum, l[i].Size)
	}
	return sum
}

// filterBlock shows a block to a filter.
type filterBlock struct {
	analysis.Block
	key   blockKey
	texts map[model.StackID][]string
}

// Texts implements analysis.Row: the site, and the function that allocates.
func (r *filterBlock) Texts() []string {
	t, ok := r.texts[r.Stack]
	if !ok {
		t = []string{blockSiteName(r.key.stacks, r.key.labels, r.Stack, r.key.full), blockSiteName(r.key.stacks, r.key.labels, r.Stack, true)}
		r.texts[r.Stack] = t
	}
	return t
}

// Value implements analysis.Row: a block is as large as its site's mean.
func (r *filterBlock) Value(field string, share bool) (float64, bool) {
	switch field {
	case "mean", "live", "total", "peak":
		return float64(r.Size), !share
	case "leaked":
		if r.Died != model.NoTime {
			return 0, !share
		}
		return float64(r.Size), !share
	case "count", "blocks":
		return 1, !share
	case "age":
		return float64(ageAt(&r.Block, r.key.until)), !share
	}
	return 0, false
}

// ageAt is how long a block has lived at an instant, or had lived when it ended before.
func ageAt(b *analysis.Block, until model.Time) model.Time {
	if b.Died != model.NoTime {
		until = min(until, b.Died)
	}
	return max(until-b.Born, 0)
}

// blockSiteName names the stack that allocated a block.
func blockSiteName(s *model.Stacks, labels *SiteLabels, id model.StackID, full bool) string {
	leaf, ok := s.Node(id)
	if !ok || leaf == 0 {
		return model.UnknownStack(id)
	}
	n := calltree.SiteNode(s, leaf)
	site := analysis.Site{Name: calltree.FunctionName(s, n), Stack: id, Node: leaf}
	return labels.Label(s, analysis.ByStack, &site, full).Name
}
