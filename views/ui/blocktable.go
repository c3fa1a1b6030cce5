package ui

import (
	"context"
	"fmt"
	"math"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/widget"
)

// blockKey determines a list of blocks.
type blockKey struct {
	revision uint64
	analysis.BlockQuery
	uses uint64     // instead of the query: all blocks that ever held this address
	gone model.Time // only blocks that ended before, 0 for all

	filter string
	view   blockView // for the filter, else zero
}

// blockView is what the columns of blocks depend on.
type blockView struct {
	stacks    *model.Stacks
	labels    *SiteLabels
	full      bool
	until     model.Time // the instant at which ages are taken
	lived     bool       // ages are lifetimes: of blocks that may have ended
	same      bool       // all are of one stack
	times     int        // cells of a time
	noAddr    bool       // the file has no addresses
	noThreads bool       // the file has no threads
	sampled   bool       // sizes are what samples represent
}

// columns returns the columns of a list of blocks. A block is shown as large as the mean of its site.
func (v blockView) columns() []Column[analysis.Block] {
	type block = analysis.Block
	age := titles.Age
	if v.lived {
		age = titles.Lived
	}
	when := func(title, key string, drop int, value func(b *block) uint64) Column[block] {
		return Column[block]{Title: title, Key: key, Figure: TimeFigure, Width: v.times, MaxWidth: v.times, Drop: drop, Value: value}
	}
	ages := when(age, "age_us", 0, func(b *block) uint64 { return uint64(b.Age(v.until)) })
	ages.Fields = []string{"age", "oldest"}
	size := ""
	if v.sampled {
		size = titles.Weight
	}
	freed := when(titles.Died, "died_us", 5, func(b *block) uint64 { return uint64(b.Died) })
	freed.Known, freed.Unknown = func(b *block) bool { return b.Died != model.NoTime }, func() string { return "never" }
	return []Column[block]{
		{Title: titles.Size, Shown: size, Key: "bytes", Fields: []string{"size", "mean", "live", "total", "peak"},
			Figure: BytesFigure, Value: func(b *block) uint64 { return b.Size }},
		ages, when(titles.Born, "born_us", 4, func(b *block) uint64 { return uint64(b.Born) }), freed,
		{Title: titles.Thread, Key: "thread", Width: 6, Right: true, Drop: 6, Hidden: v.noThreads,
			Text: func(b *block) string { return fmt.Sprint(b.Thread) }},
		{Title: titles.Address, Key: "address", Width: 14, Drop: 3, Muted: true, Hidden: v.noAddr,
			Text: func(b *block) string { return AddressText(b.Addr) }},
		{Title: titles.Verdict, Key: "verdict", Width: 11, Drop: 2, Hidden: v.same,
			Cell: func(*block) widget.Cell { return widget.Cell{} }}, // drawn by the pane
		{Title: titles.Site, Width: 12, Grow: 1, Drop: 1, Cut: widget.CutScope, Hidden: v.same,
			Text: func(b *block) string { return v.site(b, v.full) }},
		{Hidden: true, Fields: []string{"leaked", "leak", "bytes"}, Figure: BytesFigure, Value: func(b *block) uint64 {
			if b.Died != model.NoTime {
				return 0
			}
			return b.Size
		}},
		{Hidden: true, Fields: []string{"count", "blocks"}, Figure: CountFigure, Value: func(*block) uint64 { return 1 }},
	}
}

// site returns the name of the stack of a block.
func (v blockView) site(b *analysis.Block, full bool) string {
	return v.labels.BlockSite(v.stacks, b.Stack, full)
}

// words returns a function that returns the texts that words of a filter match: the site, and the function that
// allocates.
func (v blockView) words() func(b *analysis.Block) []string {
	texts := map[model.StackID][]string{}
	return func(b *analysis.Block) []string {
		t, ok := texts[b.Stack]
		if !ok {
			t = []string{v.site(b, v.full), v.site(b, true)}
			texts[b.Stack] = t
		}
		return t
	}
}

// maxUses bounds the uses of an address that are listed.
const maxUses = 100_000

// blockTable is a list of blocks, filtered. Read-only once made.
type blockTable struct {
	analysis.BlockList
	rows  []uint32 // of the list, nil for all of them
	bytes uint64   // of what is listed
	cut   int      // uses that are not listed

	filtered bool // rows are those that pass a filter
}

func askBlocks(ctx context.Context, trace analysis.Trace, k blockKey) (*blockTable, error) {
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
	if k.filter == "" && k.gone == 0 {
		return t, nil
	}
	return t, t.choose(ctx, k)
}

// choose filters the list.
func (t *blockTable) choose(ctx context.Context, k blockKey) error {
	if n := uint64(t.BlockList.Len()); n > math.MaxUint32 {
		return fmt.Errorf("%s blocks are more than can be filtered: choose a range or a cell first", model.Group(n))
	}
	t.rows, t.bytes, t.filtered = []uint32{}, 0, k.filter != ""
	cols := k.view.columns()
	f, row := Filter(k.filter, fields(cols)), newFilterRow(cols, k.view.words())
	var b analysis.Block
	row.Row = &b
	for i := range t.BlockList.Len() {
		if i&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		b = t.BlockList.Row(i)
		if (k.gone == 0 || died(&b, k.gone)) && (k.filter == "" || f.Match(row)) {
			t.rows = append(t.rows, uint32(i))
			t.bytes, _ = model.SaturatingAdd(t.bytes, b.Size)
		}
	}
	return nil
}

// Len returns the number of blocks that pass the filter.
func (t *blockTable) Len() int {
	if t.rows != nil {
		return len(t.rows)
	}
	return t.BlockList.Len()
}

// row returns block i of those that pass the filter, from the end if up is set.
func (t *blockTable) row(i int, up bool) analysis.Block {
	if up {
		i = t.Len() - 1 - i
	}
	if t.rows != nil {
		i = int(t.rows[i])
	}
	return t.BlockList.Row(i)
}

// count returns how many blocks there are.
func (t *blockTable) count(blocks func(n uint64) string) string {
	text := blocks(uint64(t.Len()))
	if t.filtered {
		text = model.Group(uint64(t.Len())) + " of " + blocks(uint64(t.BlockList.Len()))
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

// BlockSite returns the name of the stack that allocated a block.
func (l *SiteLabels) BlockSite(s *model.Stacks, id model.StackID, full bool) string {
	leaf, ok := s.Node(id)
	if !ok || leaf == 0 {
		return model.UnknownStack(id)
	}
	n := l.siteNode(s, leaf)
	site := analysis.Site{Name: calltree.FunctionName(s, n), Stack: id, Node: leaf}
	return l.Label(s, analysis.ByStack, &site, full).Name
}
