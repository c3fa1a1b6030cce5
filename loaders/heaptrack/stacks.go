package heaptrack

import (
	"context"
	"strconv"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/symbols"
	"github.com/memtui/memtui/model"
)

// maxDepth bounds stacks: a file may chain millions. heaptrack records 64 frames, some of them with inlined ones.
const maxDepth = 1 << 12

// builder builds the model's tables incrementally from those of the converter.
type builder struct {
	s      *model.Stacks
	budget *model.Budget
	found  *findings
	names  namer

	taken    tables          // the part of the tables that was built
	nodes    []model.NodeID  // by stack
	frames   []span          // by instruction: span of flat
	flat     []model.FrameID // outermost first
	children map[uint64]model.NodeID
	known    map[frame]model.FrameID
	funcs    names[model.FuncID]
	files    names[model.FileID]
	deep     int64 // stacks that were cut
	full     bool
}

// span is a run of builder.flat.
type span struct{ from, to uint32 }

// frame is the key of frames.
type frame struct {
	fn   model.FuncID
	file model.FileID
	line int64
}

// names assigns the same number to equal names.
type names[ID ~uint32] struct {
	list *[]string
	ids  map[string]ID
	of   []ID // by number of a string; 0 if not used yet
}

func (n *names[ID]) id(name string) ID {
	if name == "" {
		return 0
	}
	id, ok := n.ids[name]
	if !ok {
		id = ID(len(*n.list))
		*n.list = append(*n.list, name)
		n.ids[name] = id
	}
	return id
}

// string returns the number of a string of the file.
func (n *names[ID]) string(number uint32, strings []string) ID {
	if number == 0 {
		return 0
	}
	for len(n.of) < len(strings) {
		n.of = append(n.of, make([]ID, len(strings)-len(n.of))...)
	}
	if n.of[number-1] == 0 {
		n.of[number-1] = n.id(strings[number-1])
	}
	return n.of[number-1]
}

func newBuilder(budget *model.Budget, found *findings, opt loaders.Symbols) *builder {
	s := model.NewStacks()
	s.LeafFirst = false
	b := &builder{s: s, budget: budget, found: found, names: newNamer(opt), children: map[uint64]model.NodeID{},
		known: map[frame]model.FrameID{}}
	b.funcs = names[model.FuncID]{list: &s.Functions, ids: map[string]model.FuncID{}}
	b.files = names[model.FileID]{list: &s.Files, ids: map[string]model.FileID{}}
	return b
}

// add adds what was read since the last call. The error is that of ctx.
func (b *builder) add(ctx context.Context, t tables, f form) error {
	b.taken = t
	b.s.Partial = t.full || b.full
	if f != interpreted {
		if err := b.names.resolve(ctx, &b.taken, b.found); err != nil {
			return err
		}
	}
	for i := len(b.nodes); i < len(t.parents) && !b.full; i++ {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if i%checkEvery == checkEvery-1 && b.budget.Full(model.BudgetOfFile) {
			b.found.leave(b.budget, "%s of %s stacks were left out", model.Group(uint64(len(t.parents)-i)),
				model.Group(uint64(len(t.parents))))
			b.full, b.s.Partial = true, true
			break
		}
		node := model.NodeID(0)
		if p := t.parents[i]; p > 0 {
			node = b.nodes[p-1]
		}
		for _, frame := range b.framesOf(i, f) {
			if b.s.Depth[node] == maxDepth {
				b.deep++
				break
			}
			node = b.child(node, frame)
		}
		b.nodes = append(b.nodes, node)
	}
	return nil
}

// stacks returns what was built so far. The builder may continue.
func (b *builder) stacks() *model.Stacks {
	s := *b.s
	s.Leaf = make(map[model.StackID]model.NodeID, len(b.s.Leaf))
	s.Leaf[0] = 0
	for i, node := range b.nodes {
		if i/64 < len(b.taken.used) && b.taken.used[i/64]>>(i%64)&1 != 0 {
			s.Leaf[model.StackID(i+1)] = node
		}
	}
	return &s
}

// framesOf returns the frames that a stack adds to its parent, outermost first.
func (b *builder) framesOf(stack int, f form) []model.FrameID {
	if f != interpreted {
		return b.names.of(b, stack)
	}
	ip := b.taken.ips[stack]
	if ip == 0 {
		return nil
	}
	for uint64(len(b.frames)) < ip {
		b.frames = append(b.frames, b.instruction(&b.taken.instructions[len(b.frames)]))
	}
	of := b.frames[ip-1]
	return b.flat[of.from:of.to]
}

// instruction adds the frames of an instruction.
func (b *builder) instruction(in *instruction) span {
	of := span{from: uint32(len(b.flat))}
	t := &b.taken
	module := ""
	if in.module > 0 {
		module = t.strings[in.module-1]
	}
	unnamed := func() model.FuncID {
		return b.funcs.id(symbols.UnnamedAt("0x"+strconv.FormatUint(in.address, 16), module))
	}
	for i := in.to; i > in.from; i-- {
		p := t.places[i-1]
		k := frame{b.funcs.string(p.function, t.strings), b.files.string(p.file, t.strings), p.line}
		if k.fn == 0 {
			k.fn = unnamed()
		}
		if k.file == 0 {
			k.file = b.files.string(in.module, t.strings)
		}
		b.flat = append(b.flat, b.frame(k))
	}
	if in.from == in.to {
		b.flat = append(b.flat, b.frame(frame{unnamed(), b.files.id(module), model.NoLine}))
	}
	of.to = uint32(len(b.flat))
	return of
}

func (b *builder) frame(k frame) model.FrameID {
	id, ok := b.known[k]
	if !ok {
		id = model.FrameID(len(b.s.FrameFunc))
		b.known[k] = id
		b.s.FrameFunc, b.s.FrameFile, b.s.FrameLine = append(b.s.FrameFunc, k.fn), append(b.s.FrameFile, k.file),
			append(b.s.FrameLine, k.line)
	}
	return id
}

func (b *builder) child(parent model.NodeID, f model.FrameID) model.NodeID {
	key := uint64(parent)<<32 | uint64(f)
	id, ok := b.children[key]
	if !ok {
		id = model.NodeID(len(b.s.Parent))
		b.children[key] = id
		b.s.Parent, b.s.Frame = append(b.s.Parent, parent), append(b.s.Frame, f)
		b.s.Depth = append(b.s.Depth, b.s.Depth[parent]+1)
	}
	return id
}
