package record

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"time"

	"github.com/memtui/memtui/loaders/symbols"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/mlyze"
)

// A trace begins with so many bytes, so that events begin at a block of the file system and can be moved by blocks.
const (
	headerSize = 256
	reserve    = 4096
)

// markEvery is the distance, in bytes of events, of the places where a file can be cut.
const markEvery = 1 << 14

// traceFile writes a trace. It is valid whenever it was flushed. It is for one goroutine.
type traceFile struct {
	path    string
	f       *os.File
	w       *bufio.Writer
	names   *os.File // the journal, path + ".names"
	journal *bufio.Writer
	start   time.Time
	period  float64 // mean bytes between samples, 0 for none
	rate    float64 // chance of a block to be sampled, 0 for none
	shifts  [2]uint // the fewest and the most times that period was doubled
	last    uint64  // µs, of the last event
	written int64   // bytes of events
	marks   []int64 // where events begin, every markEvery bytes
	events  uint64
	full    error // why writing ended, nil while it goes on
	buf     []byte
	table   *symbols.Table
	stacks  [][]int           // by id - 1: IDs of table, leaf first
	threads map[uint16]string // names
	exe     string            // the program, which modules call ""
}

// note is a line of the journal.
type note struct {
	Start   int64    `json:"start_us,omitzero"`
	Program string   `json:"program,omitzero"`
	Period  int64    `json:"period,omitzero"`
	Rate    float64  `json:"rate,omitzero"`
	Forget  bool     `json:"forget,omitzero"`
	Module  *module  `json:"module,omitzero"`
	Stack   []uint64 `json:"stack,omitzero"` // may be empty
	Thread  uint16   `json:"thread,omitzero"`
	Name    string   `json:"name,omitzero"`
}

