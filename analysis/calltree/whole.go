package calltree

import (
	"strconv"
	"strings"

	"github.com/memtui/memtui/model"
)

// StackStep returns the name of a step that keeps or leaves out complete stacks, by their ids in the file.
func StackStep(ids ...model.StackID) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.FormatUint(uint64(id), 10)
	}
	return stackPrefix + strings.Join(words, ",")
}

// wholeStep is a step about complete stacks: the nodes at which they end.
type wholeStep struct {
	not    bool
	leaves map[model.NodeID]bool
}

// ofStacks reports whether a step is about complete stacks, not about frames.
func ofStacks(step Step) bool {
	is, _ := targetOf(step.Name)
	return is == byStack
}

// wholeSteps returns the steps that are about complete stacks.
func wholeSteps(s *model.Stacks, steps []Step) (out []wholeStep) {
	for _, step := range steps {
		if !ofStacks(step) {
			continue
		}
		w := wholeStep{not: step.Kind == Ignore, leaves: map[model.NodeID]bool{}}
		ids, _ := stackIDs(step.Name)
		for _, id := range ids {
			if leaf, ok := s.Leaf[id]; ok && leaf != 0 {
				w.leaves[leaf] = true
			}
		}
		out = append(out, w)
	}
	return out
}

// stackIDs returns the ids in the name of a step about complete stacks; ok is false if one of them is not a number.
func stackIDs(name string) (ids []model.StackID, ok bool) {
	_, list := targetOf(name)
	for word := range strings.SplitSeq(list, ",") {
		id, err := strconv.ParseUint(strings.TrimSpace(word), 10, 64)
		if err != nil {
			return nil, false
		}
		ids = append(ids, model.StackID(id))
	}
	return ids, true
}
