package rubyheap

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest/graphs"
	"github.com/memtui/memtui/model"
)

// madeDump is a dump of some megabytes, whose classes come last.
func madeDump(objects, classes int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"type":"ROOT", "root":"vm", "references":["0x1"]}` + "\n")
	for i := range objects {
		fmt.Fprintf(&b, `{"address":"0x%x", "type":"OBJECT", "class":"0x%x", "references":["0x%x"], "memsize":40, "flags":{"wb_protected":true}}`+"\n",
			1+i, 1<<32+i%classes, 1+(i+1)%objects)
	}
	for i := range classes {
		fmt.Fprintf(&b, `{"address":"0x%x", "type":"CLASS", "name":"C%d", "memsize":500, "flags":{"wb_protected":true}}`+"\n", 1<<32+i, i)
	}
	return b.Bytes()
}

// A part of the objects is reported long before the end of the file, first without their classes, and never more than
// there are.
func TestObjectsAreCountedWhileTheyAreRead(t *testing.T) {
	const all = 200_000
	reports, h := graphs.Reports(t, madeDump(all, 3), open)
	first, last := graphs.Types(reports[0]), graphs.Types(reports[len(reports)-1])
	if n := first["(class not read yet)"][0]; n == 0 || n >= all || len(first) != 1 {
		t.Errorf("first %v", first)
	}
	if last["C1"] != [2]uint64{66_667, 66_667 * 40} || last["C1"] != graphs.Types(h)["C1"] {
		t.Errorf("last %v, %v when it is decoded", last, graphs.Types(h))
	}
	before := uint64(0)
	for _, x := range reports {
		if n := uint64(heapgraph.Sum(x).Counts[0]); n < before {
			t.Errorf("%d objects, and %d before", n, before)
		} else {
			before = n
		}
	}
}

// A damaged file whose every object has a class of its own is read, but not counted beforehand.
func TestNoEndOfClassesIsCounted(t *testing.T) {
	reports, h := graphs.Reports(t, madeDump(200_000, 200_000), open)
	for _, x := range reports {
		if len(x.Tally) > model.MaxCounted {
			t.Errorf("%d types are reported", len(x.Tally))
		}
	}
	if n := len(reports); n > 0 && heapgraph.Sum(reports[n-1]).Counts[0] == 400_000 {
		t.Error("all were counted")
	}
	if n := len(graphs.Types(h)); n != 200_001 {
		t.Errorf("%d types", n)
	}
}
