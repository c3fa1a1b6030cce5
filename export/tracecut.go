package export

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/mlyze"
	"github.com/memtui/memtui/model"
)

// Cut chooses the part of a trace that is written: the blocks for which everything holds.
type Cut struct {
	Range            analysis.Range // of time; blocks that live at its start belong to it
	MinSize, MaxSize uint64
	// MinLife and MaxLife bound the lifetime in the whole trace. A block that nothing ended lived longer than any time but
	// model.MaxTime.
	MinLife, MaxLife model.Time
	Threads          []uint16 // nil for all
	// Function, File and Module must match what a site is named after, Through any function of the stack; nil for all.
	Function, File, Module, Through *regexp.Regexp
}

// Everything is the cut that leaves nothing out.
func Everything() Cut {
	return Cut{Range: analysis.Whole, MaxSize: math.MaxUint64, MaxLife: model.MaxTime}
}

// chooses reports whether any block may be left out for another reason than its time.
func (c *Cut) chooses() bool {
	return c.MinSize > 0 || c.MaxSize < math.MaxUint64 || c.bySpan() || c.Threads != nil ||
		c.Function != nil || c.File != nil || c.Module != nil || c.Through != nil
}

func (c *Cut) bySpan() bool { return c.MinLife > 0 || c.MaxLife < model.MaxTime }

// endMark is the name of the marker that keeps the end of a cut trace where it was.
const endMark = "memtui: end of the part"

// WriteTrace writes the part of a trace that cut chooses as a .mlyze file. All times, stack ids, threads and addresses stay
// what they are. Blocks that live at the start of the range are written before it, at their own times, so that live figures
// and ages hold; nothing else is from before. FREEs belong to their blocks; collections and markers of the range stay. A
// block that is kept, but ended when another one that is not took its address, ends with a FREE. Where nothing kept happens
// at the end, a marker stands there. The events are read two times, three where lifetimes matter.
func WriteTrace(ctx context.Context, w io.Writer, p *model.Profile, end model.Time, cut Cut) ([]Loss, error) {
	if p.Allocations == nil {
		return nil, errors.New("only traces can be written as traces")
	}
	c := &cutter{ctx: ctx, p: p, cut: cut, end: min(end, cut.Range.To), stacks: map[model.StackID]bool{}}
	if cut.bySpan() {
		if err := c.measure(); err != nil {
			return nil, err
		}
	}
	meta := newTraceMeta(p)
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
		c.count.marks++
		if err := out.write(&model.Event{Kind: model.Marker, Time: c.end, ID: meta.end}); err != nil {
			return nil, err
		}
	}
	if _, err := out.out.Write(out.buf); err != nil {
		return nil, err
	}
	c.say(&meta.lost)
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

// cutter replays a trace and hands on what is kept.
type cutter struct {
	ctx    context.Context
	p      *model.Profile
	cut    Cut
	end    model.Time             // of the part
	stacks map[model.StackID]bool // whether a stack is kept
	spans  []uint64               // a bit for each ALLOC in order: its lifetime is right; nil where lifetimes do not matter

	// Of one run.
	yield   func(*model.Event) error
	allocs  uint64
	begun   bool                // the range has
	before  map[uint64]carried  // by address: kept blocks, until the range begins
	nowhere []carried           // those without an address
	live    map[uint64]struct{} // addresses of kept blocks that were handed on
	last    model.Time          // of what was handed on
	any     bool                // something was
	count   struct{ carried, ended, marks int }
}

// carried is a block from before the range.
type carried struct {
	number uint64 // counts ALLOCs
	event  model.Event
}

var errCutEnd = errors.New("the part ends")

