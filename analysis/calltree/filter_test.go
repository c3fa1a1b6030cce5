package calltree

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// framesOf is the functions of a stack, root first.
func framesOf(s *model.Stacks, n model.NodeID) []string {
	var out []string
	for ; n != 0; n = s.Parent[n] {
		out = append(out, FrameFunction(s, s.Frame[n]))
	}
	slices.Reverse(out)
	return out
}

// filterPlainly does to one stack what a filter says, step by step.
func filterPlainly(frames []string, filter Filter, part Part) (out []string, kept bool) {
	passes := func(name string) bool { return slices.ContainsFunc(frames, FunctionMatcher(name)) }
	all := frames
	for _, s := range filter.Steps() {
		if (s.Kind == Focus || s.Kind == PivotAt) && !passes(s.Name) || s.Kind == Ignore && passes(s.Name) {
			return nil, false
		}
	}
	for _, s := range filter.Steps() {
		if s.Kind != ShowFrom {
			continue
		}
		i := slices.IndexFunc(frames, FunctionMatcher(s.Name))
		if i < 0 {
			return nil, false
		}
		frames = frames[i:]
	}
	if pivot := filter.Pivot(); pivot != "" {
		i := slices.IndexFunc(frames, FunctionMatcher(pivot))
		switch {
		case i < 0:
			return nil, false
		case part == Callees:
			frames = frames[i:]
		case part == Callers:
			frames = frames[:i+1]
		}
	}
	frames = slices.Clone(frames)
	for _, s := range filter.Steps() {
		if s.Kind == HideFrame {
			frames = slices.DeleteFunc(frames, FunctionMatcher(s.Name))
		}
	}
	return frames, len(all) >= 0
}

func randomFilter(rng *rand.Rand, steps int) Filter {
	var f Filter
	for range steps {
		name := fmt.Sprint("f", rng.IntN(5))
		if rng.IntN(8) == 0 {
			name = fmt.Sprintf("/[f%d]$/", rng.IntN(4))
		}
		f = f.With(Step{StepKind(rng.IntN(int(stepKinds))), name})
	}
	return f
}

// What happens to the tree at once is what happens to every stack alone.
func TestFilterStacks(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := modeltest.RandomProfile(rng)
		filter, part := randomFilter(rng, rng.IntN(4)), Part(rng.IntN(3))
		got, err := FilterStacks(t.Context(), p.Stacks, filter, part)
		if err != nil {
			t.Fatal(err)
		}
		for n := range p.Stacks.Parent {
			want, kept := filterPlainly(framesOf(p.Stacks, model.NodeID(n)), filter, part)
			node, ok := got.Node(model.NodeID(n))
			if ok != kept || kept && !slices.Equal(framesOf(got.Stacks, node), want) {
				t.Fatalf("seed %d: %q of %v, part %d: %v %v, not %v %v", seed, filter, framesOf(p.Stacks, model.NodeID(n)), part,
					framesOf(got.Stacks, node), ok, want, kept)
			}
		}
		for n := 1; n < len(got.Stacks.Parent); n++ {
			if got.Stacks.Parent[n] >= model.NodeID(n) || got.Stacks.Depth[n] != got.Stacks.Depth[got.Stacks.Parent[n]]+1 {
				t.Fatalf("seed %d: node %d hangs off %d", seed, n, got.Stacks.Parent[n])
			}
		}
		if _, kept := got.Node(0); kept != StacksAreKept(filter) {
			t.Fatalf("seed %d: a stack without frames is kept: %v", seed, kept)
		}
	}
}

// The order in which steps of different kinds are added does not matter.
func TestStepsOfDifferentKindsCommute(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p := modeltest.RandomProfile(rng)
		var steps []Step
		for k := range stepKinds {
			steps = append(steps, Step{k, fmt.Sprint("f", rng.IntN(4))})
		}
		one, err := FilterStacks(t.Context(), p.Stacks, NewFilter(steps...), FullStacks)
		rng.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
		two, err2 := FilterStacks(t.Context(), p.Stacks, NewFilter(steps...), FullStacks)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if !slices.Equal(one.node, two.node) || !slices.Equal(one.drop, two.drop) {
			t.Fatalf("seed %d: %v", seed, steps)
		}
	}
}

