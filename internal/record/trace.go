package record

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"time"

	"github.com/memtui/memtui/loaders/mlyze/journal"
	"github.com/memtui/memtui/loaders/symbols"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/mlyze"
)

// A trace begins with so many bytes, so that events begin at a block of the file system and can be moved by blocks.
const (
	headerSize = 256
	reserve    = 4096
)

// markEvery is the most bytes of events between places where a file can be cut. Early ones are closer together: one part
// in markPart of the events is lost at most.
const (
	markEvery = 1 << 14
	markPart  = 8
)

// mark is a place where a file can be cut.
type mark struct {
	at     int64  // bytes of events before it
	events uint64 // and their number
}

// errSize is why a file that is large enough ended.
var errSize = errors.New("the file has the size that --max-size allows")

// errLeft is that of names that stay in the journal as the file has no room for them.
var errLeft = errors.New("no room for the names of stacks")

// traceFile writes a trace. It is valid whenever it was flushed. It is for one goroutine.
type traceFile struct {
	path    string
	f       *os.File
	w       *bufio.Writer
	names   *os.File      // the journal, path + ".names"
	notes   *bufio.Writer // to names
	start   time.Time
	shifts  [2]uint // the fewest and the most times that period was doubled
	last    uint64  // µs, of the last event
	written int64   // bytes of events
	most    int64   // bytes of the file, 0 for no limit
	grown   grown   // says how large it became
	marks   []mark
	events  uint64
	taken   uint64 // bytes of blocks
	full    error  // why writing ended, nil while it goes on
	buf     []byte
	line    []byte    // of the journal
	stream  *streamed // where all goes if that is a pipe, nil for a file
	copied  bool      // the file at path is a complete copy
	stacks  *journal.Names
	live    map[uint64]struct{}         // addresses of blocks, where frees of others are left out; nil else
	mapped  func(journal.Module) string // the path of a module as this process sees it
	own     ownCode                     // what stacks leave out
}