// run hands on the events of the part in order.
func (c *cutter) run(yield func(*model.Event) error) error {
	c.yield, c.allocs, c.begun, c.before, c.nowhere, c.live = yield, 0, false, map[uint64]carried{}, nil, map[uint64]struct{}{}
	c.last, c.any = 0, false
	c.count.carried, c.count.ended, c.count.marks = 0, 0, 0
	err := c.p.Allocations.Replay(c.ctx, func(b *model.EventBatch) error {
		for i := range b.Events {
			if err := c.event(&b.Events[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errCutEnd) {
		return err
	}
	if !c.begun {
		if err := c.begin(); err != nil {
			return err
		}
	}
	return nil
}

// short reports whether nothing that was handed on happens at the end of the part.
func (c *cutter) short() bool { return c.any && c.last < c.end }

func (c *cutter) hand(e *model.Event) error {
	c.last, c.any = e.Time, true
	return c.yield(e)
}

func (c *cutter) event(e *model.Event) error {
	if e.Time > c.cut.Range.To {
		return errCutEnd
	}
	if e.Time <= c.cut.Range.From {
		c.earlier(e)
		return nil
	}
	if !c.begun {
		if err := c.begin(); err != nil {
			return err
		}
	}
	switch e.Kind {
	case model.Alloc:
		return c.alloc(e)
	case model.Free:
		if _, ok := c.live[e.Addr]; !ok && c.cut.chooses() {
			return nil // of a block that is left out, or of none
		}
		delete(c.live, e.Addr)
	}
	return c.hand(e)
}

// earlier follows the blocks from before the range.
func (c *cutter) earlier(e *model.Event) {
	switch e.Kind {
	case model.Alloc:
		b := carried{c.allocs, *e}
		switch keep := c.keep(e); {
		case keep && e.Addr == 0:
			c.nowhere = append(c.nowhere, b)
		case keep:
			c.before[e.Addr] = b
		default:
			delete(c.before, e.Addr)
		}
	case model.Free:
		delete(c.before, e.Addr)
	}
}

// begin hands on what lives at the start of the range.
func (c *cutter) begin() error {
	c.begun = true
	blocks := c.nowhere
	for addr, b := range c.before {
		blocks = append(blocks, b)
		c.live[addr] = struct{}{}
	}
	c.before, c.nowhere = nil, nil
	slices.SortFunc(blocks, func(a, b carried) int { return cmp.Compare(a.number, b.number) })
	c.count.carried = len(blocks)
	for i := range blocks {
		if err := c.hand(&blocks[i].event); err != nil {
			return err
		}
	}
	return nil
}

func (c *cutter) alloc(e *model.Event) error {
	_, over := c.live[e.Addr]
	switch keep := c.keep(e); {
	case keep && e.Addr != 0:
		c.live[e.Addr] = struct{}{}
	case !keep && over:
		c.count.ended++
		delete(c.live, e.Addr)
		return c.hand(&model.Event{Kind: model.Free, Time: e.Time, Addr: e.Addr})
	case !keep:
		return nil
	}
	return c.hand(e)
}

// keep decides about the next ALLOC.
func (c *cutter) keep(e *model.Event) bool {
	n := c.allocs
	c.allocs++
	if e.Size < c.cut.MinSize || e.Size > c.cut.MaxSize || c.cut.Threads != nil && !slices.Contains(c.cut.Threads, e.Thread) {
		return false
	}
	if c.spans != nil && (n/64 >= uint64(len(c.spans)) || c.spans[n/64]>>(n%64)&1 == 0) {
		return false
	}
	id := model.StackID(e.ID)
	keep, ok := c.stacks[id]
	if !ok {
		keep = c.cut.stack(c.p.Stacks, id)
		c.stacks[id] = keep
	}
	return keep
}

// stack decides about a stack.
func (c *Cut) stack(s *model.Stacks, id model.StackID) bool {
	function, file := model.UnknownStack(id), ""
	leaf, _ := s.Node(id)
	if leaf != 0 {
		site := analysis.SiteNode(s, leaf)
		function, file = analysis.FunctionName(s, site), s.At(s.Frame[site]).File
	}
	module := analysis.UnknownFile
	if file != "" {
		module = analysis.Module(file)
	} else {
		file = analysis.UnknownFile
	}
	matches := func(expr *regexp.Regexp, text string) bool { return expr == nil || expr.MatchString(text) }
	if !matches(c.Function, function) || !matches(c.File, file) || !matches(c.Module, module) {
		return false
	}
	through := c.Through == nil
	for n := leaf; n != 0 && !through; n = s.Parent[n] {
		through = c.Through.MatchString(analysis.FunctionName(s, n))
	}
	return through
}

// measure finds the blocks whose lifetime is right.
func (c *cutter) measure() error {
	type birth struct {
		number uint64
		at     model.Time
	}
	live, n := map[uint64]birth{}, uint64(0)
	died := func(b birth, at model.Time) {
		if span := at - b.at; span >= c.cut.MinLife && span <= c.cut.MaxLife {
			c.spans[b.number/64] |= 1 << (b.number % 64)
		}
	}
	never := c.cut.MaxLife == model.MaxTime
	c.spans = []uint64{}
	err := c.p.Allocations.Replay(c.ctx, func(b *model.EventBatch) error {
		for i := range b.Events {
			e := &b.Events[i]
			if e.Kind > model.Free {
				continue
			}
			if old, ok := live[e.Addr]; ok {
				died(old, e.Time)
				delete(live, e.Addr)
			}
			if e.Kind == model.Free {
				continue
			}
			if n%64 == 0 {
				c.spans = append(c.spans, 0)
			}
			if e.Addr != 0 {
				live[e.Addr] = birth{n, e.Time}
			} else if never {
				c.spans[n/64] |= 1 << (n % 64)
			}
			n++
		}
		return nil
	})
	if never {
		for _, b := range live {
			c.spans[b.number/64] |= 1 << (b.number % 64)
		}
	}
	return err
}

// say tells what the part holds that is not in the trace so.
func (c *cutter) say(lost *losses) {
	add := func(n int, what string) {
		if n > 0 {
			lost.list = append(lost.list, Loss{what, n})
		}
	}
	add(c.count.carried, "a block that lives at the start of the range is written before it, at its own time")
	add(c.count.ended, "a block ended when one that is left out took its address: a FREE is written there")
	add(c.count.marks, "nothing that is kept happens at the end: the marker \""+endMark+"\" is written there")
	if c.cut.chooses() {
		lost.add("blocks count as temporary when they are freed by the next event of this file")
	}
}
