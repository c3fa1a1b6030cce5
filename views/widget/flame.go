package widget

import "github.com/gdamore/tcell/v2"

// FlameSource is the tree that a [Flame] shows. All methods are called on the event loop, Children only for nodes that
// are at least one cell wide.
type FlameSource interface {
	Root() uint64
	Parent(id uint64) (parent uint64, ok bool) // ok is false for the root
	Children(id uint64) []uint64               // heaviest first; owned by the source
	Value(id uint64) uint64                    // at least the sum of the children's
	Label(id uint64) string                    // the frame's name, not cleaned; also chooses its style
	Note(id uint64) string                     // the value in words, shown after the name where it fits
}

// Flame is an icicle graph: the root on top, every frame as wide as its share of its parent. Frames narrower than a
// cell are merged into one "(n more)". Only visible frames are laid out. Call [Flame.Reset] before any other method.
type Flame struct {
	Focused bool
	Rising  bool                                      // the root is at the bottom, and everything else grows upwards
	Match   func(id uint64) bool                      // frames to highlight; nil: no search
	Style   func(id uint64) (st tcell.Style, ok bool) // of frames that do not have the color of their name; may be nil
	Fill    func(id uint64) string                    // one cell that fills what a frame's name leaves; nil: blanks
	Empty   []string                                  // shown when the root has no value: why, and what to do

	src       FlameSource
	sel, zoom uint64
	trail     []uint64 // where the selection came from on its way up
	zoomed    []uint64 // where zooming in began, for the way back
	reveal    bool     // bring the selection into view
	offset    int      // first visible level
	area      Rect     // of the last frame
	lay       flameLayout
}

// maxAncestors is the number of frames shown above the zoomed one.
const maxAncestors = 3

// maxDepth bounds walks towards the root, against sources with loops.
const maxDepth = 10_000_000

// Reset shows src from its root, which is selected.
func (f *Flame) Reset(src FlameSource) {
	f.src, f.offset, f.trail, f.lay = src, 0, nil, flameLayout{}
	f.zoom = src.Root()
	f.sel = f.zoom
}

// Reload replaces the source after its values have changed. Zoom and selection stay where exists says that their nodes
// are still there; otherwise they go back to the root.
func (f *Flame) Reload(src FlameSource, exists func(id uint64) bool) {
	f.src, f.lay = src, flameLayout{}
	if !exists(f.zoom) {
		f.zoom = src.Root()
	}
	if !exists(f.sel) {
		f.sel, f.trail = f.zoom, nil
	}
	f.reveal = true
}

// Selected returns the selected node; ok is false before Reset.
func (f *Flame) Selected() (id uint64, ok bool) { return f.sel, f.src != nil }

// Select chooses a node and brings it into view. Where it is outside of the zoomed subtree the zoom goes back to the
// root; where it is too narrow to see it is zoomed.
func (f *Flame) Select(id uint64) {
	f.sel, f.reveal, f.trail = id, true, nil
}

// Zoom returns the node that has the full width.
func (f *Flame) Zoom() uint64 { return f.zoom }

// ZoomIn gives the selected node the full width. ok is false if it has that already.
func (f *Flame) ZoomIn() (ok bool) {
	from := f.zoom
	if f.src == nil || !f.zoomTo(f.sel) {
		return false
	}
	f.zoomed = append(f.zoomed, from)
	return true
}

// ZoomBack undoes the last ZoomIn whose start is still an ancestor of the zoomed node; without one it zooms to the
// root. ok is false at the root.
func (f *Flame) ZoomBack() (ok bool) {
	if f.src == nil {
		return false
	}
	for n := len(f.zoomed); n > 0; n = len(f.zoomed) {
		to := f.zoomed[n-1]
		f.zoomed = f.zoomed[:n-1]
		if f.isAbove(to, f.zoom) {
			return f.zoomTo(to)
		}
	}
	return f.ZoomReset()
}

// isAbove reports whether a is a true ancestor of id.
func (f *Flame) isAbove(a, id uint64) bool {
	for {
		p, ok := f.src.Parent(id)
		if !ok {
			return false
		}
		if p == a {
			return true
		}
		id = p
	}
}

// ZoomOut goes back to the parent of the zoomed node. ok is false at the root.
func (f *Flame) ZoomOut() (ok bool) {
	if f.src == nil {
		return false
	}
	p, ok := f.src.Parent(f.zoom)
	return ok && f.zoomTo(p)
}

// ZoomReset goes back to the root. ok is false when it is zoomed already.
func (f *Flame) ZoomReset() (ok bool) {
	f.zoomed = f.zoomed[:0]
	return f.src != nil && f.zoomTo(f.src.Root())
}

func (f *Flame) zoomTo(id uint64) bool {
	if f.zoom == id {
		return false
	}
	f.zoom, f.offset, f.reveal, f.lay = id, 0, true, flameLayout{}
	return true
}

