package export

import (
	"context"
	"encoding/binary"
	"io"
	"math"

	"github.com/google/pprof/profile"

	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
)

// WritePprof writes s as a compressed profile of pprof. Traces have the sample types of Go's heap profiles:
// alloc_objects and alloc_space count allocations in the range, inuse_objects and inuse_space live blocks at the
// instant. The complete profile is built in memory.
func WritePprof(ctx context.Context, w io.Writer, s *Stacks) ([]Loss, error) {
	frames, err := newFrameTable(ctx, s)
	if err != nil {
		return nil, err
	}
	b := &pprofBuilder{
		s: s, frames: frames, out: &profile.Profile{}, functions: map[pprofFunction]*profile.Function{},
		mappings: map[model.DSOID]*profile.Mapping{}, locations: map[string]*profile.Location{},
	}
	b.head()
	for i := range s.Rows {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		b.sample(&s.Rows[i])
	}
	if err := b.out.CheckValid(); err != nil {
		return nil, err
	}
	return b.lost.list, b.out.Write(w)
}

type pprofBuilder struct {
	s         *Stacks
	frames    *frameTable
	out       *profile.Profile
	types     []int // the metrics written
	mappings  map[model.DSOID]*profile.Mapping
	functions map[pprofFunction]*profile.Function
	locations map[string]*profile.Location // by the numbers of its frames
	key       []byte
	lost      losses
}

type pprofFunction struct{ name, file string }

// head sets what is measured, and when.
func (b *pprofBuilder) head() {
	p := b.s.Profile
	for _, m := range pprofOrder(b.s) {
		b.types = append(b.types, m)
		b.out.SampleType = append(b.out.SampleType, pprofType(b.s.Metrics[m]))
	}
	b.out.DefaultSampleType = pprofType(b.s.Metrics[b.s.Main]).Type
	b.out.PeriodType, b.out.Period = &profile.ValueType{Type: "space", Unit: "bytes"}, 1
	if p.Weights != nil {
		b.out.PeriodType = pprofType(b.s.Metrics[b.s.Main])
	}
	if b.s.From >= 0 && b.s.To >= b.s.From {
		b.out.DurationNanos = nanos(uint64(b.s.To - b.s.From))
		if start, fits := model.SaturatingAdd(p.Meta.Start, uint64(b.s.From)); p.Meta.HasStart && fits {
			b.out.TimeNanos = nanos(start)
		}
	}
	b.out.Comments = []string{"written by memtui from " + model.Clean(p.Meta.Name)}
	if p.Meta.Sampled != "" {
		b.out.Comments = append(b.out.Comments, model.Estimates(p.Meta.Sampled))
	}
}

// nanos returns microseconds as nanoseconds, 0 (which is unknown) where those do not fit.
func nanos(us uint64) int64 {
	if us > math.MaxInt64/1000 {
		return 0
	}
	return int64(us) * 1000
}

// pprofOrder returns the metrics written, in the order of Go's heap profiles: objects before their space.
func pprofOrder(s *Stacks) []int {
	if s.Profile.Weights != nil {
		all := make([]int, len(s.Metrics))
		for i := range all {
			all[i] = i
		}
		return all
	}
	order := []int{metricAllocCount, metricAllocBytes, metricLiveCount, metricLiveBytes}
	if s.Metrics[s.Main].heap == "" {
		order = append(order, s.Main)
	}
	return order
}

func pprofType(m StackMetric) *profile.ValueType {
	name, unit := m.heap, m.Unit
	if name == "" {
		name = model.Clean(m.Name)
	}
	if unit == "" {
		unit = "count"
	}
	return &profile.ValueType{Type: name, Unit: model.Clean(unit)}
}

