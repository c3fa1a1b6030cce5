package calltree

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memtui/memtui/model"
)

// Filter selects stacks and the frames of them that are shown, one step per line, as [Step.String] writes it. ""
// changes nothing. It is a string so that it can be compared, stored in states and used in keys.
//
// The order of steps of different kinds does not matter: stacks are first selected by the functions that they must or
// must not pass, by their frames as in the file; then what is above [ShowFrom] is cut off; then frames are hidden.
type Filter string

// StepKind is the kind of a step of a filter.
type StepKind uint8

const (
	Focus     StepKind = iota // keep only stacks that pass the function
	Ignore                    // leave out stacks that pass the function
	ShowFrom                  // cut off what is above the outermost call of the function, and leave out stacks without it
	HideFrame                 // remove the function's frames from stacks; their weight goes to their callers
	PivotAt                   // keep only stacks that pass the function; trees show its callers and what it calls
	stepKinds
)

// String returns the kind as flags name it.
func (k StepKind) String() string {
	return [...]string{"focus", "ignore", "show-from", "hide", "pivot"}[k]
}

// Step is one step of a filter. Name is a function's name as in the file, or as tables show it, without arguments of
// templates and of functions. "<…>" in it matches any arguments, and /expression/ all names that match the regular
// expression, ignoring case. After "file:", "module:" or "package:" it is the name of one of these, or an expression;
// after "stack:" the ids of complete stacks.
type Step struct {
	Kind StepKind
	Name string
}

// String returns the step as a line of a filter.
func (s Step) String() string { return s.Kind.String() + " " + oneLine(s.Name) }

// oneLine returns a name as filters store and compare it.
func oneLine(name string) string {
	if strings.ContainsAny(name, "\n\r") {
		return strings.NewReplacer("\n", " ", "\r", " ").Replace(name)
	}
	return name
}

// CheckStep reports what is wrong with a step that a user typed.
func CheckStep(s Step) error {
	_, name := targetOf(s.Name)
	switch text, isExpr := expressionIn(name); {
	case name == "":
		return fmt.Errorf("%s: name a function", s.Kind)
	case strings.HasPrefix(s.Name, labelPrefix) && s.Kind != Focus && s.Kind != Ignore:
		return fmt.Errorf("%s: labels belong to complete stacks: focus on %s, or ignore it", s.Kind, s.Name)
	case ofStacks(s) && s.Kind != Focus && s.Kind != Ignore:
		return fmt.Errorf("%s: %s is about complete stacks: focus on them, or ignore them", s.Kind, s.Name)
	case ofStacks(s):
		if _, ok := stackIDs(s.Name); !ok {
			return fmt.Errorf("%s: %s: write numbers of stacks, as in stack:21,35", s.Kind, s.Name)
		}
	case isExpr:
		if _, err := regexp.Compile(text); err != nil {
			return fmt.Errorf("%s: invalid regular expression %s", s.Kind, name)
		}
	}
	return nil
}

// Steps returns the steps in the order in which they were added. Invalid lines are left out.
func (f Filter) Steps() []Step {
	var out []Step
	for line := range strings.Lines(string(f)) {
		kind, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		for k := range stepKinds {
			if k.String() == kind {
				out = append(out, Step{k, name})
			}
		}
	}
	return out
}

// With returns the filter with one more step. The same step is not added twice, and a new pivot replaces the old one.
func (f Filter) With(s Step) Filter {
	s.Name = oneLine(s.Name)
	steps := f.Steps()
	if slices.Contains(steps, s) {
		return f
	}
	if s.Kind == PivotAt {
		steps = slices.DeleteFunc(steps, func(old Step) bool { return old.Kind == PivotAt })
	}
	return filterOf(append(steps, s))
}

// Without returns the filter without step n, from 0.
func (f Filter) Without(n int) Filter {
	steps := f.Steps()
	if n < 0 || n >= len(steps) {
		return f
	}
	return filterOf(slices.Delete(steps, n, n+1))
}

