package export

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Field numbers of the messages of heap profiles.
const (
	internedFunctions = 5 // InternedData.function_names
	internedFrames    = 6
	internedStacks    = 7
	internedPaths     = 17 // mapping_paths
	internedSources   = 18 // source_paths
	internedMappings  = 19
	mappingPath       = 7 // Mapping.path_string_ids
	frameFunction     = 2 // Frame.function_name_id
	frameMapping      = 3
	frameAddress      = 4 // rel_pc
	frameSource       = 5
	frameLine         = 6
	stackFrames       = 2 // Callstack.frame_ids
	profileDump       = 5 // ProfilePacket.process_dumps
	profileContinued  = 6
	profileIndex      = 7
	dumpPID           = 1 // ProcessHeapSamples.pid
	dumpSample        = 2
	dumpStartup       = 3 // from_startup
	dumpTime          = 9
	dumpHeap          = 11 // heap_name
	dumpInterval      = 12 // sampling_interval_bytes
	sampleStack       = 1  // HeapSample.callstack_id
	sampleAllocated   = 2
	sampleFreed       = 3
	sampleAllocs      = 5
	sampleFrees       = 6
)

// perfettoColumns is how many parts of a trace the counters have values of.
const perfettoColumns = 1 << 14

// PerfettoTrace writes a trace for Perfetto: live bytes and blocks and other curves of the file as counters, markers and
// collections as events, and a heap profile at each of the instants, which ascend: what each stack allocated until then,
// and what of that was freed.
func PerfettoTrace(ctx context.Context, w io.Writer, p *model.Profile, trace analysis.Trace, at []analysis.Instant) ([]Loss, error) {
	if p.Allocations == nil {
		return nil, errors.New("only traces have counters of live memory")
	}
	o := &perfettoTrace{perfetto: newPerfetto(ctx, w, p), trace: trace, times: at}
	return o.write(o.begin, o.live, o.curves, o.marks, o.heaps)
}

// PerfettoCurves writes the curves of a file and their named moments for Perfetto.
func PerfettoCurves(ctx context.Context, w io.Writer, p *model.Profile) ([]Loss, error) {
	if p.Timeline == nil {
		return nil, errors.New("the file has no curves")
	}
	o := newPerfetto(ctx, w, p)
	return o.write(o.begin, o.curves, func() error {
		if slices.ContainsFunc(p.Timeline.Series, func(s model.Series) bool { return s.Layouts > 0 }) {
			o.lost.add("page layouts are not written")
		}
		return nil
	})
}

type perfettoTrace struct {
	*perfetto
	trace analysis.Trace
	times []analysis.Instant

	stacks map[string]uint64 // numbers of stacks by their names
	index  uint64            // of the next packet of a heap profile
}

// perfettoLevel is a figure of the columns of a curve.
type perfettoLevel struct {
	name string
	unit uint64
	of   func(*analysis.Column) (low, high, end uint64)
	peak bool // the peak of the trace is one of it
}

