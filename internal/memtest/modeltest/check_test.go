package modeltest

import (
	"testing"

	"github.com/memtui/memtui/model"
)

func TestCheckFindsBrokenInvariants(t *testing.T) {
	good := func() *model.Profile {
		s := model.NewStacks()
		s.Functions = append(s.Functions, "f")
		s.FrameFunc, s.FrameFile, s.FrameLine = append(s.FrameFunc, 1), append(s.FrameFile, 0), append(s.FrameLine, 3)
		s.Parent, s.Frame, s.Depth = append(s.Parent, 0), append(s.Frame, 1), append(s.Depth, 1)
		s.Leaf[5] = 1
		return &model.Profile{Meta: model.Meta{Format: "mlyze"}, Complete: true, Stacks: s}
	}
	if errs := Check(good()); len(errs) > 0 {
		t.Fatal(errs)
	}
	breaks := map[string]func(*model.Profile){
		"lost":     func(p *model.Profile) { p.Lost = 3 },
		"format":   func(p *model.Profile) { p.Meta.Format = "" },
		"problem":  func(p *model.Profile) { p.Problems = []model.Problem{{}} },
		"parent":   func(p *model.Profile) { p.Stacks.Parent[1] = 1 },
		"depth":    func(p *model.Profile) { p.Stacks.Depth[1] = 2 },
		"leaf":     func(p *model.Profile) { p.Stacks.Leaf[5] = 9 },
		"function": func(p *model.Profile) { p.Stacks.FrameFunc[1] = 9 },
		"columns":  func(p *model.Profile) { p.Stacks.FrameLine = nil },
	}
	for name, f := range breaks {
		p := good()
		f(p)
		if len(Check(p)) == 0 {
			t.Errorf("%s: not found", name)
		}
	}
}
