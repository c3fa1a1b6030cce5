package export

import (
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

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

const spaaMalloc = "malloc"

// WriteSPAA writes a trace as stacks of the event malloc, with the metrics that section 9 of the specification names
// and q selects. If samples is set, there is one for every allocation of the range. Ids of stacks are hashes of their
// resolved frames.
func WriteSPAA(ctx context.Context, w io.Writer, p *model.Profile, trace analysis.Trace, q analysis.Query,
	samples bool) ([]Loss, error) {
	if p.Allocations == nil {
		return nil, errors.New("only traces can be written as stacks of allocations")
	}
	s := &spaaWriter{spaaOut: newSPAAOut(ctx, w, p), trace: trace, query: q, ids: map[model.StackID]string{}}
	steps := []func() error{s.header, s.frames, s.sites}
	if samples {
		steps = []func() error{s.header, s.frames, s.threads, s.sites, s.samples}
	}
	return s.write(append(steps, func() error {
		s.lost.add("markers, collections, sizes and lifetimes of blocks are not written")
		return nil
	})...)
}

type spaaWriter struct {
	spaaOut
	trace analysis.Trace
	query analysis.Query
	ids   map[model.StackID]string // of the stacks written
}

func (s *spaaWriter) header() error {
	r := s.query.Range
	return s.head(spaaHeader{
		Events: []spaaEvent{{
			Name: spaaMalloc, Kind: "allocation", Sampling: spaaSampling{Mode: "event", Primary: "alloc_bytes"},
			Tracking: &spaaTracking{true, true},
		}},
		TimeRange: &spaaRange{seconds(max(r.From, 0)), seconds(min(r.To, s.trace.Status().Duration)), spaaUnit},
		IDMode:    "content_addressable",
	})
}

// module reports whether a frame's file is its binary, as from recorders without source information: it has no line
// then, and not the name of a source file.
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

// address reports whether a function's name is only its address.
func address(function string) bool {
	digits, ok := strings.CutPrefix(function, "0x")
	return ok && strings.Trim(digits, "0123456789abcdef") == ""
}

// dsos writes the binaries, and returns their numbers. 0 is unknown.
func (s *spaaWriter) dsos() (map[string]uint32, error) {
	known := map[string]uint32{}
	if err := s.encode(spaaDSO{Type: "dso", ID: 0, Name: spaaUnknown}); err != nil {
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
		name := s.lost.text(f.File)
		kernel := strings.HasPrefix(name, "[kernel") || name == "vmlinux"
		if err := s.encode(spaaDSO{Type: "dso", ID: known[f.File], Name: name, Kernel: kernel}); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// threads writes the threads that allocate. A trace records neither their names nor the process.
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
		err = cmp.Or(err, s.encode(spaaThread{Type: "thread", TID: int64(t)}))
	}
	return err
}

// frames writes the dictionaries. Frame 0 represents stacks without frames.
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
			Type: "frame", ID: uint32(i), Function: s.lost.text(f.Function), Resolved: f.Function != "" &&
				!address(f.Function) || i == 0, Kind: "user", DSO: dsos[f.File],
		}
		if !module(f) {
			r.DSO = 0
		}
		if i == 0 {
			r.Function, r.Kind = spaaNoStack, "unknown"
		}
		if f.File != "" && r.DSO == 0 {
			source := s.lost.text(f.File)
			if f.Line != model.NoLine {
				source += ":" + strconv.FormatInt(f.Line, 10)
			}
			r.Source = &source
		}
		if err := s.encode(r); err != nil {
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
		if err := s.encode(s.record(id, rows[id])); err != nil {
			return err
		}
	}
	return nil
}

// spaaRow is the sum of stacks with equal frames.
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
	weights := []spaaWeight{
		spaaBytes("alloc_bytes", t.AllocBytes), spaaCount("alloc_count", t.AllocCount),
		spaaBytes("free_bytes", t.FreedBytes), spaaCount("free_count", t.FreedCount),
		spaaBytes("live_bytes", t.LiveBytes), spaaCount("live_count", t.LiveCount),
	}
	exclusive := weights
	if !r.merged {
		weights = append(slices.Clone(weights), spaaBytes("peak_bytes", t.PeakBytes))
		exclusive = weights
	}
	leaf, _ := s.stacks.Node(t.Stack)
	frames := s.frameIDs(leaf)
	return spaaStack{
		Type: "stack", ID: id, Frames: frames, StackType: "user", Context: spaaContext{Event: spaaMalloc}, Weights: weights,
		Exclusive: &spaaExclusive{frames[0], exclusive},
	}
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
		tid := int64(e.Thread)
		return s.encode(spaaSample{
			Type: "sample", Time: seconds(e.Time), spaaPlace: spaaPlace{TID: &tid}, Event: spaaMalloc,
			Period: json.Number(strconv.FormatUint(e.Size, 10)), StackID: s.id(model.StackID(e.ID)),
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
