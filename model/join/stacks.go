package join

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/model"
)

// Stacks joins profiles of weighted stacks, each of one moment, as the windows of one profile. What they have in
// common is kept once. Only one goroutine may use it; the profiles that it makes may be used by any.
type Stacks struct {
	stacks  *model.Stacks
	weights model.StackProfile
	meta    model.Meta
	parts   []stacksPart // by time, then in the order added

	functions map[string]model.FuncID
	files     map[string]model.FileID
	frames    map[frame]model.FrameID
	nodes     map[node]model.NodeID
	dsos      map[model.DSO]model.DSOID
	threads   map[model.ProfileThread]model.ThreadID
	labels    map[string]model.LabelSetID
	events    map[string]uint16
	metrics   map[string]model.MetricID
	records   map[record]model.RecordID
	labeled   bool // a record has labels

	problems  []model.Problem
	exclusive bool // a profile has weights of leaf frames only, which are left out
	size      int64
	lost      int64
	cut       bool // a profile is not complete
	names     int  // profiles that were added, including those that were dropped
	dropped   int
}

// stackPart is one of the profiles.
type stacksPart struct {
	name, path string
	number     int        // how many windows there were before it, also of those that were dropped
	at         model.Time // µs since 1970
	stated     bool       // the profile itself states it
	length     model.Time // of the time it covers; 0 for a state
	rows       []model.RecordID
	weights    model.WeightTable
}

type frame struct {
	function model.FuncID
	file     model.FileID
	line     int64
	column   uint32
	dso      model.DSOID
	kind     model.FrameKind
	flags    model.FrameFlags
}

type node struct {
	parent model.NodeID
	frame  model.FrameID
}

// record is the key by which records of two profiles are the same. A profile may have several of one key: nth
// distinguishes them.
type record struct {
	node   model.NodeID
	labels model.LabelSetID
	thread model.ThreadID
	event  uint16
	cpu    uint16
	nth    uint32
}

// NewStacks returns a join without profiles.
func NewStacks() *Stacks {
	return &Stacks{
		stacks: model.NewStacks(),
		weights: model.StackProfile{
			DSOs: []model.DSO{{}}, Threads: []model.ProfileThread{{PID: -1, TID: -1}}, Labels: [][]model.Label{nil},
			FrameDSO: []model.DSOID{0}, FrameKind: []model.FrameKind{0}, FrameFlags: []model.FrameFlags{0}, FrameColumn: []uint32{0},
		},
		functions: map[string]model.FuncID{"": 0}, files: map[string]model.FileID{"": 0},
		frames: map[frame]model.FrameID{}, nodes: map[node]model.NodeID{},
		dsos: map[model.DSO]model.DSOID{{}: 0}, threads: map[model.ProfileThread]model.ThreadID{{PID: -1,
			TID: -1}: 0}, labels: map[string]model.LabelSetID{"": 0},
		events: map[string]uint16{}, metrics: map[string]model.MetricID{}, records: map[record]model.RecordID{},
	}
}

// Len returns the number of windows.
func (j *Stacks) Len() int { return len(j.parts) }

// Add adds a profile as a window, at the time that it states, or else at the given one in µs since 1970, such as when
// its file was written. It fails if the profile is not one of stacks at one moment, or is of another format than the
// others.
func (j *Stacks) Add(p *model.Profile, at model.Time) error {
	w := p.Weights
	switch {
	case w == nil || p.Stacks == nil || p.Timeline != nil || len(w.Samples) > 0 || len(w.Windows) > 0:
		return fmt.Errorf("%s covers more than one moment: it cannot be one of several windows", p.Meta.Name)
	case j.names > 0 && p.Meta.Format != j.meta.Format:
		return errors.New("the files are of different formats: they are not moments of one recording")
	case len(j.weights.Metrics)+len(w.Metrics) >= model.MaxMetrics || len(j.weights.Events)+len(w.Events) >= int(model.NoEvent):
		return fmt.Errorf("%s has more events or metrics than can be distinguished", p.Meta.Name)
	}
	part := stacksPart{name: p.Meta.Name, path: p.Meta.Path, at: at, length: max(w.End-max(w.Start, 0), 0)}
	if p.Meta.HasStart {
		part.at, part.stated = model.Time(p.Meta.Start), true
	}
	if j.names++; j.names == 1 {
		j.begin(p)
	} else {
		j.agree(p)
	}
	j.take(p, &part)
	i, _ := slices.BinarySearchFunc(j.parts, part,
		func(a, b stacksPart) int { return cmp.Or(cmp.Compare(a.at, b.at), compareNames(a.name, b.name), -1) })
	j.parts = slices.Insert(slices.Clone(j.parts), i, part)
	if i > 0 {
		j.parts[i].number = j.parts[i-1].number + 1
	}
	for k := i + 1; k < len(j.parts); k++ {
		j.parts[k].number++
	}
	j.size, j.lost, j.cut = j.size+p.Meta.Size, j.lost+p.Lost, j.cut || !p.Complete
	if j.names == 2 { // of one file only, its name would mean nothing
		j.problems = slices.Clone(j.problems) // published revisions share it
		for i := range j.problems {
			j.problems[i].Message = j.meta.Name + ": " + j.problems[i].Message
		}
	}
	for _, q := range p.Problems {
		if j.names > 1 {
			q.Message = p.Meta.Name + ": " + q.Message
		}
		j.problems = model.AddProblem(j.problems, q)
	}
	return nil
}

