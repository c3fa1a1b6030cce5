package weights

import (
	"context"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// Grouping is the rows of one grouping over stacks of a profile, and what adding their weights up needs. To make it
// takes much longer than to ask it for a table. Read-only once made, and good for several goroutines.
type Grouping struct {
	By     By
	Stacks *model.Stacks

	rows  []Row     // without weights
	of    []uint32  // the row by frame, or by thread
	rank  []uint32  // by row: its place in the order of names
	sums  sync.Pool // of *[]uint64, by node, all 0: to have new ones at each step of a range takes longer than to clear them
	outer []uint32  // by node: its row plus one where nothing above it belongs to that row, else 0; nil for threads and owners
	owner []uint32  // by node: the row of what owns a stack with that leaf; nil but for owners
}

// NewGrouping groups the frames of stacks, or the threads of a profile. The stacks are those of w, or what a filter
// leaves of them. libraries are what owns no memory beside what is known, nil for none.
func NewGrouping(w *model.StackProfile, s *model.Stacks, by By, libraries *regexp.Regexp) *Grouping {
	g := &Grouping{By: by, Stacks: s}
	g.rows, g.of = (&Selection{Profile: w, Stacks: s}).tableRows(by)
	order := make([]uint32, len(g.rows))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(g.rows[a].Name, g.rows[b].Name) })
	g.rank = make([]uint32, len(g.rows))
	for i, row := range order {
		if g.rank[row] = uint32(i); i > 0 && g.rows[row].Name == g.rows[order[i-1]].Name {
			g.rank[row] = g.rank[order[i-1]]
		}
	}
	switch {
	case by == ByProfileThread || by >= byLabel:
	case by == ByOwner:
		g.findOwners(libraries)
	default:
		g.findOuter()
	}
	return g
}

// wholeStacks reports whether a stack belongs to one row, with all that it weighs.
func (g *Grouping) wholeStacks() bool {
	return g.By == ByProfileThread || g.By == ByOwner || g.By >= byLabel
}

// rowOf returns the row that a record belongs to as a whole; ok is false for stacks without frames, which nothing owns.
func (g *Grouping) rowOf(s *Selection, record int) (row uint32, ok bool) {
	if g.By == ByProfileThread {
		return g.of[s.Profile.Records.Thread[record]], true
	}
	if g.By >= byLabel {
		return g.of[labelsOf(s.Profile, record)], true
	}
	leaf := s.Node(model.RecordID(record))
	return g.owner[leaf], leaf != 0
}

func (g *Grouping) findOwners(libraries *regexp.Regexp) {
	owners := calltree.NewOwners(g.Stacks, libraries)
	g.owner = make([]uint32, len(g.Stacks.Parent))
	for n := 1; n < len(g.owner); n++ {
		g.owner[n] = g.of[g.Stacks.Frame[owners.Node(model.NodeID(n))]]
	}
}

// Rank returns the place of a row in the order of names, by its ID. Rows of one name have one place.
func (g *Grouping) Rank(id uint32) uint32 { return g.rank[id] }

// findOuter walks the tree of stacks depth first, with a count for every row of how often it is among the callers.
func (g *Grouping) findOuter() {
	s := g.Stacks
	n := len(s.Parent)
	g.outer = make([]uint32, n)
	first, next, open := make([]model.NodeID, n), make([]model.NodeID, n), make([]uint32, len(g.rows))
	for c := n - 1; c > 0; c-- {
		p := s.Parent[c]
		next[c], first[p] = first[p], model.NodeID(c)
	}
	for at := model.NodeID(0); ; {
		down := first[at]
		for down == 0 { // leave it
			if at == 0 {
				return
			}
			open[g.of[s.Frame[at]]]--
			down, at = next[at], s.Parent[at]
		}
		at = down
		row := g.of[s.Frame[at]]
		if open[row]++; open[row] == 1 {
			g.outer[at] = row + 1
		}
	}
}

// Table is [Table] of selections of the grouping's stacks.
func (g *Grouping) Table(ctx context.Context, selections ...*Selection) ([]Row, error) {
	n := len(selections)
	rows := slices.Clone(g.rows)
	weights, hit := make([]FrameWeight, n*len(rows)), make([]bool, len(rows))
	for i := range rows {
		rows[i].Weights = weights[i*n : (i+1)*n : (i+1)*n]
	}
	for k, s := range selections {
		quick := !g.wholeStacks() && s.weighTree(g, k, rows, hit)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if quick {
			continue
		}
		if err := s.weigh(ctx, g, k, rows, hit); err != nil {
			return nil, err
		}
	}
	out := rows[:0]
	for i := range rows {
		if hit[i] {
			out = append(out, rows[i])
		}
	}
	return out, nil
}

// weighTree does what [Selection.weigh] does, from the leaves of the tree to its root, each node once. It does nothing,
// and returns false, where weights are not integers that can be added up without overflow. This is a hot kernel.
func (s *Selection) weighTree(g *Grouping, k int, rows []Row, hit []bool) (ok bool) {
	rec, st := &s.Profile.Records, s.Stacks
	sums, known := g.sums.Get().(*[]uint64)
	if !known {
		fresh := make([]uint64, len(st.Parent))
		sums = &fresh
	}
	defer func() {
		clear(*sums)
		g.sums.Put(sums)
	}()
	t := treeSums{sums: *sums, self: make([]uint64, len(rows)), total: make([]uint64, len(rows))}
	most := math.MaxUint64 / uint64(rec.Len()+1)
	for r := range rec.Len() {
		n, selected := s.Weight(model.RecordID(r))
		if !selected {
			continue
		}
		weight, small := n.Small(most)
		alone := weight
		if s.picked == nil {
			own, _ := s.Self(model.RecordID(r))
			var alsoSmall bool
			alone, alsoSmall = own.Small(most)
			small = small && alsoSmall
		}
		if !small {
			return false
		}
		leaf := s.Node(model.RecordID(r))
		t.sums[leaf] += weight
		if leaf == 0 {
			continue
		}
		t.self[g.of[st.Frame[leaf]]] += alone
		if weight == 0 {
			t.noted = append(t.noted, leaf)
		}
	}
	t.addUp(g, hit)
	for i := range rows {
		w := &rows[i].Weights[k]
		w.Self.Add(model.Unsigned(t.self[i]))
		w.Total.Add(model.Unsigned(t.total[i]))
	}
	return true
}

// treeSums are the weights of a selection.
type treeSums struct {
	sums        []uint64       // by node
	self, total []uint64       // by row
	noted       []model.NodeID // that are reached though they weigh nothing
}

// addUp fills total, and notes the rows that are reached. This is a hot kernel.
func (t *treeSums) addUp(g *Grouping, hit []bool) {
	s := g.Stacks
	for _, n := range t.noted {
		for ; n != 0 && t.sums[n] == 0; n = s.Parent[n] {
			row := g.of[s.Frame[n]]
			hit[row] = true
		}
	}
	parent, outer := s.Parent[:len(t.sums)], g.outer[:len(t.sums)]
	for n := len(t.sums) - 1; n > 0; n-- {
		w := t.sums[n]
		if w == 0 {
			continue
		}
		t.sums[parent[n]] += w
		if row := outer[n]; row > 0 {
			t.total[row-1] += w
			hit[row-1] = true
		}
	}
}
