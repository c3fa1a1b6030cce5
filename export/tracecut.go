package export

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/mlyze"
)

// Cut selects the part of a trace to write: the blocks that satisfy all conditions.
type Cut struct {
	Range            analysis.Range // of time; blocks live at its start are included
	MinSize, MaxSize uint64
	// MinLife and MaxLife bound the lifetime in the whole trace. A block without an end has lifetime model.MaxTime.
	MinLife, MaxLife model.Time
	Threads          []uint16 // nil for all
	// Function, File and Module must match what a site is named after, Through any function of the stack; nil for all.
	Function, File, Module, Through *regexp.Regexp
}

// Everything returns a cut that leaves nothing out.
func Everything() Cut {
	return Cut{Range: analysis.FullRange, MaxSize: math.MaxUint64, MaxLife: model.MaxTime}
}

// chooses reports whether any block may be left out for another reason than its time.
func (c *Cut) chooses() bool {
	return c.MinSize > 0 || c.MaxSize < math.MaxUint64 || c.bySpan() || c.Threads != nil ||
		c.Function != nil || c.File != nil || c.Module != nil || c.Through != nil
}

func (c *Cut) bySpan() bool { return c.MinLife > 0 || c.MaxLife < model.MaxTime }

// endMark is the name of the marker that keeps the end of a cut trace where it was.
const endMark = "memtui: end of the part"

// WriteTrace writes the part of a trace that cut selects as a .mlyze file. All times, stack ids, threads and addresses
// stay unchanged. Blocks that are live at the start of the range are written before it, at their own times, so that
// live figures and ages are right; nothing else is from before. FREEs belong to their blocks; collections and markers
// of the range are kept. A kept block that ended because a block outside the part took its address ends with a FREE. If
// nothing kept happens at the end, a marker is added there. What happens to a block outside the range is lost: a block
// that is freed after it looks never freed, so that lifetimes differ from those of the complete trace. The events are
// read three times, or twice if only the end is cut off.
func WriteTrace(ctx context.Context, w io.Writer, p *model.Profile, end model.Time, cut Cut) ([]Loss, error) {
	if p.Allocations == nil {
		return nil, errors.New("only traces can be written as traces")
	}
	c := &cutter{ctx: ctx, p: p, cut: cut, end: min(end, cut.Range.To), stacks: map[model.StackID]bool{}}
	if err := c.decide(); err != nil {
		return nil, err
	}
	meta := newTraceMeta(p, cut.Range)
	if err := c.run(meta.use); err != nil {
		return nil, err
	}
	meta.ends = c.short()
	if err := meta.finish(); err != nil {
		return nil, err
	}
	out := &traceWriter{out: bufio.NewWriterSize(w, 1<<16)}
	out.buf = append(mlyze.AppendHeader(out.buf, p.Meta.Start, uint32(len(meta.json))), meta.json...)
	if err := c.run(out.write); err != nil {
		return nil, err
	}
	if c.short() {
		c.marks++
		if err := out.write(&model.Event{Kind: model.Marker, Time: c.end, ID: meta.end}); err != nil {
			return nil, err
		}
	}
	if _, err := out.out.Write(out.buf); err != nil {
		return nil, err
	}
	c.reportLosses(&meta.lost)
	return meta.lost.list, out.out.Flush()
}

// traceWriter encodes events.
type traceWriter struct {
	out  *bufio.Writer
	buf  []byte
	last model.Time
}

func (t *traceWriter) write(e *model.Event) error {
	t.buf = mlyze.AppendEvent(t.buf, uint64(e.Time-t.last), e)
	t.last = e.Time
	_, err := t.out.Write(t.buf)
	t.buf = t.buf[:0]
	return err
}

// cutter replays a trace and passes on what is kept.
type cutter struct {
	ctx    context.Context
	p      *model.Profile
	cut    Cut
	end    model.Time             // of the part
	stacks map[model.StackID]bool // whether a stack is chosen

	kept []uint64            // a bit for each event in order; nil if all of the range are kept
	ends map[uint64]struct{} // numbers of ALLOCs that are left out but end a kept block

	// State of one run.
	last           model.Time // time of the last event passed on
	any            bool       // an event was passed on
	carried, ended int
	marks          int
	later          bool // the trace goes on after the part
}

// unsettled is a block whose end is not yet known. The struct is small, since there is one for each live block.
type unsettled struct {
	number uint64 // of its ALLOC among all events
	born   model.Time
	chosen bool // by size, thread and stack
	over   bool // it took the address of a block that is kept
}

var errCutEnd = errors.New("the part ends")

