package views

import (
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
)

type overview struct{ pane }

func newOverview(e *env) *overview { return &overview{newPane(e)} }

func (p *overview) name() string           { return "Overview" }
func (p *overview) action() keymap.Action  { return keymap.ShowOverview }
func (p *overview) needs() model.Facet     { return model.FacetAllocations }
func (p *overview) scopes() []keymap.Scope { return nil }
func (p *overview) show(s *State)          { p.state = *s }
func (p *overview) do(keymap.Action) bool  { return false }
