package weighted

import (
	"math/bits"

	"github.com/memtui/memtui/model"
)

// nodes finds the node of a frame below another node. Large profiles look up every frame of every stack, in no order,
// so that what counts is how much memory a look-up touches: one place. Parts grow one at a time, as copying all at once
// would take more than a memory budget foresees.
type nodes struct {
	parts [1 << partBits]part
}

const partBits = 6

// part is a hash table with linear probing, of a power of two of places.
type part struct {
	places []place
	used   int
}

// place holds a node; 0 is empty, as the root is below none.
type place struct {
	parent model.NodeID
	frame  model.FrameID
	node   model.NodeID
}

// hashOf returns well-mixed bits of a key.
func hashOf(parent model.NodeID, frame model.FrameID) uint64 {
	high, low := bits.Mul64((uint64(parent)<<32|uint64(frame))^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return high ^ low
}

// find returns the node of a frame below a parent; if there is none, it keeps fresh as such, and added is true.
func (n *nodes) find(parent model.NodeID, frame model.FrameID, fresh model.NodeID) (node model.NodeID, added bool) {
	hash := hashOf(parent, frame)
	p := &n.parts[hash>>(64-partBits)]
	if 4*(p.used+1) > 3*len(p.places) {
		p.grow()
	}
	at := p.at(hash, parent, frame)
	if at.node != 0 {
		return at.node, false
	}
	*at = place{parent, frame, fresh}
	p.used++
	return fresh, true
}

// at returns the place of a key, or the empty one where it belongs. This is a hot kernel.
func (p *part) at(hash uint64, parent model.NodeID, frame model.FrameID) *place {
	mask := uint64(len(p.places) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if at := &p.places[i]; at.node == 0 || at.parent == parent && at.frame == frame {
			return at
		}
	}
}

// grow doubles the places.
func (p *part) grow() {
	old := p.places
	p.places = make([]place, max(8, 2*len(old)))
	for _, o := range old {
		if o.node != 0 {
			*p.at(hashOf(o.parent, o.frame), o.parent, o.frame) = o
		}
	}
}
