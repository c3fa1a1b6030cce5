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
)

// fileMeta is what an index file says in single numbers.
type fileMeta struct {
	Begin  int64 // of the events in the input
	Totals analysis.Totals
	Lost   int64

	Saturated, Unfreed uint64 // 1 for yes

	LiveHi, Live, Count, AllocBytes uint64
	AllocCount, FreeEvents          uint32

	Born, BornAt riseEnd
}

// fileProblem is a problem whose words may be any bytes, which JSON would not keep in a string.
type fileProblem struct {
	model.Problem
	Words []byte
}

// riseEnd is what a RiseColumn knows beside its arrays.
type riseEnd struct{ N, Last uint64 }

// chunkHead is what an index file says about a chunk in single numbers.
type chunkHead struct {
	First, N, From, To, Begin, End int64
	FirstRun, FirstBlock           int64
	FirstRec, Records              uint32
	Hi, Lo                         uint64
	Totals                         analysis.Totals
	Kept                           uint64 // 1 if its events are in the file
	Delta                          int64
}

// checkpointHead is what an index file says about a checkpoint in single numbers.
type checkpointHead struct{ Chunk, Events int64 }

// largeSizeAt is a size that does not fit its column.
type largeSizeAt struct{ At, Size uint64 }

// plainMark is a fileMark without a bool, of which a file could make anything.
type plainMark struct{ Event, GC, ID, Bytes, Time uint64 }

// sections moves everything that an index holds to or from a file. What the first chart needs comes first: most of it is verified
// before anything is asked, and runs and streams where they are first read. What follows the streams is asked for only when all of
// the file is verified. A new field of the index that cannot be derived from others needs a line here.
func (ix *fileIndex) sections(f *fileCodec) {
	ix.metaSection(f)
	ix.chunkSections(f)
	ix.markSection(f)
	arraySection(f, "stacks", &ix.Ids)
	arraySection(f, "threads", &ix.Threads)
	ix.levelSections(f)
	ix.spanSection(f)
	chunks := ix.chunks
	partSections(f, "overwritten", len(chunks), func(i int) *[]overEnd { return &chunks[i].over })
	ix.keptSections(f)
	f.lazy = true
	columnSection(f, "curve", &ix.curve.Base)
	columnSection(f, "runs", &ix.runs)
	partSections(f, "freed", len(chunks), func(i int) *[]byte { return &chunks[i].freed })
	partSections(f, "common sizes", len(chunks), func(i int) *[]uint64 { return &chunks[i].common })
	partSections(f, "parts", len(chunks), func(i int) *[]byte { return &chunks[i].fine })
	partSections(f, "ends", len(chunks), func(i int) *[]byte { return &chunks[i].ends })
	for d := range column.DimCount {
		partSections(f, "sums", len(chunks), func(i int) *[]byte { return &chunks[i].sums[d] })
		arraySection(f, "sums", &ix.sums[d])
	}
	ix.checkpointSections(f)
	arraySection(f, "verdicts", (*[]verdict.Verdict)(&ix.verdicts))
	arraySection(f, "sites", &ix.sites.Keys)
	arraySection(f, "site of stack", &ix.sites.First)
	arraySection(f, "stack of site", &ix.sites.Stack)
	arraySection(f, "thread of site", &ix.sites.Thread)
	ix.records.sections(f)
}

func (r *records) sections(f *fileCodec) {
	columnSection(f, "record origins", &r.origin.Column)
	var large []largeSizeAt
	for at := range r.origin.N {
		if f.write == nil || len(large) == len(r.origin.Large) {
			break
		}
		if size, ok := r.origin.Large[at]; ok {
			large = append(large, largeSizeAt{uint64(at), size})
		}
	}
	arraySection(f, "large sizes", &large)
	if f.write == nil && len(large) > 0 {
		r.origin.Large = make(column.LargeSizes, len(large))
		for _, l := range large {
			r.origin.Large[int(l.At)] = l.Size
		}
	}
	for _, c := range []*column.RiseColumn{&r.born, &r.bornAt} {
		arraySection(f, "births", &c.Anchor)
		columnSection(f, "births", &c.Steps)
	}
	columnSection(f, "deaths", &r.died)
	columnSection(f, "deaths", &r.diedAt.Lo)
	columnSection(f, "deaths", &r.diedAt.Hi)
}

