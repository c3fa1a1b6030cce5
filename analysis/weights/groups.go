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

// Grouping is the rows of one grouping of a profile's stacks, with what summing their weights needs. Making it takes
// much longer than computing a table. It is read-only and may be used by several goroutines.
type Grouping struct {
	By     By
	Stacks *model.Stacks

	rows  []Row     // without weights
	of    []uint32  // by frame, or by thread: its row
	rank  []uint32  // by row: its position in the order of names
	sums  sync.Pool // of *[]uint64, by node, all 0: clearing is faster than allocating at each step of a range
	outer []uint32  // by node: its row plus one if no caller belongs to that row, else 0; nil for threads and owners
	owner []uint32  // by node: the row of the owner of a stack with that leaf; nil except for owners
}

// NewGrouping groups the frames of stacks, or the threads of a profile. The stacks are those of w, or what a filter
// keeps of them. libraries matches functions and files that own no memory, in addition to the built-in ones; nil for
// none.
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

// wholeStacks reports whether a stack belongs to exactly one row, with all its weight.
func (g *Grouping) wholeStacks() bool {
	return g.By == ByProfileThread || g.By == ByOwner || g.By >= byLabel
}

// rowOf returns the row that a complete record belongs to; ok is false for stacks without frames, which have no owner.
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

// Rank returns the position of a row, by its ID, in the order of names. Rows of one name share a position.
func (g *Grouping) Rank(id uint32) uint32 { return g.rank[id] }

// findOuter walks the tree of stacks depth first, counting for every row how often it is among the callers.
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

// Table is the function [Table] for selections of the grouping's stacks.
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
		if !quick {
			if err := s.weigh(ctx, g, k, rows, hit); err != nil {
				return nil, err
			}
		}
		if k == 0 {
			for i := range rows {
				rows[i].First = hit[i]
			}
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

// weighTree does what [Selection.weigh] does, from the leaves of the tree to its root, visiting each node once. It
// returns false, without effect, if weights are not integers that can be added without overflow. This is a hot kernel.
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
	noted       []model.NodeID // reached though their weight is 0
}

// addUp computes total, and records the rows that are reached. This is a hot kernel.
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
