package v8heap

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// made is a snapshot that a test makes up.
type made struct {
	fields  []string // of nodes
	types   []string
	nodes   []madeNode
	strings []string
	byText  map[string]int
	more    string // members before the strings
	lines   bool   // a record a line, as old writers do
	between string // around every number
}

type madeNode struct {
	kind, name      string
	id, size        int
	detached, trace int
	edges           []madeEdge
}

type madeEdge struct {
	kind, name string
	index, to  int
}

var madeTypes = []string{"hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",
	"concatenated string", "sliced string", "symbol", "bigint", "object shape"}

var madeEdges = []string{"context", "element", "property", "internal", "hidden", "shortcut", "weak"}

func (m *made) text(s string) int {
	if m.byText == nil {
		m.byText = map[string]int{}
	}
	i, ok := m.byText[s]
	if !ok {
		i = len(m.strings)
		m.strings, m.byText[s] = append(m.strings, s), i
	}
	return i
}

// bytes writes the file.
func (m *made) bytes() []byte {
	fields := m.fields
	if fields == nil {
		fields = []string{"type", "name", "id", "self_size", "edge_count", "trace_node_id", "detachedness"}
	}
	types := m.types
	if types == nil {
		types = madeTypes
	}
	index := func(list []string, s string) int {
		for i, x := range list {
			if x == s {
				return i
			}
		}
		return len(list) + 3
	}
	var nodes, edges []string
	for i, n := range m.nodes {
		if n.id == 0 {
			n.id = 2*i + 1
		}
		for _, f := range fields {
			nodes = append(nodes, fmt.Sprint(map[string]int{"type": index(types, n.kind), "name": m.text(n.name), "id": n.id, "self_size": n.size,
				"edge_count": len(n.edges), "trace_node_id": n.trace, "detachedness": n.detached}[f]))
		}
		for _, e := range n.edges {
			name := e.index
			if e.kind != "element" && e.kind != "hidden" {
				name = m.text(e.name)
			}
			edges = append(edges, fmt.Sprint(index(madeEdges, e.kind)), fmt.Sprint(name), fmt.Sprint(e.to*len(fields)))
		}
	}
	array := func(list []string, columns int) string {
		if !m.lines {
			return strings.Join(list, m.between+","+m.between)
		}
		var b strings.Builder
		for i, s := range list {
			if i > 0 && i%columns == 0 {
				b.WriteString("\n")
			}
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(s)
		}
		return b.String() + "\n"
	}
	quoted := func(v any) string { b, _ := json.Marshal(v); return string(b) }
	return []byte(fmt.Sprintf(`{"snapshot":{"meta":{"node_fields":%s,"node_types":[%s,"string","number"],"edge_fields":["type","name_or_index","to_node"],`+
		`"edge_types":[%s,"string_or_number","node"],"trace_function_info_fields":["function_id","name","script_name","script_id","line","column"],`+
		`"trace_node_fields":["id","function_info_index","count","size","children"],"sample_fields":["timestamp_us","last_assigned_id"]},`+
		`"node_count":%d,"edge_count":%d},`+"\n"+`"nodes":[%s],`+"\n"+`"edges":[%s],%s`+"\n"+`"strings":%s}`,
		quoted(fields), quoted(types), quoted(madeEdges), len(m.nodes), len(edges)/3, array(nodes, len(fields)), array(edges, 3), m.more, quoted(m.strings)))
}

// shop is a small program: globals hold a Map of sessions, an Array, a function with a captured variable, a string of
// two parts; a WeakMap holds a value by its key; the runtime refers to all that, and to an orphan only weakly.
func shop() *made {
	long := strings.Repeat("x", 1024)
	return &made{nodes: []madeNode{
		0: {kind: "synthetic", edges: []madeEdge{{"element", "", 1, 1}, {"shortcut", "", 2, 2}}},
		1: {kind: "synthetic", name: "(GC roots)", edges: []madeEdge{{"internal", "list", 0, 3}, {"internal", "a", 0, 9}, {"weak", "w", 0, 15}, {"shortcut", "inner", 0, 15}}},
		2: {kind: "object", name: "global", size: 16, edges: []madeEdge{{"property", "cache", 0, 3}, {"property", "handler", 0, 6}, {"property", "text", 0, 9},
			{"property", "weak", 0, 12}, {"property", "key", 0, 14}, {"property", "self", 0, 2}, {"property", "same", 0, 16}, {"property", "same2", 0, 17}}},
		3:  {kind: "object", name: "Map", size: 32, edges: []madeEdge{{"internal", "table", 0, 4}}},
		4:  {kind: "array", size: 152, edges: []madeEdge{{"internal", "map", 0, 18}, {"internal", "5", 0, 5}, {"internal", "6", 0, 5}}},
		5:  {kind: "object", name: "Session", size: 24},
		6:  {kind: "closure", name: "handler", size: 64, edges: []madeEdge{{"internal", "context", 0, 7}}},
		7:  {kind: "object", name: "system / Context", size: 40, edges: []madeEdge{{"context", "captured", 0, 8}}},
		8:  {kind: "object", name: "Array", size: 32, edges: []madeEdge{{"element", "", 3, 5}, {"internal", "elements", 0, 19}}},
		9:  {kind: "concatenated string", name: "(concatenated string)", size: 32, edges: []madeEdge{{"internal", "first", 0, 10}, {"internal", "second", 0, 11}}},
		10: {kind: "string", name: "Größe ", size: 24},
		11: {kind: "string", name: "日本", size: 24},
		12: {kind: "object", name: "WeakMap", size: 24, edges: []madeEdge{{"internal", "table", 0, 20}}},
		13: {kind: "object", name: "Value", size: 70_000},
		14: {kind: "object", name: "Key", size: 24, edges: []madeEdge{{"internal", pair, 0, 13}}},
		15: {kind: "object", name: "Orphan", size: 48, edges: []madeEdge{{"property", "child", 0, 21}}},
		16: {kind: "string", name: long, size: 2000},
		17: {kind: "string", name: long, size: 3000},
		18: {kind: "hidden", name: "system / Map", size: 40},
		19: {kind: "array", name: "(object elements)", size: 96, edges: []madeEdge{{"internal", "3", 0, 5}}},
		20: {kind: "array", size: 88, edges: []madeEdge{{"internal", pair, 0, 13}}},
		21: {kind: "object", name: "Child", size: 8},
	}}
}

const pair = "7 / part of key (Key @29) -> value (Value @27) pair in WeakMap (table @41)"

// random makes a snapshot of any shape.
func random(rng *rand.Rand, rows int) *made {
	m := &made{nodes: make([]madeNode, rows)}
	for i := range m.nodes {
		n := &m.nodes[i]
		n.kind, n.name, n.size = madeTypes[rng.IntN(len(madeTypes))], fmt.Sprint("n", rng.IntN(9)), rng.IntN(100)
		if rng.IntN(50) == 0 {
			n.size *= 5000
		}
		for range rng.IntN(4) {
			n.edges = append(n.edges, madeEdge{madeEdges[rng.IntN(len(madeEdges))], fmt.Sprint("e", rng.IntN(9)), rng.IntN(9), rng.IntN(rows)})
		}
	}
	m.nodes[0].kind = "synthetic"
	return m
}
