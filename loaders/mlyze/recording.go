package mlyze

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze/journal"
	"github.com/memtui/memtui/loaders/symbols"
	"github.com/memtui/memtui/model"
)

// How often names of a recording that goes on are published: at most so often, and for at most so much of the time.
const (
	namesEvery = 250 * time.Millisecond
	namesPart  = 4 // one over the part of the time that it may take
)

// recording is a trace whose names are in a journal next to it: it goes on, or its recorder was killed.
type recording struct {
	*opening
	store  *model.Store
	notes  *journal.Reader
	names  *journal.Names
	stacks recordedStacks
	looked []model.Problem // while names were looked up
	told   bool            // what is uncertain
	stated string          // which figures are estimates
	ended  bool            // how the program ended was added to the problems
	piped  bool            // the journal comes through the same pipe
	over   bool            // the journal cannot be read further
	size   int64           // of the file when it was last published
}

// recording returns the recording if the names of a trace are in a journal, nil if they are not. The journal stays locked
// until the source is closed: its recorder then leaves the events where they are.
func (o *opening) recording(opt loaders.Options, store *model.Store) *recording {
	if o.tables == nil || len(o.tables.stacks) > 0 || o.header.length > smallMetadata {
		return nil
	}
	r := &recording{opening: o, store: store, names: journal.NewNames(opt.Symbols), stacks: newRecordedStacks()}
	o.named = &r.stacks
	if side := o.src.Side(); side != nil {
		r.notes, r.piped = journal.NewReader(side), true
		return r
	}
	f, err := journal.Open(o.src.Path() + journal.Suffix)
	if err != nil {
		return nil
	}
	o.src.Attach(f)
	o.trace.written = !o.src.Followed() && loaders.Written(o.src.Path())
	r.notes = journal.NewReader(f)
	return r
}