// Up selects the parent, zooming out where it is not shown.
func (f *Flame) Up() {
	if f.src == nil {
		return
	}
	p, ok := f.src.Parent(f.sel)
	if !ok {
		return
	}
	f.trail = append(f.trail, f.sel)
	f.sel, f.reveal = p, true
}

// Down selects the child that the selection came from, or the heaviest one.
func (f *Flame) Down() {
	level, i := f.locate(f.sel)
	if level < 0 {
		return
	}
	want, came := uint64(0), false
	if n := len(f.trail); n > 0 {
		want, came = f.trail[n-1], true
		f.trail = f.trail[:n-1]
	}
	f.lay.extend(f.src, level+1)
	best := -1
	cells := f.lay.level(level + 1)
	for j := range cells {
		if c := &cells[j]; c.parent == int32(i) && c.more == 0 && (best < 0 || came && c.id == want) {
			best = j
		}
	}
	if best >= 0 {
		f.sel, f.reveal = cells[best].id, true
	}
}

// Side selects the next frame to the right on the same level for n > 0, to the left for n < 0.
func (f *Flame) Side(n int) {
	level, i := f.locate(f.sel)
	if level < 0 || n == 0 {
		return
	}
	step := 1
	if n < 0 {
		step = -1
	}
	cells := f.lay.level(level)
	for i += step; i >= 0 && i < len(cells); i += step {
		if cells[i].more == 0 {
			f.sel, f.reveal, f.trail = cells[i].id, true, nil
			return
		}
	}
}

// Scroll moves the view by n levels and leaves the selection alone.
func (f *Flame) Scroll(n int) {
	f.offset, f.reveal = f.offset+n, false
}

// Page moves the selection by n screens of levels along the heaviest path, or up.
func (f *Flame) Page(n int) {
	for range max(1, f.area.H-1) * max(n, -n) {
		if n > 0 {
			f.Down()
		} else {
			f.Up()
		}
	}
}

// Hit returns the node drawn at (x, y) in the last frame; ok is false for merged frames and outside.
func (f *Flame) Hit(x, y int) (id uint64, ok bool) {
	if !f.area.Contains(x, y) {
		return 0, false
	}
	for _, c := range f.lay.level(f.offset + f.row(y-f.area.Y)) {
		if x := x - f.area.X; x >= int(c.x) && x < int(c.x+c.w) {
			return c.id, c.more == 0
		}
	}
	return 0, false
}

// row maps a row of the graph to the row of the area where it is drawn, and vice versa.
func (f *Flame) row(n int) int {
	if f.Rising {
		return f.area.H - 1 - n
	}
	return n
}

// locate finds a node in the layout of the last frame; level is -1 when it is not there.
func (f *Flame) locate(id uint64) (level, index int) {
	if f.src == nil || f.area.Empty() {
		return -1, 0
	}
	f.settle()
	if level = f.depth(id); level < 0 {
		return -1, 0
	}
	f.lay.extend(f.src, level)
	for i, c := range f.lay.level(level) {
		if c.id == id && c.more == 0 {
			return level, i
		}
	}
	return -1, 0
}

// depth returns the level on which the layout shows id if it is wide enough, or -1 when it is not below the zoomed node
// or one of the ancestors shown.
func (f *Flame) depth(id uint64) int {
	for i := range f.lay.first {
		if f.lay.level(i)[0].id == id {
			return i
		}
	}
	ok := true
	for n := 0; ok && n < maxDepth; n++ {
		if id == f.zoom {
			return f.lay.first + n
		}
		id, ok = f.src.Parent(id)
	}
	return -1
}

// above reports whether id is an ancestor of the zoomed node.
func (f *Flame) above(id uint64) bool {
	at, ok := f.src.Parent(f.zoom)
	for n := 0; ok && n < maxDepth; n++ {
		if at == id {
			return true
		}
		at, ok = f.src.Parent(at)
	}
	return false
}

// settle ensures that the layout contains the selection and that it is in view, by zooming if necessary.
func (f *Flame) settle() {
	if f.lay.width != f.area.W || len(f.lay.starts) == 0 {
		f.lay.start(f.src, f.zoom, f.area.W)
	}
	if !f.reveal {
		return
	}
	f.reveal = false
	if f.depth(f.sel) < 0 {
		if f.above(f.sel) {
			f.zoom = f.sel
		} else {
			f.zoom = f.src.Root()
		}
		f.lay.start(f.src, f.zoom, f.area.W)
	}
	level, _ := f.locate(f.sel)
	if level < 0 {
		f.zoom = f.sel
		f.lay.start(f.src, f.zoom, f.area.W)
		level = f.lay.first
	}
	f.offset = min(max(f.offset, level-f.area.H+1), level)
}
