package traceindex

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// indexFormat is the format of index files. Its version rises when the meaning of the same types changes.
var indexFormat = sections.Format{Magic: "memtui.index/1\r\n", Version: IndexVersion}

// IndexVersion is the version of the files that [KeptIndex.Write] writes.
const IndexVersion = 16

// errKeepNothing is the reason not to write an index.
var errKeepNothing = errors.New("too much of the trace can only be read from start to end")

// columnSection reads or writes a section with a column.
func columnSection[T any](f *sections.Codec, name string, c *column.Column[T]) {
	if f.Begin(name, *new(T)); f.Err != nil {
		return
	}
	if f.Writing() {
		for i, part := range c.Chunks {
			f.Write(sections.BytesOf(part[:min(column.ChunkLen, c.N-i*column.ChunkLen)]))
		}
		f.End()
		return
	}
	*c = column.ColumnFrom(sections.ValuesOf[T](f, f.Section()))
}

// fileMeta has the scalar fields of an index file.
type fileMeta struct {
	Begin  int64 // offset of the events in the input
	Totals analysis.Totals
	Lost   int64

	Saturated, Unfreed uint64 // 1 for yes

	LiveHi, Live, Count, AllocBytes uint64
	AllocCount, FreeEvents          uint32

	Born, BornAt riseEnd
}

// riseEnd has the fields of a RiseColumn other than its arrays.
type riseEnd struct{ N, Last uint64 }

// chunkHead has the scalar fields of a chunk.
type chunkHead struct {
	First, N, From, To, Begin, End int64
	FirstRun, FirstBlock           int64
	FirstRec, Records              uint32
	Hi, Lo                         uint64
	Totals                         analysis.Totals
	Kept                           uint64 // 1 if its events are in the file
	Delta                          int64
}

// checkpointHead has the scalar fields of a checkpoint.
type checkpointHead struct{ Chunk, Events int64 }

// largeSizeAt is a size that does not fit its column.
type largeSizeAt struct{ At, Size uint64 }

// plainMark is a fileMark without a bool, which could have invalid values in a file.
type plainMark struct{ Event, GC, ID, Bytes, Time uint64 }

// sections reads or writes everything in an index. A new field of the index that cannot be derived from others needs a
// line in one of its two halves.
func (ix *fileIndex) sections(f *sections.Codec) {
	ix.eventSections(f)
	ix.answerSections(f)
}

// eventSections reads or writes what was built of the events. What the first chart needs comes first: most of it is
// verified before the first question is answered, and runs and streams when they are first read. What follows the
// streams is used only once the complete file is verified.
func (ix *fileIndex) eventSections(f *sections.Codec) {
	ix.metaSection(f)
	ix.chunkSections(f)
	ix.markSection(f)
	sections.Array(f, "stacks", &ix.Ids)
	sections.Array(f, "threads", &ix.Threads)
	ix.levelSections(f)
	ix.spanSection(f)
	chunks := ix.chunks
	sections.Parts(f, "overwritten", len(chunks), func(i int) *[]overEnd { return &chunks[i].over })
	ix.keptSections(f)
	for d := range column.DimCount {
		sections.Array(f, "sums", &ix.sums[d])
	}
	f.Lazy = true
	columnSection(f, "curve", &ix.curve.Base)
	columnSection(f, "runs", &ix.runs)
	sections.Parts(f, "freed", len(chunks), func(i int) *[]byte { return &chunks[i].freed })
	sections.Parts(f, "common sizes", len(chunks), func(i int) *[]uint64 { return &chunks[i].common })
	sections.Parts(f, "parts", len(chunks), func(i int) *[]byte { return &chunks[i].fine })
	sections.Parts(f, "ends", len(chunks), func(i int) *[]byte { return &chunks[i].ends })
	for d := range column.DimCount {
		sections.Parts(f, "sums", len(chunks), func(i int) *[]byte { return &chunks[i].sums[d] })
	}
	ix.checkpointSections(f)
	sections.Array(f, "sites", &ix.sites.Keys)
	sections.Array(f, "site of stack", &ix.sites.First)
	sections.Array(f, "stack of site", &ix.sites.Stack)
	sections.Array(f, "thread of site", &ix.sites.Thread)
	ix.records.sections(f)
	f.Lazy = false
}