// begin copies what the first profile states about itself.
func (j *Stacks) begin(p *model.Profile) {
	j.meta = p.Meta
	j.meta.Facts = slices.Clone(p.Meta.Facts)
	j.stacks.LeafFirst = p.Stacks.LeafFirst
	w := p.Weights
	j.weights.SourceTool, j.weights.Command, j.weights.ToolVersion = w.SourceTool, w.Command, w.ToolVersion
	j.weights.FrameOrder, j.weights.StackIDMode = w.FrameOrder, w.StackIDMode
}

// agree keeps only the facts that one more profile states as well.
func (j *Stacks) agree(p *model.Profile) {
	j.meta.Facts = slices.DeleteFunc(slices.Clone(j.meta.Facts), func(f model.Fact) bool { return !slices.Contains(p.Meta.Facts, f) })
	if p.Weights.Command != j.weights.Command {
		j.weights.Command = ""
	}
}

// take adds the records of a profile, with their stacks and labels.
func (j *Stacks) take(p *model.Profile, part *stacksPart) {
	w, r := p.Weights, &p.Weights.Records
	nodes, threads, sets := j.nodesOf(p), j.threadsOf(w), j.labelsOf(w)
	events, metrics := j.eventsOf(p), j.metricsOf(w)
	nth := map[record]uint32{}
	for i := range r.Len() {
		k := record{node: nodes[r.Node[i]], thread: threads[r.Thread[i]], event: model.NoEvent, cpu: r.CPU[i]}
		if r.Event[i] != model.NoEvent {
			k.event = events[r.Event[i]]
		}
		if r.Labels != nil {
			k.labels = sets[r.Labels[i]]
		}
		n := nth[k]
		nth[k]++
		k.nth = n
		part.rows = append(part.rows, j.record(k))
		for m, n := range r.Weights.All(i) {
			part.weights.Add(metrics[m], n)
		}
		part.weights.EndRow()
		if !j.exclusive && r.Exclusive.Rows() > i {
			for range r.Exclusive.All(i) {
				j.exclusive = true
			}
		}
	}
}

// record numbers a record; equal ones of several profiles get one number.
func (j *Stacks) record(k record) model.RecordID {
	id, ok := j.records[k]
	if !ok {
		r := &j.weights.Records
		id = model.RecordID(r.Len())
		j.records[k] = id
		r.Node, r.Event, r.Thread, r.CPU = append(r.Node, k.node), append(r.Event, k.event),
			append(r.Thread, k.thread), append(r.CPU, k.cpu)
		r.Offset, r.Labels = append(r.Offset, model.NoOffset), append(r.Labels, k.labels)
		r.ID, r.IDKind = append(r.ID, 0), append(r.IDKind, model.IDNone)
		r.Exclusive.EndRow()
		j.labeled = j.labeled || k.labels != 0
	}
	return id
}

// nodesOf numbers the stacks of a profile.
func (j *Stacks) nodesOf(p *model.Profile) []model.NodeID {
	frames, s := j.framesOf(p), p.Stacks
	out := make([]model.NodeID, len(s.Parent))
	for n := 1; n < len(s.Parent); n++ {
		k := node{out[s.Parent[n]], frames[s.Frame[n]]}
		id, ok := j.nodes[k]
		if !ok {
			id = model.NodeID(len(j.stacks.Parent))
			j.nodes[k] = id
			j.stacks.Parent, j.stacks.Frame = append(j.stacks.Parent, k.parent), append(j.stacks.Frame, k.frame)
			j.stacks.Depth = append(j.stacks.Depth, j.stacks.Depth[k.parent]+1)
		}
		out[n] = id
	}
	return out
}

