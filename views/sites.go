package views

import (
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
)

type sites struct{ pane }

func newSites(e *env) *sites { return &sites{newPane(e)} }

func (p *sites) name() string           { return "Sites" }
func (p *sites) action() keymap.Action  { return keymap.ShowSites }
func (p *sites) needs() model.Facet     { return model.FacetAllocations }
func (p *sites) scopes() []keymap.Scope { return nil }
func (p *sites) show(s *State)          { p.state = *s }
func (p *sites) do(keymap.Action) bool  { return false }
