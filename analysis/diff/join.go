package diff

import (
	"context"
	"path"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
)

// FrameMatch is how much of two frames must be equal to match.
type FrameMatch uint8

const (
	MatchFrames    FrameMatch = iota // function, file and line
	matchFiles                       // function and base name of the file, without line
	MatchFunctions                   // function; frames without one by file and line
	MatchCount
)

// String returns the word in flags.
func (m FrameMatch) String() string { return [...]string{"frames", "files", "functions"}[m] }

// JoinedStacks are the stacks of two files in one tree: equal frames below equal callers are one node. Names are
// masked; of frames that match, the first one is kept. Where functions match, frames that only pass on are left out, as
// recorders differ in them: what starts a program or thread, and the functions that allocate. Functions of two files that have an address for a name match by
// their modules alone, as addresses differ from run to run. The library of this program's recorder is one file in all
// recordings, though its folder is not. It is immutable; any goroutine may read it.
type JoinedStacks struct {
	Stacks *model.Stacks     // without stack ids: Leaf is empty
	node   [2][]model.NodeID // by node of each file: the node in Stacks
}

// JoinStacks returns one tree of two; each may be nil, and both may be the same.
func JoinStacks(ctx context.Context, before, after *model.Stacks, masks []Mask, match FrameMatch) (*JoinedStacks, error) {
	j := &stackJoiner{
		out: model.NewStacks(), masks: masks, match: match,
		functions: map[string]model.FuncID{"": 0}, files: map[string]model.FileID{"": 0},
		frames: map[frameKey]model.FrameID{}, nodes: map[nodeKey]model.NodeID{},
	}
	j.places = before == nil || after == nil || before == after
	joined := &JoinedStacks{Stacks: j.out}
	for side, s := range []*model.Stacks{before, after} {
		switch {
		case s == nil:
			continue
		case side == 1 && s == before:
			joined.node[1] = joined.node[0]
			continue
		}
		nodes, err := j.enter(ctx, s)
		if err != nil {
			return nil, err
		}
		joined.node[side] = nodes
		j.out.LeafFirst = s.LeafFirst
	}
	return joined, nil
}

// frameKey is the key by which a frame is matched.
type frameKey struct {
	function model.FuncID
	file     string
	line     int64
}

type nodeKey struct {
	parent model.NodeID
	frame  model.FrameID
}

type stackJoiner struct {
	out       *model.Stacks
	masks     []Mask
	match     FrameMatch
	places    bool // addresses mean the same on both sides
	functions map[string]model.FuncID
	files     map[string]model.FileID
	frames    map[frameKey]model.FrameID
	nodes     map[nodeKey]model.NodeID
}

// enter adds the stacks of a file, and returns the new node of each of its nodes.
func (j *stackJoiner) enter(ctx context.Context, s *model.Stacks) ([]model.NodeID, error) {
	frames := j.enterFrames(s)
	out, nodes := j.out, make([]model.NodeID, len(s.Parent))
	names := calltree.NewSiteNames(s)
	for n := 1; n < len(nodes); n++ {
		if n%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		key := nodeKey{nodes[s.Parent[n]], frames[s.Frame[n]]}
		if j.match == MatchFunctions && passes(names, s.FrameFunc[s.Frame[n]], key.parent == 0) {
			nodes[n] = key.parent
			continue
		}
		id, ok := j.nodes[key]
		if !ok {
			id = model.NodeID(len(out.Parent))
			j.nodes[key] = id
			out.Parent, out.Frame = append(out.Parent, key.parent), append(out.Frame, key.frame)
			out.Depth = append(out.Depth, out.Depth[key.parent]+1)
		}
		nodes[n] = id
	}
	return nodes, nil
}

// passes reports whether a function is left out where functions match. root is whether no frame before it was kept: a
// stack of nothing but functions that allocate keeps the first one.
func passes(names *calltree.SiteNames, f model.FuncID, root bool) bool {
	if root {
		return names.Starts(f)
	}
	return names.Allocates(f)
}

// enterFrames adds the frames of a file, and returns the new frame of each.
func (j *stackJoiner) enterFrames(s *model.Stacks) []model.FrameID {
	functions, files := make([]model.FuncID, len(s.Functions)), make([]model.FileID, len(s.Files))
	for i, name := range s.Functions {
		if name = applyMasks(j.masks, name); !j.places && funcname.Unnamed(name) {
			name = funcname.NoName
		}
		functions[i] = intern(j.functions, &j.out.Functions, name)
	}
	for i, name := range s.Files {
		files[i] = intern(j.files, &j.out.Files, applyMasks(j.masks, withoutRecordFolder(name)))
	}
	out, frames := j.out, make([]model.FrameID, len(s.FrameFunc))
	for f := range frames {
		function, file, line := functions[s.FrameFunc[f]], files[s.FrameFile[f]], s.FrameLine[f]
		key := frameKey{function, out.Files[file], line}
		switch {
		case out.Functions[function] == funcname.NoName:
			key.file, key.line = path.Base(calltree.FrameModule(s, model.FrameID(f))), model.NoLine
			line = model.NoLine
		case j.match == MatchFrames || function == 0:
		case j.match == matchFiles:
			key.line = model.NoLine
			if key.file != "" {
				key.file = path.Base(key.file)
			}
		default:
			key.file, key.line = "", model.NoLine
		}
		id, ok := j.frames[key]
		if !ok && f > 0 {
			id = model.FrameID(len(out.FrameFunc))
			j.frames[key] = id
			out.FrameFunc, out.FrameFile = append(out.FrameFunc, function), append(out.FrameFile, file)
			out.FrameLine = append(out.FrameLine, line)
		}
		frames[f] = id
	}
	return frames
}

// intern returns the id of a name in a table, adding it if necessary.
func intern[ID ~uint32](at map[string]ID, names *[]string, name string) ID {
	id, ok := at[name]
	if !ok {
		id = ID(len(*names))
		at[name] = id
		*names = append(*names, name)
	}
	return id
}