// framesOf numbers the frames of a profile.
func (j *Stacks) framesOf(p *model.Profile) []model.FrameID {
	s, w, t, u := p.Stacks, p.Weights, j.stacks, &j.weights
	dsos := make([]model.DSOID, len(w.DSOs))
	for i, d := range w.DSOs {
		dsos[i] = numbered(j.dsos, d, &u.DSOs)
	}
	out := make([]model.FrameID, len(s.FrameFunc))
	for f := 1; f < len(out); f++ {
		k := frame{
			numbered(j.functions, s.Functions[s.FrameFunc[f]], &t.Functions), numbered(j.files, s.Files[s.FrameFile[f]], &t.Files),
			s.FrameLine[f], w.FrameColumn[f], dsos[w.FrameDSO[f]], w.FrameKind[f], w.FrameFlags[f],
		}
		id, ok := j.frames[k]
		if !ok {
			id = model.FrameID(len(t.FrameFunc))
			j.frames[k] = id
			t.FrameFunc, t.FrameFile, t.FrameLine = append(t.FrameFunc, k.function), append(t.FrameFile, k.file),
				append(t.FrameLine, k.line)
			u.FrameDSO, u.FrameKind = append(u.FrameDSO, k.dso), append(u.FrameKind, k.kind)
			u.FrameFlags, u.FrameColumn = append(u.FrameFlags, k.flags), append(u.FrameColumn, k.column)
		}
		out[f] = id
	}
	return out
}

// numbered returns the index of v in list, to which it is added if it is new.
func numbered[K comparable, ID ~uint32 | ~uint16](known map[K]ID, v K, list *[]K) ID {
	id, ok := known[v]
	if !ok {
		id = ID(len(*list))
		known[v] = id
		*list = append(*list, v)
	}
	return id
}

func (j *Stacks) threadsOf(w *model.StackProfile) []model.ThreadID {
	out := make([]model.ThreadID, len(w.Threads))
	for i, t := range w.Threads[1:] {
		out[i+1] = numbered(j.threads, t, &j.weights.Threads)
	}
	return out
}

func (j *Stacks) labelsOf(w *model.StackProfile) []model.LabelSetID {
	out := make([]model.LabelSetID, len(w.Labels))
	for i, set := range w.Labels {
		var key strings.Builder
		for _, l := range set {
			fmt.Fprintf(&key, "%q%q%q%d%t", l.Key, l.Text, l.Unit, l.Number, l.Numeric)
		}
		id, ok := j.labels[key.String()]
		if !ok {
			id = model.LabelSetID(len(j.weights.Labels))
			j.labels[key.String()] = id
			j.weights.Labels = append(j.weights.Labels, set)
		}
		out[i] = id
	}
	return out
}

// eventsOf numbers the events of a profile. An event that is named after its file is the same in all.
func (j *Stacks) eventsOf(p *model.Profile) []uint16 {
	out := make([]uint16, len(p.Weights.Events))
	for i, e := range p.Weights.Events {
		name := e.Name
		if name == p.Meta.Name {
			name = ""
		}
		id, ok := j.events[name]
		if !ok {
			id = uint16(len(j.weights.Events))
			j.events[name] = id
			if e.PrimaryName != "" {
				e.Primary = j.metricsOf(p.Weights)[e.Primary]
			}
			j.weights.Events = append(j.weights.Events, e)
		}
		out[i] = id
	}
	return out
}

func (j *Stacks) metricsOf(w *model.StackProfile) []model.MetricID {
	out := make([]model.MetricID, len(w.Metrics))
	for i, m := range w.Metrics {
		id, ok := j.metrics[m.Name]
		if !ok {
			id = model.MetricID(len(j.weights.Metrics))
			j.metrics[m.Name] = id
			j.weights.Metrics = append(j.weights.Metrics, m)
		}
		out[i] = id
	}
	return out
}

// compareNames orders names of files by their numbers: 2 before 10.
func compareNames(a, b string) int {
	digits := func(s string) int {
		return len(s) - len(strings.TrimLeft(s, "0123456789"))
	}
	for a != "" && b != "" {
		if n, m := digits(a), digits(b); n > 0 && m > 0 {
			x, y := strings.TrimLeft(a[:n], "0"), strings.TrimLeft(b[:m], "0")
			if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
				return c
			}
			a, b = a[n:], b[m:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// Thin drops every second window of the older half: for recordings without an end.
func (j *Stacks) Thin() {
	half, kept := len(j.parts)/2, make([]stacksPart, 0, len(j.parts))
	for i, part := range j.parts {
		if i >= half || i%2 == 0 {
			kept = append(kept, part)
		}
	}
	j.dropped += len(j.parts) - len(kept)
	j.parts = kept
}
