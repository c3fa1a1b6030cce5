package speedscope

import (
	"fmt"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

// profile is the profile being read.
type profile struct {
	r          *reader
	name, kind string
	unit       unit

	nodes   []model.NodeID // by sample
	weights []model.Number // by sample
	at      map[model.NodeID]int
	bad     string // why it is rejected, "" if it is not
	sampled bool   // it has samples or weights
	evented bool   // it has events

	open []model.NodeID  // of the events so far
	ids  []model.FrameID // their frames
	last float64
	any  bool // an event was read
}

func (p *profile) reject(format string, args ...any) {
	if p.bad == "" {
		p.bad = fmt.Sprintf(format, args...)
	}
}

// wrong returns why the profile is rejected, once it was read.
func (p *profile) wrong() string {
	switch {
	case p.bad != "":
	case p.kind != "sampled" && p.kind != "evented":
		p.reject("its type is neither sampled nor evented")
	case p.kind == "sampled" && len(p.nodes) != len(p.weights):
		p.reject("it has %d samples and %d weights", len(p.nodes), len(p.weights))
	case p.kind == "evented" && len(p.open) > 0:
		p.reject("%d frames are open at its end", len(p.open))
	}
	return p.bad
}

func (p *profile) read() {
	r := p.r
	ok := r.object(func(name string) {
		switch name {
		case "samples":
			p.sampled = true
			r.array(p.sample)
		case "weights":
			p.sampled = true
			r.array(p.weigh)
		case "events":
			p.evented = true
			r.array(p.event)
		default:
			p.member(name, r.Value())
		}
	})
	if !ok {
		p.reject("it is not an object")
	}
	if p.sampled && p.evented {
		p.reject("it has samples and events")
	}
}

func (p *profile) member(name string, k json.Kind) {
	text := p.r.Text()
	switch {
	case k == json.String && name == "name":
		p.name = string(text)
	case k == json.String && name == "type":
		p.kind = string(text[:min(len(text), 64)])
	case k == json.String && name == "unit":
		p.unit = unitOf(string(text[:min(len(text), 64)]))
	}
}

// frame returns the shared frame whose index is read next.
func (p *profile) frame() (f model.FrameID, ok bool) {
	if p.r.Value() != json.Number {
		p.reject("a frame is not a number")
		return 0, false
	}
	n, ok := json.Uint(p.r.Text())
	if !ok || n >= uint64(len(p.r.frames)) {
		p.reject("it names frame %.20s, but there are only %d", p.r.Text(), len(p.r.frames))
		return 0, false
	}
	return p.r.frames[n], true
}

// sample reads a stack, root first.
func (p *profile) sample() {
	node, depth := model.NodeID(0), 0
	at, line := p.r.Offset(), p.r.Line()
	if !p.r.array(func() {
		f, ok := p.frame()
		if !ok || p.bad != "" {
			return
		}
		if depth++; depth <= weighted.MaxDepth {
			node = p.r.Child(node, f)
		}
	}) {
		p.reject("a sample is not a list")
	}
	if depth > weighted.MaxDepth {
		p.deep(at, line)
	}
	if p.bad == "" {
		p.nodes = append(p.nodes, node)
	}
}

func (p *profile) deep(at, line int64) {
	p.r.Say(model.Warning, "stack-depth", at, line,
		"a stack has more frames than the limit of %d: the others were left out; it cannot be raised", weighted.MaxDepth)
}

func (p *profile) weigh() {
	k := p.r.Value()
	n, ok := weighted.Number(p.r.Text())
	if k != json.Number || !ok {
		p.reject("a weight is not a number")
		return
	}
	if p.bad == "" {
		p.weights = append(p.weights, n)
	}
}

// event opens or closes a frame.
func (p *profile) event() {
	var at float64
	var id model.FrameID
	kind := byte(0)
	hasAt, hasFrame := false, false
	offset, line := p.r.Offset(), p.r.Line()
	p.r.object(func(name string) {
		if name == "frame" {
			id, hasFrame = p.frame()
			return
		}
		k := p.r.Value()
		switch text := p.r.Text(); {
		case name == "type" && k == json.String && len(text) == 1:
			kind = text[0]
		case name == "at" && k == json.Number:
			at, hasAt = json.Float(text)
		}
	})
	switch {
	case p.bad != "":
		return
	case !hasAt || !hasFrame || kind != 'O' && kind != 'C':
		p.reject("an event lacks type, at or frame")
		return
	case p.any && at < p.last:
		p.reject("an event at %g follows one at %g", at, p.last)
		return
	}
	p.pass(at)
	if kind == 'C' {
		p.close(id)
		return
	}
	if len(p.open) == weighted.MaxDepth {
		p.deep(offset, line)
		p.reject("its frames are nested too deeply")
		return
	}
	parent := model.NodeID(0)
	if len(p.open) > 0 {
		parent = p.open[len(p.open)-1]
	}
	p.open, p.ids = append(p.open, p.r.Child(parent, id)), append(p.ids, id)
}

// pass adds the weight since the previous event to the open stack, if there is one.
func (p *profile) pass(at float64) {
	if p.any && at > p.last {
		node := model.NodeID(0)
		if n := len(p.open); n > 0 {
			node = p.open[n-1]
		}
		p.nodes, p.weights = append(p.nodes, node), append(p.weights, asInteger(at-p.last))
	}
	p.last, p.any = at, true
}

func (p *profile) close(id model.FrameID) {
	n := len(p.open)
	switch {
	case n == 0:
		p.reject("an event closes a frame, and none is open")
	case p.ids[n-1] != id:
		p.reject("an event closes a frame that is not the innermost open one")
	default:
		p.open, p.ids = p.open[:n-1], p.ids[:n-1]
	}
}

// asInteger returns f as an integer if it is one.
func asInteger(f float64) model.Number {
	if f >= 0 && f < 1<<53 && f == float64(uint64(f)) {
		return model.Unsigned(uint64(f))
	}
	return model.Float(f)
}

// add adds the profile's event and records.
func (p *profile) add() {
	r := p.r
	n := min(len(p.nodes), len(p.weights))
	if n == 0 && p.name == "" && p.kind == "" {
		return
	}
	if r.units[p.unit.name] = true; len(r.units) > 1 {
		r.Profile.Metrics[r.weight].Unit = ""
	} else if p.unit.name != "none" {
		r.Profile.Metrics[r.weight].Unit = p.unit.name
	}
	event := r.Event(model.ProfileEvent{Name: r.eventName(p.name), Kind: p.kind, Mode: p.unit.name, Primary: r.weight,
		PrimaryName: "weight", HasTimestamps: p.unit.micros > 0})
	if event == model.NoEvent {
		return
	}
	first := p.records(event, n)
	if p.unit.micros > 0 {
		p.timeline(event, first, n)
	}
}

// records adds a record for each stack of the first n samples, and returns the first of them.
func (p *profile) records(event uint16, n int) (first model.RecordID) {
	r := p.r
	first = model.RecordID(r.Profile.Records.Len())
	sums := []model.Amount{}
	for i, node := range p.nodes[:n] {
		if node == 0 && p.kind == "evented" {
			continue
		}
		at, known := p.at[node]
		if !known {
			at = len(sums)
			p.at[node] = at
			sums = append(sums, model.Amount{})
		}
		sums[at].Add(p.weights[i])
	}
	order := make([]model.NodeID, len(sums))
	for node, at := range p.at {
		order[at] = node
	}
	for at, node := range order {
		r.Weigh(r.weight, sums[at].Number())
		r.Add(weighted.Record{Node: node, Event: event, CPU: model.NoCPU, Offset: model.NoOffset})
	}
	return first
}

// eventName returns an unused name for an event: profiles may have equal names, or none.
func (r *reader) eventName(name string) string {
	if name == "" {
		name = fmt.Sprintf("profile %d", r.number+1)
	}
	if name = model.KeptName(name); r.names[name] {
		name = fmt.Sprintf("%s (%d)", name[:min(len(name), 1000)], r.number+1)
	}
	r.names[name] = true
	return name
}

// timeline adds the samples in time.
func (p *profile) timeline(event uint16, first model.RecordID, n int) {
	r := p.r
	t := 0.0
	for i, node := range p.nodes[:n] {
		w := p.weights[i].Float64()
		at, known := p.at[node]
		if us := t * p.unit.micros; known && us >= 0 && us < float64(model.MaxTime) {
			r.Sample(model.Sample{
				Time: model.Time(us), Record: first + model.RecordID(at),
				SampleLabel: model.SampleLabel{Event: event, CPU: model.NoCPU}, Period: w,
			})
		}
		if t += max(w, 0); t*p.unit.micros < float64(model.MaxTime) {
			r.end = max(r.end, model.Time(t*p.unit.micros))
		}
	}
}
