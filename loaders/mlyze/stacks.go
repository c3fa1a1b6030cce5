package mlyze

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// buildStacks builds the model's tables from the file's: it resolves ids, merges equal frames, and joins the stacks in
// one tree. note states how the order of frames was determined. Ids without a name go to found, as does the problem
// that the stacks do not fit the budget. An error is that of ctx.
func (t *tables) buildStacks(ctx context.Context, order loaders.FrameOrder, found *findings,
	budget *model.Budget) (s *model.Stacks, note string, err error) {
	s = model.NewStacks()
	s.LeafFirst, note = t.decideOrder(order)
	s.Partial = t.partial()
	frames, err := t.resolveFrames(ctx, s, found, budget)
	if err != nil {
		return nil, "", err
	}
	b := newTreeBuilder(s)
	var path []model.FrameID
	s.Leaf = make(map[model.StackID]model.NodeID, budget.Part(int64(len(t.order))*32, 8)/32)
	for i, id := range t.order {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		if i%checkEvery == 0 && budget.Full(model.BudgetOfFile) {
			found.leave(budget, "%s of %s stacks were left out", model.Group(uint64(len(t.order)-i)), model.Group(uint64(len(t.order))))
			s.Partial = true
			break
		}
		sp := t.stacks[id]
		path = appendPath(path[:0], t.flat[sp.from:sp.to], s.LeafFirst, func(raw uint32) model.FrameID { return frames[raw] })
		s.Leaf[model.StackID(id)] = b.insert(path)
	}
	return s, note, nil
}

// orderSample is how many frames are used to determine their order.
const orderSample = 1 << 16

// decideOrder determines which end of the stacks is the root: the one where they share more, because programs have few
// entry points and many places that allocate. Sharing is measured over complete stacks, as the size of their tree: the
// last frame alone misleads if a recorder cuts deep stacks, which leaves any frame there.
func (t *tables) decideOrder(asked loaders.FrameOrder) (leafFirst bool, note string) {
	switch asked {
	case loaders.LeafFirst:
		return true, "leaf first: as requested"
	case loaders.RootFirst:
		return false, "root first: as requested"
	}
	switch t.states {
	case leafToRoot:
		return true, "leaf first: as the file states"
	case rootToLeaf:
		return false, "root first: as the file states"
	}
	fromStart, fromEnd := t.treeSize(false), t.treeSize(true)
	why := func(end string, fewer int, other string, more int) string {
		return fmt.Sprintf("stacks share more frames at the %s (%s distinct paths) than at the %s (%s)",
			end, model.Group(uint64(fewer)), other, model.Group(uint64(more)))
	}
	switch {
	case fromEnd < fromStart:
		return true, "leaf first: " + why("end", fromEnd, "start", fromStart)
	case fromStart < fromEnd:
		return false, "root first: " + why("start", fromStart, "end", fromEnd)
	}
	return true, "leaf first: assumed, as the stacks do not show it"
}

// treeSize counts the distinct paths of the first stacks, read from their end or their start.
func (t *tables) treeSize(reverse bool) int {
	b := newTreeBuilder(model.NewStacks())
	var path []model.FrameID
	for _, id := range t.order {
		sp := t.stacks[id]
		sp.to = min(sp.to, sp.from+orderSample)
		path = appendPath(path[:0], t.flat[sp.from:sp.to], reverse, func(raw uint32) model.FrameID { return model.FrameID(raw + 1) })
		b.insert(path)
		if sp.to > orderSample {
			break
		}
	}
	return len(b.s.Parent) - 1
}

// appendPath appends the frames of a stack to path, in their order or reversed.
func appendPath(path []model.FrameID, raw []uint32, reverse bool, frame func(uint32) model.FrameID) []model.FrameID {
	for i := range raw {
		if reverse {
			i = len(raw) - 1 - i
		}
		path = append(path, frame(raw[i]))
	}
	return path
}

