package valgrind

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/lines"
	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

const nameMassif = "massif"

// Massif returns the format of massif's output files.
func Massif() loaders.Format {
	return weighted.Format(loaders.Format{
		Name: nameMassif, Summary: "massif: the heap over time, and its stacks at some instants",
		Extensions: []string{".massif"}, Curves: true,
		Sniff: sniffMassif,
	}, readMassif)
}

// sniffMassif recognizes a header, or the snapshot that some writers begin with.
func sniffMassif(head []byte) loaders.Confidence {
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	first, second = bytes.TrimRight(first, "\r"), bytes.TrimRight(second, "\r")
	switch {
	case bytes.HasPrefix(first, []byte("desc:")) && bytes.HasPrefix(second, []byte("cmd:")),
		bytes.Equal(first, []byte("#-----------")) && bytes.HasPrefix(second, []byte("snapshot=")):
		return loaders.Sure
	case bytes.HasPrefix(first, []byte("desc:")) && bytes.Contains(head, []byte("\n#-----------\nsnapshot=")):
		return loaders.Sure
	}
	return loaders.No
}

// snapshot is a snapshot of a file.
type snapshot struct {
	number       int64
	time         string
	at           model.Time
	heap         uint64
	extra        uint64
	stacks       uint64
	tree         string // "empty", "detailed", "peak"
	offset, line int64
	own          []weight // of a tree: stacks with bytes of their own
}

func (s *snapshot) total() uint64 { return add(add(s.heap, s.extra), s.stacks) }

type weight struct {
	node  model.NodeID
	bytes uint64
}

// level is a node of the tree whose children are being read.
type level struct {
	text     string
	bytes    uint64
	below    uint64 // bytes of its children
	children int64  // that have not been read
	marked   bool   // it is a label rather than a place
}

type massif struct {
	*weighted.Reading
	lines        *lines.Reader
	unit         string
	desc         string
	list         []snapshot
	path         []level
	root         string
	withoutStack uint64 // bytes of trees without stacks
	seen         map[model.NodeID]model.RecordID
	places       places
}

func readMassif(r *weighted.Reading) error {
	m := &massif{Reading: r, lines: lines.New(r.Ctx, r.Src), seen: map[model.NodeID]model.RecordID{}, places: newPlaces(r.Builder)}
	r.LeafFirst(true)
	r.Profile.SourceTool = nameMassif
	err := m.read()
	m.endTree()
	if n := len(m.list); n == 0 && err == nil && m.lines.Err() == nil {
		m.Say(model.Error, "truncated", model.NoOffset, 0, "the file holds no snapshot")
	}
	err = cmp.Or(err, m.lines.Err())
	if len(m.list) > 0 {
		m.build()
	}
	return err
}

func (m *massif) read() error {
	for m.lines.Next() {
		line := m.lines.Bytes()
		if !m.line(line) {
			m.Lost += int64(len(line))
			m.Say(model.Error, "syntax", m.lines.Offset(), m.lines.Number(), "massif does not write lines like this: it was left out")
		}
		if m.lines.Cut() {
			m.Cut = true
			m.Say(model.Warning, "truncated", m.lines.Offset(), m.lines.Number(), "the last line is incomplete: the file was truncated")
		}
		if err := m.Step(); err != nil {
			return err
		}
	}
	return nil
}

// line reads one line; false if it does not match the format.
func (m *massif) line(line []byte) bool {
	text := bytes.TrimLeft(line, " ")
	if len(text) == 0 || text[0] == '#' {
		m.endTree()
		return true
	}
	if text[0] == 'n' && len(m.list) > 0 && m.node(len(line)-len(text), text) {
		return true
	}
	m.endTree()
	for _, h := range [...]string{"desc", "cmd", "time_unit"} {
		if value, ok := bytes.CutPrefix(text, []byte(h+":")); ok {
			m.header(h, strings.TrimSpace(string(value)))
			return true
		}
	}
	key, value, ok := bytes.Cut(text, []byte("="))
	return ok && m.field(string(key), string(bytes.TrimSpace(value)))
}

func (m *massif) header(name, value string) {
	switch name {
	case "desc":
		m.desc = value
		m.Fact("description", "Options", value)
	case "cmd":
		m.Profile.Command = value
		m.Fact("command", "Command", value)
	case "time_unit":
		m.unit = value
		m.Fact("time_unit", "Unit of time", cmp.Or(map[string]string{"i": "instructions", "ms": "milliseconds",
			"B": "bytes", "s": "seconds"}[value], value))
	}
}

