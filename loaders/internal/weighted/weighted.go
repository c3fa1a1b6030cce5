// Package weighted builds profiles of weighted stacks, for importers of stack profiles: it numbers names, frames,
// stacks, threads and labels, merges equal ones, groups problems by kind, and checks the memory budget.
package weighted

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Builder builds the tables of one profile. Only one goroutine may use it. Names are the file's bytes; long ones are
// cut and reported as a problem.
type Builder struct {
	// Profile has the fields that a loader fills itself: source tool, command, clock, counts.
	Profile model.StackProfile
	Meta    model.Meta
	Lost    int64 // bytes of the input that could not be used

	// Timeline holds curves in addition to the stacks; nil if the file has none.
	Timeline *model.Timeline

	src    *loaders.Source
	stacks *model.Stacks

	functions map[string]model.FuncID
	files     map[string]model.FileID
	frames    map[frameKey]model.FrameID
	nodes     nodes
	way       way // of the last stack
	events    map[string]uint16
	metrics   map[string]model.MetricID
	dsos      map[model.DSO]model.DSOID
	threads   map[threadKey]model.ThreadID
	labels    map[string]model.LabelSetID

	problems []model.Problem
	known    map[problemKey]int
	windows  []model.Window
	labeled  bool // a record has labels
	noted    bool // problems of the input were added

	published time.Time
}

// Frame is one frame as an importer states it. Line is model.NoLine and Column 0 where unknown.
type Frame struct {
	Function, File string
	Line           int64
	Column         uint32
	DSO            model.DSOID
	Kind           model.FrameKind
	Flags          model.FrameFlags
}

type frameKey struct {
	function model.FuncID
	file     model.FileID
	line     int64
	column   uint32
	dso      model.DSOID
	kind     model.FrameKind
	flags    model.FrameFlags
}

// way is the stack that was looked up last, root first: the next one often begins like it.
type way struct {
	frames []model.FrameID
	nodes  []model.NodeID
}

type threadKey struct {
	pid, tid int64
	comm     string
}

type problemKey struct {
	code     string
	severity model.Severity
}

// New returns a builder of a profile of src. Its Meta has path, name, sizes and the format's name.
func New(src *loaders.Source, format string) *Builder {
	b := &Builder{
		src: src, stacks: model.NewStacks(),
		Meta: model.Meta{Path: src.Path(), Name: src.Name(), Format: format, Version: model.NoVersion,
			Size: src.StoredSize(), Outer: src.Outer()},
		Profile: model.StackProfile{
			DSOs: []model.DSO{{}}, Threads: []model.ProfileThread{{PID: -1, TID: -1}}, Labels: [][]model.Label{nil},
			Start: model.NoTime, End: model.NoTime,
			FrameDSO: []model.DSOID{0}, FrameKind: []model.FrameKind{0}, FrameFlags: []model.FrameFlags{0}, FrameColumn: []uint32{0},
		},
		functions: map[string]model.FuncID{"": 0}, files: map[string]model.FileID{"": 0},
		frames: map[frameKey]model.FrameID{}, events: map[string]uint16{},
		metrics: map[string]model.MetricID{}, dsos: map[model.DSO]model.DSOID{{}: 0}, threads: map[threadKey]model.ThreadID{},
		labels: map[string]model.LabelSetID{}, known: map[problemKey]int{},
	}
	b.Profile.SourceTool = format
	return b
}

// MaxDepth is how many frames of a stack are kept: no program has more, but a few bytes of a hostile file can claim any
// number.
const MaxDepth = 1 << 16

// LeafFirst records the order in which the file writes its stacks.
func (b *Builder) LeafFirst(yes bool) { b.stacks.LeafFirst = yes }

// Full returns an error if more of the file does not fit the memory budget. Call it every few thousand records.
func (b *Builder) Full() error {
	if b.src.Budget().Full(model.BudgetOfFile) {
		return b.src.Budget().Error("what follows")
	}
	return nil
}

