package sanitizer

import (
	"bytes"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/lines"
	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

// Format returns the format of the leak reports of sanitizers.
func Format() loaders.Format {
	return weighted.Format(loaders.Format{
		Name: "sanitizer", Summary: "leak reports of LeakSanitizer and AddressSanitizer",
		Extensions: []string{".lsan", ".asan"}, AllocatorFrames: true,
		Sniff: func(head []byte) loaders.Confidence {
			if bytes.Contains(head, []byte("ERROR: LeakSanitizer: detected memory leaks")) {
				return loaders.Sure
			}
			return loaders.No
		},
	}, read)
}

const maxDepth = 1 << 12

var (
	begin   = regexp.MustCompile(`^==(\d+)==ERROR: LeakSanitizer: detected memory leaks`)
	leaked  = regexp.MustCompile(`^(Direct|Indirect) leak of (\d+) byte\(s\) in (\d+) object\(s\) allocated from:`)
	frame   = regexp.MustCompile(`^\s+#(\d+) (0x[0-9a-fA-F]+) (.*)$`)
	summary = regexp.MustCompile(`^SUMMARY: (\w+): (\d+) byte\(s\) leaked in (\d+) allocation\(s\)`)
	module  = regexp.MustCompile(`^(.*?)\(([^()]*(?:\([^()]*\))*[^()]*)\+(0x[0-9a-fA-F]+)\)(?: \(BuildId: ([0-9a-f]+)\))?$`)
	source  = regexp.MustCompile(`^(.*) (\S+?):(\d+)(?::(\d+))?$`)
)

// leak is the leak being read.
type leak struct {
	label         string
	bytes, blocks uint64
	offset        int64
	frames        []weighted.Frame // leaf first
	addresses     []string
}

type reader struct {
	*weighted.Reading
	lines    *lines.Reader
	leak     *leak
	ids      [2]model.MetricID
	event    uint16
	bytes    uint64
	blocks   uint64
	other    int64 // bytes of lines that do not belong to a report
	complete bool  // the summary was read
}

func read(r *weighted.Reading) error {
	k := &reader{Reading: r, lines: lines.New(r.Ctx, r.Src)}
	r.LeafFirst(true)
	r.Profile.SourceTool = "LeakSanitizer"
	k.ids[0], _ = r.Metric(model.ProfileMetric{Name: "leaked_bytes", Unit: "bytes"})
	k.ids[1], _ = r.Metric(model.ProfileMetric{Name: "leaked_count", Unit: "count"})
	k.event = r.Event(model.ProfileEvent{Name: "leaks", Kind: "allocation", PrimaryName: "leaked_bytes", Primary: k.ids[0]})
	for k.lines.Next() {
		k.line(k.lines.Bytes())
		if err := k.Step(); err != nil {
			k.end()
			return err
		}
	}
	k.end()
	if k.lines.Err() == nil && !k.complete {
		k.Cut = true
		k.Say(model.Warning, "truncated", model.NoOffset, 0, "the report has no summary: its end may be missing")
	}
	k.CountHidden()
	if k.other > 0 {
		k.Count("other_bytes", "Other output of the program", k.other)
	}
	return k.lines.Err()
}

func (k *reader) line(line []byte) {
	if len(line) > 64<<10 { // not a line of a report
		k.other += int64(len(line))
		return
	}
	if m := frame.FindSubmatch(line); m != nil && k.leak != nil {
		k.frame(string(m[2]), string(m[3]))
		return
	}
	k.end()
	if m := begin.FindSubmatch(line); m != nil {
		k.Fact("pid", "Process", string(m[1]))
	} else if m := leaked.FindSubmatch(line); m != nil {
		k.begin(strings.ToLower(string(m[1])), string(m[2]), string(m[3]))
	} else if m := summary.FindSubmatch(line); m != nil {
		k.summary(string(m[1]), string(m[2]), string(m[3]))
	} else if text := bytes.Trim(line, "= \t"); len(text) > 0 {
		k.other += int64(len(line))
	}
}

func (k *reader) begin(label, size, blocks string) {
	n, err := strconv.ParseUint(size, 10, 64)
	b, bad := strconv.ParseUint(blocks, 10, 64)
	if err != nil || bad != nil {
		k.Lost += int64(len(k.lines.Bytes()))
		k.Say(model.Error, "number", k.lines.Offset(), k.lines.Number(), "these are not 64-bit numbers: the leak was left out")
		return
	}
	k.leak = &leak{label: label, bytes: n, blocks: b, offset: k.lines.Offset()}
}

// frame reads a frame after its address.
func (k *reader) frame(addr, text string) {
	if len(k.leak.frames) == maxDepth {
		k.Say(model.Warning, "stack-depth", k.lines.Offset(), k.lines.Number(),
			"a stack has more than %d frames: the others were left out", maxDepth)
		return
	}
	f := weighted.Frame{Line: model.NoLine}
	name, in := strings.CutPrefix(strings.TrimLeft(text, " "), "in ")
	name = strings.TrimSpace(name)
	if m := module.FindStringSubmatch(name); m != nil {
		f.Function, f.DSO = strings.TrimSpace(m[1]), k.DSO(model.DSO{Name: m[2], BuildID: m[4]})
		if f.Function == "" {
			f.Function, f.Flags = path.Base(m[2])+"+"+m[3], model.FrameUnresolved
		}
	} else if m := source.FindStringSubmatch(name); m != nil && in {
		f.Function, f.File = m[1], m[2]
		f.Line, _ = strconv.ParseInt(m[3], 10, 64)
		if c, err := strconv.ParseUint(m[4], 10, 32); err == nil {
			f.Column = uint32(c)
		}
	} else if f.Function = name; name == "" || !in {
		f.Function, f.Flags = addr, model.FrameUnresolved
	}
	if n := len(k.leak.addresses); n > 0 && k.leak.addresses[n-1] == addr {
		k.leak.frames[n-1].Flags |= model.FrameInlined
	}
	k.leak.frames, k.leak.addresses = append(k.leak.frames, f), append(k.leak.addresses, addr)
}

// end ends the leak being read.
func (k *reader) end() {
	l := k.leak
	if l == nil {
		return
	}
	k.leak = nil
	frames := make([]model.FrameID, len(l.frames))
	for i, f := range l.frames {
		frames[i] = k.Frame(f)
	}
	k.bytes, _ = model.SaturatingAdd(k.bytes, l.bytes)
	k.blocks, _ = model.SaturatingAdd(k.blocks, l.blocks)
	k.Weigh(k.ids[0], model.Unsigned(l.bytes))
	k.Weigh(k.ids[1], model.Unsigned(l.blocks))
	k.Add(weighted.Record{
		Node: k.LeafStack(k.Callers(frames)), Event: k.event, CPU: model.NoCPU, Offset: l.offset,
		Labels: k.Labels([]model.Label{{Key: "leak", Text: l.label}}),
	})
}

// summary compares the leaks read with the report's own summary.
func (k *reader) summary(tool, size, blocks string) {
	k.Profile.SourceTool, k.complete = tool, true
	if size != strconv.FormatUint(k.bytes, 10) || blocks != strconv.FormatUint(k.blocks, 10) {
		k.Say(model.Warning, "summary", k.lines.Offset(), k.lines.Number(),
			"the summary says %s bytes in %s allocations, the leaks are %d bytes in %d",
			size, blocks, k.bytes, k.blocks)
	}
}