// answerSections reads or writes the answers about the complete run. They come last, as they are made while the rest is
// written.
func (ix *fileIndex) answerSections(f *sections.Codec) {
	sections.Array(f, "verdicts", (*[]verdict.Verdict)(&ix.verdicts))
	ix.wholeSections(f)
	ix.passSections(f)
}

func (r *records) sections(f *sections.Codec) {
	columnSection(f, "record origins", &r.origin.Column)
	var large []largeSizeAt
	for at := range r.origin.N {
		if !f.Writing() || len(large) == len(r.origin.Large) {
			break
		}
		if size, ok := r.origin.Large[at]; ok {
			large = append(large, largeSizeAt{uint64(at), size})
		}
	}
	sections.Array(f, "large sizes", &large)
	if !f.Writing() && len(large) > 0 {
		r.origin.Large = make(column.LargeSizes, len(large))
		for _, l := range large {
			r.origin.Large[int(l.At)] = l.Size
		}
	}
	for _, c := range []*column.RiseColumn{&r.born, &r.bornAt} {
		sections.Array(f, "births", &c.Anchor)
		columnSection(f, "births", &c.Steps)
	}
	columnSection(f, "deaths", &r.died)
	columnSection(f, "deaths", &r.diedAt.Lo)
	columnSection(f, "deaths", &r.diedAt.Hi)
}

func (ix *fileIndex) metaSection(f *sections.Codec) {
	var metas []fileMeta // exactly one
	if f.Writing() {
		c, r := &ix.curve, &ix.records
		metas = append(metas, fileMeta{
			Begin: ix.begin, Totals: ix.totals, Lost: ix.lost,
			Saturated: oneIf(ix.status.Saturated), Unfreed: oneIf(ix.status.Unfreed),
			LiveHi: c.LiveHi, Live: c.Live, Count: c.Count, AllocBytes: c.AllocBytes, AllocCount: c.AllocCount, FreeEvents: c.FreeEvents,
			Born: riseEnd{uint64(r.born.N), r.born.Last}, BornAt: riseEnd{uint64(r.bornAt.N), r.bornAt.Last},
		})
	}
	sections.Array(f, "meta", &metas)
	ix.problemSection(f)
	if !f.Reads() {
		return
	}
	if len(metas) != 1 {
		f.Fail("numbers are missing")
		return
	}
	m := &metas[0]
	ix.begin, ix.totals, ix.lost = m.Begin, m.Totals, m.Lost
	ix.status.Saturated, ix.status.Unfreed = m.Saturated != 0, m.Unfreed != 0
	ix.curve.LiveHi, ix.curve.Live, ix.curve.Count = m.LiveHi, m.Live, m.Count
	ix.curve.AllocBytes, ix.curve.AllocCount, ix.curve.FreeEvents = m.AllocBytes, m.AllocCount, m.FreeEvents
	ix.records.born.N, ix.records.born.Last = int(m.Born.N), m.Born.Last
	ix.records.bornAt.N, ix.records.bornAt.Last = int(m.BornAt.N), m.BornAt.Last
}

