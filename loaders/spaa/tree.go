package spaa

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/memtui/memtui/model"
)

// tree makes the model's stack tree. Every beginning of a stack is a node, found by a hash of its frames: so the
// longest one that is known is found with few looks, and only that is compared frame by frame. Stacks are resolved many
// at a time, and then inserted.
type tree struct {
	s     *model.Stacks
	seed  uint64 // no writer of a file can know it
	nodes index

	frames []model.FrameID // of the stacks that were resolved, each root first
	hashes []uint64        // by frame: of the beginning that it ends
	idle   int             // blocks without a stack, lately
	seen   uint64
}

func (t *tree) init(s *model.Stacks) { t.s, t.seed = s, rand.Uint64() }

// reset forgets the stacks that were resolved.
func (t *tree) reset() { t.frames, t.hashes = t.frames[:0], t.hashes[:0] }

// resolve adds the stack of the ids, in the file's order, to those resolved, and returns where its frames are. Ids that
// are not defined are given to missing, which says what stands for them; false there ends it.
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

// near is how many of the last beginnings of a stack are likely to be looked at or added.
const near = 6

// fetch brings what inserting stacks will look at near: memory is slow, but does many things at a time.
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

// insert adds a stack that was resolved, and returns its leaf.
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
		// Two beginnings have one hash: as likely as never. The stack is entered under other hashes.
		salt++
		h := salt
		for i, f := range frames {
			h = mix(h, uint64(f))
			hashes[i] = h
		}
	}
}

// longest finds the longest beginning that is known by its hash: its node, and how many frames it has.
func (t *tree) longest(hashes []uint64) (node model.NodeID, depth int) {
	known, unknown := 0, len(hashes)+1
	try := len(hashes) // most stacks are new by their last few frames
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

// rebuild makes room for more nodes.
func (t *tree) rebuild(more int) {
	s := t.s
	t.nodes.clear(max(2*t.nodes.count, len(s.Parent)+more))
	hashes := newScratch(8 * len(s.Parent))
	defer hashes.free()
	binary.LittleEndian.PutUint64(hashes.b, t.seed)
	const group = 256 // whose slots are fetched side by side
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

// idleBlocks is after how many blocks without a stack it is likely that no more will come.
const idleBlocks = 32

// rest gives up the memory of the index when stacks have ended; one that comes all the same has it built anew.
func (t *tree) rest(stacks int) {
	if t.idle++; stacks > 0 {
		t.idle = 0
	}
	if t.idle == idleBlocks {
		t.nodes.free()
	}
}
