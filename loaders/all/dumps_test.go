package all

import (
	"fmt"
	"strings"
)

// v8Dump returns a snapshot of a made-up program: an array of so many sessions, each with a text.
func v8Dump(sessions int) []byte {
	nodes, edges, strs := &strings.Builder{}, &strings.Builder{}, &strings.Builder{}
	strs.WriteString(`"","Array","Session","token"`)
	fmt.Fprintf(nodes, "9,0,1,0,1,0\n,3,1,3,16,%d,0\n", sessions) // a synthetic root, and an array
	edges.WriteString("3,1,6\n")
	for i := range sessions {
		session := 6 * (2 + 2*i)
		fmt.Fprintf(nodes, ",3,2,%d,40,1,0\n,2,%d,%d,24,0,0\n", 5+4*i, 4+i, 7+4*i)
		fmt.Fprintf(edges, ",1,%d,%d\n", i, session)
		fmt.Fprintf(strs, ",\n\"session-%d\"", i)
	}
	for i := range sessions {
		fmt.Fprintf(edges, ",2,3,%d\n", 6*(3+2*i))
	}
	return fmt.Appendf(nil, `{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count","detachedness"],`+
		`"node_types":[["hidden","array","string","object","code","closure","regexp","number","native","synthetic"],"string","number","number","number"],`+
		`"edge_fields":["type","name_or_index","to_node"],"edge_types":[["context","element","property","internal","hidden","shortcut","weak"],"string_or_number","node"]},`+
		`"node_count":%d,"edge_count":%d},"nodes":[%s],"edges":[%s],"strings":[%s]}`, 2+2*sessions, 1+2*sessions, nodes, edges, strs)
}

// rubyDump is the like of it in Ruby.
func rubyDump(sessions int) []byte {
	b := &strings.Builder{}
	b.WriteString(`{"type":"ROOT", "root":"vm", "references":["0x1000", "0x1028", "0x1050"]}` + "\n")
	b.WriteString(`{"address":"0x1000", "type":"CLASS", "class":"0x1000", "name":"Session", "memsize":600}` + "\n")
	b.WriteString(`{"address":"0x1028", "type":"CLASS", "class":"0x1000", "name":"String", "memsize":600}` + "\n")
	b.WriteString(`{"address":"0x1050", "type":"ARRAY", "class":"0x1000", "length":1, "references":["0x2000"`)
	for i := range sessions {
		fmt.Fprintf(b, `, "0x%x"`, 0x2000+80*i)
	}
	b.WriteString(`], "memsize":40}` + "\n")
	for i := range sessions {
		at := 0x2000 + 80*i
		fmt.Fprintf(b, `{"address":"0x%x", "type":"OBJECT", "class":"0x1000", "ivars":1, "references":["0x%x"], "file":"shop.rb", "line":%d, "method":"add", "generation":%d, "memsize":40, "flags":{"wb_protected":true}}`+"\n",
			at, at+40, i%50, i%9)
		fmt.Fprintf(b, `{"address":"0x%x", "type":"STRING", "class":"0x1028", "embedded":true, "bytesize":9, "value":"session %d", "memsize":40, "flags":{"wb_protected":true}}`+"\n", at+40, i)
	}
	return []byte(b.String())
}

// pythonDump is the like of it in Python.
func pythonDump(sessions int) []byte {
	b := &strings.Builder{}
	b.WriteString(`{"format":"memtui-pydump","version":1,"python":"3.11.7","implementation":"cpython","pid":1,"time":1795319247.5,"pointer":8,"argv":["shop"]}` + "\n")
	b.WriteString(`{"root":"module","name":"shop","refs":[4096]}` + "\n")
	b.WriteString(`{"address":4096,"type":"list","class":64,"size":56,"len":1,"gc":1,"refs":[8192`)
	for i := range sessions {
		fmt.Fprintf(b, ",%d", 8192+128*i)
	}
	b.WriteString("]}\n")
	for i := range sessions {
		at := 8192 + 128*i
		fmt.Fprintf(b, `{"address":%d,"type":"shop.Session","class":80,"size":56,"gc":1,"refs":[%d],"keys":["token"]}`+"\n", at, at+64)
		fmt.Fprintf(b, `{"address":%d,"type":"str","class":96,"size":58,"len":9,"value":"session %d","refs":[]}`+"\n", at+64, i)
	}
	return []byte(b.String())
}