// resolveFrames fills the names and frames of s and returns the FrameID of each of the file's frames. Those that do not
// fit the budget become one.
func (t *tables) resolveFrames(ctx context.Context, s *model.Stacks, found *findings, budget *model.Budget) ([]model.FrameID, error) {
	funcs := resolver[model.FuncID]{t: &t.funcs, what: "function", names: &s.Functions, found: found, partial: t.partial()}
	files := resolver[model.FileID]{t: &t.files, what: "file", names: &s.Files, found: found, partial: t.partial()}
	type key struct {
		fn   model.FuncID
		file model.FileID
		line int64
	}
	known := map[key]model.FrameID{}
	ids := make([]model.FrameID, len(t.frames))
	for i, f := range t.frames {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		k := key{line: f.line}
		at := headerSize + int64(t.frameAt[i])
		if i%checkEvery == checkEvery-1 && budget.Full(model.BudgetOfFile) {
			found.leave(budget, "the names of %s of %s frames were left out", model.Group(uint64(len(t.frames)-i)),
				model.Group(uint64(len(t.frames))))
			s.Functions = append(s.Functions, "<left out>")
			s.FrameFunc = append(s.FrameFunc, model.FuncID(len(s.Functions)-1))
			s.FrameFile, s.FrameLine = append(s.FrameFile, 0), append(s.FrameLine, model.NoLine)
			for ; i < len(ids); i++ {
				ids[i] = model.FrameID(len(s.FrameFunc) - 1)
			}
			break
		}
		if f.hasFunc {
			k.fn = funcs.resolve(f.fn, at)
		}
		if f.hasFile {
			k.file = files.resolve(f.file, at)
		}
		id, ok := known[k]
		if !ok {
			id = model.FrameID(len(s.FrameFunc))
			known[k] = id
			s.FrameFunc = append(s.FrameFunc, k.fn)
			s.FrameFile = append(s.FrameFile, k.file)
			s.FrameLine = append(s.FrameLine, k.line)
		}
		ids[i] = id
	}
	return ids, nil
}

// resolver maps names to dense ids: equal names share one.
type resolver[ID ~uint32] struct {
	t       *nameTable
	what    string
	names   *[]string
	found   *findings
	partial bool          // the file may define names that were not read
	byFile  map[uint64]ID // by the file's id
	byName  map[string]ID
}

func (r *resolver[ID]) resolve(id uint64, at int64) ID {
	if dense, ok := r.byFile[id]; ok {
		return dense
	}
	if r.byFile == nil {
		r.byFile, r.byName = map[uint64]ID{}, map[string]ID{}
	}
	name, ok := r.t.get(id)
	if !ok {
		name = "<" + r.what + " " + strconv.FormatUint(id, 10) + "?>"
		if !r.partial {
			r.found.add(dangling(len(r.t.index)), "dangling-"+r.what, at, "frames name a "+r.what+" that the file does not define")
		}
	}
	dense, ok := r.byName[name]
	if !ok {
		dense = ID(len(*r.names))
		*r.names = append(*r.names, name)
		r.byName[name] = dense
	}
	r.byFile[id] = dense
	return dense
}

// dangling returns the severity of an undefined id: in an empty table, as in files of the reference tracer, it is to be
// expected.
func dangling(entries int) model.Severity {
	if entries == 0 {
		return model.Warning
	}
	return model.Error
}

// treeBuilder adds stacks to the tree of s.
type treeBuilder struct {
	s    *model.Stacks
	path []model.NodeID // nodes of the previous stack, root first: adjacent ones share most of theirs
	keys []uint64       // parent and frame of a node, 0 for a free slot; length a power of two
	vals []model.NodeID
	seed uint64
}

func newTreeBuilder(s *model.Stacks) *treeBuilder {
	return &treeBuilder{s: s, keys: make([]uint64, 1<<10), vals: make([]model.NodeID, 1<<10), seed: rand.Uint64()}
}

// insert adds a stack, root frame first, and returns its leaf.
func (b *treeBuilder) insert(frames []model.FrameID) model.NodeID {
	same := 0
	for same < len(frames) && same < len(b.path) && b.s.Frame[b.path[same]] == frames[same] {
		same++
	}
	b.path = b.path[:same]
	node := model.NodeID(0)
	if same > 0 {
		node = b.path[same-1]
	}
	for _, f := range frames[same:] {
		node = b.child(node, f)
		b.path = append(b.path, node)
	}
	return node
}

func (b *treeBuilder) child(parent model.NodeID, f model.FrameID) model.NodeID {
	s := b.s
	if 2*len(s.Parent) >= len(b.keys) {
		b.grow()
	}
	key := uint64(parent)<<32 | uint64(f) // never 0: f is not reserved
	i := b.slot(key)
	if b.keys[i] == 0 {
		b.keys[i], b.vals[i] = key, model.NodeID(len(s.Parent))
		s.Parent = append(s.Parent, parent)
		s.Frame = append(s.Frame, f)
		s.Depth = append(s.Depth, s.Depth[parent]+1)
	}
	return b.vals[i]
}

// slot returns where key is or belongs.
func (b *treeBuilder) slot(key uint64) uint64 {
	mask := uint64(len(b.keys) - 1)
	i := mix(key, b.seed) & mask
	for b.keys[i] != 0 && b.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}

func (b *treeBuilder) grow() {
	keys, vals := b.keys, b.vals
	b.keys, b.vals = make([]uint64, 2*len(keys)), make([]model.NodeID, 2*len(vals))
	clear(b.keys) // fresh memory that is read first is mapped twice, the second time while all cores are interrupted
	for i, k := range keys {
		if k != 0 {
			j := b.slot(k)
			b.keys[j], b.vals[j] = k, vals[i]
		}
	}
}
