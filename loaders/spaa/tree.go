package spaa

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/memtui/memtui/model"
)

// tree builds the model's stack tree. Every prefix of a stack is a node, found by a hash of its frames: the longest
// known prefix is found with few lookups, and only that one is compared frame by frame. Stacks are first resolved many
// at a time, and then inserted.
type tree struct {
	s     *model.Stacks
	seed  uint64 // no writer of a file can know it
	nodes index

	frames []model.FrameID // of the resolved stacks, each root first
	hashes []uint64        // by frame: of the prefix that it ends
	idle   int             // recent blocks without a stack
	seen   uint64
}

func (t *tree) init(s *model.Stacks) { t.s, t.seed = s, rand.Uint64() }

// reset removes the resolved stacks.
func (t *tree) reset() { t.frames, t.hashes = t.frames[:0], t.hashes[:0] }

// resolve adds the stack of the ids, in the file's order, to the resolved ones, and returns where its frames are.
// missing is called with undefined ids and returns their replacement; false ends resolving.
func (t *tree) resolve(d *dictionaries, ids []uint64, leafFirst bool, missing func(id uint64) (model.FrameID, bool)) (of span, ok bool) {
	from, h := len(t.frames), t.seed
	for i := range ids {
		id := ids[i]
		if leafFirst {
			id = ids[len(ids)-1-i]
		}
		f, known := d.frame(id)
		if !known {
			if f, known = missing(id); !known {
				t.frames, t.hashes = t.frames[:from], t.hashes[:from]
				return span{}, false
			}
		}
		h = mix(h, uint64(f))
		t.frames, t.hashes = append(t.frames, f), append(t.hashes, h)
	}
	return span{uint32(from), uint32(len(t.frames))}, true
}

// near is how many of the last prefixes of a stack are likely to be looked up or added.
const near = 6

// fetch prefetches the memory that inserting stacks will read: memory is slow, but handles many requests at a time.
func (t *tree) fetch(stacks []span) {
	if t.nodes.empty() {
		return
	}
	for _, of := range stacks {
		for i := max(int(of.to)-near, int(of.from)); i < int(of.to); i++ {
			t.seen += t.nodes.at(uint32(t.hashes[i]))
		}
	}
}

// insert adds a resolved stack, and returns its leaf.
func (t *tree) insert(of span) (leaf model.NodeID) {
	frames, hashes := t.frames[of.from:of.to], t.hashes[of.from:of.to]
	if t.nodes.full(len(frames)) {
		t.rebuild(len(frames))
	}
	for salt := t.seed; ; {
		node, depth := t.longest(hashes)
		if t.is(node, frames[:depth]) {
			return t.extend(node, frames[depth:], hashes[depth:])
		}
		// Two prefixes have the same hash, which practically never happens. The stack is stored under other hashes.
		salt++
		h := salt
		for i, f := range frames {
			h = mix(h, uint64(f))
			hashes[i] = h
		}
	}
}

// longest finds the longest prefix that is known by its hash: its node, and its number of frames.
func (t *tree) longest(hashes []uint64) (node model.NodeID, depth int) {
	known, unknown := 0, len(hashes)+1
	try := len(hashes) // most stacks differ in their last few frames
	for back := 1; known+1 < unknown; back *= 2 {
		s := t.nodes.seek(hashes[try-1])
		if n, ok := s.next(); ok {
			node, known = model.NodeID(n), try
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

// is reports whether a node is the stack of the frames.
func (t *tree) is(node model.NodeID, frames []model.FrameID) bool {
	for i := len(frames) - 1; i >= 0; i-- {
		if t.s.Frame[node] != frames[i] {
			return false
		}
		node = t.s.Parent[node]
	}
	return node == 0
}

// extend adds the rest of a stack below a node.
func (t *tree) extend(node model.NodeID, frames []model.FrameID, hashes []uint64) model.NodeID {
	s := t.s
	for i, f := range frames {
		n := uint32(len(s.Parent))
		s.Parent, s.Frame, s.Depth = append(s.Parent, node), append(s.Frame, f), append(s.Depth, s.Depth[node]+1)
		t.nodes.put(hashes[i], n)
		node = model.NodeID(n)
	}
	return node
}

// rebuild grows the index for more nodes.
func (t *tree) rebuild(more int) {
	s := t.s
	t.nodes.clear(max(2*t.nodes.count, len(s.Parent)+more))
	hashes := newScratch(8 * len(s.Parent))
	defer hashes.free()
	binary.LittleEndian.PutUint64(hashes.b, t.seed)
	const group = 256 // whose slots are prefetched together
	for from := 1; from < len(s.Parent); from += group {
		to := min(from+group, len(s.Parent))
		for n := from; n < to; n++ {
			h := mix(binary.LittleEndian.Uint64(hashes.b[8*int(s.Parent[n]):]), uint64(s.Frame[n]))
			binary.LittleEndian.PutUint64(hashes.b[8*n:], h)
			t.seen += t.nodes.at(uint32(h))
		}
		for n := from; n < to; n++ {
			t.nodes.put(binary.LittleEndian.Uint64(hashes.b[8*n:]), uint32(n))
		}
	}
}

// idleBlocks is after how many blocks without a stack further ones are unlikely.
const idleBlocks = 32

// rest frees the memory of the index after the last stacks; a later stack causes it to be rebuilt.
func (t *tree) rest(stacks int) {
	if t.idle++; stacks > 0 {
		t.idle = 0
	}
	if t.idle == idleBlocks {
		t.nodes.free()
	}
}