// field reads a member of a snapshot.
func (m *massif) field(key, value string) bool {
	if key == "snapshot" {
		n, ok := m.number(value)
		m.list = append(m.list, snapshot{number: int64(n & math.MaxInt64), tree: "empty", offset: m.lines.Offset(), line: m.lines.Number()})
		return ok
	}
	if len(m.list) == 0 {
		return false
	}
	s := &m.list[len(m.list)-1]
	ok := true
	switch key {
	case "time":
		s.time = value
	case "mem_heap_B":
		s.heap, ok = m.number(value)
	case "mem_heap_extra_B":
		s.extra, ok = m.number(value)
	case "mem_stacks_B":
		s.stacks, ok = m.number(value)
	case "heap_tree":
		s.tree = value
		ok = value == "empty" || value == "detailed" || value == "peak"
	default:
		return false
	}
	return ok
}

func (m *massif) number(text string) (uint64, bool) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		m.Say(model.Error, "number", m.lines.Offset(), m.lines.Number(), "this is not a 64-bit number: it was read as 0")
	}
	return n, err == nil
}

// node reads a node of a tree.
func (m *massif) node(depth int, text []byte) bool {
	count, rest, ok := bytes.Cut(text[1:], []byte(": "))
	n, err := strconv.ParseInt(string(count), 10, 64)
	size, place, _ := bytes.Cut(rest, []byte(" "))
	b, bad := strconv.ParseUint(string(size), 10, 64)
	if !ok || err != nil || bad != nil || n < 0 {
		return false
	}
	if depth > len(m.path) || depth > maxDepth || depth == 0 && len(m.path) > 0 {
		m.Say(model.Error, "tree", m.lines.Offset(), m.lines.Number(),
			"this node is not a child of the one before it: it was left out with everything below it")
		return true
	}
	m.closeNodes(depth)
	l := level{text: strings.TrimSpace(string(place)), bytes: b, children: n}
	if depth > 0 {
		up := &m.path[depth-1]
		up.below, up.children = add(up.below, b), up.children-1
		l.marked = !strings.HasPrefix(l.text, "0x")
	} else {
		m.root, l.marked = l.text, true
	}
	m.path = append(m.path, l)
	return true
}

// maxDepth is how many frames of a stack are kept.
const maxDepth = 1 << 12

// closeNodes ends the nodes at and below a depth.
func (m *massif) closeNodes(depth int) {
	for len(m.path) > depth {
		m.endNode()
	}
}

// endTree ends the tree of a snapshot.
func (m *massif) endTree() { m.closeNodes(0) }

// endNode ends the deepest node: the bytes that its children do not have are its own.
func (m *massif) endNode() {
	last := len(m.path) - 1
	l := m.path[last]
	defer func() { m.path = m.path[:last] }()
	own := l.bytes - min(l.below, l.bytes)
	if l.below > l.bytes {
		m.Say(model.Warning, "tree", m.lines.Offset(), m.lines.Number(), "the nodes below a node hold more bytes than it does")
	}
	if l.children != 0 {
		m.Say(model.Warning, "tree", m.lines.Offset(), m.lines.Number(),
			"a node does not have as many children as it states: missing bytes are shown as its own")
	}
	if own == 0 {
		return
	}
	s := &m.list[len(m.list)-1]
	var texts []string
	for _, up := range m.path {
		if !up.marked {
			texts = append(texts, up.text)
		}
	}
	frames := m.places.frames(texts)
	switch {
	case last == 0:
		m.withoutStack = add(m.withoutStack, own)
		frames = append(frames, m.Frame(weighted.Frame{Function: "<no stack>", Line: model.NoLine}))
	case l.marked:
		frames = append(frames, m.Frame(weighted.Frame{Function: "<below threshold>", Line: model.NoLine}))
	}
	s.own = append(s.own, weight{m.LeafStack(frames), own})
}

func add(a, b uint64) uint64 { s, _ := model.SaturatingAdd(a, b); return s }

// build creates curves, records and windows from the snapshots.
func (m *massif) build() {
	for i := range m.list {
		m.list[i].at = m.time(&m.list[i])
	}
	m.curves()
	peak, marked := m.peak()
	id, _ := m.Metric(model.ProfileMetric{Name: "heap_bytes", Unit: "bytes"})
	event := m.Event(model.ProfileEvent{Name: "heap", Kind: "allocation", PrimaryName: "heap_bytes", Primary: id})
	m.records(peak, event, id)
	m.facts(peak, marked)
	if m.withoutStack > 0 {
		m.Say(model.Warning, "tree", model.NoOffset, 0, "trees have no stack for %s", model.Bytes(m.withoutStack).Exact())
	}
}

// peak returns the snapshot of the file's stacks, -1 for none.
func (m *massif) peak() (at int, marked bool) {
	at = -1
	for i := range m.list {
		s := &m.list[i]
		if s.tree == "peak" && len(s.own) > 0 {
			return i, true
		}
		if len(s.own) > 0 && (at < 0 || s.total() > m.list[at].total()) {
			at = i
		}
	}
	return at, false
}