func (b *pprofBuilder) sample(r *StackRow) {
	s := &profile.Sample{Value: make([]int64, len(b.types))}
	any := false
	for i, m := range b.types {
		v, exact := integer(r.Values[m])
		if !exact {
			b.lost.add("a figure does not fit a 64-bit integer and was rounded")
		}
		s.Value[i], any = v, any || v != 0
	}
	if !any {
		return
	}
	if w := b.s.Profile.Weights; w != nil {
		setLabels(s, w.LabelSet(r.Labels), &w.Threads[r.Thread])
	}
	path := b.frames.of(r)
	for from := 0; from < len(path); {
		to := from + 1 // inlined frames share a location with the frame they are inlined into
		for to < len(path) && b.frames.list[path[to-1]].inlined {
			to++
		}
		s.Location = append(s.Location, b.location(path[from:to]))
		from = to
	}
	b.out.Sample = append(b.out.Sample, s)
}

// setLabels sets the labels of a record on a sample, and one with its thread unless another label has it.
func setLabels(s *profile.Sample, set []model.Label, thread *model.ProfileThread) {
	labeled := false
	for i := range set {
		l := &set[i]
		key, unit := model.Clean(l.Key), model.Clean(l.Unit)
		if l.Numeric {
			s.NumLabel, s.NumUnit = with(s.NumLabel, key, l.Number), with(s.NumUnit, key, unit)
		} else {
			s.Label = with(s.Label, key, model.Clean(l.Text))
		}
		if part, _ := l.OfThread(); part == model.ThreadName || part == model.ThreadNumber {
			labeled = true
		}
	}
	if name := weights.ThreadName(thread); name != "" && !labeled {
		s.Label = with(s.Label, "thread", model.Clean(name))
	}
}

// with adds a value to those of a key; the map may be nil.
func with[V any](m map[string][]V, key string, value V) map[string][]V {
	if m == nil {
		m = map[string][]V{}
	}
	m[key] = append(m[key], value)
	return m
}

// location returns a place in the program: a frame, preceded by those inlined there.
func (b *pprofBuilder) location(path []int32) *profile.Location {
	b.key = b.key[:0]
	for _, f := range path {
		b.key = binary.LittleEndian.AppendUint32(b.key, uint32(f))
	}
	if l, ok := b.locations[string(b.key)]; ok {
		return l
	}
	l := &profile.Location{ID: uint64(len(b.out.Location) + 1), Mapping: b.mapping(b.frames.list[path[len(path)-1]].dso)}
	for _, i := range path {
		f := &b.frames.list[i]
		l.Line = append(l.Line, profile.Line{Function: b.function(f), Line: f.line, Column: int64(f.column)})
	}
	b.locations[string(b.key)] = l
	b.out.Location = append(b.out.Location, l)
	return l
}

func (b *pprofBuilder) function(f *stackFrame) *profile.Function {
	key := pprofFunction{model.Clean(f.function), model.Clean(f.file)}
	if known, ok := b.functions[key]; ok {
		return known
	}
	fn := &profile.Function{ID: uint64(len(b.out.Function) + 1), Name: key.name, SystemName: key.name, Filename: key.file}
	b.functions[key] = fn
	b.out.Function = append(b.out.Function, fn)
	return fn
}

// mapping returns the binary of a frame. If the file does not name one, the file itself represents the program.
func (b *pprofBuilder) mapping(id model.DSOID) *profile.Mapping {
	if m, ok := b.mappings[id]; ok {
		return m
	}
	m := &profile.Mapping{
		ID: uint64(len(b.out.Mapping) + 1), File: model.Clean(b.s.Profile.Meta.Name),
		HasFunctions: true, HasFilenames: true, HasLineNumbers: true, HasInlineFrames: true,
	}
	if w := b.s.Profile.Weights; w != nil {
		m.File = "[unknown]"
		if int(id) < len(w.DSOs) && w.DSOs[id].Name != "" {
			m.File, m.BuildID = model.Clean(w.DSOs[id].Name), model.Clean(w.DSOs[id].BuildID)
		}
	}
	b.mappings[id] = m
	b.out.Mapping = append(b.out.Mapping, m)
	return m
}
