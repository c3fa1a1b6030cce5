package html

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis/treemap"
)

// layoutCase is a step of a treemap that changes: rectangles of what it divides into.
type layoutCase struct {
	W     int      `json:"w"`
	H     int      `json:"h"`
	Names []string `json:"names"`
	Value []uint64 `json:"values"`
}

// The page lays areas out as analysis/treemap does, also when weights change: edges differ by rounding at most.
func TestAreasAreLaidOutAsOnScreens(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var cases []layoutCase
	for range 40 {
		c := layoutCase{W: 100 + r.IntN(1200), H: 60 + r.IntN(700)}
		for i := range 1 + r.IntN(30) {
			c.Names, c.Value = append(c.Names, fmt.Sprintf("f%02d", i)), append(c.Value, 1+r.Uint64()>>(34+r.UintN(12)))
		}
		cases = append(cases, c)
		for range 3 { // the same area with other weights
			c.Value = slices.Clone(c.Value)
			for i := range c.Value {
				c.Value[i] += c.Value[i] * uint64(r.IntN(20)) / 100
			}
			cases = append(cases, c)
		}
	}
	input, _ := json.Marshal(cases)
	code, err := asset("areas.js")
	if err != nil {
		t.Fatal(err)
	}
	dom := browser(t, []byte(`<!DOCTYPE html><html><body><script>`+code+`
const out = [], plans = new Map();
let step = 0;
for (const c of `+string(input)+`) {
  const parts = c.names.map((name, i) => ({kind: "function", name, value: c.values[i]})), key = Math.floor(step++ / 4);
  const boxes = arranged(parts, 0, 0, c.w, c.h, plans, key), at = new Map(boxes.map((b) => [b.p.name, [b.x, b.y, b.w, b.h]]));
  out.push(c.names.map((n) => at.get(n)));
}
document.body.dataset.out = JSON.stringify(out);
</script></body></html>`), "")
	m := regexp.MustCompile(`data-out="([^"]*)"`).FindStringSubmatch(dom)
	if m == nil {
		t.Fatal("the script failed")
	}
	var got [][][4]float64
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &got); err != nil {
		t.Fatal(err)
	}
	var last *treemap.Layouts
	kept := 0
	for i, c := range cases {
		if i%4 == 0 {
			last = nil
		}
		tree := &treemap.Tree{Nodes: []treemap.Node{{First: 1, Len: int32(len(c.Names))}}}
		for k, name := range c.Names {
			tree.Nodes[0].Weight += c.Value[k]
			tree.Nodes = append(tree.Nodes, treemap.Node{Kind: treemap.Function, Name: name, Weight: c.Value[k]})
		}
		var boxes []treemap.Box
		boxes, last = treemap.Layout(tree, 0, treemap.Shape{W: c.W, H: c.H, Tall: 1, Row: 1, MinW: 1 << 20, MinH: 1 << 20}, last)
		for _, b := range boxes {
			at := got[i][b.Node-1]
			for k, edge := range []float64{at[0] - float64(b.X), at[1] - float64(b.Y), at[0] + at[2] - float64(b.X+b.W), at[1] + at[3] - float64(b.Y+b.H)} {
				if math.Abs(edge) > 1 {
					t.Fatalf("step %d, %d × %d: %s is at %v on the page, at %+v on screens (edge %d)", i, c.W, c.H, c.Names[b.Node-1], at, b.Rect, k)
				}
			}
			kept++
		}
	}
	if kept < 1000 {
		t.Errorf("%d rectangles", kept)
	}
}

// Names in areas fit them: first without arguments, then without the beginning of where they are, then cut.
func TestNamesFitAreas(t *testing.T) {
	code, err := asset("areas.js")
	if err != nil {
		t.Fatal(err)
	}
	dom := browser(t, []byte(`<!DOCTYPE html><html><body><script>`+code+`
const g = document.createElement("canvas").getContext("2d");
g.font = "12px monospace"; // letters 7.2 pixels wide
document.body.dataset.out = JSON.stringify([["a::b<…>::find(int, int)", 23], ["a::b<…>::find(int, int)", 17], ["a::b<…>::find(int, int)", 10], ["a::b<…>::find(int, int)", 6],
  ["/usr/lib/libc.so.6", 12], ["libc.so.6+0x758cb", 9], ["java.util.HashMap", 12], ["main", 99], ["main", 3], ["main", 2], ["", 9]].map(([name, letters]) => labelOf(g, name, letters * g.measureText("m").width + 1)));
</script></body></html>`), "")
	m := regexp.MustCompile(`data-out="([^"]*)"`).FindStringSubmatch(dom)
	if m == nil {
		t.Fatal("the script failed")
	}
	var got []string
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &got); err != nil {
		t.Fatal(err)
	}
	want := []string{"a::b<…>::find(int, int)", "a::b<…>::find(…)", "…find(…)", "…find…", "…libc.so.6", "libc.so.…", "…HashMap", "main", "", "", ""}
	if !slices.Equal(got, want) {
		t.Errorf("the names are %q, want %q", got, want)
	}
}
