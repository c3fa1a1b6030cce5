package treemap

import "strings"

// Box is the rectangle of a part in a drawing. Boxes are within that of the part that they belong to, which has a head
// above them for its name.
type Box struct {
	Rect
	Node   int32 // of the tree
	Outer  bool  // boxes are within it
	level  int   // number of boxes around it
	Weight uint64
	Sides  [2]uint64
	Merged int // number of small parts together; Node is then the part that they belong to
}

// Shape is the area of a drawing and the sizes of what is legible in it.
type Shape struct {
	W, H int // in units
	Tall int // height of a unit in widths, to make squares: 1 or more
	Row  int // height of a line of text: heads begin and end between lines
	MinW int // the smallest box with a head and boxes within
	MinH int
	Min  int // area of the smallest box: smaller ones become one
}

// Layouts are how the parts of a drawing were arranged, so that the next one moves as little as possible.
type Layouts struct{ plans map[string]*plan }

// Layout arranges what is within a node of a tree, outer boxes before inner ones. last may be nil. It is pure: the same
// tree and the same last layouts have the same boxes.
func Layout(t *Tree, top int32, s Shape, last *Layouts) ([]Box, *Layouts) {
	d := &drawing{tree: t, shape: s, last: last, now: &Layouts{map[string]*plan{}}}
	if s.W > 0 && s.H > 0 && int(top) < len(t.Nodes) {
		d.divide(t.Chain(top), Rect{0, 0, s.W, s.H}, 0)
	}
	return d.boxes, d.now
}

// drawing is a layout in progress.
type drawing struct {
	tree  *Tree
	shape Shape
	last  *Layouts
	now   *Layouts
	boxes []Box
}

// Chain returns the node from which a part divides: itself, or as long as there is a single part, that.
func (t *Tree) Chain(n int32) int32 {
	for t.Nodes[n].Len == 1 {
		only := t.Nodes[n].First
		if t.Nodes[only].Weight != t.Nodes[n].Weight || t.Nodes[only].Len == 0 {
			break
		}
		n = only
	}
	return n
}

// maxParts bounds the parts of a part that are looked at: an area has room for fewer.
const maxParts = 4096

// divide adds the boxes of the children of a node.
func (d *drawing) divide(n int32, r Rect, level int) {
	first, end := d.tree.Children(n)
	kept, whole := first, max(d.tree.Nodes[n].Weight, 1)
	for ; kept < end && int(kept-first) < maxParts && d.tree.Nodes[kept].Kind != Rest; kept++ {
		if scale(int64(r.W)*int64(r.H), d.tree.Nodes[kept].Weight, whole) < int64(d.shape.Min) && kept > first {
			break
		}
	}
	if kept == end-1 && d.tree.Nodes[kept].Kind != Rest { // one part alone stays what it is
		kept = end
	}
	boxes := make([]Box, 0, kept-first+1)
	items := make([]item, 0, kept-first+1)
	for c := first; c < kept; c++ {
		at := &d.tree.Nodes[c]
		boxes = append(boxes, Box{Node: c, Weight: at.Weight, Sides: at.Sides, level: level})
		items = append(items, item{Step{at.Kind, at.Name}, at.Weight})
	}
	if kept < end {
		rest := d.tree.merge(kept, end)
		boxes = append(boxes, Box{Node: n, Weight: rest.Weight, Sides: rest.Sides, Merged: rest.Merged, level: level})
		items = append(items, item{Step{Kind: Rest}, rest.Weight})
	}
	key := d.key(n)
	p := arrange(items, r.W, r.H, d.shape.Tall, d.last.of(key))
	d.now.plans[key] = p
	for i, at := range p.place(items) {
		if boxes[i].Rect = at; at.empty() {
			continue
		}
		boxes[i].X, boxes[i].Y = r.X+at.X, r.Y+at.Y
		d.add(boxes[i])
	}
}

// add adds a box, and those within it where they are legible.
func (d *drawing) add(b Box) {
	at := len(d.boxes)
	d.boxes = append(d.boxes, b)
	if b.Merged > 0 || b.W < d.shape.MinW || b.H < d.shape.MinH {
		return
	}
	within := d.tree.Chain(b.Node)
	if d.tree.Nodes[within].Len < 2 {
		return
	}
	head := (b.Y+d.shape.Row-1)/d.shape.Row*d.shape.Row + d.shape.Row - b.Y // to the end of the first complete line
	d.boxes[at].Outer = true
	d.divide(within, Rect{b.X, b.Y + head, b.W, b.H - head}, b.level+1)
}

// key returns the way to a node as text.
func (d *drawing) key(n int32) string {
	var b strings.Builder
	for _, s := range d.tree.Steps(n) {
		b.WriteByte(byte(s.Kind))
		b.WriteString(s.Name)
		b.WriteByte(0)
	}
	return b.String()
}

// of returns the plan of a part, nil for none.
func (l *Layouts) of(key string) *plan {
	if l == nil {
		return nil
	}
	return l.plans[key]
}
