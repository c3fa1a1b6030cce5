package spaa

import (
	"slices"
	"strings"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

// header is the first record.
type header struct {
	format, version, tool, order, idMode string
	command, toolVersion, leftOut        string
	events                               []model.ProfileEvent
	limited                              bool // it declares more events
	hasRange                             bool
	start, end                           float64
	unit                                 string
}

// headerReader reads one header and reports its problems.
type headerReader struct {
	b    *batch
	at   place
	h    header
	seen map[key]bool

	names map[string]bool // of events
}

func (r *headerReader) error(rule, format string, args ...any) {
	r.b.issue(model.Error, rule, r.at, format, args...)
}

func (r *headerReader) warn(rule, format string, args ...any) {
	r.b.issue(model.Warning, rule, r.at, format, args...)
}

// word reads a value that must be a string.
func (r *headerReader) word(name string, value []byte) string {
	s, ok := json.Text(value)
	if !ok {
		r.error("header-field", "%s of the header is not a string", name)
	}
	return string(s)
}

func (p *parser) header(at place) {
	r := &headerReader{b: p.out, at: at, seen: map[key]bool{}, names: map[string]bool{}}
	for _, f := range p.scanner.fields {
		r.seen[f.key] = true
		r.field(f)
	}
	r.check()
	p.out.headers = append(p.out.headers, headerRecord{at, r.h})
}

func (r *headerReader) field(f field) {
	switch f.key {
	case keyFormat:
		r.h.format = r.word("format", f.value)
	case keyVersion:
		r.h.version = r.word("version", f.value)
	case keySourceTool:
		r.h.tool = r.word("source_tool", f.value)
	case keyFrameOrder:
		r.h.order = r.word("frame_order", f.value)
	case keyIDMode:
		r.h.idMode = r.word("stack_id_mode", f.value)
	case keyEvents:
		r.events(f.value)
	case keyTimeRange:
		r.timeRange(f.value)
	case keySource:
		r.source(f.value)
	}
}

// check finds missing and invalid values.
func (r *headerReader) check() {
	h := &r.h
	if h.format != formatName {
		r.error("header-field", "format is %q, not %q", shortened([]byte(h.format)), formatName)
	}
	switch {
	case h.version == "1.0":
	case strings.HasPrefix(h.version, "1."):
		r.warn("version", "version %q is newer than 1.0", shortened([]byte(h.version)))
	default:
		r.error("version", "version is %q, not \"1.0\"", shortened([]byte(h.version)))
	}
	if !r.seen[keyFrameOrder] || !slices.Contains([]string{"leaf_to_root", "root_to_leaf"}, h.order) {
		r.error("header-field", "frame_order is %q: it must be leaf_to_root or root_to_leaf", shortened([]byte(h.order)))
	}
	switch {
	case !r.seen[keyIDMode]:
		r.warn("header-field", "the header has no stack_id_mode; content_addressable is assumed")
	case h.idMode != "content_addressable" && h.idMode != "local":
		r.error("enum", "stack_id_mode is %q: it must be content_addressable or local", shortened([]byte(h.idMode)))
	}
	if !r.seen[keyEvents] {
		r.error("header-field", "the header has no events")
	}
	tools := []string{"perf", "dtrace", "heaptrack", "heaptrack-folded", "chrome-cpuprofile", "chrome-trace",
		"chrome-heaptimeline", "turbopack", "jemalloc", "tcmalloc", "memtui"}
	if !slices.Contains(tools, h.tool) {
		r.warn("source-tool", "source_tool %q is not known", shortened([]byte(h.tool)))
	}
	if h.hasRange && h.end < h.start {
		r.warn("time-range", "the time range ends before it starts")
	}
}

func (r *headerReader) timeRange(value []byte) {
	c := json.Members(value)
	start, end := false, false
	for name, value, ok := c.Member(); ok; name, value, ok = c.Member() {
		switch keyOf(name) {
		case keyStart:
			r.h.start, start = float(value)
		case keyEnd:
			r.h.end, end = float(value)
		case keyUnit:
			r.h.unit = r.word("unit", value)
		}
	}
	if r.h.hasRange = start && end; !r.h.hasRange {
		r.error("time-range", "time_range needs the numbers start and end")
	}
	if _, ok := secondsOf(r.h.unit); !ok {
		r.warn("time-range", "the unit of time_range is %q; seconds are assumed", shortened([]byte(r.h.unit)))
	}
}

// secondsOf returns the length of a unit of time.
func secondsOf(unit string) (seconds float64, ok bool) {
	switch strings.ToLower(unit) {
	case "seconds", "second", "s", "sec":
		return 1, true
	case "milliseconds", "ms":
		return 1e-3, true
	case "microseconds", "us", "µs":
		return 1e-6, true
	case "nanoseconds", "ns":
		return 1e-9, true
	}
	return 1, false
}

func (r *headerReader) source(value []byte) {
	c := json.Members(value)
	for name, value, ok := c.Member(); ok; name, value, ok = c.Member() {
		s, isText := json.Text(value)
		switch string(name) {
		case "command":
			r.h.command = string(s)
		case "tool_version":
			r.h.toolVersion = string(s)
		case "left_out":
			r.h.leftOut = string(s)
		case "tool":
			if isText && r.h.tool == "" {
				r.h.tool = string(s)
			}
		}
	}
}

// maxDeclared bounds how many events a header can declare: as many again can be named without a declaration.
const maxDeclared = int(model.NoEvent) / 2

func (r *headerReader) events(value []byte) {
	c := json.Elements(value)
	for e, ok := c.Element(); ok; e, ok = c.Element() {
		if len(r.h.events) >= maxDeclared {
			r.warn("event-limit", "the header declares more events than the limit of %d: the rest was not read; it cannot be raised", maxDeclared)
			r.h.limited = true
			break
		}
		r.event(e)
	}
	if c.Bad {
		r.error("header-field", "events is not an array")
	} else if len(r.h.events) == 0 {
		r.warn("event", "the header declares no event")
	}
}

func (r *headerReader) event(value []byte) {
	ev := model.ProfileEvent{Declared: true}
	var sampled, named, tracked bool
	var allocations []byte
	c := json.Members(value)
	for name, value, ok := c.Member(); ok; name, value, ok = c.Member() {
		switch string(name) {
		case "name":
			s, ok := json.Text(value)
			ev.Name, named = string(s), ok
		case "kind":
			s, _ := json.Text(value)
			ev.Kind = string(s)
		case "sampling":
			sampled = true
			r.sampling(&ev, value)
		case "allocation_tracking":
			tracked, allocations = true, value
		}
	}
	if tracked && !r.tracking(&ev, allocations) {
		r.error("event", "allocation_tracking of an event is not an object")
	}
	if c.Bad || !named {
		r.error("event", "an event of the header has no name")
		return
	}
	if !slices.Contains([]string{"hardware", "software", "allocation", "deallocation", "timer", "probe"}, ev.Kind) {
		r.error("enum", "kind of the event %s is %q", shortened([]byte(ev.Name)), shortened([]byte(ev.Kind)))
	}
	if !sampled {
		r.error("event", "the event %s has no sampling", shortened([]byte(ev.Name)))
	}
	if r.names[ev.Name] {
		r.error("event", "the event %s is declared twice", shortened([]byte(ev.Name)))
		return
	}
	r.names[ev.Name] = true
	r.h.events = append(r.h.events, ev)
}

func (r *headerReader) sampling(ev *model.ProfileEvent, value []byte) {
	c := json.Members(value)
	for name, value, ok := c.Member(); ok; name, value, ok = c.Member() {
		s, _ := json.Text(value)
		switch string(name) {
		case "mode":
			ev.Mode = string(s)
		case "primary_metric":
			ev.PrimaryName = string(s)
		case "sample_period":
			ev.SamplePeriod = r.count("sample_period", value)
		case "frequency_hz":
			ev.FrequencyHz = r.count("frequency_hz", value)
		}
	}
	if !slices.Contains([]string{"period", "frequency", "event"}, ev.Mode) {
		r.error("enum", "sampling mode is %q: it must be period, frequency or event", shortened([]byte(ev.Mode)))
	}
	if ev.PrimaryName == "" {
		r.error("primary-metric", "an event of the header has no primary_metric")
	}
	if ev.Mode == "frequency" && ev.FrequencyHz == 0 {
		r.warn("event", "an event is sampled by frequency but does not state it")
	}
}

// count reads a sampling rate or period of an event.
func (r *headerReader) count(name string, value []byte) float64 {
	n, ok := float(value)
	if !ok && !isNull(value) {
		r.warn("event", "%s of an event is not a number", name)
	}
	return n
}

// tracking reads the tracking of allocations; false if it is not an object.
func (r *headerReader) tracking(ev *model.ProfileEvent, value []byte) bool {
	c := json.Members(value)
	for name, value, ok := c.Member(); ok; name, value, ok = c.Member() {
		is, ok := truth(value)
		switch string(name) {
		case "tracks_frees":
			ev.TracksFrees = is
		case "has_timestamps":
			ev.HasTimestamps = is
		default:
			continue
		}
		if !ok && !isNull(value) {
			r.warn("event", "%s of an event is neither true nor false", shortened(name))
		}
	}
	return !c.Bad
}
