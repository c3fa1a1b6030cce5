package views

import (
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
)

type stacks struct{ pane }

func newStacks(e *env) *stacks { return &stacks{newPane(e)} }

func (p *stacks) name() string           { return "Stacks" }
func (p *stacks) action() keymap.Action  { return keymap.ShowStacks }
func (p *stacks) needs() model.Facet     { return model.FacetAllocations }
func (p *stacks) scopes() []keymap.Scope { return nil }
func (p *stacks) show(s *State)          { p.state = *s }
func (p *stacks) do(keymap.Action) bool  { return false }