// newTraceFile creates a trace at a path where nothing is yet, or any file if over is true. Its own folder gets the
// journal.
func newTraceFile(path string, over bool, start time.Time, exe string, o Options) (*traceFile, error) {
	how := os.O_RDWR | os.O_CREATE | os.O_EXCL
	if over {
		how = os.O_RDWR | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(path, how, 0o600)
	if err != nil {
		return nil, err
	}
	names, err := os.OpenFile(path+namesSuffix, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	t := &traceFile{
		path: path, f: f, w: bufio.NewWriterSize(f, 1<<18), names: names, journal: bufio.NewWriter(names), start: start, period: float64(o.Sample), rate: o.Rate, shifts: [2]uint{mostShift, 0},
		table: symbols.NewTable(o.Symbols), threads: map[uint16]string{}, exe: exe,
	}
	t.note(note{Start: start.UnixMicro(), Program: exe, Period: o.Sample, Rate: o.Rate})
	if _, err = f.Write(head(start, noNames(), reserve)); err != nil {
		_ = f.Close()
		_ = names.Close()
		return nil, err
	}
	return t, t.flush()
}

const namesSuffix = ".names"

// head returns the beginning of a trace of size bytes: header and metadata, padded with spaces.
func head(start time.Time, metadata []byte, size int) []byte {
	b := mlyze.AppendHeader(make([]byte, 0, size), uint64(start.UnixMicro()), uint32(size-headerSize))
	b = append(b, metadata...)
	return append(b, bytes.Repeat([]byte{' '}, size-len(b))...)
}

func (t *traceFile) note(n note) {
	b, err := json.Marshal(n)
	if err == nil {
		_, err = t.journal.Write(append(b, '\n'))
	}
	t.end(err)
}

// end notes why writing ended; the first reason counts.
func (t *traceFile) end(err error) {
	if t.full == nil && err != nil {
		t.full = err
	}
}

// flush makes the file whole up to the last event. The journal comes first: no event names a stack that it lacks.
func (t *traceFile) flush() error {
	t.end(t.journal.Flush())
	t.end(t.w.Flush())
	return t.full
}

// take writes the event of a record, or keeps its stack or module. The error is errRecord where no hook writes such.
func (t *traceFile) take(r record) error {
	micros := r.nanos() / 1000
	switch r.kind() {
	case kindAlloc:
		if uint64(r.id()) > uint64(len(t.stacks)) {
			return errRecord
		}
		t.event(micros, &model.Event{Kind: model.Alloc, Addr: r.addr(), Size: t.scaled(r.size(), r.shift()), ID: uint64(r.id()), Thread: r.thread()})
	case kindFree:
		t.event(micros, &model.Event{Kind: model.Free, Addr: r.addr()})
	case kindStack:
		ips, ok := r.stack()
		if !ok || uint64(r.id()) != uint64(len(t.stacks))+1 {
			return errRecord
		}
		t.stack(ips)
		t.note(note{Stack: ips})
	case kindModules:
		t.table.Forget()
		t.note(note{Forget: true})
	case kindModule:
		m, ok := r.module()
		if !ok {
			return errRecord
		}
		if m.Path == "" {
			m.Path = t.exe
		}
		t.module(m)
		t.note(note{Module: &m})
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
	case t.rate > 0:
		return uint64(math.Round(float64(size) / t.rate))
	case t.period == 0:
		return size
	}
	t.shifts[0], t.shifts[1] = min(t.shifts[0], shift), max(t.shifts[1], shift)
	s := float64(max(size, 1))
	return uint64(math.Round(s / -math.Expm1(-s/math.Ldexp(t.period, int(shift)))))
}

// sampling returns what metadata say of how events were chosen, nil where all were recorded.
func (t *traceFile) sampling() any {
	switch {
	case t.rate > 0:
		return map[string]any{"mode": "rate", "rate": t.rate, "sizes": "estimated"}
	case t.period > 0:
		least, most := int64(t.period)<<min(t.shifts[0], t.shifts[1]), int64(t.period)<<t.shifts[1]
		return map[string]any{"mode": "poisson", "period_bytes": most, "least_period_bytes": least, "sizes": "estimated"}
	}
	return nil
}

// event writes an event. Those of different threads may be some microseconds out of order by the clock: they keep the
// order in which they were reported.
func (t *traceFile) event(micros uint64, e *model.Event) {
	if t.full != nil {
		return
	}
	if t.written >= int64(len(t.marks))*markEvery {
		t.marks = append(t.marks, t.written)
	}
	micros = max(micros, t.last)
	t.buf = mlyze.AppendEvent(t.buf[:0], micros-t.last, e)
	t.last = micros
	n, err := t.w.Write(t.buf)
	t.end(err)
	t.written += int64(n)
	t.events++
}

func (t *traceFile) stack(ips []uint64) {
	ids := make([]int, len(ips))
	for i, ip := range ips {
		ids[i] = t.table.Address(ip, false)
	}
	t.stacks = append(t.stacks, ids)
}

func (t *traceFile) module(m module) {
	of := symbols.Module{Path: m.Path, Base: m.Base}
	for i := 0; i+1 < len(m.Segments); i += 2 {
		of.Segments = append(of.Segments, symbols.Segment{Addr: m.Segments[i], Size: m.Segments[i+1]})
	}
	t.table.Add(of)
}

// finish names the addresses and puts the metadata where they belong. The file stays valid at every moment, and the
// journal until the file needs it no more. Problems are those of naming.
func (t *traceFile) finish(ctx context.Context, extra map[string]any) (problems []model.Problem, err error) {
	defer func() { _ = t.f.Close() }() // which may be another one by then
	defer t.names.Close()
	if stopped := t.flush(); stopped != nil {
		extra["stopped"] = stopped.Error()
	}
	problems, err = t.table.Resolve(ctx)
	if err != nil {
		return problems, err
	}
	meta, err := t.metadata(extra)
	if err != nil {
		return problems, err
	}
	if t.full != nil {
		err = t.makeRoom(int64(headerSize + len(meta) + reserve))
	}
	if err == nil {
		err = t.place(meta)
	}
	if err != nil {
		return problems, fmt.Errorf("the names of stacks could not be written and stay in %s: %w", t.path+namesSuffix, err)
	}
	return problems, os.Remove(t.path + namesSuffix)
}

// makeRoom cuts so many events from the end of a file that could not grow that n bytes fit instead.
func (t *traceFile) makeRoom(n int64) error {
	size, err := t.f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	keep := int64(0)
	for _, mark := range t.marks {
		if reserve+mark+n <= size {
			keep = mark
		}
	}
	return t.f.Truncate(min(size, reserve+keep))
}

// place writes metadata before the events.
func (t *traceFile) place(meta []byte) error {
	size := headerSize + len(meta)
	if size > math.MaxUint32 {
		return fmt.Errorf("they exceed the 4 GiB that a trace can hold")
	}
	end := max(reserve, (size+reserve-1)/reserve*reserve)
	if end > reserve {
		if err := insert(t.f, reserve, int64(end-reserve)); err != nil {
			return t.copyAfter(head(t.start, meta, end))
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
	for i, stack := range t.stacks {
		frames = frames[:0]
		for _, id := range stack {
			for len(known) <= id {
				known = append(known, nil)
			}
			if known[id] == nil {
				known[id] = n.frames(t.table, id)
			}
			frames = mlyze.AppendFrames(frames, known[id])
		}
		m.Stack(uint64(i)+1, frames)
	}
	m.Files()
	addNames(&m, n.fileNames)
	m.Functions()
	addNames(&m, n.functionNames)
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

// frames returns the frames of an address as JSON, leaf first: the functions inlined there are frames of their own.
func (n *nameTables) frames(t *symbols.Table, id int) (b []byte) {
	for _, f := range t.Named(id) {
		frame := mlyze.Frame{File: nameID(n.files, &n.fileNames, f.File), Line: model.NoLine, Function: nameID(n.functions, &n.functionNames, f.Function)}
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