// records adds a record for each stack of any snapshot, with the weight at the peak, and a window for each detailed
// one.
func (m *massif) records(peak int, event uint16, id model.MetricID) {
	order := slices.Clone(m.list)
	if peak > 0 { // its stacks are first
		order[0], order[peak] = order[peak], order[0]
	}
	for i := range order {
		for _, w := range order[i].own {
			if _, ok := m.seen[w.node]; ok {
				continue
			}
			if i == 0 && peak >= 0 {
				m.Weigh(id, model.Unsigned(w.bytes))
			}
			m.seen[w.node] = m.Add(weighted.Record{Node: w.node, Event: event, CPU: model.NoCPU, Offset: order[i].offset})
		}
	}
	for i := range m.list {
		s := &m.list[i]
		if len(s.own) == 0 {
			continue
		}
		w := model.Window{ID: "snapshot " + strconv.FormatInt(s.number, 10), Start: s.at, End: s.at}
		if s.tree == "peak" {
			w.ID += " (peak)"
		}
		for _, o := range s.own {
			w.Record = append(w.Record, m.seen[o.node])
			w.Weights.Add(id, model.Unsigned(o.bytes))
			w.Weights.EndRow()
		}
		m.Window(w)
	}
}

// time returns when a snapshot was taken: in microseconds if the file has times, otherwise in the file's unit.
func (m *massif) time(s *snapshot) model.Time {
	scale := map[string]float64{"ms": 1e3, "s": 1e6}[m.unit]
	if n, err := strconv.ParseInt(s.time, 10, 64); err == nil && n >= 0 && scale == 0 {
		return model.Time(n)
	}
	f, err := strconv.ParseFloat(s.time, 64)
	if err != nil || !(f >= 0) || f*max(scale, 1) >= math.MaxInt64 {
		m.Say(model.Error, "number", s.offset, s.line, "the time of a snapshot is not a number: it was read as 0")
		return 0
	}
	return model.Time(math.Round(f * max(scale, 1)))
}

// curves creates the series.
func (m *massif) curves() {
	order := make([]uint32, len(m.list))
	for i := range order {
		order[i] = uint32(i)
		if i > 0 && m.list[i].at < m.list[i-1].at {
			m.Say(model.Warning, "snapshot-order", m.list[i].offset, m.list[i].line,
				"the time of a snapshot is before that of the last one: they are shown in order of time")
		}
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(m.list[a].at, m.list[b].at) })
	t := &model.Timeline{AxisUnit: m.axis()}
	for _, c := range []struct {
		name string
		of   func(*snapshot) uint64
	}{
		{"total", (*snapshot).total}, {"useful heap", func(s *snapshot) uint64 { return s.heap }},
		{"extra heap", func(s *snapshot) uint64 { return s.extra }}, {"stacks", func(s *snapshot) uint64 { return s.stacks }},
	} {
		s := model.Series{Name: c.name, Point: order}
		for _, i := range order {
			s.Times, s.Values = append(s.Times, m.list[i].at), append(s.Values, float64(c.of(&m.list[i])))
		}
		t.Series = append(t.Series, s)
	}
	m.Timeline = t
	m.Profile.AxisUnit, m.Profile.Start, m.Profile.End = t.AxisUnit, 0, m.list[order[len(order)-1]].at
}

// axis returns the unit of the file's times if they are not times.
func (m *massif) axis() string {
	switch m.unit {
	case "i":
		return "instructions"
	case "B":
		return "bytes"
	}
	return ""
}

func (m *massif) facts(peak int, marked bool) {
	m.Count("snapshots", "Snapshots", int64(len(m.list)))
	largest := slices.MaxFunc(m.list, func(a, b snapshot) int { return cmp.Compare(a.total(), b.total()) })
	m.Fact("largest_snapshot", "Largest snapshot", strconv.FormatInt(largest.number, 10)+", "+model.Bytes(largest.total()).Exact())
	if strings.Contains(m.root, "page allocation") {
		m.Fact("measured", "Measured", "pages mapped, not heap blocks")
	}
	if peak < 0 {
		return
	}
	s := &m.list[peak]
	which := "the largest detailed snapshot"
	if marked {
		which = "the snapshot that massif marked as the peak"
	}
	m.Fact("stacks_of", "Stacks are of", "snapshot "+strconv.FormatInt(s.number, 10)+", "+model.Bytes(s.total()).Exact())
	if largest.total() > s.total() {
		m.Say(model.Note, "not-the-peak", s.offset, s.line,
			"stacks are those of %s, number %d, which is %s smaller than the largest one, number %d",
			which, s.number, model.Bytes(largest.total()-s.total()).Exact(), largest.number)
	}
}