// Frame returns the number of a frame; equal ones have the same.
func (b *Builder) Frame(f Frame) model.FrameID {
	k := frameKey{b.function(f.Function), b.file(f.File), f.Line, f.Column, f.DSO, f.Kind, f.Flags}
	id, ok := b.frames[k]
	if !ok {
		s, p := b.stacks, &b.Profile
		id = model.FrameID(len(s.FrameFunc))
		b.frames[k] = id
		s.FrameFunc, s.FrameFile = append(s.FrameFunc, k.function), append(s.FrameFile, k.file)
		s.FrameLine = append(s.FrameLine, k.line)
		p.FrameDSO, p.FrameKind = append(p.FrameDSO, k.dso), append(p.FrameKind, k.kind)
		p.FrameFlags, p.FrameColumn = append(p.FrameFlags, k.flags), append(p.FrameColumn, k.column)
	}
	return id
}

// Function returns the name of a frame's function.
func (b *Builder) Function(f model.FrameID) string { return b.stacks.Functions[b.stacks.FrameFunc[f]] }

func (b *Builder) function(name string) model.FuncID {
	id, ok := b.functions[name]
	if !ok {
		kept := b.keep(name)
		id = model.FuncID(len(b.stacks.Functions))
		b.stacks.Functions = append(b.stacks.Functions, kept)
		b.functions[kept] = id
	}
	return id
}

func (b *Builder) file(name string) model.FileID {
	id, ok := b.files[name]
	if !ok {
		kept := b.keep(name)
		id = model.FileID(len(b.stacks.Files))
		b.stacks.Files = append(b.stacks.Files, kept)
		b.files[kept] = id
	}
	return id
}

// keep returns the part of a name that is kept.
func (b *Builder) keep(name string) string {
	if len(name) > model.MaxName {
		b.Say(model.Warning, "name-length", model.NoOffset, 0, model.LongName)
	}
	return model.KeptName(name)
}

// Child returns the node of a frame called by that of parent, 0 for the root.
func (b *Builder) Child(parent model.NodeID, f model.FrameID) model.NodeID {
	s := b.stacks
	n, added := b.nodes.find(parent, f, model.NodeID(len(s.Parent)))
	if added {
		s.Parent, s.Frame, s.Depth = append(s.Parent, parent), append(s.Frame, f), append(s.Depth, s.Depth[parent]+1)
	}
	return n
}

// Stack returns the leaf of a stack whose frames are root first.
func (b *Builder) Stack(rootFirst []model.FrameID) (leaf model.NodeID) {
	leaf, same := b.way.begin(func(i int) model.FrameID { return rootFirst[i] }, len(rootFirst))
	for _, f := range rootFirst[same:] {
		leaf = b.Child(leaf, f)
		b.way.add(f, leaf)
	}
	return leaf
}

// LeafStack returns the leaf of a stack whose frames are leaf first.
func (b *Builder) LeafStack(leafFirst []model.FrameID) (leaf model.NodeID) {
	last := len(leafFirst) - 1
	leaf, same := b.way.begin(func(i int) model.FrameID { return leafFirst[last-i] }, len(leafFirst))
	for _, f := range slices.Backward(leafFirst[:len(leafFirst)-same]) {
		leaf = b.Child(leaf, f)
		b.way.add(f, leaf)
	}
	return leaf
}

// begin shortens the way to what it has in common with a stack of depth frames, and returns its last node, 0 for the
// root, and its length.
func (w *way) begin(frame func(i int) model.FrameID, depth int) (node model.NodeID, same int) {
	for same < min(depth, len(w.frames)) && w.frames[same] == frame(same) {
		node = w.nodes[same]
		same++
	}
	w.frames, w.nodes = w.frames[:same], w.nodes[:same]
	return node, same
}

// add lengthens the way.
func (w *way) add(f model.FrameID, n model.NodeID) {
	w.frames, w.nodes = append(w.frames, f), append(w.nodes, n)
}

// DSO returns the number of a binary; equal ones have the same.
func (b *Builder) DSO(d model.DSO) model.DSOID {
	id, ok := b.dsos[d]
	if !ok {
		id = model.DSOID(len(b.Profile.DSOs))
		b.dsos[d] = id
		d.Name = b.keep(d.Name)
		b.Profile.DSOs = append(b.Profile.DSOs, d)
	}
	return id
}