// newTraceFile creates a trace at a path where nothing is yet, or replaces what is there if options say so. Its own
// folder gets the journal.
func newTraceFile(path string, start time.Time, exe string, o Options) (*traceFile, error) {
	if path == Pipe {
		return newStream(start, exe, o)
	}
	if info, err := os.Lstat(path); err == nil && o.Overwrite && info.Mode()&(fs.ModeType&^fs.ModeSymlink) == 0 {
		_ = os.Remove(path) // it may be open elsewhere
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	_ = journal.Lock(f) // some file systems have no locks: such a recording can be opened, but not followed
	_ = os.Remove(path + journal.Suffix)
	names, err := os.OpenFile(path+journal.Suffix, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	t := &traceFile{
		path: path, f: f, w: bufio.NewWriterSize(f, 1<<18), names: names, notes: bufio.NewWriter(names), start: start,
		shifts: [2]uint{mostShift, 0},
		stacks: journal.NewNames(o.Symbols),
	}
	t.begin(start, exe, o)
	if _, err = f.Write(head(start, noNames(), reserve)); err != nil {
		_ = f.Close()
		_ = names.Close()
		return nil, err
	}
	return t, t.flush()
}

// begin notes how the recording is made.
func (t *traceFile) begin(start time.Time, exe string, o Options) {
	t.most = o.MaxSize
	if o.MaxSize == 0 && t.stream == nil {
		t.grown = grown{o.Log, firstSaid, o.full()}
	}
	if o.PID != 0 && o.full() {
		t.live = map[uint64]struct{}{}
	}
	_ = t.note(&journal.Note{Start: start.UnixMicro(), Program: exe, Period: o.Sample, Rate: o.Rate,
		Looked: o.Invented, Attached: o.PID != 0})
}

// head returns the beginning of a trace of size bytes: header and metadata, padded with spaces.
func head(start time.Time, metadata []byte, size int) []byte {
	b := mlyze.AppendHeader(make([]byte, 0, size), uint64(start.UnixMicro()), uint32(size-headerSize))
	b = append(b, metadata...)
	return append(b, bytes.Repeat([]byte{' '}, size-len(b))...)
}

// note takes a note, and writes it to the journal. The error is that of a note that no hook reports.
func (t *traceFile) note(n *journal.Note) error {
	err := t.stacks.Take(n)
	if err != nil {
		return err
	}
	if t.stream != nil && (n.Stack != nil || n.Frame != nil || n.Module != nil || n.Forget) {
		return nil // sent with names
	}
	if t.line, err = n.Append(t.line[:0]); err == nil {
		_, err = t.notes.Write(t.line)
	}
	t.end(err)
	return nil
}

// end notes why writing ended; the first reason counts.
func (t *traceFile) end(err error) {
	if t.full == nil && err != nil {
		t.full = err
	}
}

// flush makes the file whole up to the last event. The journal comes first: no event names a stack that it lacks.
func (t *traceFile) flush() error {
	if t.stream != nil && t.full == nil {
		t.end(t.stream.names(t.stacks, t.notes))
	}
	err := t.notes.Flush()
	if err == nil {
		err = t.w.Flush()
	}
	t.end(err)
	t.grown.say(t.path, t.written)
	return t.full
}

// firstSaid is the size of a file without a limit that is said first; then each doubling is.
const firstSaid = 64 << 20

// grown says how large a file became, before a disk is full.
type grown struct {
	log  func(format string, args ...any) // nil for a file that has a limit
	next int64                            // size that is said next
	full bool                             // every block is recorded
}

func (g *grown) say(path string, size int64) {
	if g.log == nil || size < g.next {
		return
	}
	hint := ""
	if g.next == firstSaid {
		hint = ": --max-size ends a recording at a size"
		if g.full {
			hint += ", and without --sample all it grows far more slowly"
		}
	}
	for g.next <= size {
		g.next *= 2
	}
	g.log("%s has %s so far%s", model.Clean(path), model.Bytes(size), hint)
}

// take writes the event of a record, or keeps its stack or module. The error is errRecord where no hook writes such.
func (t *traceFile) take(r record) error {
	micros := r.nanos() / 1000
	switch r.kind() {
	case kindAlloc:
		if uint64(r.id()) > uint64(t.stacks.Len()) {
			return errRecord
		}
		if t.live != nil {
			t.live[r.addr()] = struct{}{}
		}
		t.event(micros, &model.Event{Kind: model.Alloc, Addr: r.addr(), Size: t.scaled(r.size(), r.shift()),
			ID: uint64(r.id()), Thread: r.thread()})
	case kindFree:
		if t.live != nil {
			if _, known := t.live[r.addr()]; !known {
				return nil // allocated before the recording began
			}
			delete(t.live, r.addr())
		}
		t.event(micros, &model.Event{Kind: model.Free, Addr: r.addr()})
	case kindStack:
		ips, ok := r.stack()
		if !ok || uint64(r.id()) != uint64(t.stacks.Len())+1 {
			return errRecord
		}
		return t.note(&journal.Note{Stack: t.own.without(ips)})
	case kindPyFrame:
		f, ok := r.pyFrame()
		if !ok || uint64(r.id()) != uint64(t.stacks.Known())+1 {
			return errRecord
		}
		return t.note(&journal.Note{Frame: &f})
	case kindModules:
		t.own.parts = nil
		return t.note(&journal.Note{Forget: true})
	case kindModule:
		m, ok := r.module()
		if !ok {
			return errRecord
		}
		t.own.add(&m)
		if m.Path == "" {
			m.Path = t.stacks.Program
		} else if t.mapped != nil {
			m.Path = t.mapped(m)
		}
		return t.note(&journal.Note{Module: &m})
	case kindThread: // named by the recorder, which can see the process
	default:
		return errRecord
	}
	return nil
}

// scaled returns the estimated bytes that a sampled block represents. A block of s bytes is sampled with the chance
// 1 - exp(-s/period), where period was doubled shift times; divided by it, sums of sizes are right on average.
func (t *traceFile) scaled(size uint64, shift uint) uint64 {
	switch {
	case t.stacks.Rate > 0:
		return uint64(math.Round(float64(size) / t.stacks.Rate))
	case t.stacks.Period == 0:
		return size
	}
	if t.shifts[0] = min(t.shifts[0], shift); shift > t.shifts[1] {
		t.shifts[1] = shift
		_ = t.note(&journal.Note{Longest: t.stacks.Period << shift})
	}
	s := float64(max(size, 1))
	return uint64(math.Round(s / -math.Expm1(-s/math.Ldexp(float64(t.stacks.Period), int(shift)))))
}

// sampling returns what metadata say of how events were chosen, nil where all were recorded.
func (t *traceFile) sampling() any {
	switch {
	case t.stacks.Rate > 0:
		return map[string]any{"mode": "rate", "rate": t.stacks.Rate, "sizes": "estimated"}
	case t.stacks.Period > 0:
		least, most := t.stacks.Period<<min(t.shifts[0], t.shifts[1]), max(t.stacks.Longest, t.stacks.Period)
		return map[string]any{"mode": "poisson", "period_bytes": most, "least_period_bytes": least, "sizes": "estimated"}
	}
	return nil
}

// event writes an event. Those of different threads may be some microseconds out of order by the clock: they keep the
// order in which they were reported.
func (t *traceFile) event(micros uint64, e *model.Event) {
	if t.full != nil || t.over() {
		return
	}
	t.mark()
	micros = max(micros, t.last)
	t.buf = mlyze.AppendEvent(t.buf[:0], micros-t.last, e)
	t.last = micros
	if t.w.Available() < len(t.buf) && t.flush() != nil { // with the names that these events need
		return
	}
	n, err := t.w.Write(t.buf)
	t.end(err)
	t.written += int64(n)
	t.events++
	if e.Kind == model.Alloc {
		t.taken += e.Size
	}
}

// over reports whether the file has the size that it may have. Events after that are left out.
func (t *traceFile) over() bool { return t.most > 0 && t.written+reserve >= t.most }

// stopped makes the file whole, and returns why writing ended before the program did, nil if it did not.
func (t *traceFile) stopped() error {
	if err := t.flush(); err != nil || !t.over() {
		return err
	}
	return errSize
}

// mark notes that the file can be cut before the next event, if that is far enough from the last such place.
func (t *traceFile) mark() {
	if n := len(t.marks); n > 0 && t.written-t.marks[n-1].at < min(markEvery, t.marks[n-1].at/markPart) {
		return
	}
	t.marks = append(t.marks, mark{t.written, t.events})
}

// finish names the addresses and puts the metadata where they belong. The file stays valid at every moment, and the
// journal until the file needs it no more. Problems are those of naming.
func (t *traceFile) finish(ctx context.Context, extra map[string]any) (problems []model.Problem, err error) {
	if t.stream != nil {
		t.end(t.flush())
		t.end(t.stream.end())
		return nil, t.full
	}
	defer func() { _ = t.f.Close() }() // which may be another one by then
	defer t.names.Close()
	extra["finished"] = "yes" // this is written last
	switch end := t.stacks.Ended; {
	case end == nil:
	case end.Running:
		extra["running"] = "yes"
	case end.Signal != "":
		extra["signal"] = end.Signal
	default:
		extra["exit_status"] = end.Status
	}
	if stopped := t.stopped(); stopped != nil {
		extra["stopped"] = stopped.Error()
	}
	problems, err = t.stacks.Resolve(ctx)
	if err != nil {
		return problems, err
	}
	meta, err := t.metadata(extra)
	if err != nil {
		return problems, err
	}
	noRoom := t.full != nil && !errors.Is(t.full, errRecord)
	if noRoom {
		err = t.makeRoom(len(meta))
	}
	if err == nil {
		err = t.place(meta)
	}
	switch {
	case err == nil:
		return problems, os.Remove(t.path + journal.Suffix)
	case noRoom && t.events > 0:
		err = errors.Join(errLeft, err)
	}
	return problems, fmt.Errorf("the names of stacks could not be written and stay in %s: %w", t.path+journal.Suffix, err)
}

// discard removes a file that is not wanted, without naming what is in it.
func (t *traceFile) discard() {
	_ = t.f.Close()
	_ = t.names.Close()
	_ = os.Remove(t.path)
	_ = os.Remove(t.path + journal.Suffix)
}

// makeRoom cuts so many events from the end of a file that could not grow that metadata of n bytes fit instead. If that
// were more than half of them, or the file system cannot move events without a copy, it cuts only what is not a whole
// event and returns an error: the file is complete with its journal.
func (t *traceFile) makeRoom(n int) error {
	size, err := t.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	whole, named := t.lastMark(size-reserve), t.lastMark(size-reserve-int64(headerSize+n+reserve))
	inPlace := headerSize+n <= reserve || insertable(t.f, size)
	if inPlace && named.at > 0 && named.at >= whole.at/2 {
		return t.cut(named)
	}
	return errors.Join(errLeft, t.cut(whole))
}

// lastMark returns the last place with at most so many bytes of events before it.
func (t *traceFile) lastMark(most int64) (last mark) {
	for _, m := range t.marks {
		if m.at <= most {
			last = m
		}
	}
	return last
}

// cut removes the events after a mark.
func (t *traceFile) cut(m mark) error {
	t.events = m.events
	return t.f.Truncate(reserve + m.at)
}

// place writes metadata before the events.
func (t *traceFile) place(meta []byte) error {
	size := headerSize + len(meta)
	if size > math.MaxUint32 {
		return fmt.Errorf("they exceed the 4 GiB that a trace can hold")
	}
	end := max(reserve, (size+reserve-1)/reserve*reserve)
	if end > reserve {
		if err := t.move(end, meta); err != nil || t.copied {
			return err
		}
	}
	b := head(t.start, meta, end)
	if _, err := t.f.WriteAt(b[headerSize:], headerSize); err != nil {
		return err
	}
	if err := t.f.Sync(); err != nil {
		return err
	}
	_, err := t.f.WriteAt(b[:headerSize], 0)
	return err
}

// move makes room of end bytes before the events. Within the file they are moved only if it is not being followed, or if there
// is no room for a copy.
func (t *traceFile) move(end int, meta []byte) error {
	used := journal.InUse(t.names)
	if !used && insert(t.f, reserve, int64(end-reserve)) == nil {
		return nil
	}
	err := t.copyAfter(head(t.start, meta, end))
	t.copied = err == nil
	if err != nil && used {
		err = insert(t.f, reserve, int64(end-reserve))
	}
	return err
}

// copyAfter makes a file of head and the events, and puts it in place of the first.
func (t *traceFile) copyAfter(head []byte) error {
	path := t.path + ".new"
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(head)
	if err == nil {
		_, err = t.f.Seek(reserve, io.SeekStart)
	}
	if err == nil {
		_, err = io.Copy(f, t.f)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(path, t.path)
	}
	if err != nil {
		_ = os.Remove(path)
	}
	return err
}

// noNames returns the metadata of a trace whose names are in its journal.
func noNames() []byte {
	var m mlyze.Metadata
	m.LeafFirst()
	m.Stacks()
	m.Files()
	m.Name(0, "")
	m.Functions()
	return m.Finish()
}

// metadata returns the tables of names as JSON.
func (t *traceFile) metadata(extra map[string]any) ([]byte, error) {
	var m mlyze.Metadata
	m.LeafFirst()
	for _, key := range slices.Sorted(maps.Keys(extra)) {
		value, err := json.Marshal(extra[key])
		if err != nil {
			return nil, err
		}
		m.Member(key, value)
	}
	m.Stacks()
	n := newNameTables()
	known := make([][]byte, 0, 1024) // by ID of the table
	var frames []byte
	for i := range t.stacks.Len() {
		frames = frames[:0]
		for _, id := range t.stacks.Stack(i) {
			for len(known) <= id {
				known = append(known, nil)
			}
			if known[id] == nil {
				known[id] = n.frames(t.stacks.Frames(id))
			}
			frames = mlyze.AppendFrames(frames, known[id])
		}
		m.Stack(uint64(i)+1, frames)
	}
	m.Files()
	addNames(&m, n.fileNames)
	m.Functions()
	addNames(&m, n.functionNames)
	for i, name := range t.stacks.Markers() {
		m.Name(journal.FirstMarker+uint64(i), name)
	}
	return m.Finish(), nil
}

// nameTables gives ids to names.
type nameTables struct {
	files, functions         map[string]int64
	fileNames, functionNames []string
}

func newNameTables() *nameTables {
	return &nameTables{files: map[string]int64{"": 0}, fileNames: []string{""}, functions: map[string]int64{}}
}

func nameID(known map[string]int64, names *[]string, name string) int64 {
	id, ok := known[name]
	if !ok {
		id = int64(len(*names))
		known[name] = id
		*names = append(*names, name)
	}
	return id
}

// frames returns frames as JSON.
func (n *nameTables) frames(list []symbols.Frame) (b []byte) {
	for _, f := range list {
		frame := mlyze.Frame{File: nameID(n.files, &n.fileNames, f.File), Line: model.NoLine,
			Function: nameID(n.functions, &n.functionNames, f.Function)}
		if f.Line > 0 {
			frame.Line = int64(f.Line)
		}
		b = mlyze.AppendFrame(b, frame)
	}
	return b
}

// addNames adds names with their indices as ids.
func addNames(m *mlyze.Metadata, names []string) {
	for i, name := range names {
		m.Name(uint64(i), name)
	}
}
