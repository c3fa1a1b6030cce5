package widget

import "github.com/gdamore/tcell/v2"

// FlameSource is the tree that a [Flame] shows. All methods are called on the event loop, Children only for nodes that are
// at least one cell wide.
type FlameSource interface {
	Root() uint64
	Parent(id uint64) (parent uint64, ok bool) // ok is false for the root
	Children(id uint64) []uint64               // heaviest first; stays the source's
	Value(id uint64) uint64                    // at least the sum of the children's
	Label(id uint64) string                    // the frame's name, not cleaned; also chooses its style
	Note(id uint64) string                     // the value in words, shown after the name where it fits
}

// Flame is an icicle graph: the root on top, every frame as wide as its share of its parent. Frames narrower than a cell
// are merged into one "(n more)". Only what is visible is laid out.
type Flame struct {
	Source  FlameSource
	Focused bool
	Match   func(id uint64) bool // nil: no search

	sel, zoom uint64
}

// Draw shows the graph in r.
func (f *Flame) Draw(s tcell.Screen, r Rect, k *Look) {}

// Reset shows src from its root, which is selected.
func (f *Flame) Reset(src FlameSource) {}

// Reload must follow every change of the source. Zoom and selection stay where their nodes still exist.
func (f *Flame) Reload(src FlameSource, exists func(id uint64) bool) {}

// Selected is the selected node; ok is false without a source.
func (f *Flame) Selected() (id uint64, ok bool) { return 0, false }

// Select chooses a node and brings it into view, zooming out where it is outside of the zoomed subtree.
func (f *Flame) Select(id uint64) {}

// Zoom is the node that has the full width.
func (f *Flame) Zoom() uint64 { return f.zoom }

// ZoomIn gives the selected node the full width. ok is false when it has it already.
func (f *Flame) ZoomIn() (ok bool) { return false }

// ZoomOut goes back to the parent of the zoomed node. ok is false at the root.
func (f *Flame) ZoomOut() (ok bool) { return false }

// ZoomReset goes back to the root.
func (f *Flame) ZoomReset() {}

// Up selects the parent.
func (f *Flame) Up() {}

// Down selects the heaviest child, or the one the selection came from.
func (f *Flame) Down() {}

// Side selects the next frame to the right on the same level for n > 0, to the left for n < 0.
func (f *Flame) Side(n int) {}

// Scroll moves the view by n levels and leaves the selection alone.
func (f *Flame) Scroll(n int) {}

// Hit returns the node drawn at (x, y) in the last frame; ok is false for merged frames and outside.
func (f *Flame) Hit(x, y int) (id uint64, ok bool) { return 0, false }
