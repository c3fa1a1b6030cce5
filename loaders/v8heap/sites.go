package v8heap

import (
	"strconv"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

// stackNode is a node of the tree of stacks.
type stackNode struct {
	parent   int32 // -1 for the root
	function uint32
	site     uint32 // strings, once they are created
	stack    uint32
}

// tracing reads the tree of stacks.
type tracing struct {
	*decoding
	c       *json.Cursor
	nodes   []stackNode
	byID    map[uint32]int32
	columns []string
	broken  int64
	at      int64 // of the first invalid value
}

// Bounds of stacks, far above real ones.
const (
	maxStackDepth = 1 << 12
	maxStackText  = 1 << 12
)

// sites makes the columns of where and when objects were allocated.
func (d *decoding) sites() error {
	if err := d.times(); err != nil || d.traces == nil {
		return err
	}
	t := &tracing{decoding: d, c: d.cursor(d.tree), byID: map[uint32]int32{}, columns: d.head.treeFields}
	t.c.OnFault = func(json.Fault) bool { return false } // it was reported when the tree was skipped
	t.children(-1, 0)
	if err := t.c.Err(); err != nil {
		return err
	}
	if t.broken > 0 {
		d.problem(model.Warning, "trace", t.at, t.broken, "nodes of the tree of stacks are broken: their stacks are left out")
	}
	if len(t.nodes) < 2 {
		return nil
	}
	functions, err := t.functions()
	if err != nil {
		return err
	}
	none := d.add("")
	for i := range t.nodes {
		t.name(&t.nodes[i], functions, none)
	}
	site, stack := d.numbers(d.h.Len()), d.numbers(d.h.Len())
	for r, id := range d.traces {
		site[r], stack[r] = none, none
		if i, ok := t.byID[id]; ok && id != 0 {
			site[r], stack[r] = t.nodes[i].site, t.nodes[i].stack
		}
	}
	d.h.Axes[axisSite], d.h.Axes[axisStack] = site, stack
	d.traces = nil
	return nil
}

// children reads a flat list of nodes, in which one column is again such a list.
func (t *tracing) children(parent int32, depth int) {
	if t.c.Peek() != '[' {
		t.c.Value()
		return
	}
	t.c.Next()
	var id, function uint32
	column, at := 0, int32(0)
	for first := true; t.c.Element(&first) && len(t.columns) > 0; {
		switch name := t.columns[column]; {
		case name == "children":
			at = int32(len(t.nodes))
			t.nodes = append(t.nodes, stackNode{parent: parent, function: function})
			if _, ok := t.byID[id]; !ok {
				t.byID[id] = at
			}
			if depth >= maxStackDepth {
				t.breaks()
				t.c.Value()
			} else {
				t.children(at, depth+1)
			}
		default:
			t.number(name, &id, &function)
		}
		column = (column + 1) % len(t.columns)
	}
}

func (t *tracing) breaks() {
	if t.broken++; t.broken == 1 {
		t.at, _ = t.c.At()
	}
}

// number reads a column that is a number.
func (t *tracing) number(name string, id, function *uint32) {
	k := t.c.Value()
	n, ok := json.Uint(t.c.Text())
	if k != json.Number || !ok || n > 1<<32-1 {
		t.breaks()
		n = 0
	}
	switch name {
	case "id":
		*id = uint32(n)
	case "function_info_index":
		*function = uint32(n)
	}
}

// functionInfo is a function of stacks.
type functionInfo struct {
	name, script uint32
	line, column uint64
}

// functions reads the functions of stacks.
func (t *tracing) functions() (list []functionInfo, err error) {
	s, fields := t.sections["trace_function_infos"], t.head.functionFields
	c := newNumbers(t.ctx, t.src)
	if s == nil || len(fields) == 0 {
		return nil, nil
	}
	c.span(s.from, s.end)
	name, script, line, column := field(fields, "name"), field(fields, "script_name"), field(fields, "line"), field(fields, "column")
	for i := range s.records(int64(len(fields))) {
		if i%model.AskEvery == 0 && t.src.Budget().Full(model.BudgetOfFile) {
			return nil, t.src.Budget().Error("the functions of stacks")
		}
		var f functionInfo
		for k := range fields {
			switch n := c.next(); k {
			case name:
				f.name = uint32(min(n, noRow))
			case script:
				f.script = uint32(min(n, noRow))
			case line:
				f.line = n
			case column:
				f.column = n
			}
		}
		list = append(list, f)
	}
	return list, c.err
}

// name creates the texts of a node of the tree: its function, and its stack.
func (t *tracing) name(n *stackNode, functions []functionInfo, none uint32) {
	n.site, n.stack = none, none
	if n.parent < 0 || int(n.function) >= len(functions) {
		return
	}
	f := &functions[n.function]
	text := t.text(f.name)
	if text == "" {
		text = "(anonymous)"
	}
	stack := text
	if script := t.text(f.script); script != "" {
		text += " (" + script
		if f.line > 0 {
			text += ":" + strconv.FormatUint(f.line, 10)
		}
		text += ")"
	}
	if up := t.nodes[n.parent].stack; up != none && len(stack)+len(t.text(up)) < maxStackText {
		stack += " < " + t.text(up)
	}
	n.site, n.stack = t.add(text), t.add(stack)
}

// times makes the column of when objects were allocated.
func (d *decoding) times() error {
	s, fields := d.sections["samples"], d.head.sampleFields
	at, last := field(fields, "timestamp_us"), field(fields, "last_assigned_id")
	n := s.records(int64(len(fields)))
	if n == 0 || at < 0 || last < 0 || d.h.Len() == 0 {
		return nil
	}
	c := newNumbers(d.ctx, d.src)
	c.span(s.from, s.end)
	var ids []uint64
	var words []uint32
	none := d.add("")
	for i := range n {
		var us, id uint64
		for k := range fields {
			switch x := c.next(); k {
			case at:
				us = x
			case last:
				id = x
			}
		}
		if len(ids) > 0 && id < ids[len(ids)-1] {
			id = ids[len(ids)-1]
		}
		word := "up to " + (model.Time(min(us, 1<<62))).String()
		if i == 0 {
			word = "before"
		}
		ids, words = append(ids, id), append(words, d.add(word))
	}
	if c.err != nil {
		return c.err
	}
	column := d.numbers(d.h.Len())
	for r, id := range d.h.IDs {
		column[r] = none
		if i := d.sampleOf(ids, id); i < len(words) && id%2 == 1 {
			column[r] = words[i]
		}
	}
	d.h.Axes[axisTime] = column
	return nil
}

// sampleOf returns the first sample by which an id was assigned.
func (d *decoding) sampleOf(ids []uint64, id uint64) int {
	lo, hi := 0, len(ids)
	for lo < hi {
		if mid := (lo + hi) / 2; ids[mid] < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
