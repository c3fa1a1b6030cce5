package mlyze

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// namesFormat is the format of files with what was made of metadata: its version rises when the same metadata mean
// something else.
var namesFormat = sections.Format{Magic: "memtui.names/1\r\n", Version: 2}

// worthKeeping is how many bytes of metadata are kept as tables for the next run: fewer are parsed in a few
// milliseconds.
const worthKeeping = 1 << 20

// keptNames are stacks and names as files have them.
type keptNames struct {
	stacks *model.Stacks
	notes  []byte // JSON of nameNotes
	ids    []uint64
	names  model.Texts // of functions, by number in ids: markers have them, too
}

// nameNotes is what else was published with the stacks.
type nameNotes struct {
	Note               string // how the order of frames was found
	Facts              []model.Fact
	Sampled            string
	Sampling           model.Sampling
	Invented, Coarse   bool
	NoThreads          bool
	RecordsFrees       bool
	Series             []model.Series
	Problems           []model.RawProblem
	LeafFirst, Partial bool
}

func (k *keptNames) sections(f *sections.Codec) {
	f.Describe("notes", nameNotes{})
	sections.Array(f, "notes", &k.notes)
	sections.Array(f, "ids of functions", &k.ids)
	k.names.Sections(f, "names of functions")
	k.stacks.Sections(f)
	if f.Reads() && len(k.ids) != k.names.Len() {
		f.Fail("names of functions are missing")
	}
}

// partOf returns the name of the file with the tables of metadata: the order of frames is one that the user may choose.
func partOf(opt loaders.Options) string {
	switch opt.FrameOrder {
	case loaders.LeafFirst:
		return "names-leaf-first"
	case loaders.RootFirst:
		return "names-root-first"
	}
	return "names"
}

// restore publishes stacks and names that an earlier run kept, and reports whether there were any. The metadata are then
// read only if damaged events must be judged.
func (o *opening) restore(opt loaders.Options, store *model.Store) bool {
	if opt.Kept == nil || o.header.length < worthKeeping {
		return false
	}
	k := &keptNames{stacks: model.NewStacks()}
	layout := sections.Layout(new(keptNames).layout)
	if namesFormat.Restore(o.ctx, opt.Kept, partOf(opt), layout, k.sections) == nil {
		return false
	}
	var notes nameNotes
	if json.Unmarshal(k.notes, &notes) != nil {
		return false
	}
	t := &tables{}
	t.funcs.reset()
	for i, id := range k.ids {
		t.funcs.set(id, k.names.At(i))
	}
	t.recorded.series = notes.Series
	for _, p := range notes.Problems {
		o.found.list = append(o.found.list, p.Restore())
	}
	k.stacks.LeafFirst, k.stacks.Partial = notes.LeafFirst, notes.Partial
	o.trace.reread = sync.OnceValue(o.parseAgain)
	o.kept, o.tables = &notes, t
	o.deliver()
	o.publish(store, k.stacks, notes.Note)
	return true
}

// layout is sections of empty tables.
func (k *keptNames) layout(f *sections.Codec) {
	k.stacks = model.NewStacks()
	k.sections(f)
}

// parseAgain reads the metadata whose tables were kept.
func (o *opening) parseAgain() *tables {
	again := &opening{ctx: context.WithoutCancel(o.ctx), src: o.src, header: o.header, trace: &trace{src: o.src, begin: o.trace.begin}}
	if again.readTables(true) != nil || again.tables == nil {
		return &tables{limited: true}
	}
	return again.tables
}

// keep has the stacks and names written for the next run, if all of the metadata was read, and is worth it.
func (o *opening) keep(opt loaders.Options, stacks *model.Stacks, note string) {
	if opt.Kept == nil || o.header.length < worthKeeping || o.tables.partial() || stacks.Partial {
		return
	}
	meta := o.meta()
	text, err := json.Marshal(nameNotes{
		Note: note, Facts: meta.Facts, Sampled: meta.Sampled, Sampling: meta.Sampling,
		Invented: meta.InventedAddresses, Coarse: meta.CoarseTimes,
		NoThreads: meta.NoThreads, RecordsFrees: meta.RecordsFrees,
		Series: o.tables.recorded.series, Problems: model.RawProblems(o.found.list),
		LeafFirst: stacks.LeafFirst, Partial: stacks.Partial,
	})
	if err != nil {
		return
	}
	k := &keptNames{stacks: stacks, notes: text}
	for id := range o.tables.funcs.index {
		k.ids = append(k.ids, id)
	}
	slices.Sort(k.ids)
	for _, id := range k.ids {
		name, _ := o.tables.funcs.get(id)
		k.names.Add([]byte(name))
	}
	namesFormat.Keep(opt.Kept, partOf(opt), k.sections)
}