// Thread returns the number of a thread; unknown pids and tids are -1.
func (b *Builder) Thread(pid, tid int64, comm string) model.ThreadID {
	if pid < 0 && tid < 0 && comm == "" {
		return 0
	}
	k := threadKey{pid, tid, comm}
	id, ok := b.threads[k]
	if !ok {
		id = model.ThreadID(len(b.Profile.Threads))
		b.threads[k] = id
		b.Profile.Threads = append(b.Profile.Threads, model.ProfileThread{PID: pid, TID: tid, Comm: b.keep(comm), Declared: true})
	}
	return id
}

// Event returns the number of an event by its name; its first definition counts. It is model.NoEvent if there are too
// many.
func (b *Builder) Event(e model.ProfileEvent) uint16 {
	id, ok := b.events[e.Name]
	if !ok {
		if len(b.Profile.Events) >= int(model.NoEvent)-1 {
			b.Say(model.Error, "event-limit", model.NoOffset, 0,
				"there are more events than the limit of %d: records of the others have none; it cannot be raised", int(model.NoEvent)-1)
			return model.NoEvent
		}
		id = uint16(len(b.Profile.Events))
		b.events[e.Name] = id
		e.Name, e.Declared = b.keep(e.Name), true
		b.Profile.Events = append(b.Profile.Events, e)
	}
	return id
}

// Metric returns the number of a kind of weight by its name; its first definition counts. ok is false if there are too
// many.
func (b *Builder) Metric(m model.ProfileMetric) (id model.MetricID, ok bool) {
	if id, ok = b.metrics[m.Name]; ok {
		return id, true
	}
	if len(b.Profile.Metrics) >= model.MaxMetrics-1 {
		b.Say(model.Error, "metric-limit", model.NoOffset, 0,
			"there are more metrics than the limit of %d: weights of the others were left out; it cannot be raised", model.MaxMetrics-1)
		return 0, false
	}
	id = model.MetricID(len(b.Profile.Metrics))
	b.metrics[m.Name] = id
	m.Name = b.keep(m.Name)
	b.Profile.Metrics = append(b.Profile.Metrics, m)
	return id, true
}

// Labels returns the number of a set of labels, in the file's order. The empty set is 0.
func (b *Builder) Labels(set []model.Label) model.LabelSetID {
	if len(set) == 0 {
		return 0
	}
	var key strings.Builder
	for _, l := range set {
		fmt.Fprintf(&key, "%q%q%q%d%t", l.Key, l.Text, l.Unit, l.Number, l.Numeric)
	}
	id, ok := b.labels[key.String()]
	if !ok {
		id = model.LabelSetID(len(b.Profile.Labels))
		b.labels[key.String()] = id
		kept := slices.Clone(set)
		for i := range kept {
			kept[i].Key, kept[i].Text = b.keep(kept[i].Key), b.keep(kept[i].Text)
		}
		b.Profile.Labels = append(b.Profile.Labels, kept)
	}
	return id
}

// Record is a stack with its event and CPU. Event is an index of events or model.NoEvent, CPU a number or model.NoCPU.
type Record struct {
	Node   model.NodeID
	Event  uint16
	Thread model.ThreadID
	CPU    uint16
	Labels model.LabelSetID
	Offset int64 // in the file
}

// Weigh adds a weight to the record that Add will end. ok is false if the table is full, which is recorded as a
// problem.
func (b *Builder) Weigh(m model.MetricID, n model.Number) (ok bool) {
	if b.Profile.Records.Weights.Add(m, n) {
		return true
	}
	b.Say(model.Error, "too-large", model.NoOffset, 0,
		"there are more weights than the limit of 4 GiB: the others were left out; it cannot be raised")
	return false
}