// Pivot returns the name of the pivot step, "" if there is none.
func (f Filter) Pivot() string {
	for _, s := range f.Steps() {
		if s.Kind == PivotAt {
			return s.Name
		}
	}
	return ""
}

// AroundPivot splits a filter with a pivot into the steps that select stacks, and those that must be applied together
// after them: the pivot and the frames to hide, which may be the pivot's own.
func (f Filter) AroundPivot() (before, after Filter) {
	var parts [2][]Step
	for _, s := range f.Steps() {
		if s.Kind != HideFrame {
			parts[0] = append(parts[0], s)
		}
		if s.Kind == HideFrame || s.Kind == PivotAt {
			parts[1] = append(parts[1], s)
		}
	}
	return filterOf(parts[0]), filterOf(parts[1])
}

// Only reports whether a filter has steps of no other kinds.
func (f Filter) Only(kinds ...StepKind) bool {
	return !slices.ContainsFunc(f.Steps(), func(s Step) bool { return !slices.Contains(kinds, s.Kind) })
}

// NewFilter returns a filter with the given steps.
func NewFilter(steps ...Step) (f Filter) {
	for _, s := range steps {
		f = f.With(s)
	}
	return f
}

func filterOf(steps []Step) Filter {
	lines := make([]string, len(steps))
	for i, s := range steps {
		lines[i] = s.String()
	}
	return Filter(strings.Join(lines, "\n"))
}

// Part is the part of stacks around a pivot. Without a pivot all parts are the complete stacks.
type Part uint8

const (
	FullStacks Part = iota
	Callees         // from the outermost call of the pivot on
	Callers         // up to the outermost call of the pivot
)

// FilteredStacks is the result of applying a filter to stacks. It is read-only.
type FilteredStacks struct {
	Stacks *model.Stacks // tables of the original, and the filtered tree; Leaf has only stacks that are kept

	labels []labelStep
	whole  []wholeStep
	node   []model.NodeID // by node of the original
	drop   []bool         // by node of the original
}

// Node returns the node of a stack that ends at a node of the original tree; kept is false if the stack is left out.
// The node of a kept stack is 0 if all its frames are hidden.
func (f *FilteredStacks) Node(n model.NodeID) (node model.NodeID, kept bool) {
	return f.node[n], !f.drop[n]
}

// FilterStacks applies a filter to every stack of a tree once, regardless of how many records or blocks have it.
func FilterStacks(ctx context.Context, s *model.Stacks, filter Filter, part Part) (*FilteredStacks, error) {
	b, err := newFilterer(ctx, s, filter, part)
	if err != nil {
		return nil, err
	}
	if b.same = b.hide == 0 && len(b.from) == 0; b.same {
		b.out.Stacks.Parent, b.out.Stacks.Frame, b.out.Stacks.Depth = s.Parent, s.Frame, s.Depth
	}
	for n := range s.Parent {
		if n%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		b.add(model.NodeID(n))
	}
	done := 0
	for id, leaf := range s.Leaf {
		if done++; done%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if node, kept := b.out.Node(leaf); kept {
			b.out.Stacks.Leaf[id] = node
		}
	}
	return &b.out, nil
}

// leavesOut reports whether a step about complete stacks leaves out those that end at a node.
func (f *FilteredStacks) leavesOut(n model.NodeID) bool {
	for _, w := range f.whole {
		if w.leaves[n] == w.not {
			return true
		}
	}
	return false
}

// StacksAreKept reports whether a stack of which nothing is known passes a filter: it passes no function.
func StacksAreKept(filter Filter) bool {
	for _, s := range filter.Steps() {
		if s.Kind != Ignore && s.Kind != HideFrame {
			return false
		}
	}
	return true
}

// filterer walks a tree whose parents come before their children.
type filterer struct {
	s     *model.Stacks
	out   FilteredStacks
	part  Part
	same  bool // stacks stay complete: the tree is that of the original
	steps []Step
	from  []int                   // steps that stacks begin at, in order, the pivot last
	begin int                     // how many of them must be passed before frames are shown
	must  uint64                  // steps of which all must be passed
	not   uint64                  // steps of which none may be passed
	hide  uint64                  // steps whose frames are hidden
	match []uint64                // by frame: the steps that it matches
	seen  []uint64                // by node: the steps that it or anything above it matches
	stage []int32                 // by node: how many of from were passed
	next  map[uint64]model.NodeID // new parent and frame → new node
}

