package export

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Records of SPAA, members in the order of the specification.
type (
	spaaHeader struct {
		Type       string      `json:"type"`
		Format     string      `json:"format"`
		Version    string      `json:"version"`
		SourceTool string      `json:"source_tool"`
		FrameOrder string      `json:"frame_order"`
		Events     []spaaEvent `json:"events"`
		TimeRange  spaaRange   `json:"time_range"`
		IDMode     string      `json:"stack_id_mode"`
	}
	spaaEvent struct {
		Name     string       `json:"name"`
		Kind     string       `json:"kind"`
		Sampling spaaSampling `json:"sampling"`
		Tracking spaaTracking `json:"allocation_tracking"`
	}
	spaaSampling struct {
		Mode    string `json:"mode"`
		Primary string `json:"primary_metric"`
	}
	spaaTracking struct {
		Frees      bool `json:"tracks_frees"`
		Timestamps bool `json:"has_timestamps"`
	}
	spaaRange struct {
		Start json.Number `json:"start"`
		End   json.Number `json:"end"`
		Unit  string      `json:"unit"`
	}
	spaaDSO struct {
		Type   string `json:"type"`
		ID     uint32 `json:"id"`
		Name   string `json:"name"`
		Kernel bool   `json:"is_kernel"`
	}
	spaaThread struct {
		Type string `json:"type"`
		PID  int    `json:"pid"`
		TID  uint16 `json:"tid"`
	}
	spaaFrame struct {
		Type     string  `json:"type"`
		ID       uint32  `json:"id"`
		Function string  `json:"func"`
		Resolved bool    `json:"func_resolved"`
		DSO      uint32  `json:"dso"`
		Source   *string `json:"srcline,omitempty"`
		Kind     string  `json:"kind"`
	}
	spaaStack struct {
		Type      string        `json:"type"`
		ID        string        `json:"id"`
		Frames    []uint32      `json:"frames"`
		StackType string        `json:"stack_type"`
		Context   spaaContext   `json:"context"`
		Weights   []spaaWeight  `json:"weights"`
		Exclusive spaaExclusive `json:"exclusive"`
	}
	spaaContext struct {
		Event string `json:"event"`
	}
	spaaExclusive struct {
		Frame   uint32       `json:"frame"`
		Weights []spaaWeight `json:"weights"`
	}
	spaaWeight struct {
		Metric string `json:"metric"`
		Value  uint64 `json:"value"`
		Unit   string `json:"unit,omitempty"`
	}
	spaaSample struct {
		Type    string      `json:"type"`
		Time    json.Number `json:"timestamp"`
		Thread  uint16      `json:"tid"`
		Event   string      `json:"event"`
		Period  uint64      `json:"period"`
		StackID string      `json:"stack_id"`
	}
)

const (
	spaaMalloc  = "malloc"
	spaaNoStack = "[unknown stack]"
)