// Add ends a record with the weights added since the last one.
func (b *Builder) Add(r Record) model.RecordID {
	rec := &b.Profile.Records
	id := model.RecordID(rec.Len())
	rec.Node, rec.Event, rec.Thread = append(rec.Node, r.Node), append(rec.Event, r.Event), append(rec.Thread, r.Thread)
	rec.CPU, rec.Offset = append(rec.CPU, r.CPU), append(rec.Offset, r.Offset)
	rec.ID, rec.IDKind = append(rec.ID, 0), append(rec.IDKind, model.IDNone)
	rec.Weights.EndRow()
	rec.Exclusive.EndRow()
	rec.Labels = append(rec.Labels, r.Labels)
	b.labeled = b.labeled || r.Labels != 0
	return id
}

// Sample adds one sample in time.
func (b *Builder) Sample(s model.Sample) {
	list := b.Profile.Samples
	if n := len(list); n == 0 || list[n-1].Len() == model.MaxChunk {
		b.Profile.Samples = append(slices.Clip(list), model.SampleChunk{})
	}
	b.Profile.Samples[len(b.Profile.Samples)-1].Add(s)
	b.Profile.Counts.Samples++
}

// Forget removes all records, so that they can be added again with other weights. Stacks stay.
func (b *Builder) Forget() {
	b.Profile.Records = model.StackRecords{Texts: b.Profile.Records.Texts}
}

// Window adds a span of time with weights of its own.
func (b *Builder) Window(w model.Window) { b.windows = append(b.windows, w) }

// Fact adds a fact about the file; an empty value adds nothing.
func (b *Builder) Fact(key, label, value string) {
	if value != "" {
		b.Meta.Facts = append(b.Meta.Facts, model.Fact{Key: key, Label: label, Value: value})
	}
}

// Count adds a number to the facts about the file.
func (b *Builder) Count(key, label string, n int64) {
	b.Meta.Facts = append(b.Meta.Facts, model.Fact{Key: key, Label: label, Value: model.Group(uint64(n)), Int: n, HasInt: true})
}

// Say records a problem: the first of a code and severity is described, the others are counted.
func (b *Builder) Say(s model.Severity, code string, offset, line int64, format string, args ...any) {
	k := problemKey{code, s}
	if i, ok := b.known[k]; ok {
		b.problems[i].Count++
		return
	}
	b.AddProblem(model.Problem{Severity: s, Code: code, Message: fmt.Sprintf(format, args...), Count: 1, Offset: offset, Line: line})
}

// AddProblem records a problem unchanged: only those with the same text are counted together.
func (b *Builder) AddProblem(p model.Problem) {
	if k := (problemKey{p.Code, p.Severity}); len(b.problems) < model.MaxProblemKinds {
		if _, ok := b.known[k]; !ok {
			b.known[k] = len(b.problems)
		}
	}
	b.problems = model.AddProblem(b.problems, p)
}

// Problems returns a copy of the problems, in the order they were found.
func (b *Builder) Problems() []model.Problem { return slices.Clone(b.problems) }

// Empty reports whether there is neither a record nor a curve.
func (b *Builder) Empty() bool { return b.Profile.Records.Len() == 0 && b.Timeline == nil }

// Build returns what was read so far, or everything; it will not change.
func (b *Builder) Build(complete bool) *model.Profile {
	p, s := b.Profile, *b.stacks
	p.Windows, p.Samples = slices.Clone(b.windows), slices.Clone(p.Samples)
	p.Events, p.Metrics, p.Threads = slices.Clone(p.Events), slices.Clone(p.Metrics), slices.Clone(p.Threads)
	p.Counts.Frames, p.Counts.Stacks = int64(len(s.FrameFunc)-1), int64(p.Records.Len())
	p.Counts.DSOs, p.Counts.Threads = int64(len(p.DSOs)-1), int64(len(p.Threads)-1)
	p.Counts.Windows = int64(len(p.Windows))
	if !b.labeled {
		p.Labels, p.Records.Labels = nil, nil
	}
	s.DSOs, s.FrameDSO = p.DSOs, p.FrameDSO
	meta := b.Meta
	meta.Facts = slices.Clone(meta.Facts)
	return &model.Profile{Meta: meta, Stacks: &s, Weights: &p, Timeline: b.Timeline, Problems: b.Problems(),
		Lost: b.Lost, Complete: complete}
}
