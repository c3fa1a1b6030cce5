package views

import (
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
)

type timeline struct{ pane }

func newTimeline(e *env) *timeline { return &timeline{newPane(e)} }

func (p *timeline) name() string           { return "Timeline" }
func (p *timeline) action() keymap.Action  { return keymap.ShowTimeline }
func (p *timeline) needs() model.Facet     { return model.FacetAllocations }
func (p *timeline) scopes() []keymap.Scope { return nil }
func (p *timeline) show(s *State)          { p.state = *s }
func (p *timeline) do(keymap.Action) bool  { return false }
