package diff

import (
	"regexp"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
)

// StackGroup is the key by which the rows of a side of stacks are grouped.
type StackGroup uint8

const (
	GroupStack    StackGroup = iota
	GroupFunction            // of the leaf frame
	GroupTotal               // every function of a stack, each once
	GroupOwner               // the function of the owner, see [calltree.Owners]
	GroupFile                // of the leaf frame
	GroupModule              // of the leaf frame
	GroupThread
	GroupSize     // of traces
	GroupLifetime // of traces
	GroupDSO      // of profiles
	GroupLine     // of profiles
	GroupKind     // of profiles: user or kernel code
	groupLabel    // of profiles: the values of a label
	groupCount
)

// String returns the word in flags.
func (g StackGroup) String() string {
	return [...]string{"stack", "function", "total", "owner", "file", "module", "thread", "size", "lifetime", "dso",
		"source", "kind", "label"}[g]
}

// GroupWords returns the names of the groups that two files have, the usual one first: those of reports and screens for
// each kind of file, and those that only comparisons have. labels are the keys that both files have.
func GroupWords(traces, profiles bool, labels ...string) []string {
	own := []string{GroupFunction.String(), GroupTotal.String()}
	switch {
	case traces && profiles:
		return slices.Concat([]string{GroupStack.String()}, own,
			[]string{GroupOwner.String(), GroupFile.String(), GroupModule.String(), GroupThread.String()})
	case traces:
		return slices.Compact(slices.Concat(analysis.GroupNames()[:2], own[1:], analysis.GroupNames()[2:],
			[]string{GroupLifetime.String()}))
	}
	names := weights.GroupNames(labels...)
	return slices.Concat(names[:1], own, names[1:])
}

// Thing returns what a row represents, in words and in the singular.
func (g StackGroup) Thing() string {
	switch g {
	case GroupTotal:
		return "function"
	case GroupDSO:
		return "DSO"
	case GroupLine:
		return "source line"
	}
	return g.String()
}

// GroupNamed returns the group with a name in flags. If neither file is a trace, the module of a function is its DSO,
// as in reports; else it is that of its file, which both kinds of files have.
func GroupNamed(word string, traces bool) (StackGroup, bool) {
	switch {
	case strings.HasPrefix(word, weights.LabelPrefix):
		return groupLabel, true
	case word == GroupModule.String() && !traces:
		return GroupDSO, true
	}
	for g := range groupCount {
		if g.String() == word {
			return g, true
		}
	}
	return GroupStack, false
}

// ofTraces returns the group that a trace uses for the rows; ok is false if it has none.
func (g StackGroup) ofTraces() (by analysis.Group, ok bool) {
	switch g {
	case GroupStack, GroupTotal:
		return analysis.ByStack, true
	case GroupFunction:
		return analysis.ByFunction, true
	case GroupOwner:
		return analysis.ByOwner, true
	case GroupFile:
		return analysis.ByFile, true
	case GroupModule:
		return analysis.ByModule, true
	case GroupThread:
		return analysis.ByThread, true
	case GroupSize:
		return analysis.BySizeClass, true
	}
	return analysis.ByStack, false
}

// ofProfiles returns the grouping that a profile uses for the rows; ok is false if they are made from its stacks. label
// is the key of [groupLabel].
func (g StackGroup) ofProfiles(w *model.StackProfile, label string) (by weights.By, ok bool) {
	switch g {
	case groupLabel:
		return weights.GroupNamed(w, weights.LabelPrefix+label)
	case GroupThread:
		return weights.ByProfileThread, true
	case GroupDSO:
		return weights.ByDSO, true
	case GroupLine:
		return weights.BySourceLine, true
	case GroupKind:
		return weights.ByFrameKind, true
	}
	return weights.ByFunctionDSO, false
}

