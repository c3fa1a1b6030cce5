package spaa

import (
	"math/rand/v2"

	"github.com/memtui/memtui/model"
)

// tree makes the model's stack tree. Every beginning of a stack is a node, found by a hash of its frames: so the longest one that is
// known is found with few looks, and only that is compared frame by frame.
type tree struct {
	s     *model.Stacks
	seed  uint64 // nobody who writes a file can know it
	nodes index

	frames []model.FrameID // of the stack, root first
	hashes []uint64        // of its beginnings: [0] is of the empty one
	idle   int             // blocks without a stack, lately
}

func (t *tree) init(s *model.Stacks) { t.s, t.seed = s, rand.Uint64() }

// resolve takes the stack of the ids, in the file's order. Ids that are not defined are given to missing, which says what stands
// for them; false there ends it.
func (t *tree) resolve(d *dictionaries, ids []uint64, leafFirst bool, missing func(id uint64) (model.FrameID, bool)) (ok bool) {
	t.frames = t.frames[:0]
	for i := range ids {
		id := ids[i]
		if leafFirst {
			id = ids[len(ids)-1-i]
		}
		f, known := d.frame(id)
		if !known {
			if f, known = missing(id); !known {
				return false
			}
		}
		t.frames = append(t.frames, f)
	}
	return true
}

// insert adds the stack that was resolved last, and returns its leaf.
func (t *tree) insert() (leaf model.NodeID) {
	if t.nodes.full(len(t.frames)) {
		t.rebuild(len(t.frames))
	}
	for salt := t.seed; ; salt++ {
		t.hash(salt)
		node, depth := t.longest()
		if t.is(node, depth) {
			return t.extend(node, depth)
		}
	} // two beginnings of one hash are as likely as never; the stack is then entered under other ones
}

func (t *tree) hash(salt uint64) {
	h := salt
	t.hashes = append(t.hashes[:0], h)
	for _, f := range t.frames {
		h = mix(h, uint64(f))
		t.hashes = append(t.hashes, h)
	}
}

// longest finds the longest beginning that is known: its node, and how many frames it has.
func (t *tree) longest() (node model.NodeID, depth int) {
	known, unknown := 0, len(t.frames)+1
	try := len(t.frames) // most stacks are new by their last few frames
	for back := 1; known+1 < unknown; back *= 2 {
		if n, ok := t.find(try); ok {
			node, known = n, try
			try = known + (unknown-known)/2
		} else {
			unknown = try
			if try -= back; try <= known {
				try = known + (unknown-known)/2
			}
		}
	}
	return node, known
}

// find looks for the beginning of so many frames. What it finds has the right hash, last frame and depth.
func (t *tree) find(depth int) (model.NodeID, bool) {
	s := t.nodes.seek(t.hashes[depth])
	for n, ok := s.next(); ok; n, ok = s.next() {
		if t.s.Frame[n] == t.frames[depth-1] && t.s.Depth[n] == uint32(depth) {
			return model.NodeID(n), true
		}
	}
	return 0, false
}

// is reports whether a node is the beginning of so many frames.
func (t *tree) is(node model.NodeID, depth int) bool {
	for ; depth > 0; depth-- {
		if t.s.Frame[node] != t.frames[depth-1] {
			return false
		}
		node = t.s.Parent[node]
	}
	return node == 0
}

// extend adds the rest of the stack below a node.
func (t *tree) extend(node model.NodeID, depth int) model.NodeID {
	s := t.s
	for ; depth < len(t.frames); depth++ {
		n := uint32(len(s.Parent))
		s.Parent, s.Frame, s.Depth = append(s.Parent, node), append(s.Frame, t.frames[depth]), append(s.Depth, uint32(depth+1))
		t.nodes.put(t.hashes[depth+1], n)
		node = model.NodeID(n)
	}
	return node
}

// rebuild makes room for more nodes.
func (t *tree) rebuild(more int) {
	s := t.s
	t.nodes.clear(max(t.nodes.count*3/2, len(s.Parent)+more))
	hashes := make([]uint64, len(s.Parent))
	hashes[0] = t.seed
	for n := 1; n < len(hashes); n++ {
		hashes[n] = mix(hashes[s.Parent[n]], uint64(s.Frame[n]))
		t.nodes.put(hashes[n], uint32(n))
	}
}

// idleBlocks is after how many blocks without a stack it is likely that no more will come.
const idleBlocks = 32

// rest gives up the memory of the index when stacks have ended; one that comes all the same has it built anew.
func (t *tree) rest(stacks int) {
	if t.idle++; stacks > 0 {
		t.idle = 0
	}
	if t.idle == idleBlocks {
		t.nodes = index{}
	}
}
