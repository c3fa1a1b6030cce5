package spaa

import (
	"bytes"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

func (p *parser) stack(at place) {
	r := stackRecord{place: at, id: identifier{kind: model.IDNone}, event: noName, cpu: model.NoCPU, pid: -1, tid: -1}
	var frames, context, weights, exclusive bool
	for _, f := range p.scanner.fields {
		switch f.key {
		case keyID:
			r.id = identify(f.value)
		case keyFrames:
			r.frames, frames = p.frameList(f.value)
		case keyContext:
			context = p.context(&r, f.value)
		case keyWeights:
			r.weights, weights = p.weights(f.value, at)
		case keyExclusive:
			exclusive = true
			p.exclusive(&r, f.value)
		case keyRelated:
			p.related(&r, f.value)
		case keyStackType:
			if s := string(f.value); s != `"unified"` && s != `"user"` && s != `"kernel"` {
				p.out.issue(model.Error, "enum", at, "stack_type is %s", shortened(f.value))
			}
		}
	}
	if r.id.kind == model.IDNone {
		p.wrong("stack", at, keyID)
	}
	switch {
	case !frames:
		p.wrong("stack", at, keyFrames)
	case r.frames.from == r.frames.to:
		p.warn("stack", at, "stack %s has no frames", r.id)
	}
	if !context {
		p.out.issue(model.Error, "context", at, "stack %s has no context with an event", r.id)
	}
	if !weights {
		p.out.issue(model.Error, "weights", at, "stack %s has no list of weights", r.id)
	}
	p.shoulds(&r, exclusive)
	p.out.stacks = append(p.out.stacks, r)
}

// shoulds reports missing recommended members of a stack.
func (p *parser) shoulds(r *stackRecord, exclusive bool) {
	switch {
	case !p.strict:
	case !exclusive:
		p.warn("exclusive", r.place, "stack %s has no exclusive weights", r.id)
	default:
		for _, w := range p.out.weights[r.weights.from:min(r.weights.to, r.weights.from+maxCompared)] {
			if !p.weighs(r.exclusive, w.metric) {
				p.warn("exclusive", r.place, "exclusive weights of stack %s lack %s", r.id, shortened([]byte(p.names.list[w.metric])))
				break
			}
		}
	}
}

func (p *parser) weighs(s span, metric uint32) bool {
	for _, w := range p.out.weights[s.from:min(s.to, s.from+maxCompared)] {
		if w.metric == metric {
			return true
		}
	}
	return false
}

// frameList reads the ids of frames. An id that is not a number ends the list.
func (p *parser) frameList(value []byte) (s span, ok bool) {
	s.from = uint32(len(p.out.ids))
	ok = len(value) >= 2 && value[0] == '['
	if ok && !p.plainList(value[1:len(value)-1]) {
		p.out.ids = p.out.ids[:s.from]
		c := json.Elements(value)
		for e, more := c.Element(); more; e, more = c.Element() {
			id, isNumber := json.Uint(e)
			if !isNumber {
				ok = false
				break
			}
			p.out.ids = append(p.out.ids, id)
		}
		ok = ok && !c.Bad
	}
	s.to = uint32(len(p.out.ids))
	return s, ok
}

// plainList reads "1,2,3"; false if it contains anything else.
func (p *parser) plainList(b []byte) bool {
	n, digits := uint64(0), 0
	for _, c := range b {
		if d := c - '0'; d <= 9 {
			n = n*10 + uint64(d)
			digits++
			continue
		}
		if c != ',' || digits == 0 || digits > 18 {
			return false
		}
		p.out.ids = append(p.out.ids, n)
		n, digits = 0, 0
	}
	if digits == 0 || digits > 18 {
		return len(b) == 0
	}
	p.out.ids = append(p.out.ids, n)
	return true
}

func (p *parser) context(r *stackRecord, value []byte) (ok bool) {
	c := json.Members(value)
	for name, value, more := c.Member(); more; name, value, more = c.Member() {
		switch string(name) {
		case "event":
			s, isText := json.Text(value)
			if isText {
				r.event, ok = p.names.find(s), true
			}
		case "pid":
			r.pid = p.numbered(r.place, keyPID, value)
		case "tid":
			r.tid = p.numbered(r.place, keyTID, value)
		case "cpu":
			r.cpu = p.cpuNumber(r.place, value)
		case "comm":
			var ok bool
			if r.comm, ok = json.Text(value); !ok && !isNull(value) {
				p.warn("context", r.place, "comm of a record is not a string")
			}
		case "probe", "execname", "uid", "zonename", "trace_fields":
		default:
			if !bytes.HasPrefix(name, []byte("x_")) {
				p.warn("context-key", r.place, "the context key %s is not known", shortened(name))
			}
		}
	}
	return ok && !c.Bad
}

// weights reads a list of weights. Unreadable parts are reported and left out.
func (p *parser) weights(value []byte, at place) (s span, ok bool) {
	s.from = uint32(len(p.out.weights))
	c := json.Elements(value)
	for e, more := c.Element(); more; e, more = c.Element() {
		p.weight(e, at, s.from)
	}
	s.to = uint32(len(p.out.weights))
	return s, !c.Bad
}

func (p *parser) weight(value []byte, at place, from uint32) {
	var w weight
	var named, valued bool
	var unit []byte
	c := json.Members(value)
	for name, value, more := c.Member(); more; name, value, more = c.Member() {
		switch string(name) {
		case "metric":
			s, ok := json.Text(value)
			if named = ok; ok {
				w.metric = p.names.find(s)
			}
		case "value":
			w.value, valued = number(value)
		case "unit":
			var ok bool
			if unit, ok = json.Text(value); !ok && !isNull(value) {
				p.warn("weights", at, "the unit of a weight is not a string")
			}
		}
	}
	if !named || !valued || c.Bad {
		p.out.issue(model.Error, "weights", at, "a weight has no metric, or no value that is a number")
		return
	}
	if p.strict {
		for _, q := range p.out.weights[from:min(int(from)+maxCompared, len(p.out.weights))] {
			if q.metric == w.metric {
				p.warn("weights", at, "the metric %s appears twice in one list", shortened([]byte(p.names.list[w.metric])))
			}
		}
		if w.value.Float64() < 0 {
			p.warn("suspicious-weight", at, "a weight is negative")
		}
	}
	if name := p.names.list[w.metric]; len(unit) > 0 && p.units[name] == "" && len(p.units) < model.MaxMetrics {
		p.units[name] = string(unit)
		p.out.units = append(p.out.units, unitNote{w.metric, p.units[name]})
	}
	p.out.weights = append(p.out.weights, w)
}

func (p *parser) exclusive(r *stackRecord, value []byte) {
	c := json.Members(value)
	for name, value, more := c.Member(); more; name, value, more = c.Member() {
		switch string(name) {
		case "frame":
			r.leaf, r.hasLeaf = json.Uint(value)
		case "weights":
			var ok bool
			if r.exclusive, ok = p.weights(value, r.place); !ok {
				p.out.issue(model.Error, "exclusive", r.place, "exclusive weights are not a list")
			}
		}
	}
	if c.Bad || !r.hasLeaf {
		p.out.issue(model.Error, "exclusive", r.place, "exclusive weights have no frame")
	}
}

func (p *parser) related(r *stackRecord, value []byte) {
	if !p.strict {
		return
	}
	r.related.from = uint32(len(p.out.related))
	c := json.Elements(value)
	for e, more := c.Element(); more; e, more = c.Element() {
		id := identify(e)
		p.out.related = append(p.out.related, id)
	}
	if c.Bad {
		p.wrong("stack", r.place, keyRelated)
	}
	r.related.to = uint32(len(p.out.related))
}

func (p *parser) sample(at place) {
	r, id := sampleRecord{place: at}, identifier{kind: model.IDNone}
	l := sampleLabel{event: noName, cpu: model.NoCPU, pid: -1, tid: -1}
	timed := false
	for _, f := range p.scanner.fields {
		switch f.key {
		case keyTimestamp:
			r.time, timed = float(f.value)
		case keyPeriod:
			n, ok := float(f.value)
			if r.period = n; !ok {
				p.wrong("sample", at, keyPeriod)
			} else if n <= 0 {
				p.periodZero(at)
			}
		case keyPID:
			l.pid = p.numbered(at, keyPID, f.value)
		case keyTID:
			l.tid = p.numbered(at, keyTID, f.value)
		case keyCPU:
			l.cpu = p.cpuNumber(at, f.value)
		case keyEvent:
			if s, ok := json.Text(f.value); ok {
				l.event = p.names.find(s)
			}
		case keyStackID:
			id = identify(f.value)
		}
	}
	if !timed {
		p.wrong("sample", at, keyTimestamp)
		return
	}
	if l.event == noName {
		p.wrong("sample", at, keyEvent)
	}
	if id.kind == model.IDNone {
		p.wrong("sample", at, keyStackID)
	}
	r.kind, r.id = p.out.keep(id)
	r.label = p.label(l)
	p.out.samples = append(p.out.samples, r)
}

func (p *parser) periodZero(at place) {
	p.warn("suspicious-weight", at, "the period of a sample is not above 0")
}

// label returns the index of a label in the batch.
func (p *parser) label(l sampleLabel) uint32 {
	lately := &p.labels[(uint64(l.tid)*13+uint64(l.cpu)*5+uint64(l.event))%uint64(len(p.labels))]
	if n := *lately; int(n) < len(p.out.labels) && p.out.labels[n] == l {
		return n
	}
	*lately = uint32(len(p.out.labels))
	p.out.labels = append(p.out.labels, l)
	return *lately
}

func (p *parser) window(at place) {
	r := windowRecord{place: at}
	var named, start, end, rows bool
	for _, f := range p.scanner.fields {
		switch f.key {
		case keyID:
			named = identify(f.value).kind != model.IDNone
			s, ok := json.Text(f.value)
			if r.id = string(s); !ok {
				r.id = string(f.value)
			}
		case keyStart:
			r.start, start = float(f.value)
		case keyEnd:
			r.end, end = float(f.value)
		case keyUnit:
			s, _ := json.Text(f.value)
			r.unit = string(s)
		case keyByStack:
			rows = p.windowRows(&r, f.value)
		}
	}
	if !start || !end {
		p.wrong("window", at, keyStart)
		return
	}
	if !rows {
		p.wrong("window", at, keyByStack)
	}
	if !named && p.strict {
		p.wrong("window", at, keyID)
	}
	if r.end < r.start {
		p.warn("window", at, "window %s ends before it starts", shortened([]byte(r.id)))
	}
	p.out.windows = append(p.out.windows, r)
}

func (p *parser) windowRows(r *windowRecord, value []byte) bool {
	c := json.Elements(value)
	for e, more := c.Element(); more; e, more = c.Element() {
		row := windowRow{id: identifier{kind: model.IDNone}}
		m := json.Members(e)
		weighed := false
		for name, value, ok := m.Member(); ok; name, value, ok = m.Member() {
			switch string(name) {
			case "stack_id":
				row.id = identify(value)
			case "weights":
				row.weights, weighed = p.weights(value, r.place)
			}
		}
		if row.id.kind == model.IDNone || !weighed || m.Bad {
			p.out.issue(model.Error, "window", r.place, "a row of window %s has no stack_id or no weights", shortened([]byte(r.id)))
		}
		r.rows = append(r.rows, row)
	}
	return !c.Bad
}
