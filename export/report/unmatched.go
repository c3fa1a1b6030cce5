package report

import (
	"context"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// Unmatched is a filter of stacks that matches nothing of a file.
type Unmatched struct {
	Filter string   `json:"filter"` // "focus main"
	Near   []string `json:"near"`   // names that may be meant, nearest first
}

// nearNames is how many names are offered in place of one that matches nothing.
const nearNames = 3

// UnmatchedIn returns the filters that match nothing in any of the stacks, nil ones left out. The error is that of ctx.
func UnmatchedIn(ctx context.Context, filter calltree.Filter, all ...*model.Stacks) (out []Unmatched, err error) {
	for _, step := range filter.Steps() {
		matched := false
		var near []string
		for _, s := range all {
			if s == nil || matched {
				continue
			}
			lost, err := calltree.Unmatched(ctx, s, calltree.NewFilter(step))
			if err != nil {
				return nil, err
			}
			if matched = len(lost) == 0; matched || len(near) > 0 {
				continue
			}
			if near, err = calltree.Near(ctx, s, step.Name, nearNames); err != nil {
				return nil, err
			}
		}
		if !matched {
			out = append(out, Unmatched{step.String(), append([]string{}, near...)})
		}
	}
	return out, nil
}

// String says what matches nothing, and what is near. It is clean.
func (u Unmatched) String() string {
	text := model.Clean(u.Filter) + " matches nothing in this file"
	if len(u.Near) > 0 {
		text += "; near: " + model.Clean(strings.Join(u.Near, ", "))
	}
	return text
}

// unmatchedText says for the line about filters which of them match nothing.
func (h *Header) unmatchedText() (out []string) {
	for _, u := range h.NoMatch {
		out = append(out, u.String())
	}
	return out
}