func oneIf(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// problemSection reads or writes the problems of the events as JSON, which is decoded only if there are any.
func (ix *fileIndex) problemSection(f *sections.Codec) {
	var text []byte
	if f.Writing() && len(ix.found) > 0 {
		var err error
		if text, err = json.Marshal(model.RawProblems(ix.found)); err != nil && f.Err == nil {
			f.Err = err
		}
	}
	f.Describe("problems", model.RawProblem{})
	sections.Array(f, "problems", &text)
	if !f.Reads() || len(text) == 0 {
		return
	}
	var problems []model.RawProblem
	if err := json.Unmarshal(text, &problems); err != nil {
		f.Fail("%v", err)
		return
	}
	for _, p := range problems {
		ix.found = append(ix.found, p.Restore())
	}
}

func (ix *fileIndex) chunkSections(f *sections.Codec) {
	var heads []chunkHead
	if f.Writing() {
		for _, c := range ix.chunks {
			h := chunkHead{
				int64(c.first), int64(c.n), c.from, c.to, int64(c.begin), int64(c.end), int64(c.firstRun), int64(c.firstBlock),
				c.firstRec, c.records, c.hi, c.lo, *c.totals, 0, 0,
			}
			if c.kept != nil {
				h.Kept, h.Delta = 1, int64(c.kept.Delta)
			}
			heads = append(heads, h)
		}
	}
	sections.Array(f, "chunks", &heads)
	if !f.Reads() {
		return
	}
	chunks := make([]chunk, len(heads)) // in one allocation: there may be thousands
	ix.chunks = make([]*chunk, 0, len(heads))
	for i := range heads {
		h, c := &heads[i], &chunks[i]
		*c = chunk{
			first: int(h.First), n: int(h.N), from: h.From, to: h.To, begin: model.Time(h.Begin), end: model.Time(h.End),
			firstRun: int(h.FirstRun), firstBlock: int(h.FirstBlock), firstRec: h.FirstRec, records: h.Records,
			hi: h.Hi, lo: h.Lo, totals: &h.Totals,
		}
		if h.Kept != 0 {
			c.kept = &model.Columns{Delta: model.Time(h.Delta)}
		}
		ix.chunks = append(ix.chunks, c)
	}
}

func (ix *fileIndex) markSection(f *sections.Codec) {
	var marks []plainMark
	if f.Writing() {
		for _, m := range ix.marks {
			p := plainMark{Event: uint64(m.event), ID: m.id, Bytes: m.bytes, Time: uint64(m.time)}
			if m.gc {
				p.GC = 1
			}
			marks = append(marks, p)
		}
	}
	sections.Array(f, "marks", &marks)
	if !f.Reads() {
		return
	}
	for _, p := range marks {
		ix.marks = append(ix.marks, fileMark{mark{uint32(p.Event), p.GC != 0, p.ID, p.Bytes}, model.Time(p.Time)})
	}
}

// levelSections reads or writes the upper levels of the curve.
func (ix *fileIndex) levelSections(f *sections.Codec) {
	levels := &ix.curve.Levels
	var lengths []uint64
	for i := range *levels {
		lengths = append(lengths, uint64((*levels)[i].N))
	}
	sections.Array(f, "curve levels", &lengths)
	var all []column.Extremes
	if f.Writing() {
		for i := range *levels {
			for k := range (*levels)[i].N {
				all = append(all, (*levels)[i].At(k))
			}
		}
	}
	sections.Array(f, "curve levels", &all)
	if !f.Reads() {
		return
	}
	for _, n := range lengths {
		if n > uint64(len(all)) {
			f.Fail("levels of the curve are missing")
			return
		}
		*levels = append(*levels, column.ColumnFrom(all[:n:n]))
		all = all[n:]
	}
}

// spanSection reads or writes the span boundaries: the first chart uses those edges and the levels above, and hardly
// any runs.
func (ix *fileIndex) spanSection(f *sections.Codec) {
	var spans []spanEdge
	if f.Writing() && len(ix.chunks) > 0 {
		for i := range ix.lastSpan() + 1 {
			spans = append(spans, ix.spanAt(i, min(i*len(ix.chunks)/(ix.lastSpan()+1), len(ix.chunks)-1)))
		}
	}
	sections.Array(f, "span edges", &spans)
	if f.Reads() {
		ix.spans = spans
	}
}

// keptSections reads or writes the events of chunks that keep them.
func (ix *fileIndex) keptSections(f *sections.Codec) {
	var kept []*model.Columns
	for _, c := range ix.chunks {
		if c.kept != nil {
			kept = append(kept, c.kept)
		}
	}
	sections.Parts(f, "kept kinds", len(kept), func(i int) *[]model.EventKind { return &kept[i].Kind })
	sections.Parts(f, "kept times", len(kept), func(i int) *[]uint32 { return &kept[i].Time })
	sections.Parts(f, "kept times above 32 bits", len(kept), func(i int) *[]uint32 { return &kept[i].High })
	sections.Parts(f, "kept addresses", len(kept), func(i int) *[]uint64 { return &kept[i].Addr })
	sections.Parts(f, "kept sizes", len(kept), func(i int) *[]uint64 { return &kept[i].Size })
	sections.Parts(f, "kept stacks", len(kept), func(i int) *[]uint64 { return &kept[i].ID })
	sections.Parts(f, "kept threads", len(kept), func(i int) *[]uint16 { return &kept[i].Thread })
}

func (ix *fileIndex) checkpointSections(f *sections.Codec) {
	var heads []checkpointHead
	for i := range ix.checkpoints {
		heads = append(heads, checkpointHead{int64(ix.checkpoints[i].chunk), int64(ix.checkpoints[i].Events)})
	}
	lazy := f.Lazy
	f.Lazy = false
	sections.Array(f, "checkpoints", &heads)
	f.Lazy = lazy
	if f.Reads() {
		ix.checkpoints = make([]chunkSums, len(heads))
		for i, h := range heads {
			ix.checkpoints[i].chunk, ix.checkpoints[i].Events = int(h.Chunk), int(h.Events)
		}
	}
	for d := range column.DimCount {
		sections.Parts(f, "checkpoints", len(ix.checkpoints), func(i int) *[]column.Cell { return &ix.checkpoints[i].Sums[d] })
	}
}

// mostKept is the number of events that a file may keep in any case; more only up to a fraction of all events.
const mostKept = 1 << 16

// save writes the index, which must be complete, for [KeptIndex] to open. Questions may be asked meanwhile.
func (ix *fileIndex) save(ctx context.Context, w io.Writer, key sections.Key) error {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	kept := 0
	for _, c := range ix.chunks {
		if c.kept != nil {
			kept += c.n
		}
	}
	if kept > max(mostKept, ix.events()/16) {
		return errKeepNothing
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	answered := make(chan error, 1)
	go func() { answered <- model.Guarded(func() error { return ix.answerWhole(ctx) }) }()
	return indexFormat.Write(ctx, w, key, func(f *sections.Codec) {
		if ix.eventSections(f); f.Err != nil {
			stop()
		}
		// If memory was short, answers are made after the file is opened.
		if err := <-answered; f.Err == nil && err != nil && !errors.As(err, new(*model.MemoryError)) {
			f.Err = err
		}
		if f.Err == nil {
			ix.answerSections(f)
		}
	})
}

// layoutOfFiles returns the layout of the files of this version.
func layoutOfFiles() []byte {
	return sections.Layout(newFileIndex(0).sections)
}

// restore reads an index from a file, for the input that store's events come from. Lazy sections are not verified yet.
// The file must not change.
func (ix *fileIndex) restore(ctx context.Context, file *sections.File, key sections.Key, store *model.Store,
	events model.EventSource) error {
	f, err := indexFormat.Open(ctx, file, key, layoutOfFiles())
	if err != nil {
		return err
	}
	ix.file = f.Sums
	ix.sums[column.DimSize] = nil
	ix.sections(f)
	if err := f.Done(); err != nil {
		return err
	}
	ix.Ids, ix.Threads = append([]model.StackID(nil), ix.Ids...), append([]uint16(nil), ix.Threads...) // copied: shared
	ix.input, _ = events.(model.Changing)
	if s, ok := events.(model.ChunkSource); ok && s.Decoder() != nil {
		ix.source = s
		ix.decoders.New = func() any { return s.Decoder() }
	}
	begin, size := events.Extent()
	if begin != ix.begin {
		return sections.ErrStale
	}
	if err := ix.checkRestored(size); err != nil {
		return err
	}
	if err := ix.checkSums(); err != nil {
		return err
	}
	if err := ix.checkWhole(); err != nil {
		return err
	}
	ix.Store = store
	ix.status.Offset, ix.status.Size, ix.status.Final = size, size, true
	if size < 0 {
		ix.status.Offset = ix.chunksEnd()
	}
	return nil
}

func (ix *fileIndex) chunksEnd() int64 {
	if n := len(ix.chunks); n > 0 {
		return ix.chunks[n-1].to
	}
	return ix.begin
}

// checkRestored checks that the parts of a restored index fit together, as far as the first chart needs it and as far
// as a mistake might cost memory. Other defects in a file with correct checksums become errors when they are reached.
func (ix *fileIndex) checkRestored(size int64) error {
	events, run, rec, at := 0, 0, uint32(0), ix.begin
	for _, c := range ix.chunks {
		switch {
		case c.first != events, c.firstRun != run, c.firstRec != rec, c.n <= 0, c.n > math.MaxInt32, events > maxEvents-c.n:
			return sections.Damaged("chunks do not follow each other")
		case c.from < at, c.to < c.from, size >= 0 && c.to > size, c.begin < 0, c.end < c.begin:
			return sections.Damaged("a chunk is outside of the input")
		case c.kept == nil && (ix.source == nil || int64(c.n) > c.to-c.from):
			return sections.Damaged("a chunk has no events")
		case c.kept != nil && !fitting(c.kept, c.n):
			return sections.Damaged("events of a chunk are missing")
		}
		events, run, rec, at = events+c.n, run+(c.n+runLength-1)/runLength, rec+c.records, c.to
	}
	r := &ix.records
	switch {
	case uint64(events) != ix.totals.Events:
		return sections.Damaged("events are missing")
	case run != ix.curve.Base.N, run != ix.runs.N, run > 0 && len(ix.spans) != ix.lastSpan()+1:
		return sections.Damaged("the curve has holes")
	case r.origin.N != int(rec), r.died.N != int(rec), r.diedAt.Lo.N != int(rec), r.diedAt.Hi.N > int(rec),
		!r.born.Fits(int(rec)), !r.bornAt.Fits(int(rec)):
		return sections.Damaged("records are missing")
	case len(ix.sums[column.DimStack]) != len(ix.Ids), len(ix.sums[column.DimThread]) != len(ix.Threads),
		len(ix.sums[column.DimSize]) != analysis.SizeClasses,
		len(ix.sites.Stack) != len(ix.sites.Keys), len(ix.sites.Thread) != len(ix.sites.Keys):
		return sections.Damaged("sums are missing")
	}
	for lv, n := 0, ix.curve.Base.N/column.PyramidFan; lv < len(ix.curve.Levels) || n > 0; lv, n = lv+1, n/column.PyramidFan {
		if lv >= len(ix.curve.Levels) || ix.curve.Levels[lv].N != n {
			return sections.Damaged("levels of the curve are missing")
		}
	}
	return nil
}

// fitting reports whether all columns have n events.
func fitting(c *model.Columns, n int) bool {
	p := 0
	for _, k := range c.Kind {
		if k != model.Free {
			p++
		}
	}
	return len(c.Kind) == n && len(c.Time) == n && (len(c.High) == 0 || len(c.High) == n) && len(c.Addr) == n &&
		len(c.Size) == p && len(c.ID) == p && len(c.Thread) == p
}
