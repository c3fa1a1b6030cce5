package export

import (
	"bufio"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// HeapTables returns the names of the tables of a heap snapshot, the default first.
func HeapTables() []string { return []string{"types", "frames", "dominators"} }

// WriteHeapCSV writes one table of a snapshot: its types of objects, its frames, or its dominator tree. The tree has
// every row before those that it dominates, with its dominator and its depth below the root. Types and frames are in
// the order of bytes, rows with the same dominator in that of retained bytes. g may be nil except for dominators.
func WriteHeapCSV(ctx context.Context, w io.Writer, h *model.Heap, g *heapgraph.Graph, table string) ([]Loss, error) {
	out := csv.NewWriter(w)
	columns, err := heapColumns(h.Schema, table)
	if err != nil {
		return nil, err
	}
	var cells []string
	for _, c := range columns {
		cells = append(cells, c.name)
	}
	if err := out.Write(cells); err != nil {
		return nil, err
	}
	err = heapRows(ctx, h, g, table, func(row []heapCell) error {
		for i := range row {
			switch {
			case row[i].unknown:
				cells[i] = ""
			case columns[i].text:
				cells[i] = model.Clean(row[i].text)
			default:
				cells[i] = strconv.FormatUint(row[i].number, 10)
			}
		}
		return out.Write(cells)
	})
	if err != nil {
		return nil, err
	}
	out.Flush()
	return nil, out.Error()
}

// WriteHeapNDJSON writes the rows of [WriteHeapCSV] as JSON objects, a line each. What is unknown is absent.
func WriteHeapNDJSON(ctx context.Context, w io.Writer, h *model.Heap, g *heapgraph.Graph,
	table string) ([]Loss, error) {
	columns, err := heapColumns(h.Schema, table)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	var buf []byte
	err = heapRows(ctx, h, g, table, func(row []heapCell) error {
		buf = append(buf[:0], '{')
		for i := range row {
			switch {
			case row[i].unknown:
			case columns[i].text:
				buf = model.AppendJSONString(appendMember(buf, columns[i].name), row[i].text)
			default:
				buf = strconv.AppendUint(appendMember(buf, columns[i].name), row[i].number, 10)
			}
		}
		buf = append(buf, "}\n"...)
		_, err := out.Write(buf)
		return err
	})
	if err != nil {
		return nil, err
	}
	return nil, out.Flush()
}

type heapColumn struct {
	name string
	text bool
}

type heapCell struct {
	text    string
	number  uint64
	unknown bool
}

// heapColumns are named as in the report's JSON.
func heapColumns(s *model.HeapSchema, table string) ([]heapColumn, error) {
	var parts []heapColumn
	if s.Split {
		parts = []heapColumn{{"managed_bytes", false}, {"unmanaged_bytes", false}}
	}
	switch table {
	case "types":
		columns := []heapColumn{{"id", false}, {"type", true}}
		for _, axis := range typeAxes(s) {
			columns = append(columns, heapColumn{s.Axes[axis].Key, true})
		}
		return append(append(columns, heapColumn{"count", false}, heapColumn{"bytes", false}), parts...), nil
	case "frames":
		return []heapColumn{{"id", false}, {"frame", true}, {"file", true}, {"line", false}, {"count", false}, {"bytes", false}}, nil
	case "dominators":
		columns := []heapColumn{{"row", false}, {"dominator", false}, {"depth", false}, {"kind", true}, {"label", true}, {"bytes", false}}
		return append(append(columns, parts...), heapColumn{"retained_bytes", false}, heapColumn{"retained_count", false}), nil
	}
	return nil, fmt.Errorf("heap snapshots have no table %q; available: %s", table, strings.Join(HeapTables(), ", "))
}

// typeAxes returns the axes on which types have a value, except for the first, their name.
func typeAxes(s *model.HeapSchema) (axes []int) {
	for i := 1; i < len(s.Axes); i++ {
		if !s.Axes[i].ByRow {
			axes = append(axes, i)
		}
	}
	return axes
}

func number(n uint64) heapCell { return heapCell{number: n} }
func text(s string) heapCell   { return heapCell{text: s} }

// heapRows calls yield with the rows of a table; the slice is reused.
func heapRows(ctx context.Context, h *model.Heap, g *heapgraph.Graph, table string,
	yield func([]heapCell) error) error {
	switch table {
	case "types":
		for _, t := range heapgraph.Types(h) {
			row := []heapCell{number(uint64(t.ID)), text(t.Name)}
			for _, axis := range typeAxes(h.Schema) {
				row = append(row, text(h.Tables.OnAxis(axis, t.ID)))
			}
			row = append(row, number(t.Count), number(t.Bytes()))
			if h.Schema.Split {
				row = append(row, number(t.ManagedBytes), number(t.UnmanagedBytes))
			}
			if err := firstOf(ctx.Err(), yield(row)); err != nil {
				return err
			}
		}
		return nil
	case "frames":
		for _, f := range heapgraph.Frames(h) {
			line := heapCell{number: uint64(max(f.Line, 0)), unknown: f.Line < 0}
			row := []heapCell{number(uint64(f.ID)), text(f.Name), text(f.File), line, number(f.Count), number(f.Bytes())}
			if err := firstOf(ctx.Err(), yield(row)); err != nil {
				return err
			}
		}
		return nil
	}
	return dominatorRows(ctx, h, g, yield)
}

// dominatorRows walks the dominator tree from the root, parents first.
func dominatorRows(ctx context.Context, h *model.Heap, g *heapgraph.Graph, yield func([]heapCell) error) error {
	type place struct {
		row   model.Row
		depth uint64
	}
	if h.Len() == 0 {
		return nil
	}
	todo := []place{{model.RootRow, 0}}
	row := make([]heapCell, 0, 10)
	for n := 0; len(todo) > 0; n++ {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		r := at.row
		row = append(row[:0], number(uint64(r)), heapCell{number: uint64(g.Idom(r)), unknown: r == model.RootRow}, number(at.depth),
			text(h.Kind(r).Name), text(heapgraph.Label(h, r)), number(h.Bytes(r)))
		if h.Schema.Split {
			row = append(row, number(h.Managed(r)), number(h.Unmanaged(r)))
		}
		row = append(row, number(g.Retained[r]), number(g.RetainedCount(r)))
		if err := yield(row); err != nil {
			return err
		}
		if n%model.AskEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		children := g.Children(r)
		for i := children.Len() - 1; i >= 0; i-- {
			todo = append(todo, place{children.At(i), at.depth + 1})
		}
	}
	return nil
}
