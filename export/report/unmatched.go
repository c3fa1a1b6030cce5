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

// UnmatchedIn returns the filters that match nothing, as [calltree.FindUnmatched] finds them.
func UnmatchedIn(ctx context.Context, filter calltree.Filter, all ...*model.Stacks) (out []Unmatched, err error) {
	lost, err := calltree.FindUnmatched(ctx, filter, all...)
	for _, u := range lost {
		out = append(out, Unmatched{u.Step.String(), append([]string{}, u.Near...)})
	}
	return out, err
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