func (ix *fileIndex) metaSection(f *fileCodec) {
	var metas []fileMeta // one
	if f.write != nil {
		c, r := &ix.curve, &ix.records
		metas = append(metas, fileMeta{
			Begin: ix.begin, Totals: ix.totals, Lost: ix.lost,
			Saturated: oneIf(ix.status.Saturated), Unfreed: oneIf(ix.status.Unfreed),
			LiveHi: c.LiveHi, Live: c.Live, Count: c.Count, AllocBytes: c.AllocBytes, AllocCount: c.AllocCount, FreeEvents: c.FreeEvents,
			Born: riseEnd{uint64(r.born.N), r.born.Last}, BornAt: riseEnd{uint64(r.bornAt.N), r.bornAt.Last},
		})
	}
	arraySection(f, "meta", &metas)
	ix.problemSection(f)
	if f.write != nil || f.err != nil {
		return
	}
	if len(metas) != 1 {
		f.fail("numbers are missing")
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

// problemSection is what was found among the events, as JSON, which is learnt only when there is something.
func (ix *fileIndex) problemSection(f *fileCodec) {
	var text []byte
	if f.write != nil && len(ix.found) > 0 {
		var problems []fileProblem
		for _, p := range ix.found {
			problems = append(problems, fileProblem{p, []byte(p.Message)})
		}
		var err error
		if text, err = json.Marshal(problems); err != nil && f.err == nil {
			f.err = err
		}
	}
	f.layout = column.AppendLayout(f.layout, "problems", fileProblem{})
	arraySection(f, "problems", &text)
	if f.write != nil || f.err != nil || len(text) == 0 {
		return
	}
	var problems []fileProblem
	if err := json.Unmarshal(text, &problems); err != nil {
		f.fail("%v", err)
		return
	}
	for _, p := range problems {
		p.Message = string(p.Words)
		ix.found = append(ix.found, p.Problem)
	}
}

func (ix *fileIndex) chunkSections(f *fileCodec) {
	var heads []chunkHead
	if f.write != nil {
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
	arraySection(f, "chunks", &heads)
	if f.write != nil || f.err != nil {
		return
	}
	chunks := make([]chunk, len(heads)) // at once: there may be thousands
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

func (ix *fileIndex) markSection(f *fileCodec) {
	var marks []plainMark
	if f.write != nil {
		for _, m := range ix.marks {
			p := plainMark{Event: uint64(m.event), ID: m.id, Bytes: m.bytes, Time: uint64(m.time)}
			if m.gc {
				p.GC = 1
			}
			marks = append(marks, p)
		}
	}
	arraySection(f, "marks", &marks)
	if f.write != nil || f.err != nil {
		return
	}
	for _, p := range marks {
		ix.marks = append(ix.marks, fileMark{mark{uint32(p.Event), p.GC != 0, p.ID, p.Bytes}, model.Time(p.Time)})
	}
}

// levelSections are the upper levels of the curve.
func (ix *fileIndex) levelSections(f *fileCodec) {
	levels := &ix.curve.Levels
	var lengths []uint64
	for i := range *levels {
		lengths = append(lengths, uint64((*levels)[i].N))
	}
	arraySection(f, "curve levels", &lengths)
	var all []column.Extremes
	if f.write != nil {
		for i := range *levels {
			for k := range (*levels)[i].N {
				all = append(all, (*levels)[i].At(k))
			}
		}
	}
	arraySection(f, "curve levels", &all)
	if f.write != nil || f.err != nil {
		return
	}
	for _, n := range lengths {
		if n > uint64(len(all)) {
			f.fail("levels of the curve are missing")
			return
		}
		*levels = append(*levels, column.ColumnFrom(all[:n:n]))
		all = all[n:]
	}
}

// spanSection is where spans meet: the first chart looks at those edges and at the levels above, and hardly at runs.
func (ix *fileIndex) spanSection(f *fileCodec) {
	var spans []spanEdge
	if f.write != nil && len(ix.chunks) > 0 {
		for i := range ix.lastSpan() + 1 {
			spans = append(spans, ix.spanAt(i, min(i*len(ix.chunks)/(ix.lastSpan()+1), len(ix.chunks)-1)))
		}
	}
	arraySection(f, "span edges", &spans)
	if f.write == nil && f.err == nil {
		ix.spans = spans
	}
}

// keptSections are the events of chunks that keep them.
func (ix *fileIndex) keptSections(f *fileCodec) {
	var kept []*model.Columns
	for _, c := range ix.chunks {
		if c.kept != nil {
			kept = append(kept, c.kept)
		}
	}
	partSections(f, "kept kinds", len(kept), func(i int) *[]model.EventKind { return &kept[i].Kind })
	partSections(f, "kept times", len(kept), func(i int) *[]uint32 { return &kept[i].Time })
	partSections(f, "kept times above 32 bits", len(kept), func(i int) *[]uint32 { return &kept[i].High })
	partSections(f, "kept addresses", len(kept), func(i int) *[]uint64 { return &kept[i].Addr })
	partSections(f, "kept sizes", len(kept), func(i int) *[]uint64 { return &kept[i].Size })
	partSections(f, "kept stacks", len(kept), func(i int) *[]uint64 { return &kept[i].ID })
	partSections(f, "kept threads", len(kept), func(i int) *[]uint16 { return &kept[i].Thread })
}

func (ix *fileIndex) checkpointSections(f *fileCodec) {
	var heads []checkpointHead
	for i := range ix.checkpoints {
		heads = append(heads, checkpointHead{int64(ix.checkpoints[i].chunk), int64(ix.checkpoints[i].Events)})
	}
	lazy := f.lazy
	f.lazy = false
	arraySection(f, "checkpoints", &heads)
	f.lazy = lazy
	if f.write == nil && f.err == nil {
		ix.checkpoints = make([]chunkSums, len(heads))
		for i, h := range heads {
			ix.checkpoints[i].chunk, ix.checkpoints[i].Events = int(h.Chunk), int(h.Events)
		}
	}
	for d := range column.DimCount {
		partSections(f, "checkpoints", len(ix.checkpoints), func(i int) *[]column.Cell { return &ix.checkpoints[i].Sums[d] })
	}
}

// mostKept is how many events are kept in a file at least, where most of the input can be read again.
const mostKept = 1 << 16

// save writes the index, which must be complete, so that [KeptIndex] can take it up again. It may be asked meanwhile.
func (ix *fileIndex) save(ctx context.Context, w io.Writer, key Key) error {
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
	if err := ix.judged(ctx); err != nil && !errors.As(err, new(*model.MemoryError)) { // where memory was short, who opens the file judges
		return err
	}
	f := &fileCodec{write: &fileWriter{ctx: ctx, w: w}}
	f.write.bytes([]byte(fileMagic))
	ix.sections(f)
	if f.err != nil {
		return f.err
	}
	return f.write.finish(key, f.layout)
}

// layoutOfFiles returns what the files of this program hold.
func layoutOfFiles() []byte {
	f := &fileCodec{write: new(fileWriter)}
	newFileIndex(0).sections(f)
	return f.layout
}

// restore takes an index out of a file, for the input that events come from. What is lazy in sections is not verified yet. The file
// must stay as it is.
func (ix *fileIndex) restore(ctx context.Context, file *File, key Key, store *model.Store, events model.EventSource) error {
	f, err := openFile(file, key, layoutOfFiles())
	if err != nil {
		return err
	}
	f.ctx, ix.file = ctx, f.file
	ix.sums[column.DimSize] = nil
	ix.sections(f)
	if f.err == nil && f.next != len(f.table) {
		f.fail("it has sections that this program does not know")
	}
	if f.err != nil {
		return f.err
	}
	ix.Ids, ix.Threads = append([]model.StackID(nil), ix.Ids...), append([]uint16(nil), ix.Threads...) // others get them
	ix.input, _ = events.(model.Changing)
	if s, ok := events.(model.ChunkSource); ok && s.Decoder() != nil {
		ix.source = s
		ix.decoders.New = func() any { return s.Decoder() }
	}
	begin, size := events.Extent()
	if begin != ix.begin {
		return ErrIndexStale
	}
	if err := ix.checkRestored(size); err != nil {
		return err
	}
	if err := ix.checkSums(); err != nil {
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

// checkRestored checks that the parts of a restored index fit together as far as the first chart needs that, and as far as a
// mistake might cost memory. What else is wrong in a file with the right checksums ends in an error when it is asked for.
func (ix *fileIndex) checkRestored(size int64) error {
	events, run, rec, at := 0, 0, uint32(0), ix.begin
	for _, c := range ix.chunks {
		switch {
		case c.first != events, c.firstRun != run, c.firstRec != rec, c.n <= 0, c.n > math.MaxInt32, events > maxEvents-c.n:
			return damagedFile("chunks do not follow each other")
		case c.from < at, c.to < c.from, size >= 0 && c.to > size, c.begin < 0, c.end < c.begin:
			return damagedFile("a chunk lies outside of the input")
		case c.kept == nil && (ix.source == nil || int64(c.n) > c.to-c.from):
			return damagedFile("a chunk has no events")
		case c.kept != nil && !fitting(c.kept, c.n):
			return damagedFile("events of a chunk are missing")
		}
		events, run, rec, at = events+c.n, run+(c.n+runLength-1)/runLength, rec+c.records, c.to
	}
	r := &ix.records
	switch {
	case uint64(events) != ix.totals.Events:
		return damagedFile("events are missing")
	case run != ix.curve.Base.N, run != ix.runs.N, run > 0 && len(ix.spans) != ix.lastSpan()+1:
		return damagedFile("the curve has holes")
	case r.origin.N != int(rec), r.died.N != int(rec), r.diedAt.Lo.N != int(rec), r.diedAt.Hi.N > int(rec),
		!r.born.Fits(int(rec)), !r.bornAt.Fits(int(rec)):
		return damagedFile("records are missing")
	case len(ix.sums[column.DimStack]) != len(ix.Ids), len(ix.sums[column.DimThread]) != len(ix.Threads), len(ix.sums[column.DimSize]) != analysis.SizeClasses,
		len(ix.sites.Stack) != len(ix.sites.Keys), len(ix.sites.Thread) != len(ix.sites.Keys):
		return damagedFile("sums are missing")
	}
	for lv, n := 0, ix.curve.Base.N/column.PyramidFan; lv < len(ix.curve.Levels) || n > 0; lv, n = lv+1, n/column.PyramidFan {
		if lv >= len(ix.curve.Levels) || ix.curve.Levels[lv].N != n {
			return damagedFile("levels of the curve are missing")
		}
	}
	return nil
}

// fitting reports whether columns hold n events.
func fitting(c *model.Columns, n int) bool {
	p := 0
	for _, k := range c.Kind {
		if k != model.Free {
			p++
		}
	}
	return len(c.Kind) == n && len(c.Time) == n && (len(c.High) == 0 || len(c.High) == n) && len(c.Addr) == n && len(c.Size) == p && len(c.ID) == p && len(c.Thread) == p
}
