package heap

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// pathKey determines a shortest path from the root.
type pathKey struct {
	graph   *ui.HeapGraph
	row     model.Row
	without string // packed rows
}

// pathSet is such a path. Read-only once made.
type pathSet struct {
	pathKey
	steps []heapgraph.Step
	found bool
}

func findPath(ctx context.Context, k pathKey) (*pathSet, error) {
	var without map[model.Row]bool
	for _, r := range state.UnpackRows(k.without) {
		if without == nil {
			without = map[model.Row]bool{}
		}
		without[r] = true
	}
	steps, found, err := k.graph.Path(ctx, k.row, without)
	return &pathSet{k, steps, found}, err
}

// summary returns how long the path is.
func (s *pathSet) summary() string {
	switch n := len(s.steps) - 1; {
	case !s.found && s.without == "":
		return "no path from the root"
	case !s.found:
		return "no other path from the root"
	case n == 0:
		return "the root itself"
	default:
		return model.Counted(n, "step") + " from the root"
	}
}

// pathLines returns a path, a line for each step, the root first. Long ones lose their middle.
func pathLines(p *ui.Pane, s *pathSet) []widget.Line {
	if !s.found {
		return []widget.Line{p.Note("there is no path from the root")}
	}
	const most = 60
	h := s.graph.Heap
	var lines []widget.Line
	for i := 0; i < len(s.steps); i++ {
		if i == most/2 && len(s.steps) > most {
			skip := len(s.steps) - most
			lines = append(lines, p.Note("… ", model.Counted(skip, "step"), " of the same chain"))
			i += skip
		}
		st := s.steps[i]
		how := ""
		if i > 0 {
			how = edgeText(h, st.Edge) + " " + p.Look.Glyphs.ArrowRight + " "
		}
		lines = append(lines, widget.Line{Indent: 2, Spans: []widget.Span{{Text: how, Style: p.Look.Muted},
			{Text: namedRow(h, st.Row, p.State.FullName)},
			{Text: fmt.Sprintf("  retains %s", ui.BytesText(s.graph.Retained[st.Row], p.State.Exact)), Style: p.Look.Muted}}})
	}
	return lines
}
