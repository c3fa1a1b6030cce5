package perfscript

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/lines"
	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/loaders/symbols"
	"github.com/memtui/memtui/model"
)

// Format returns the format of perf script's output.
func Format() loaders.Format {
	return weighted.Format(loaders.Format{
		Name: "perf-script", Summary: "samples with stacks, as perf script prints them", Extensions: []string{".perf"}, Sniff: sniff,
	}, read)
}

const maxDepth = 1 << 12

var header = regexp.MustCompile(`^(\S.*?)\s+(?:(-?\d+)/)?(-?\d+)\s+(?:\[(\d+)\]\s+)?(?:\S+\s+)?(\d+)\.(\d+):\s+(?:(\d+)\s+)?([^\s:]\S*?):(?:\s.*)?$`)

// sniff recognizes the header of --header, which may be longer than head, or that of a sample with a frame, or nothing,
// below it.
func sniff(head []byte) loaders.Confidence {
	if bytes.HasPrefix(head, []byte("# ========\n# captured on")) {
		return loaders.Sure
	}
	for n := 0; n < 40 && len(head) > 0; n++ {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		line = bytes.TrimRight(line, "\r")
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		next, _, _ := bytes.Cut(head, []byte("\n"))
		next = bytes.TrimRight(next, "\r")
		if len(line) < 4096 && header.Match(line) && (isPlace(next) || len(next) > 0 && header.Match(next)) {
			return loaders.Sure
		}
		return loaders.No
	}
	return loaders.No
}

// key is the key by which samples are added up.
type key struct {
	node   model.NodeID
	event  uint16
	thread model.ThreadID
}

type sums struct {
	samples, periods uint64
	offset           int64
}

// sample is the sample being read.
type sample struct {
	event  uint16
	thread model.ThreadID
	cpu    uint16
	period uint64
	ns     int64
	offset int64
	frames []model.FrameID
}

type reader struct {
	*weighted.Reading
	lines   *lines.Reader
	cur     *sample
	hold    weighted.Frame // the frame that was read last, if held is set
	held    bool
	records map[key]model.RecordID
	keys    []key
	sums    []sums
	ids     [2]model.MetricID
	first   int64 // nanoseconds
	started bool
	periods bool
	chunk   model.SampleChunk
	last    model.Time
}

func read(r *weighted.Reading) error {
	k := &reader{Reading: r, lines: lines.New(r.Ctx, r.Src), records: map[key]model.RecordID{}}
	r.LeafFirst(true)
	r.Profile.SourceTool = "perf"
	k.ids[0], _ = r.Metric(model.ProfileMetric{Name: "samples", Unit: "count"})
	err := k.read()
	k.end()
	k.build()
	if err != nil {
		return err
	}
	return k.lines.Err()
}

func (k *reader) read() error {
	for k.lines.Next() {
		line := k.lines.Bytes()
		if len(line) > 64<<10 || !k.line(line) {
			k.Lost += int64(len(line))
			k.Say(model.Error, "syntax", k.lines.Offset(), k.lines.Number(), "this line is neither a sample nor a frame: it was left out")
		}
		if k.lines.Cut() && k.cur != nil {
			k.Cut = true
			k.Say(model.Warning, "truncated", k.lines.Offset(), k.lines.Number(), "the last line is incomplete: the file was truncated")
		}
		if err := k.Step(); err != nil {
			return err
		}
	}
	return nil
}

// line reads one line; false if it does not match the format.
func (k *reader) line(line []byte) bool {
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		k.end()
		return true
	case line[0] == '#':
		return true
	case line[0] == ' ' || line[0] == '\t':
		return k.frame(line) || k.source(line)
	}
	k.end()
	m := header.FindSubmatch(line)
	if m == nil {
		return false
	}
	return k.begin(m)
}

// begin reads a sample's header.
func (k *reader) begin(m [][]byte) bool {
	s := &sample{cpu: model.NoCPU, offset: k.lines.Offset()}
	pid, err := strconv.ParseInt(string(m[2]), 10, 64)
	if err != nil {
		pid = -1
	}
	tid, _ := strconv.ParseInt(string(m[3]), 10, 64)
	s.thread = k.Thread(max(pid, -1), max(tid, -1), string(m[1]))
	if n, err := strconv.ParseUint(string(m[4]), 10, 16); err == nil {
		s.cpu = uint16(n)
	}
	if n, err := strconv.ParseUint(string(m[7]), 10, 64); err == nil {
		s.period, k.periods = n, true
	}
	seconds, err := strconv.ParseInt(string(m[5]), 10, 64)
	if err != nil || seconds > 1<<32 {
		k.Say(model.Error, "number", k.lines.Offset(), k.lines.Number(),
			"the time of a sample is not a number of seconds: the sample was left out")
		return true
	}
	fraction := string(m[6]) + "000000000"
	ns, _ := strconv.ParseInt(fraction[:9], 10, 64)
	s.ns = seconds*1e9 + ns
	if !k.started {
		k.first, k.started = s.ns, true
		k.Profile.StartSeconds = float64(s.ns) / 1e9
	}
	s.event = k.Event(model.ProfileEvent{Name: string(m[8]), Kind: kindOf(string(m[8])), PrimaryName: "samples",
		Primary: k.ids[0], HasTimestamps: true})
	k.cur = s
	return true
}

