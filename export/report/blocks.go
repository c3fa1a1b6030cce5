package report

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/export/report/orders"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// grid lists the cells of sizes and lifetimes that have blocks.
func (b *builder) grid() error {
	g, err := b.trace.Grid(b.ctx, analysis.GridQuery{Range: b.opt.Range, All: true})
	if err != nil {
		return err
	}
	for s := range g {
		for l, c := range g[s] {
			if c.Count == 0 || !b.opt.Cell.Has(s, l) {
				continue
			}
			row := GridCell{Count: c.Count, Bytes: c.Bytes}
			row.MinSize, row.MaxSize = analysis.ClassBounds(s)
			if l != analysis.NeverFreed {
				lo, hi := analysis.ClassBounds(l)
				row.MinLife, row.MaxLife = &lo, &hi
			}
			b.out.Grid = append(b.out.Grid, row)
		}
	}
	return nil
}

// blocks lists single blocks if they are requested, by default largest first.
func (b *builder) blocks() error {
	if b.opt.Blocks == "" {
		return nil
	}
	q := analysis.BlockQuery{At: b.opt.At, Range: b.opt.Range, Born: b.opt.Blocks == "born_blocks", All: true,
		Cell: b.opt.Cell, Sort: orders.Block(b.opt.BlockOrder)}
	list, err := b.trace.Blocks(b.ctx, q)
	if err != nil {
		return err
	}
	n := list.Len()
	if b.opt.Limit > 0 {
		n = min(n, b.opt.Limit)
	}
	rows, until := make([]Block, n), b.opt.AtTime
	if q.Born {
		until = b.trace.Status().Duration
	}
	verdicts, err := verdictsByStack(b.ctx, b.trace)
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i] = b.block(list.Row(i), until)
		rows[i].Verdict, rows[i].Sure = wordOf(verdicts[model.StackID(rows[i].Stack)])
	}
	if q.Born {
		b.out.Born, b.out.Rows.Born = rows, list.Len()
	} else {
		b.out.Blocks, b.out.Rows.Blocks = rows, list.Len()
	}
	return nil
}

// verdictsByStack returns the verdicts about all sites that have one.
func verdictsByStack(ctx context.Context, trace analysis.Trace) (map[model.StackID]verdict.Verdict, error) {
	list, err := trace.Verdicts(ctx, analysis.ByStack, "")
	if err != nil || len(list) == 0 {
		return nil, err
	}
	ids := trace.StackIDs() // by key
	out := make(map[model.StackID]verdict.Verdict, len(list))
	for _, v := range list {
		out[ids[v.Key]] = v
	}
	return out, nil
}

// block returns the row of a block, with its age at an instant.
func (b *builder) block(x analysis.Block, until model.Time) Block {
	row := Block{Bytes: x.Size, Born: x.Born, Age: x.Age(until), Stack: uint64(x.Stack),
		frames: places.NewFrames(b.stacks, x.Stack), Owner: b.owner(x.Stack)}
	row.Place, row.Site = row.frames.Place(x.Stack), places.SiteOf(row.frames)
	if !b.profile.Meta.NoThreads {
		row.Thread = &x.Thread
	}
	row.Address = addressText(x.Addr)
	if x.Died != model.NoTime {
		row.Died = &x.Died
	}
	return row
}

// addressText returns an address in hexadecimal, nil for none.
func addressText(addr uint64) *string {
	if addr == 0 {
		return nil
	}
	text := fmt.Sprintf("0x%x", addr)
	return &text
}

// asked returns the tables that reports leave out: those with a row for each block, cell and column of the curve.
func (w tableWriter) asked() []table {
	live := w.blocks("blocks", "live "+w.style.Text(w.at), w.t.Blocks, w.t.Rows.Blocks)
	born := w.blocks("born_blocks", "allocated in the range", w.t.Born, w.t.Rows.Born)
	live.drop(titles.Died)
	return []table{live, born, w.grid(), w.curve()}
}

// size returns the title of a column of sizes. What samples represent are no sizes.
func (w tableWriter) size() string {
	if w.style.Estimated {
		return titles.Weight
	}
	return titles.Size
}

func (w tableWriter) blocks(name, which string, list []Block, all int) table {
	out := table{
		name: name, title: model.Capital(strings.ReplaceAll(name, "_", " ")), answer: model.Counted(all, "block") + " " + which,
		more: all - len(list), cols: slices.Concat([]col{{w.size(), number}, {titles.Age, number}, {titles.Born, number},
			{titles.Died, number}, {titles.Thread, number}, {titles.Address, word}}, w.verdictCols(), placeCols()),
		spare: []string{titles.Sure, titles.Thread, titles.Address},
	}
	for i := range list {
		b := &list[i]
		out.rows = append(out.rows, append([]string{w.style.Bytes(b.Bytes), w.style.Time(b.Age), w.style.Time(b.Born),
			orNothing(b.Died, w.style.Time), orNothing(b.Thread, func(t uint16) string { return fmt.Sprint(t) }),
			orZero(b.Address), b.Verdict, b.Sure.String()}, w.place(b.Place, b.frames, b.Owner)...))
	}
	return out
}

func (w tableWriter) grid() table {
	out := table{
		name: "grid", title: "Grid", answer: "blocks by size and lifetime" + w.unless("grid"),
		cols: []col{{w.size(), number}, {titles.To, number}, {titles.Lived, number}, {titles.To, number}, {titles.Blocks, number},
			{titles.Bytes, number}},
	}
	if w.style.Estimated {
		out.answer = "blocks by weight and lifetime; sizes of allocations are not known"
	}
	exact := w.style.Stated()
	for _, c := range w.t.Grid {
		life := []string{"not freed", ""}
		if c.MinLife != nil {
			life = []string{w.style.Time(saturate(*c.MinLife)), w.style.Time(saturate(*c.MaxLife))}
		}
		out.rows = append(out.rows, []string{exact.Bytes(c.MinSize), exact.Bytes(c.MaxSize), life[0], life[1],
			w.style.Count(c.Count), w.style.Bytes(c.Bytes)})
	}
	return out
}