// maxSteps is the number of steps that have an effect; further ones are ignored.
const maxSteps = 64

// newFilterer prepares a walk. The error is that of ctx.
func newFilterer(ctx context.Context, s *model.Stacks, filter Filter, part Part) (*filterer, error) {
	steps := filter.Steps()
	steps = steps[:min(len(steps), maxSteps)]
	n := len(s.Parent)
	b := &filterer{
		s: s, part: part, steps: steps, match: make([]uint64, len(s.FrameFunc)), seen: make([]uint64, n), stage: make([]int32, n),
		next: map[uint64]model.NodeID{},
	}
	tree := *s
	tree.Parent, tree.Frame, tree.Depth, tree.Leaf = []model.NodeID{0}, []model.FrameID{0}, []uint32{0},
		make(map[model.StackID]model.NodeID, len(s.Leaf))
	b.out = FilteredStacks{&tree, labelSteps(s, steps), wholeSteps(s, steps), make([]model.NodeID, n), make([]bool, n)}
	for i, step := range steps {
		if ofRecords(s, step) || ofStacks(step) {
			continue
		}
		switch bit := uint64(1) << i; step.Kind {
		case Focus:
			b.must |= bit
		case Ignore:
			b.not |= bit
		case HideFrame:
			b.hide |= bit
		case ShowFrom:
			b.from = append(b.from, i)
		}
	}
	b.begin = len(b.from)
	for i, step := range steps {
		if step.Kind == PivotAt {
			b.from = append(b.from, i)
		}
	}
	if part == Callees {
		b.begin = len(b.from)
	}
	return b, b.findFrames(ctx)
}

// findFrames records which frames match which steps. The error is that of ctx.
func (b *filterer) findFrames(ctx context.Context) error {
	for i, step := range b.steps {
		m := newFrameMatcher(b.s, step.Name)
		for f := 1; f < len(b.match); f++ {
			if m.due() && ctx.Err() != nil {
				return ctx.Err()
			}
			if m.matches(model.FrameID(f)) {
				b.match[f] |= 1 << i
			}
		}
	}
	return nil
}

// add computes what becomes of the stacks that end at a node.
func (b *filterer) add(n model.NodeID) {
	if n == 0 {
		b.out.drop[0] = b.must != 0 || len(b.from) > 0 || b.out.leavesOut(0)
		return
	}
	parent, frame := b.s.Parent[n], b.s.Frame[n]
	bits := b.match[frame]
	b.seen[n] = b.seen[parent] | bits
	before := int(b.stage[parent])
	stage := before
	for stage < len(b.from) && bits&(1<<b.from[stage]) != 0 {
		stage++
	}
	b.stage[n] = int32(stage)
	b.out.drop[n] = b.seen[n]&b.must != b.must || b.seen[n]&b.not != 0 || stage < len(b.from) || b.out.leavesOut(n)
	if b.same {
		b.out.node[n] = n
		return
	}
	to := b.out.node[parent]
	past := b.part == Callers && len(b.from) > b.begin && before == len(b.from) // below the pivot
	if stage >= b.begin && bits&b.hide == 0 && !past {
		to = b.step(to, frame)
	}
	b.out.node[n] = to
}

// step returns the child of parent for a frame in the new tree, and creates it if there is none.
func (b *filterer) step(parent model.NodeID, frame model.FrameID) model.NodeID {
	key := uint64(parent)<<32 | uint64(frame)
	if n, ok := b.next[key]; ok {
		return n
	}
	t := b.out.Stacks
	n := model.NodeID(len(t.Parent))
	t.Parent, t.Frame, t.Depth = append(t.Parent, parent), append(t.Frame, frame), append(t.Depth, t.Depth[parent]+1)
	b.next[key] = n
	return n
}
