package v8heap

import (
	"slices"

	"github.com/memtui/memtui/loaders/internal/json"
)

// head describes the columns of a file.
type head struct {
	nodeFields, edgeFields, functionFields, treeFields, sampleFields []string
	nodeTypes, edgeTypes                                             []string
	nodes, edges, functions, native                                  int64 // as stated by the head; -1 if absent
	root                                                             int64
}

// maxNames bounds lists of columns and types: real ones have a dozen.
const maxNames = 1 << 10

// readHead reads the description of a file.
func readHead(c *json.Cursor) (h head) {
	h.nodes, h.edges, h.functions, h.native = -1, -1, -1, -1
	members(c, func(name string) {
		switch name {
		case "meta":
			members(c, func(name string) { h.meta(c, name) })
		case "node_count":
			h.nodes = integer(c)
		case "edge_count":
			h.edges = integer(c)
		case "trace_function_count":
			h.functions = integer(c)
		case "extra_native_bytes":
			h.native = integer(c)
		case "root_index":
			h.root = integer(c)
		default:
			c.Value()
		}
	})
	return h
}

func (h *head) meta(c *json.Cursor, name string) {
	switch name {
	case "node_fields":
		h.nodeFields = names(c)
	case "edge_fields":
		h.edgeFields = names(c)
	case "node_types":
		h.nodeTypes = firstNames(c)
	case "edge_types":
		h.edgeTypes = firstNames(c)
	case "trace_function_info_fields":
		h.functionFields = names(c)
	case "trace_node_fields":
		h.treeFields = names(c)
	case "sample_fields":
		h.sampleFields = names(c)
	default:
		c.Value()
	}
}

// members calls f for each member of the next object; f reads its value. Anything else is skipped.
func members(c *json.Cursor, f func(name string)) {
	if c.Peek() != '{' {
		c.Value()
		return
	}
	c.Next()
	for first := true; ; {
		name, ok := c.Member(&first)
		if !ok {
			return
		}
		f(string(name[:min(len(name), 64)]))
	}
}

// integer reads a number, -1 for anything else.
func integer(c *json.Cursor) int64 {
	if c.Value() == json.Number {
		if n, ok := json.Int(c.Text()); ok {
			return n
		}
	}
	return -1
}

// names reads a list of names.
func names(c *json.Cursor) (list []string) {
	if c.Peek() != '[' {
		c.Value()
		return nil
	}
	c.Next()
	for first := true; c.Element(&first); {
		text := ""
		if c.Value() == json.String {
			text = string(c.Text()[:min(len(c.Text()), 64)])
		}
		if len(list) < maxNames {
			list = append(list, text)
		}
	}
	return list
}

// firstNames reads a list whose first element is a list of names.
func firstNames(c *json.Cursor) (list []string) {
	if c.Peek() != '[' {
		c.Value()
		return nil
	}
	c.Next()
	for first, n := true, 0; c.Element(&first); n++ {
		if n == 0 {
			list = names(c)
		} else {
			c.Value()
		}
	}
	return list
}

// field returns the index of a column, -1 for none.
func field(fields []string, name string) int { return slices.Index(fields, name) }