// follow publishes names, as they come, until the recording ends.
func (r *recording) follow(ctx context.Context) error {
	for {
		began := time.Now()
		more := r.src.Growing() // asked before the journal is read to its end
		fresh, err := r.read(ctx)
		if err != nil {
			return err
		}
		if size := r.src.StoredSize(); fresh || !more || size != r.size {
			r.size = size
			r.reveal()
		}
		if !more {
			break
		}
		cost := time.Since(began)
		select {
		case <-time.After(max(namesEvery, namesPart*cost)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if r.piped {
		return nil
	}
	if r.trace.written { // others do not wait for its end
		r.found.add(model.Note, "recording", model.NoOffset, "the recording continues: what was recorded until now is shown")
		r.publish(r.store, r.stacks.revision(), recordedNote)
	} else if _, err := os.Stat(r.src.Path() + journal.Suffix); err == nil {
		r.found.add(model.Warning, model.CodeKilled, model.NoOffset,
			"the recorder was killed or its disk was full, so the names of functions are not in the file but next to it: memtui record --recover FILE completes it")
		r.publish(r.store, r.stacks.revision(), recordedNote)
		r.store.Update(func(old *model.Profile) *model.Profile {
			next := *old
			next.Meta.Live = "recorder killed"
			return &next
		})
	}
	return nil
}

const recordedNote = "leaf first: as the recorder states"

// read takes what the journal has more, looks it up, and reports whether there was any.
func (r *recording) read(ctx context.Context) (fresh bool, err error) {
	if fresh, err = r.take(ctx); err != nil {
		return fresh, err
	}
	problems, err := r.names.Resolve(ctx)
	for _, p := range problems {
		r.looked = model.AddProblem(r.looked, p)
	}
	return fresh, err
}

// take takes what the journal has more, and reports whether there was any. The error is that of ctx.
func (r *recording) take(ctx context.Context) (fresh bool, err error) {
	for n := 0; !r.over; n++ {
		if n%model.AskEvery == 0 && ctx.Err() != nil {
			return fresh, ctx.Err()
		}
		note, err := r.notes.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			r.broken(err)
			break
		}
		if r.names.Len()%checkEvery == checkEvery-1 && r.src.Budget().Full(model.BudgetOfFile) {
			r.found.leave(r.src.Budget(), "names of the journal were left out")
			r.over = true
			break
		}
		if err := r.names.Take(&note); err != nil {
			r.broken(err)
			break
		}
		fresh = true
	}
	return fresh, nil
}

// broken reports why the journal cannot be read further, once.
func (r *recording) broken(err error) {
	if !r.over {
		r.found.add(model.Error, "journal", model.NoOffset, r.src.Path()+journal.Suffix+": "+err.Error()+": names after it are missing")
	}
	r.over = true
}

// reveal publishes what is known by now.
func (r *recording) reveal() {
	for i := r.stacks.count; i < r.names.Len(); i++ {
		r.stacks.add(r.names, i)
	}
	markers := r.names.Markers()
	r.trace.markers.Store(&markers)
	t := *r.tables // readers have the ones before
	t.recorded = recordedBy(r.names)
	r.tables = &t
	switch text := t.recorded.estimates(); {
	case t.recorded.program == "":
	case !r.told:
		r.told, r.stated = true, text
		r.ended = r.names.Ended != nil
		t.recorded.problems(&r.found)
	case text != r.stated: // as samples became rarer
		r.stated = text
		r.store.Update(withoutEstimates)
		r.found.add(model.Note, codeSampled, model.NoOffset, text)
	}
	if !r.ended {
		r.ended = t.recorded.ending(&r.found)
	}
	r.found.list = append(r.found.list, r.looked...)
	r.looked = nil
	r.publish(r.store, r.stacks.revision(), recordedNote)
}

// recordedBy returns how a recording is made, as its journal states it.
func recordedBy(n *journal.Names) recorded {
	out := recorded{
		ours: true, frees: true, program: n.Program, looked: n.Looked, attached: n.Attached, series: seriesOf(n.Curves()),
	}
	if end := n.Ended; end != nil {
		out.running = end.Running
		out.ended(model.Clean(end.Signal), uint64(max(end.Status, 0)))
	}
	switch {
	case n.Rate > 0 && n.Rate < 1:
		out.byRate(n.Rate)
	case n.Period > 0:
		out.every(uint64(n.Period), uint64(n.Longest))
	}
	return out
}

// withoutEstimates takes back what was said of figures that are estimates.
func withoutEstimates(old *model.Profile) *model.Profile {
	next := *old
	next.Problems = slices.DeleteFunc(slices.Clone(old.Problems), func(p model.Problem) bool { return p.Code == codeSampled })
	return &next
}

func seriesOf(curves []journal.Curve) []model.Series {
	var list []model.Series
	for _, c := range curves {
		s := model.Series{Name: c.Name}
		for _, p := range c.Points {
			s.Times, s.Values = append(s.Times, model.Time(min(p[0], uint64(model.MaxTime)))), append(s.Values, float64(p[1]))
		}
		list = append(list, s)
	}
	return list
}

// recordedStacks are the tables of a recording. They only grow: what was published stays valid, and nodes keep their
// IDs.
type recordedStacks struct {
	s         *model.Stacks
	tree      *treeBuilder
	count     int // stacks
	published int
	last      *model.Stacks // the last revision
	addresses [][]model.FrameID
	functions map[string]model.FuncID
	files     map[string]model.FileID
	frames    map[symbols.Frame]model.FrameID
	path      []model.FrameID
}

func newRecordedStacks() recordedStacks {
	s := model.NewStacks()
	s.LeafFirst, s.Partial = true, true
	return recordedStacks{
		s: s, tree: newTreeBuilder(s), published: -1, functions: map[string]model.FuncID{"": 0}, files: map[string]model.FileID{"": 0},
		frames: map[symbols.Frame]model.FrameID{},
	}
}

// add adds stack number i, which is resolved.
func (k *recordedStacks) add(names *journal.Names, i int) {
	k.path = k.path[:0]
	stack := names.Stack(i)
	for j := len(stack) - 1; j >= 0; j-- { // root first
		list := k.at(names, stack[j])
		for f := len(list) - 1; f >= 0; f-- {
			k.path = append(k.path, list[f])
		}
	}
	k.count++
	k.s.Leaf[model.StackID(k.count)] = k.tree.insert(k.path)
}

// at returns the frames at an address, leaf first.
func (k *recordedStacks) at(names *journal.Names, id int) []model.FrameID {
	for len(k.addresses) <= id {
		k.addresses = append(k.addresses, nil)
	}
	if k.addresses[id] == nil {
		for _, f := range names.Frames(id) {
			k.addresses[id] = append(k.addresses[id], k.frame(f))
		}
	}
	return k.addresses[id]
}

func (k *recordedStacks) frame(f symbols.Frame) model.FrameID {
	f.Inlined = false
	id, ok := k.frames[f]
	if !ok {
		line := f.Line
		if line == 0 {
			line = model.NoLine
		}
		id = model.FrameID(len(k.s.FrameFunc))
		k.frames[f] = id
		k.s.FrameFunc = append(k.s.FrameFunc, nameIn(k.functions, &k.s.Functions, f.Function))
		k.s.FrameFile = append(k.s.FrameFile, nameIn(k.files, &k.s.Files, f.File))
		k.s.FrameLine = append(k.s.FrameLine, line)
	}
	return id
}

func nameIn[ID ~uint32](known map[string]ID, names *[]string, name string) ID {
	id, ok := known[name]
	if !ok {
		id = ID(len(*names))
		known[name] = id
		*names = append(*names, name)
	}
	return id
}

// revision returns the tables as they are now. Later ones share their columns.
func (k *recordedStacks) revision() *model.Stacks {
	if k.published == k.count {
		return k.last
	}
	k.published = k.count
	s := *k.s
	s.Leaf = maps.Clone(k.s.Leaf)
	k.last = &s
	return k.last
}