// live writes the counters of live memory.
func (o *perfettoTrace) live() error {
	columns, err := o.trace.Curve(o.ctx, analysis.FullRange, perfettoColumns)
	if err != nil {
		return err
	}
	peak, ok, err := o.trace.Peak(o.ctx, analysis.FullRange)
	if err != nil {
		return err
	}
	for _, l := range []perfettoLevel{
		{"live bytes", unitBytes, func(c *analysis.Column) (low, high, end uint64) { return c.MinBytes, c.MaxBytes, c.LastBytes }, ok},
		{"live blocks", unitCount, func(c *analysis.Column) (low, high, end uint64) { return c.MinCount, c.MaxCount, c.LastCount }, false},
	} {
		track, err := o.counter(l.name, l.unit)
		if err == nil {
			err = o.count(track, 0, 0)
		}
		if err == nil {
			err = o.level(track, &l, columns, peak.Time)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// level writes a counter: of each column the highest and the lowest value, where they are neither the one before nor
// the last, and the last.
func (o *perfettoTrace) level(track uint64, l *perfettoLevel, columns []analysis.Column, peak model.Time) error {
	before := uint64(0)
	for i := range columns {
		c := &columns[i]
		if c.Events == 0 {
			continue
		}
		low, high, last := l.of(c)
		start, third := max(c.From, 0), (c.To-max(c.From, 0))/3
		points := []struct {
			t     model.Time
			value uint64
			out   bool
		}{
			{start + third, high, high > max(before, last)},
			{start + 2*third, low, low < min(before, last)},
		}
		if l.peak && c.From < peak && peak <= c.To {
			points[0].t, points[0].out = peak, true
		}
		if points[0].t > points[1].t {
			points[0], points[1] = points[1], points[0]
		}
		for _, at := range points {
			if !at.out {
				continue
			}
			if third > 0 {
				o.lost.add("a high or low of live memory is written near its time: within a 16,384th of the run")
			}
			if err := o.count(track, at.t, at.value); err != nil {
				return err
			}
		}
		if last != before || points[0].out || points[1].out {
			if err := o.count(track, c.To, last); err != nil {
				return err
			}
		}
		before = last
	}
	return nil
}

// curves writes the measured curves of the file, and their named moments.
func (o *perfetto) curves() error {
	line := o.p.Timeline
	if line == nil {
		return nil
	}
	if line.AxisUnit != "" {
		o.lost.add("curves are not written: their positions are in " + line.AxisUnit + ", and Perfetto has only times")
		return nil
	}
	for i := range line.Series {
		s := &line.Series[i]
		track, err := o.counter(model.Clean(cmp.Or(s.Name, s.ID, "curve")), unitBytes)
		if err != nil {
			return err
		}
		for k, t := range s.Times {
			value := func(b []byte) []byte { return appendProtoFloat(b, eventFloat, s.Values[k]) }
			if err := o.event(track, t, typeCounter, value); err != nil {
				return err
			}
		}
		if err := o.moments(s); err != nil {
			return err
		}
	}
	return nil
}

// moments writes the named moments of a curve.
func (o *perfetto) moments(s *model.Series) error {
	if len(s.Events) == 0 {
		return nil
	}
	track, err := o.track(model.Clean(cmp.Or(s.Name, s.ID, "curve"))+" events", unchanged)
	for i := 0; err == nil && i < len(s.Events); i++ {
		err = o.instant(track, s.Events[i].At, "event", s.Events[i].Name)
	}
	return err
}

// unchanged adds nothing to a message.
func unchanged(b []byte) []byte { return b }

// marks writes the markers and the collections, each kind on a track of its own.
func (o *perfettoTrace) marks() error {
	marks, _, err := o.trace.Marks(o.ctx, analysis.FullRange, math.MaxInt)
	if err != nil {
		return err
	}
	var markers, collections uint64
	for i := range marks {
		m := &marks[i]
		track, name := &markers, "markers"
		if m.GC {
			track, name = &collections, "collections"
		}
		if *track == 0 {
			if *track, err = o.track(name, unchanged); err != nil {
				return err
			}
		}
		if m.GC {
			err = o.instant(*track, m.Time, "gc", "GC", perfettoNote{"objects", m.Objects}, perfettoNote{"bytes", m.Bytes})
		} else {
			err = o.instant(*track, m.Time, "marker", m.Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// perfettoDump is a heap profile: what stacks allocated up to an instant, and what of that was freed.
type perfettoDump struct {
	t    model.Time
	rows *Stacks
	sums []perfettoSums // by row
}

type perfettoSums struct{ allocated, allocs, freed, frees uint64 }

// heaps writes the heap profiles. Importers take differences between them: neither what was allocated nor what was freed
// may fall from one to the next.
func (o *perfettoTrace) heaps() error {
	duration := o.trace.Status().Duration
	var dumps []perfettoDump
	most := map[string]perfettoSums{}
	for _, at := range slices.Backward(o.times) {
		t := min(at.T, duration)
		s, err := TraceStacks(o.ctx, o.p, o.trace, TraceOptions{At: at, Range: analysis.Range{From: model.NoTime, To: t}, By: "live_bytes"})
		if err != nil {
			return err
		}
		dumps = append(dumps, o.dump(t, s, most))
	}
	if len(dumps) == 0 {
		return nil
	}
	if err := o.intern(dumps[0].rows); err != nil { // it has all stacks
		return err
	}
	for i := range slices.Backward(dumps) {
		if err := o.heap(&dumps[i]); err != nil {
			return err
		}
	}
	return nil
}

// dump computes the sums of a heap profile. most are those of the next one, by the names of stacks, and become those of
// this one. Events of the very microsecond of the instant that follow it are not part of the profile.
func (o *perfettoTrace) dump(t model.Time, s *Stacks, most map[string]perfettoSums) perfettoDump {
	d := perfettoDump{t: t, rows: s, sums: make([]perfettoSums, len(s.Rows))}
	for i := range s.Rows {
		r := &s.Rows[i]
		figure := func(metric int) uint64 { return amount(r.Values[metric]).Uint64() }
		live, blocks := figure(metricLiveBytes), figure(metricLiveCount)
		allocated, allocs := max(live, figure(metricAllocBytes)), max(blocks, figure(metricAllocCount))
		x := perfettoSums{freed: allocated - live, frees: allocs - blocks}
		if later, ok := most[r.ID]; ok {
			x.freed, x.frees = min(x.freed, later.freed), min(x.frees, later.frees)
		}
		x.allocated, _ = model.SaturatingAdd(live, x.freed)
		x.allocs, _ = model.SaturatingAdd(blocks, x.frees)
		d.sums[i], most[r.ID] = x, x
	}
	return d
}

// heap writes a heap profile.
func (o *perfettoTrace) heap(d *perfettoDump) error {
	for next, more := 0, true; more; {
		err := o.at(d.t, func(b []byte) []byte {
			return appendProtoMessage(b, packetProfile, func(b []byte) []byte {
				b, next = o.samples(b, d, next)
				more = next < len(d.sums)
				b = appendProtoNumber(b, profileIndex, o.index)
				if more {
					b = appendProtoNumber(b, profileContinued, 1)
				}
				return b
			})
		})
		if err != nil {
			return err
		}
		o.index++
	}
	return nil
}

// samples appends a dump with stacks from number next on, as many as a packet may have, and returns the number of the
// one that follows.
func (o *perfettoTrace) samples(b []byte, d *perfettoDump, next int) ([]byte, int) {
	b = appendProtoMessage(b, profileDump, func(b []byte) []byte {
		b = appendProtoNumber(b, dumpPID, perfettoPID)
		b = appendProtoNumber(b, dumpStartup, 1)
		b = appendProtoNumber(b, dumpTime, o.nanos(d.t))
		b = appendProtoText(b, dumpHeap, "libc.malloc")
		b = appendProtoNumber(b, dumpInterval, 1)
		for ; next < len(d.sums) && len(b) < perfettoPacket; next++ {
			x := d.sums[next]
			if x == (perfettoSums{}) {
				continue
			}
			b = appendProtoMessage(b, dumpSample, func(b []byte) []byte {
				b = appendProtoNumber(b, sampleStack, o.stacks[d.rows.Rows[next].ID])
				b = appendProtoNumber(b, sampleAllocated, o.number(x.allocated))
				b = appendProtoNumber(b, sampleFreed, o.number(x.freed))
				b = appendProtoNumber(b, sampleAllocs, x.allocs)
				return appendProtoNumber(b, sampleFrees, x.frees)
			})
		}
		return b
	})
	return b, next
}

// intern writes the stacks of s, and everything that they refer to. A stack has the number of its row, from 1.
func (o *perfettoTrace) intern(s *Stacks) error {
	frames, err := newFrameTable(o.ctx, s)
	if err != nil {
		return err
	}
	o.stacks = make(map[string]uint64, len(s.Rows))
	functions, sources := &perfettoTexts{field: internedFunctions}, &perfettoTexts{field: internedSources}
	first := func(b []byte) []byte {
		b = interned(b, internedPaths, 1, model.Clean(o.p.Meta.Name))
		return appendProtoMessage(b, internedMappings, func(b []byte) []byte {
			return appendProtoNumber(appendProtoNumber(b, internedID, 1), mappingPath, 1)
		})
	}
	if err := o.interning(1, func(b []byte, _ int) []byte { return first(b) }); err != nil {
		return err
	}
	err = o.interning(len(frames.list), func(b []byte, i int) []byte {
		f := &frames.list[i]
		b, function := functions.add(b, f.function)
		b, source := sources.add(b, f.file)
		return appendProtoMessage(b, internedFrames, func(b []byte) []byte {
			b = appendProtoNumber(appendProtoNumber(b, internedID, uint64(i)+1), frameFunction, function)
			b = appendProtoNumber(appendProtoNumber(b, frameMapping, 1), frameAddress, uint64(i)+1)
			if source > 0 {
				b = appendProtoNumber(b, frameSource, source)
			}
			if f.line > 0 && f.line <= math.MaxUint32 {
				b = appendProtoNumber(b, frameLine, uint64(f.line))
			}
			return b
		})
	})
	if err != nil {
		return err
	}
	return o.interning(len(s.Rows), func(b []byte, i int) []byte {
		o.stacks[s.Rows[i].ID] = uint64(i) + 1
		return appendProtoMessage(b, internedStacks, func(b []byte) []byte {
			b = appendProtoNumber(b, internedID, uint64(i)+1)
			for _, f := range slices.Backward(frames.of(&s.Rows[i])) {
				b = appendProtoNumber(b, stackFrames, uint64(f)+1)
			}
			return b
		})
	})
}

// interning writes packets with n entries, which fill appends.
func (o *perfettoTrace) interning(n int, fill func(b []byte, i int) []byte) error {
	for i := 0; i < n; {
		err := o.at(0, func(b []byte) []byte {
			return appendProtoMessage(b, packetInterned, func(b []byte) []byte {
				for ; i < n && len(b) < perfettoPacket; i++ {
					b = fill(b, i)
				}
				return b
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// perfettoTexts numbers texts, from 1; 0 is the empty one.
type perfettoTexts struct {
	field int
	known map[string]uint64
}

// add returns the number of a text, and appends a new one.
func (x *perfettoTexts) add(b []byte, text string) ([]byte, uint64) {
	if text == "" {
		return b, 0
	}
	if id, ok := x.known[text]; ok {
		return b, id
	}
	if x.known == nil {
		x.known = map[string]uint64{}
	}
	id := uint64(len(x.known)) + 1
	x.known[text] = id
	return interned(b, x.field, id, model.Clean(text)), id
}