func kindOf(event string) string {
	switch {
	case strings.HasPrefix(event, "cpu-clock"), strings.HasPrefix(event, "task-clock"),
		strings.HasPrefix(event, "page-faults"), strings.HasPrefix(event, "faults"):
		return "software"
	case strings.Contains(event, ":"):
		return "tracepoint"
	}
	return "hardware"
}

// frame reads a frame of the current sample.
func (k *reader) frame(line []byte) bool {
	p, ok := placeOf(line)
	if !ok {
		return false
	}
	if k.cur == nil {
		return true // of a sample that was left out
	}
	if k.flush(); len(k.cur.frames) == maxDepth {
		k.Say(model.Warning, "stack-depth", k.lines.Offset(), k.lines.Number(),
			"a stack has more than %d frames: the others were left out", maxDepth)
		return true
	}
	f := weighted.Frame{Function: string(p.function), Line: model.NoLine, Kind: model.FrameUser}
	dso := string(p.dso)
	kernel := strings.HasPrefix(dso, "[kernel") || strings.HasPrefix(dso, "[guest.kernel") || strings.HasSuffix(dso, ".ko")
	if kernel {
		f.Kind = model.FrameKernel
	}
	if dso == "inlined" {
		f.Flags = model.FrameInlined
	} else if dso != "[unknown]" {
		f.DSO = k.DSO(model.DSO{Name: dso, Kernel: kernel})
	}
	if f.Function == "[unknown]" {
		if f.DSO == 0 {
			dso = ""
		}
		f.Function, f.Flags = symbols.UnnamedAt("0x"+string(p.address), dso), model.FrameUnresolved
	}
	k.hold, k.held = f, true
	return true
}

// flush adds the frame that was read last, as no line of its source can follow it.
func (k *reader) flush() {
	if k.held {
		k.cur.frames = append(k.cur.frames, k.Frame(k.hold))
		k.held = false
	}
}

// source reads the line of source code below a frame, which `perf script -F +srcline` adds: two blanks and FILE:LINE,
// or BINARY[ADDRESS] where it is not known.
func (k *reader) source(line []byte) (ok bool) {
	text, ok := bytes.CutPrefix(line, []byte("  "))
	if !ok || len(text) == 0 || text[0] == ' ' || text[0] == '\t' {
		return false
	}
	i := bytes.LastIndexByte(text, ':')
	n, err := strconv.ParseInt(string(text[i+1:]), 10, 32)
	switch {
	case text[len(text)-1] == ']' && bytes.IndexByte(text, '[') >= 0:
	case i < 0 || err != nil:
		return false
	case k.held && i > 0 && n > 0 && string(text[:i]) != "??":
		k.hold.File, k.hold.Line = string(text[:i]), n
	}
	return true
}

// end ends the sample being read.
func (k *reader) end() {
	s := k.cur
	if s == nil {
		return
	}
	k.flush()
	k.cur = nil
	at := key{k.LeafStack(s.frames), s.event, s.thread}
	r, ok := k.records[at]
	if !ok {
		r = model.RecordID(len(k.keys))
		k.records[at] = r
		k.keys, k.sums = append(k.keys, at), append(k.sums, sums{offset: s.offset})
	}
	k.sums[r].samples++
	k.sums[r].periods, _ = model.SaturatingAdd(k.sums[r].periods, s.period)
	t := model.Time((s.ns - k.first) / 1000)
	k.last = max(k.last, t)
	if k.chunk.Len() == model.MaxChunk {
		k.seal()
	}
	k.chunk.Add(model.Sample{Time: t, Record: r, SampleLabel: model.SampleLabel{Event: s.event, CPU: s.cpu, Thread: s.thread}, Period: 1})
	k.Profile.Counts.Samples++
}

// seal ends the current chunk of samples.
func (k *reader) seal() {
	if k.chunk.Len() > 0 {
		k.chunk.Seal()
		k.Profile.Samples = append(k.Profile.Samples, k.chunk)
		k.chunk = model.SampleChunk{}
	}
}

// build converts the sums to records.
func (k *reader) build() {
	k.seal()
	if k.periods {
		k.ids[1], _ = k.Metric(model.ProfileMetric{Name: "period"})
	}
	for i, at := range k.keys {
		k.Weigh(k.ids[0], model.Unsigned(k.sums[i].samples))
		if k.periods {
			k.Weigh(k.ids[1], model.Unsigned(k.sums[i].periods))
		}
		k.Add(weighted.Record{Node: at.node, Event: at.event, Thread: at.thread, CPU: model.NoCPU, Offset: k.sums[i].offset})
	}
	if k.started {
		k.Profile.Start, k.Profile.End = 0, k.last
	}
}
