package views

import (
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
)

type leaks struct{ pane }

func newLeaks(e *env) *leaks { return &leaks{newPane(e)} }

func (p *leaks) name() string           { return "Leaks" }
func (p *leaks) action() keymap.Action  { return keymap.ShowLeaks }
func (p *leaks) needs() model.Facet     { return model.FacetAllocations }
func (p *leaks) scopes() []keymap.Scope { return nil }
func (p *leaks) show(s *State)          { p.state = *s }
func (p *leaks) do(keymap.Action) bool  { return false }