// groupSide groups the stacks of a side by function, owner, file or module. Rows that are not stacks stay unchanged,
// except in groups of files, which they are not in. libraries matches functions and files that own no memory, in
// addition to the built-in ones; nil for none.
func groupSide(s *Side, by StackGroup, libraries *regexp.Regexp) *Side {
	owners := calltree.NewOwners(s.Stacks, libraries)
	g := sideGroups{by: by, at: map[textKey]int{}, out: &Side{Label: s.Label, File: s.File, Bases: s.Bases, Total: s.Total,
		Estimated: s.Estimated, Drawn: s.Drawn, both: s.both}}
	if by == GroupTotal {
		sum := s.Sum()
		g.out.Total, g.out.nested = &sum, true
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		if !r.there() {
			continue
		}
		g.stack++
		switch {
		case r.Node == 0 && (by == GroupFunction || by == GroupTotal || by == GroupOwner):
			g.add(SideRow{Key: r.Key, own: r.own}, r)
		case by == GroupTotal:
			for n := r.Node; n != 0; n = s.Stacks.Parent[n] {
				g.add(SideRow{Key: calltree.FunctionName(s.Stacks, n)}, r)
			}
		case by == GroupOwner:
			g.add(SideRow{Key: calltree.FunctionName(s.Stacks, owners.Node(r.Node))}, r)
		case by == GroupFunction:
			g.add(SideRow{Key: calltree.FunctionName(s.Stacks, r.Node)}, r)
		default:
			g.add(SideRow{Key: fileGroup(s.Stacks, r.Node, by)}, r)
		}
	}
	return g.out
}

// fileGroup returns the file of a leaf frame, or its module.
func fileGroup(s *model.Stacks, leaf model.NodeID, by StackGroup) string {
	if leaf == 0 {
		return calltree.UnknownFile
	}
	file := s.At(s.Frame[leaf]).File
	switch {
	case file == "":
		return calltree.UnknownFile
	case by == GroupModule:
		return calltree.Module(file)
	}
	return file
}

type sideGroups struct {
	by    StackGroup
	out   *Side
	at    map[textKey]int
	seen  []int // by row: the last stack counted there
	stack int   // from 1
}

// add counts a stack in its group, once.
func (g *sideGroups) add(group SideRow, r *SideRow) {
	key := textKey{key: group.Key}
	if group.own {
		key.side = 1
	}
	i, ok := g.at[key]
	if !ok {
		i = len(g.out.Rows)
		g.at[key] = i
		g.out.Rows, g.seen = append(g.out.Rows, group), append(g.seen, 0)
	}
	if g.seen[i] == g.stack {
		return
	}
	g.seen[i] = g.stack
	out := &g.out.Rows[i]
	out.Listed = out.Listed || r.Listed
	out.Bytes, _ = model.SaturatingAdd(out.Bytes, r.Bytes)
	out.Count, _ = model.SaturatingAdd(out.Count, r.Count)
	out.both.add(r.both)
}

// CutSide keeps at most depth frames of each stack, nearest to its leaf, because recorders cut stacks at different
// depths. Its rows are aligned with those of s.
func CutSide(s *Side, depth int) *Side {
	if s.Stacks == nil {
		return s
	}
	out := *s
	from, cut := s.Stacks, model.NewStacks()
	cut.Functions, cut.Files, cut.LeafFirst = from.Functions, from.Files, from.LeafFirst
	cut.FrameFunc, cut.FrameFile, cut.FrameLine = from.FrameFunc, from.FrameFile, from.FrameLine
	out.Stacks, out.Rows = cut, slices.Clone(s.Rows)
	nodes := map[nodeKey]model.NodeID{}
	var frames []model.FrameID
	for i := range out.Rows {
		frames = frames[:0]
		for n := out.Rows[i].Node; n != 0 && len(frames) < depth; n = from.Parent[n] {
			frames = append(frames, from.Frame[n])
		}
		at := model.NodeID(0)
		for _, f := range slices.Backward(frames) {
			key := nodeKey{at, f}
			next, ok := nodes[key]
			if !ok {
				next = model.NodeID(len(cut.Parent))
				nodes[key] = next
				cut.Parent, cut.Frame, cut.Depth = append(cut.Parent, at), append(cut.Frame, f), append(cut.Depth, cut.Depth[at]+1)
			}
			at = next
		}
		out.Rows[i].Node = at
	}
	return &out
}