// replay calls f with every event and its number.
func (c *cutter) replay(f func(n uint64, e *model.Event) error) error {
	n := uint64(0)
	err := c.p.Allocations.Replay(c.ctx, func(b *model.EventBatch) error {
		for i := range b.Events {
			if err := f(n, &b.Events[i]); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	if errors.Is(err, errCutEnd) {
		return nil
	}
	return err
}

// run passes on the events of the part in order.
func (c *cutter) run(yield func(*model.Event) error) error {
	c.last, c.any, c.carried, c.ended = 0, false, 0, 0
	return c.replay(func(n uint64, e *model.Event) error {
		if e.Time > c.cut.Range.To {
			c.later = true
			return errCutEnd
		}
		if c.kept != nil && (n/64 >= uint64(len(c.kept)) || c.kept[n/64]>>(n%64)&1 == 0) {
			if _, ok := c.ends[n]; !ok {
				return nil
			}
			c.ended++
			e = &model.Event{Kind: model.Free, Time: e.Time, Addr: e.Addr}
		}
		if e.Time <= c.cut.Range.From {
			c.carried++
		}
		c.last, c.any = e.Time, true
		return yield(e)
	})
}

// short reports whether no event that was passed on is at the end of the part.
func (c *cutter) short() bool { return c.any && c.last < c.end }

// decide determines which events are kept. The fate of a block is known only when it ends.
func (c *cutter) decide() error {
	if !c.cut.chooses() && c.cut.Range.From < 0 {
		return nil
	}
	c.kept, c.ends = []uint64{}, map[uint64]struct{}{}
	live := map[uint64]unsettled{}
	err := c.replay(func(n uint64, e *model.Event) error {
		if e.Time > c.cut.Range.To && !c.cut.bySpan() {
			return errCutEnd
		}
		inside := e.Time > c.cut.Range.From && e.Time <= c.cut.Range.To
		if e.Kind > model.Free {
			c.keep(n, inside)
			return nil
		}
		old, known := live[e.Addr]
		kept := known && c.died(old, e.Time)
		if e.Kind == model.Free {
			delete(live, e.Addr)
			c.keep(n, kept || !known && inside && !c.cut.chooses())
			return nil
		}
		b := unsettled{number: n, born: e.Time, chosen: c.chooses(e), over: kept}
		if e.Addr == 0 {
			c.settle(b, c.stays(b))
			return nil
		}
		live[e.Addr] = b
		return nil
	})
	for _, b := range live {
		c.settle(b, c.stays(b))
	}
	return err
}

// died settles a block that ended, and reports whether it is in the part.
func (c *cutter) died(b unsettled, at model.Time) bool {
	life := at - b.born
	kept := b.chosen && b.born <= c.cut.Range.To && at > c.cut.Range.From && life >= c.cut.MinLife && life <= c.cut.MaxLife
	c.settle(b, kept)
	return kept && at <= c.cut.Range.To
}

// stays reports whether a block without an end so far is kept.
func (c *cutter) stays(b unsettled) bool {
	return b.chosen && b.born <= c.cut.Range.To && c.cut.MaxLife == model.MaxTime
}

func (c *cutter) settle(b unsettled, kept bool) {
	c.keep(b.number, kept)
	if !kept && b.over {
		c.ends[b.number] = struct{}{}
	}
}

func (c *cutter) keep(n uint64, kept bool) {
	if !kept {
		return
	}
	for n/64 >= uint64(len(c.kept)) {
		c.kept = append(c.kept, 0)
	}
	c.kept[n/64] |= 1 << (n % 64)
}

// chooses reports whether the cut selects a block, based on its ALLOC.
func (c *cutter) chooses(e *model.Event) bool {
	if e.Size < c.cut.MinSize || e.Size > c.cut.MaxSize ||
		c.cut.Threads != nil && !slices.Contains(c.cut.Threads, e.Thread) {
		return false
	}
	id := model.StackID(e.ID)
	chosen, ok := c.stacks[id]
	if !ok {
		chosen = c.cut.stack(c.p.Stacks, id)
		c.stacks[id] = chosen
	}
	return chosen
}

// stack reports whether the cut selects a stack.
func (c *Cut) stack(s *model.Stacks, id model.StackID) bool {
	function, file := model.UnknownStack(id), ""
	leaf, _ := s.Node(id)
	if leaf != 0 {
		site := calltree.SiteNode(s, leaf)
		function, file = calltree.FunctionName(s, site), s.At(s.Frame[site]).File
	}
	module := calltree.UnknownFile
	if file != "" {
		module = calltree.Module(file)
	} else {
		file = calltree.UnknownFile
	}
	matches := func(expr *regexp.Regexp, text string) bool {
		return expr == nil || expr.MatchString(model.Matched(text))
	}
	if !matches(c.Function, function) || !matches(c.File, file) || !matches(c.Module, module) {
		return false
	}
	through := c.Through == nil
	for n := leaf; n != 0 && !through; n = s.Parent[n] {
		through = c.Through.MatchString(model.Matched(calltree.FunctionName(s, n)))
	}
	return through
}

// reportLosses reports how the part differs from the trace.
func (c *cutter) reportLosses(lost *losses) {
	add := func(n int, what string) {
		if n > 0 {
			lost.list = append(lost.list, Loss{what, n})
		}
	}
	add(c.carried, "a block live at the start of the range is written before it, at its own time")
	add(c.ended, "a block was overwritten by one that is left out: a FREE is written there")
	add(c.marks, "no written event is at the end of the range: the marker \""+endMark+"\" is written there")
	if c.later {
		lost.add("blocks that are freed after the range count as never freed")
	}
	if c.cut.chooses() {
		lost.add("blocks count as temporary when they are freed by the next event of this file")
	}
}