// WriteSPAA writes a trace as stacks of the event malloc with the metrics that section 9 of the specification names: what q asks
// for of every stack. With samples there is one for every allocation of the range. Ids of stacks are hashes of their resolved
// frames.
func WriteSPAA(ctx context.Context, w io.Writer, p *model.Profile, trace analysis.Trace, q analysis.Query, samples bool) ([]Loss, error) {
	if p.Allocations == nil {
		return nil, errors.New("only traces can be written as stacks of allocations")
	}
	out := bufio.NewWriterSize(w, 1<<16)
	s := &spaaWriter{ctx: ctx, out: json.NewEncoder(out), p: p, trace: trace, query: q, stacks: p.Stacks, ids: map[model.StackID]string{}}
	s.out.SetEscapeHTML(false)
	if s.stacks == nil {
		s.stacks = model.NewStacks()
	}
	steps := []func() error{s.header, s.frames, s.sites}
	if samples {
		steps = []func() error{s.header, s.frames, s.threads, s.sites, s.samples}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	s.lost.add("markers, collections, sizes and lifetimes of blocks are not written")
	return s.lost.list, out.Flush()
}

type spaaWriter struct {
	ctx    context.Context
	out    *json.Encoder
	p      *model.Profile
	trace  analysis.Trace
	query  analysis.Query
	stacks *model.Stacks
	lost   losses
	ids    map[model.StackID]string // of the stacks written
}

// seconds returns a time in the unit of the file, exactly.
func seconds(t model.Time) json.Number {
	return json.Number(fmt.Sprintf("%d.%06d", t/model.Second, t%model.Second))
}

func (s *spaaWriter) header() error {
	r := s.query.Range
	return s.out.Encode(spaaHeader{
		Type: "header", Format: "spaa", Version: "1.0", SourceTool: "memtui", FrameOrder: "leaf_to_root",
		Events: []spaaEvent{{
			Name: spaaMalloc, Kind: "allocation", Sampling: spaaSampling{"event", "alloc_bytes"}, Tracking: spaaTracking{true, true},
		}},
		TimeRange: spaaRange{seconds(max(r.From, 0)), seconds(min(r.To, s.trace.Status().Duration)), "seconds"}, IDMode: "content_addressable",
	})
}

// name returns a name as UTF-8.
func (s *spaaWriter) name(name string) string {
	if !utf8.ValidString(name) {
		s.lost.add("a name is not valid UTF-8: invalid bytes were replaced")
	}
	return name
}

// module reports whether a frame's file is the binary that it is in, as recorders say that know no source: it has no line then, and is
// not called like a source file.
func module(f model.Frame) bool {
	if f.File == "" || f.Line != model.NoLine && f.Line != 0 {
		return false
	}
	switch ext := strings.TrimPrefix(path.Ext(f.File), "."); ext {
	case "", "so", "dylib", "dll", "exe":
		return true
	default:
		return strings.Trim(ext, "0123456789") == "" // libc.so.6, python3.11
	}
}

// address reports whether a function is nothing but its address.
func address(function string) bool {
	digits, ok := strings.CutPrefix(function, "0x")
	return ok && strings.Trim(digits, "0123456789abcdef") == ""
}

// dsos writes the binaries, and returns their numbers. 0 is unknown.
func (s *spaaWriter) dsos() (map[string]uint32, error) {
	known := map[string]uint32{}
	if err := s.out.Encode(spaaDSO{Type: "dso", ID: 0, Name: "[unknown]"}); err != nil {
		return nil, err
	}
	for i := range s.stacks.FrameFunc {
		if i%model.AskEvery == 0 && s.ctx.Err() != nil {
			return nil, s.ctx.Err()
		}
		f := s.stacks.At(model.FrameID(i))
		if _, again := known[f.File]; again || !module(f) {
			continue
		}
		known[f.File] = uint32(len(known) + 1)
		name := s.name(f.File)
		kernel := strings.HasPrefix(name, "[kernel") || name == "vmlinux"
		if err := s.out.Encode(spaaDSO{Type: "dso", ID: known[f.File], Name: name, Kernel: kernel}); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// threads writes the threads that allocate. A trace tells neither their names nor the process.
func (s *spaaWriter) threads() error {
	seen := map[uint16]bool{}
	var list []uint16
	err := s.allocations(func(e *model.Event) error {
		if !seen[e.Thread] {
			seen[e.Thread] = true
			list = append(list, e.Thread)
		}
		return nil
	})
	slices.Sort(list)
	if len(list) > 0 {
		s.lost.add("a trace does not record its process: threads are written with pid 0")
	}
	for _, t := range list {
		err = cmp.Or(err, s.out.Encode(spaaThread{"thread", 0, t}))
	}
	return err
}

// frames writes the dictionaries. Frame 0 stands for stacks without frames.
func (s *spaaWriter) frames() error {
	dsos, err := s.dsos()
	if err != nil {
		return err
	}
	for i := range s.stacks.FrameFunc {
		if i%model.AskEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		f := s.stacks.At(model.FrameID(i))
		r := spaaFrame{
			Type: "frame", ID: uint32(i), Function: s.name(f.Function), Resolved: f.Function != "" && !address(f.Function) || i == 0, Kind: "user", DSO: dsos[f.File],
		}
		if !module(f) {
			r.DSO = 0
		}
		if i == 0 {
			r.Function, r.Kind = spaaNoStack, "unknown"
		}
		if f.File != "" && r.DSO == 0 {
			source := s.name(f.File)
			if f.Line != model.NoLine {
				source += ":" + strconv.FormatInt(f.Line, 10)
			}
			r.Source = &source
		}
		if err := s.out.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// sites writes one record per list of frames: stacks of the trace with the same frames are one.
func (s *spaaWriter) sites() error {
	sites, err := s.trace.Sites(s.ctx, s.query)
	if err != nil {
		return err
	}
	slices.SortFunc(sites, func(a, b analysis.Site) int {
		if a.Stack < b.Stack {
			return -1
		}
		return 1
	})
	var order []string
	rows := map[string]*spaaRow{}
	for i := range sites {
		if i%model.AskEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		id := s.id(sites[i].Stack)
		r, ok := rows[id]
		if !ok {
			r = &spaaRow{site: sites[i]}
			rows[id] = r
			order = append(order, id)
			continue
		}
		r.merge(&sites[i])
		s.lost.add("stacks with equal frames are merged, without a peak")
	}
	for i, id := range order {
		if i%model.AskEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if err := s.out.Encode(s.record(id, rows[id])); err != nil {
			return err
		}
	}
	return nil
}

// spaaRow is what stacks of equal frames sum up to.
type spaaRow struct {
	site   analysis.Site
	merged bool
}

func (r *spaaRow) merge(b *analysis.Site) {
	r.merged = true
	a := &r.site
	for _, n := range []struct {
		to   *uint64
		more uint64
	}{
		{&a.AllocBytes, b.AllocBytes}, {&a.AllocCount, b.AllocCount}, {&a.FreedBytes, b.FreedBytes}, {&a.FreedCount, b.FreedCount},
		{&a.LiveBytes, b.LiveBytes}, {&a.LiveCount, b.LiveCount},
	} {
		*n.to, _ = model.SaturatingAdd(*n.to, n.more)
	}
}

func (s *spaaWriter) record(id string, r *spaaRow) spaaStack {
	t := &r.site
	const bytes = "bytes"
	weights := []spaaWeight{
		{"alloc_bytes", t.AllocBytes, bytes}, {"alloc_count", t.AllocCount, ""}, {"free_bytes", t.FreedBytes, bytes}, {"free_count", t.FreedCount, ""},
		{"live_bytes", t.LiveBytes, bytes}, {"live_count", t.LiveCount, ""},
	}
	exclusive := weights
	if !r.merged {
		weights = append(slices.Clone(weights), spaaWeight{"peak_bytes", t.PeakBytes, bytes})
		exclusive = weights
	}
	frames := s.frameIDs(t.Stack)
	return spaaStack{
		Type: "stack", ID: id, Frames: frames, StackType: "user", Context: spaaContext{spaaMalloc}, Weights: weights,
		Exclusive: spaaExclusive{frames[0], exclusive},
	}
}

// frameIDs returns the frames of a stack, leaf first; frame 0 for one without frames.
func (s *spaaWriter) frameIDs(id model.StackID) []uint32 {
	leaf, _ := s.stacks.Node(id)
	var out []uint32
	for n := leaf; n != 0; n = s.stacks.Parent[n] {
		out = append(out, uint32(s.stacks.Frame[n]))
	}
	if len(out) == 0 {
		s.lost.add("a stack without frames is written as " + spaaNoStack)
		out = []uint32{0}
	}
	return out
}

// id returns a hash of the resolved frames of a stack, leaf first.
func (s *spaaWriter) id(stack model.StackID) string {
	if id, ok := s.ids[stack]; ok {
		return id
	}
	h := fnv.New64a()
	leaf, _ := s.stacks.Node(stack)
	for n := leaf; n != 0; n = s.stacks.Parent[n] {
		f := s.stacks.At(s.stacks.Frame[n])
		fmt.Fprintf(h, "%s\x00%s\x00%d\x00", f.Function, f.File, f.Line)
	}
	id := fmt.Sprintf("0x%016x", h.Sum64())
	s.ids[stack] = id
	return id
}

// samples writes every allocation.
func (s *spaaWriter) samples() error {
	return s.allocations(func(e *model.Event) error {
		return s.out.Encode(spaaSample{
			Type: "sample", Time: seconds(e.Time), Thread: e.Thread, Event: spaaMalloc, Period: e.Size, StackID: s.id(model.StackID(e.ID)),
		})
	})
}

// allocations calls f for every allocation of the range.
func (s *spaaWriter) allocations(f func(*model.Event) error) error {
	return s.p.Allocations.Replay(s.ctx, func(b *model.EventBatch) error {
		for i := range b.Events {
			e := &b.Events[i]
			if r := s.query.Range; e.Kind != model.Alloc || e.Time <= r.From || e.Time > r.To {
				continue
			}
			if err := f(e); err != nil {
				return err
			}
		}
		return nil
	})
}