func TestFilterSteps(t *testing.T) {
	f := NewFilter(Step{Focus, "a b"}, Step{HideFrame, "x\ny"}, Step{PivotAt, "p"}, Step{Focus, "a b"}, Step{PivotAt, "q"})
	if want := Filter("focus a b\nhide x y\npivot q"); f != want {
		t.Errorf("%q", f)
	}
	if f.Pivot() != "q" || f.Without(2).Pivot() != "" || f.Without(0).Without(0).Without(0) != "" || f.Without(7) != f {
		t.Errorf("%q without a step", f)
	}
	for _, bad := range []Step{{Focus, ""}, {HideFrame, "/(/"}} {
		if CheckStep(bad) == nil {
			t.Errorf("%v is a step", bad)
		}
	}
}

func TestFunctionMatcher(t *testing.T) {
	for _, c := range []struct {
		step, name string
		want       bool
	}{
		{"main", "main", true}, {"main", "main2", false}, {"/AIN/", "main", true}, {"/^ain/", "main", false}, {"/", "/", true},
		{"a<…>::b", "a<int>::b", true}, {"a<…>::b", "a<x<y>, z>::b", true}, {"a<…>::b", "a<x>::c<y>::b", false}, {"a<…>::b", "a::b", false},
		{"a<…>::b", "a<…>::b", true}, {"a<…>::b<…>", "a<(c)0>::b<d->e>", true}, {"a<…>", "a<b", false}, {"a\nb", "a b", false}, {"a b", "a\nb", true},
	} {
		if got := FunctionMatcher(c.step)(c.name); got != c.want {
			t.Errorf("%q matches %q: %v", c.step, c.name, got)
		}
	}
}

