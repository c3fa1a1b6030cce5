package export

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/mlyze"
)

// traceMeta makes the metadata of a trace: the stacks, functions and files that its events need, and no others.
type traceMeta struct {
	p       *model.Profile
	stacks  map[model.StackID]bool // whose ALLOCs are written
	markers map[uint64]bool        // name ids
	span    analysis.Range         // what is written
	blocks  bool                   // a block is written
	address bool                   // and it has an address

	funcs  map[model.FuncID]uint64 // the ids written
	files  map[model.FileID]uint64
	next   uint64 // id for a function, unless a marker has it
	ends   bool   // endMark is written
	end    uint64 // its id
	tables mlyze.Metadata
	json   []byte // the tables, once they are complete
	lost   losses
}

func newTraceMeta(p *model.Profile, span analysis.Range) *traceMeta {
	return &traceMeta{
		p: p, span: span, stacks: map[model.StackID]bool{}, markers: map[uint64]bool{}, funcs: map[model.FuncID]uint64{},
		files: map[model.FileID]uint64{},
	}
}

// use records what an event needs.
func (m *traceMeta) use(e *model.Event) error {
	switch e.Kind {
	case model.Alloc:
		m.stacks[model.StackID(e.ID)] = true
		m.blocks, m.address = true, m.address || e.Addr != 0
	case model.Free:
		m.blocks, m.address = true, m.address || e.Addr != 0
	case model.Marker:
		m.markers[e.ID] = true
	}
	return nil
}

// finish completes the JSON. Ids of stacks and of markers stay unchanged; functions of frames get ids that no marker
// has.
func (m *traceMeta) finish() error {
	m.origin()
	if s := m.p.Stacks; s != nil && len(m.stacks) > 0 {
		// The guess which end is the root needs stacks that were not chosen by their leaves.
		m.tables.LeafFirst()
	}
	m.tables.Stacks()
	var frames []byte
	for _, id := range slices.Sorted(maps.Keys(m.stacks)) {
		if leaf, ok := m.p.Stacks.Node(id); ok {
			frames = m.stack(frames[:0], leaf)
			m.tables.Stack(uint64(id), frames)
		}
	}
	m.tables.Files()
	if m.blocks && len(m.files) == 0 && !m.address {
		// Without any name and address the file would look like one of the reference tracer, which counts times
		// differently.
		m.tables.Name(0, "")
	}
	for _, f := range slices.Sorted(maps.Keys(m.files)) {
		m.name(m.files[f], m.p.Stacks.Files[f])
	}
	m.tables.Functions()
	m.functions()
	if m.json = m.tables.Finish(); len(m.json) > math.MaxUint32 {
		return errors.New("the names of the stacks exceed the 4 GiB that a trace can hold")
	}
	return nil
}

// origin states how the profile was made, and what of it is uncertain, in keys that this program reads.
func (m *traceMeta) origin() {
	from := &m.p.Meta
	state := func(key, text string, when bool) {
		if when {
			m.tables.Member(key, model.AppendJSONString(nil, text))
		}
	}
	state("converted_from", from.Format, from.Format != "mlyze")
	state("times", "estimated", from.CoarseTimes)
	state("addresses", "invented", from.InventedAddresses)
	state("threads", "unknown", from.NoThreads)
	if from.Sampled != "" {
		m.tables.Member("sampling", sampling(from))
	}
	if t := m.p.Timeline; t != nil && len(t.Series) > 0 {
		m.tables.Member("series", m.curves(t.Series))
	}
}

// sampling returns as JSON how blocks were chosen, with the numbers that state the chance as far as they are known.
func sampling(from *model.Meta) []byte {
	b := model.AppendJSONString([]byte(`{"stated": `), from.Sampled)
	switch s := from.Sampling; {
	case s.Rate > 0:
		b = strconv.AppendFloat(append(b, `, "rate": `...), s.Rate, 'g', -1, 64)
	case s.Period > 0 && !s.Varies:
		b = strconv.AppendUint(append(b, `, "period_bytes": `...), s.Period, 10)
	}
	return append(b, '}')
}

// curves returns curves of bytes as JSON, in the range that is written.
func (m *traceMeta) curves(list []model.Series) []byte {
	b := []byte{'['}
	for i := range list {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(model.AppendJSONString(append(b, `{"name": `...), list[i].Name), `, "points": [`...)
		first := true
		for k, at := range list[i].Times {
			if at < m.span.From || at > m.span.To {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			b = strconv.AppendInt(append(b, '['), int64(at), 10)
			b = append(strconv.AppendUint(append(b, ','), uint64(max(0, list[i].Values[k])), 10), ']')
		}
		b = append(b, "]}"...)
	}
	return append(b, ']')
}

func (m *traceMeta) functions() {
	named := 0
	for _, id := range slices.Sorted(maps.Keys(m.markers)) {
		if name, ok := m.p.Allocations.MarkerName(id); ok {
			m.name(id, name)
			named++
		}
	}
	if m.ends {
		// In a table without any name, ids without one are valid; a single name would make them errors.
		if m.end = m.free(); len(m.funcs)+named > 0 || len(m.markers) == 0 {
			m.name(m.end, endMark)
		}
	}
	for _, f := range slices.Sorted(maps.Keys(m.funcs)) {
		m.name(m.funcs[f], m.p.Stacks.Functions[f])
	}
}

// free returns an id that no function and no marker has.
func (m *traceMeta) free() uint64 {
	for m.markers[m.next] {
		m.next++
	}
	m.next++
	return m.next - 1
}

// name adds an entry to a table.
func (m *traceMeta) name(id uint64, name string) {
	if !utf8.ValidString(name) {
		m.lost.add("a name is not valid UTF-8: invalid bytes were replaced")
	}
	m.tables.Name(id, name)
}

// stack appends the frames of a stack, leaf first, their members as writers write them.
func (m *traceMeta) stack(frames []byte, leaf model.NodeID) []byte {
	s := m.p.Stacks
	for n := leaf; n != 0; n = s.Parent[n] {
		f := s.Frame[n]
		frame := mlyze.Frame{File: -1, Line: s.FrameLine[f], Function: -1}
		if file := s.FrameFile[f]; file != 0 {
			if _, ok := m.files[file]; !ok {
				m.files[file] = uint64(len(m.files))
			}
			frame.File = int64(m.files[file])
		}
		if fn := s.FrameFunc[f]; fn != 0 {
			if _, ok := m.funcs[fn]; !ok {
				m.funcs[fn] = m.free()
			}
			frame.Function = int64(m.funcs[fn])
		}
		frames = mlyze.AppendFrame(frames, frame)
	}
	return frames
}
