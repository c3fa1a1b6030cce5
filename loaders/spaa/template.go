package spaa

import (
	"encoding/binary"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

const (
	maxTemplates = 16
	maxSteps     = 64
	maxLiterals  = 4 << 10 // bytes of a line other than its values
	learnFreely  = 64      // lines; after them only one of as many becomes a template
)

// templates belong to one worker.
type templates struct {
	list []template
	last int // the one that matched last
	turn int // the one that is replaced next
	slow int // lines that none matched
}

// fast reads the line at b[i] with a template, and returns the index after its end; -1 if none matches.
func (p *parser) fast(b []byte, i int, line uint32) int {
	t := &p.templates
	if len(t.list) == 0 {
		return -1
	}
	if end := p.try(t.last, b, i, line); end >= 0 {
		return end
	}
	for n := range t.list {
		if n == t.last {
			continue
		}
		if end := p.try(n, b, i, line); end >= 0 {
			t.last = n
			return end
		}
	}
	return -1
}

func (p *parser) try(n int, b []byte, i int, line uint32) int {
	ids, weights := len(p.out.ids), len(p.out.weights)
	t := &p.templates.list[n]
	end := p.match(t, b, i)
	if end < 0 {
		p.out.ids, p.out.weights = p.out.ids[:ids], p.out.weights[:weights]
		return -1
	}
	p.note(place{uint32(i), line}, t.kind)
	p.emit(t, b, place{uint32(i), line}, uint32(weights))
	return end
}

// learn makes a template from a line, including its end, that has no problems.
func (p *parser) learn(line []byte, kind recordType) {
	t := &p.templates
	if t.slow++; t.slow > learnFreely && t.slow%learnFreely != 0 || line[len(line)-1] != '\n' {
		return
	}
	c := compiler{p: p, b: line, t: template{kind: kind}}
	if !c.line() {
		return
	}
	if len(t.list) < maxTemplates {
		t.list = append(t.list, c.t)
		t.last = len(t.list) - 1
		return
	}
	t.list[t.turn], t.last = c.t, t.turn
	t.turn = (t.turn + 1) % maxTemplates
}

// compiler converts a line to a template. If it does not understand a part, it gives up: there is no template then.
type compiler struct {
	p    *parser
	b    []byte
	i    int
	from int // start of the literal that continues at i
	size int // of all literals
	t    template
}

func (c *compiler) line() bool {
	if !c.members(c.top) {
		return false
	}
	if c.i = json.Blank(c.b, c.i); c.i != len(c.b) {
		return false
	}
	if c.t.kind == typeFrame {
		c.t.frame = c.p.out.frames[len(c.p.out.frames)-1]
		c.t.frame.function, c.t.frame.source = nil, nil
	}
	c.step(takeEnd, slotNone)
	return len(c.t.steps) <= maxSteps && c.size <= maxLiterals
}

// step ends the literal at i, and adds a gap there.
func (c *compiler) step(how take, to target) *step {
	literal := c.b[c.from:c.i]
	s := step{size: len(literal), take: how, slot: to}
	c.size += s.size
	if s.size > pad {
		s.more = string(literal[pad:])
		literal = literal[:pad]
	}
	var word, mask [pad]byte
	for i := range literal {
		word[i], mask[i] = literal[i], 0xff
	}
	for i := range s.word {
		s.word[i], s.mask[i] = binary.LittleEndian.Uint64(word[8*i:]), binary.LittleEndian.Uint64(mask[8*i:])
	}
	c.t.steps = append(c.t.steps, s)
	return &c.t.steps[len(c.t.steps)-1]
}

// members iterates over an object. value must skip the value after a name and its colon.
func (c *compiler) members(value func(name string) bool) bool {
	return c.nested('{', func() bool {
		if c.i >= len(c.b) || c.b[c.i] != '"' {
			return false
		}
		end := plainStringEnd(c.b, c.i+1)
		if end < 0 {
			return false
		}
		name := string(c.b[c.i+1 : end])
		if c.i = json.Blank(c.b, end+1); c.i >= len(c.b) || c.b[c.i] != ':' {
			return false
		}
		c.i = json.Blank(c.b, c.i+1)
		return value(name)
	})
}

// nested iterates over an object or an array.
func (c *compiler) nested(open byte, element func() bool) bool {
	if c.i = json.Blank(c.b, c.i); c.i >= len(c.b) || c.b[c.i] != open || len(c.t.steps) > maxSteps {
		return false
	}
	c.i = json.Blank(c.b, c.i+1)
	for some := false; c.i < len(c.b) && c.b[c.i] != open+2; some = true {
		if some {
			if c.b[c.i] != ',' {
				return false
			}
			c.i = json.Blank(c.b, c.i+1)
		}
		if !element() {
			return false
		}
		c.i = json.Blank(c.b, c.i)
	}
	c.i++
	return c.i <= len(c.b)
}

// plainStringEnd returns the index of the quote that ends plain ASCII, -1 if there is none.
func plainStringEnd(b []byte, i int) int {
	for ; i < len(b) && b[i] >= ' ' && b[i] < 0x80 && b[i] != '\\'; i++ {
		if b[i] == '"' {
			return i
		}
	}
	return -1
}

// top handles a member of the record.
func (c *compiler) top(name string) bool {
	k := keyOf([]byte(name))
	switch {
	case k == keyType:
		return c.constant()
	case c.t.kind == typeSample:
		return c.sampleMember(k)
	case c.t.kind == typeStack:
		return c.stackMember(k)
	}
	return c.frameMember(k)
}

func (c *compiler) sampleMember(k key) bool {
	switch k {
	case keyTimestamp:
		return c.number(takeDecimal, slotTime)
	case keyPeriod:
		return c.number(takeNumber, slotPeriod)
	case keyPID:
		return c.number(takeNumber, slotPID)
	case keyTID:
		return c.number(takeNumber, slotTID)
	case keyCPU:
		return c.number(takeNumber, slotCPU)
	case keyEvent:
		return c.text(slotEvent)
	case keyStackID:
		return c.identifier()
	}
	return c.any()
}

func (c *compiler) stackMember(k key) bool {
	switch k {
	case keyID:
		return c.identifier()
	case keyFrames:
		return c.frames()
	case keyContext:
		return c.members(c.contextMember)
	case keyWeights:
		return c.weights(&c.t.weights)
	case keyExclusive:
		if c.t.leaf {
			return false
		}
		c.t.leaf = true
		return c.members(func(name string) bool {
			switch name {
			case "frame":
				return c.number(takeNumber, slotLeaf)
			case "weights":
				return c.weights(&c.t.exclusive)
			}
			return c.any()
		}) && c.t.has&(1<<slotLeaf) != 0
	case keyStackType:
		return c.constant()
	case keyRelated:
		return !c.p.strict && c.any()
	}
	return c.any()
}

func (c *compiler) contextMember(name string) bool {
	switch name {
	case "event":
		return c.text(slotEvent)
	case "pid":
		return c.number(takeNumber, slotPID)
	case "tid":
		return c.number(takeNumber, slotTID)
	case "cpu":
		return c.number(takeNumber, slotCPU)
	case "comm":
		return c.text(slotComm)
	}
	return c.any()
}

func (c *compiler) frameMember(k key) bool {
	switch k {
	case keyID:
		return c.number(takeNumber, slotID)
	case keyDSO:
		return c.number(takeNumber, slotDSO)
	case keyInlineDepth:
		return c.number(takeNumber, slotDepth)
	case keyFunc:
		return c.text(slotFunc)
	case keySrcline:
		if c.i < len(c.b) && c.b[c.i] == 'n' {
			return c.constant()
		}
		return c.text(slotSource)
	case keyIP:
		return c.text(slotIP)
	case keySymoff:
		return c.text(slotSymoff)
	case keySrclineResolved:
		c.t.unknownSource = c.i < len(c.b) && c.b[c.i] == 'f'
		return c.constant()
	case keyKind, keyFuncResolved, keyInlined:
		return c.constant()
	}
	return c.any()
}

// constant skips a value that must be the same in every line.
func (c *compiler) constant() bool {
	end := json.ValueEnd(c.b, c.i)
	if end < 0 {
		return false
	}
	c.i = end
	return true
}

// gap adds a gap of the given length for a value that differs between lines.
func (c *compiler) gap(how take, to target, length int) (*step, bool) {
	if to != slotNone && c.t.has&(1<<to) != 0 {
		return nil, false
	}
	c.t.has |= 1 << to
	s := c.step(how, to)
	c.i += length
	c.from = c.i
	return s, true
}

// number adds a gap for digits, or for [takeDecimal] also for a point and digits.
func (c *compiler) number(how take, to target) bool {
	if to == slotPID || to == slotTID || to == slotCPU {
		if end := json.ValueEnd(c.b, c.i); end > 0 && (string(c.b[c.i:end]) == "-1" || string(c.b[c.i:end]) == "null") {
			return c.constant() // used by writers for none
		}
	}
	n := 0
	for c.i+n < len(c.b) && json.Numeric(c.b[c.i+n]) {
		if d := c.b[c.i+n]; (d < '0' || d > '9') && (how != takeDecimal || d != '.') {
			return false
		}
		n++
	}
	if n == 0 {
		return false
	}
	_, ok := c.gap(how, to, n)
	return ok
}

// text adds a gap for a plain string.
func (c *compiler) text(to target) bool {
	if c.i >= len(c.b) || c.b[c.i] != '"' {
		return false
	}
	c.i++
	end := plainStringEnd(c.b, c.i)
	if end < 0 {
		return false
	}
	_, ok := c.gap(takeString, to, end-c.i)
	c.i++ // the quote belongs to the next literal
	return ok
}

func (c *compiler) identifier() bool {
	id := identify(c.b[c.i:max(json.ValueEnd(c.b, c.i), c.i)])
	c.t.id = id.kind
	switch id.kind {
	case model.IDHex:
		c.i += len(`"0x`)
		_, ok := c.gap(takeHex, slotID, 16)
		c.i++
		return ok
	case model.IDNumber:
		return c.number(takeNumber, slotID)
	case model.IDText:
		c.t.has |= 1 << slotID
		return c.text(slotText)
	}
	return false
}

func (c *compiler) frames() bool {
	if c.i+1 >= len(c.b) || c.b[c.i] != '[' || c.b[c.i+1] < '0' || c.b[c.i+1] > '9' {
		return false
	}
	end := json.ValueEnd(c.b, c.i)
	if end < 0 {
		return false
	}
	c.i++
	_, ok := c.gap(takeList, slotFrames, end-1-c.i)
	c.i++ // the bracket belongs to the next literal
	return ok
}

// weights handles a list of weights: their metrics must be the same in every line, and so must their number.
func (c *compiler) weights(list *span) bool {
	count := func() (n uint32) {
		for i := range c.t.steps {
			if c.t.steps[i].take == takeWeight {
				n++
			}
		}
		return n
	}
	if list.to > 0 {
		return false
	}
	list.from = count()
	ok := c.nested('[', func() bool {
		var metric []byte
		named := false
		at := -1 // the step of the value
		ok := c.members(func(name string) bool {
			switch name {
			case "metric":
				from := c.i
				ok := !named && c.constant()
				metric, named = json.Text(c.b[from:c.i])
				return ok && named
			case "unit":
				return c.constant()
			case "value":
				if at >= 0 || !c.number(takeWeight, slotNone) {
					return false
				}
				at = len(c.t.steps) - 1
				return true
			}
			return c.any()
		})
		if !ok || !named || at < 0 {
			return false
		}
		c.t.steps[at].metric = c.p.names.find(metric)
		return true
	})
	list.to = count()
	return ok
}

// any handles a value that nothing depends on. Names and numbers in it may differ between lines.
func (c *compiler) any() bool {
	if c.i >= len(c.b) {
		return false
	}
	switch b := c.b[c.i]; {
	case b == '"':
		return c.text(slotNone)
	case b == '{':
		return c.members(func(string) bool { return c.any() })
	case b == '[':
		return c.nested('[', c.any)
	case b >= '0' && b <= '9':
		return c.number(takeNumber, slotNone)
	}
	return c.constant()
}