// Functions of one name but of different binaries are different nodes, and leaves weigh what the file says of them
// alone.
func TestClassesAndOwnWeights(t *testing.T) {
	s := model.NewStacks()
	s.Functions = append(s.Functions, "f")
	s.FrameFunc, s.FrameFile, s.FrameLine = []model.FuncID{0, 1, 1, 1}, make([]model.FileID, 4), make([]int64, 4)
	s.Parent, s.Frame, s.Depth = []model.NodeID{0, 0, 0, 0}, []model.FrameID{0, 1, 2, 3}, []uint32{0, 1, 1, 1}
	tree, err := NewLeafTree(t.Context(), s, []model.NodeID{1, 2, 3}, TreeOptions{Class: []uint32{0, 0, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if tree.Len() != 3 || tree.Leaf(0) != tree.Leaf(2) || tree.Leaf(0) == tree.Leaf(1) || tree.Name(tree.Leaf(1)) != "f" {
		t.Errorf("%d nodes, leaves %d %d %d", tree.Len(), tree.Leaf(0), tree.Leaf(1), tree.Leaf(2))
	}
	f := tree.Fold([]uint64{10, 20, 30}).WithOwn([]uint64{1, 2, 3})
	if at := tree.Leaf(0); f.Self(at) != 4 || f.Total[at] != 40 || f.Total[0] != 60 {
		t.Errorf("self %d of %d of %d", f.Self(at), f.Total[at], f.Total[0])
	}
}

// A step names a function as the file has it, or as tables show it, with or without the marks of what they leave out.
func TestNamesOfSteps(t *testing.T) {
	const full = "void AuditLog<int, char>::make_record<long>(std::string const&, int) const"
	s := model.NewStacks()
	s.Functions = append(s.Functions, full, "net/http.(*conn).serve", "java.util.HashMap.put", "file::open", "")
	s.Files = append(s.Files, "/src/audit/log.cpp", "/lib/x86_64-linux-gnu/libc.so.6")
	s.FrameFunc, s.FrameFile, s.FrameLine = []model.FuncID{0, 1, 2, 3, 4, 5}, []model.FileID{0, 1, 0, 0, 0, 2}, make([]int64, 6)
	for _, c := range []struct {
		step string
		want []model.FrameID
	}{
		{full, []model.FrameID{1}},
		{"AuditLog<…>::make_record<…>", []model.FrameID{1}},
		{"AuditLog::make_record", []model.FrameID{1}},
		{"AuditLog<int, char>::make_record<long>", []model.FrameID{1}},
		{"make_record", nil},
		{"/MAKE_rec/", []model.FrameID{1}},
		{"file:log.cpp", []model.FrameID{1}},
		{"file:audit/log.cpp", []model.FrameID{1}},
		{"file:/src/audit/log.cpp", []model.FrameID{1}},
		{"file:og.cpp", nil},
		{"file:/log/", []model.FrameID{1}},
		{"file::open", []model.FrameID{4}},
		{"module:libc.so.6", []model.FrameID{5}},
		{"module:/src/audit", []model.FrameID{1}},
		{"module:/LIBC/", []model.FrameID{5}},
		{"module:libc", nil},
		{"package:net/http", []model.FrameID{2}},
		{"package:net", []model.FrameID{2}},
		{"package:java.util", []model.FrameID{3}},
		{"package:java.ut", nil},
		{"package:AuditLog", nil},
	} {
		m := newFrameMatcher(s, c.step)
		var got []model.FrameID
		for f := 1; f < len(s.FrameFunc); f++ {
			if m.matches(model.FrameID(f)) {
				got = append(got, model.FrameID(f))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q matches frames %v, want %v", c.step, got, c.want)
		}
	}
	s.DSOs, s.FrameDSO = []model.DSO{{}, {Name: "libx.so"}}, []model.DSOID{0, 1, 0, 0, 0, 0}
	if m := newFrameMatcher(s, "module:libx.so"); !m.matches(1) || m.matches(5) {
		t.Error("the binary that the file tells is not the module")
	}
	filter := NewFilter(Step{Focus, "AuditLog::make_record"}, Step{Ignore, "make_rekord"}, Step{HideFrame, "module:libc.so.7"})
	lost, err := FindUnmatched(t.Context(), filter, s)
	if err != nil || len(lost) != 2 || lost[0].Step.Name != "make_rekord" || lost[1].Step.Kind != HideFrame {
		t.Errorf("unmatched are %v, %v", lost, err)
	}
	for step, want := range map[string]string{"make_rekord": "AuditLog<…>::make_record<…>", "auditlog": "AuditLog<…>::make_record<…>", "HashMap": "java.util.HashMap.put", "module:libc": "module:libc.so.6", "zzz": "",
		"record_make": "AuditLog<…>::make_record<…>", "HashMap.jav": "java.util.HashMap.put", "libc.so.7": "file:libc.so.6"} {
		s.DSOs, s.FrameDSO = nil, nil
		near, err := Near(t.Context(), s, step, 1)
		if err != nil || strings.Join(near, "") != want {
			t.Errorf("near %q is %q, %v, want %q", step, near, err, want)
		}
	}
	if names, _ := Names(t.Context(), s, "make", 5); !slices.Equal(names, []string{"AuditLog<…>::make_record<…>"}) {
		t.Errorf("completed to %q", names)
	}
}

// A step about complete stacks keeps or leaves out those with its ids alone, not others that pass the same frames.
func TestFilterOfCompleteStacks(t *testing.T) {
	s := modeltest.Stacks()
	for _, c := range []struct {
		kind StepKind
		ids  []model.StackID
		want []model.StackID
	}{
		{Focus, []model.StackID{1}, []model.StackID{1}}, {Focus, []model.StackID{0, 2}, []model.StackID{0, 2}},
		{Ignore, []model.StackID{1}, []model.StackID{0, 2, 3, 4}}, {Focus, []model.StackID{99}, nil}, {Ignore, []model.StackID{99}, []model.StackID{0, 1, 2, 3, 4}},
	} {
		step := Step{c.kind, StackStep(c.ids...)}
		if err := CheckStep(step); err != nil {
			t.Fatal(err)
		}
		out, err := FilterStacks(t.Context(), s, NewFilter(step), FullStacks)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(out.Stacks.Leaf)); !slices.Equal(got, c.want) {
			t.Errorf("%v keeps %v, want %v", step, got, c.want)
		}
		missing, err := FindUnmatched(t.Context(), NewFilter(step), s)
		if err != nil || (len(missing) > 0) != (c.ids[0] == 99) {
			t.Errorf("%v matches nothing: %v, %v", step, missing, err)
		}
	}
	for _, bad := range []Step{{Focus, "stack:x"}, {Focus, "stack:1,"}, {HideFrame, "stack:1"}, {PivotAt, "stack:1"}} {
		if CheckStep(bad) == nil {
			t.Errorf("%v is accepted", bad)
		}
	}
}
