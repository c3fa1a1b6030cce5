package analysis

import "github.com/memtui/memtui/model"

// StacksThrough tells for each record whether a frame of its stack is of one of those functions.
func StacksThrough(p *model.StackProfile, s *model.Stacks, functions map[string]bool) []bool {
	wanted := make([]bool, len(s.Functions))
	for f, name := range s.Functions {
		wanted[f] = functions[name]
	}
	through := make([]bool, len(s.Parent)) // parents come first
	for n := 1; n < len(through); n++ {
		through[n] = through[s.Parent[n]] || wanted[s.FrameFunc[s.Frame[n]]]
	}
	out := make([]bool, p.Records.Len())
	for r, node := range p.Records.Node {
		out[r] = through[node]
	}
	return out
}

// Keep returns the selection without the records for which keep is false; the weights of the others stay what they are.
func (s *ProfileSelection) Keep(keep []bool) *ProfileSelection {
	out := *s
	out.keep = keep
	return &out
}
