package trace

import (
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// One thread for stacks that begin in several says that the recording has no thread ids.
func TestOneThreadForSeveral(t *testing.T) {
	tree := func(roots ...string) *model.Stacks {
		s := model.NewStacks()
		for _, name := range roots {
			s.Functions = append(s.Functions, name)
			s.FrameFunc = append(s.FrameFunc, model.FuncID(len(s.Functions)-1))
			s.FrameFile = append(s.FrameFile, 0)
			s.FrameLine = append(s.FrameLine, model.NoLine)
			s.Parent = append(s.Parent, 0)
			s.Frame = append(s.Frame, model.FrameID(len(s.FrameFunc)-1))
			s.Depth = append(s.Depth, 1)
		}
		return s
	}
	for _, tt := range []struct {
		threads int
		roots   []string
		want    string
	}{
		{1, []string{"_start", "clone3"}, ", as it has no thread ids"}, {3, []string{"_start", "clone3"}, ""},
		{1, []string{"_start"}, ""}, {1, []string{"clone3", "start_thread"}, ""}, {1, nil, ""},
	} {
		s := state.NewState()
		s.Profile = &model.Profile{Stacks: tree(tt.roots...)}
		h := Headline{HeadlineKey: HeadlineKey{R: analysis.FullRange}, threads: tt.threads}
		got := "no such figure"
		for _, col := range h.items(&s, analysis.Level{}, item{}, 80) {
			for _, it := range col {
				if it.label == "threads" {
					got = it.rest
				}
			}
		}
		if got != tt.want {
			t.Errorf("%d threads, stacks from %q: %q, want %q", tt.threads, tt.roots, got, tt.want)
		}
	}
}
