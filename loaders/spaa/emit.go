package spaa

import (
	"bytes"
	"hash/maphash"

	"github.com/memtui/memtui/model"
)

// emit adds the record whose values a template has extracted. from is where its weights start.
func (p *parser) emit(t *template, b []byte, at place, from uint32) {
	switch t.kind {
	case typeSample:
		p.emitSample(t, b, at)
	case typeStack:
		p.emitStack(t, b, at, from)
	default:
		p.emitFrame(t, b, at)
	}
}

func (t *template) given(s target) bool { return t.has&(1<<s) != 0 }

// taken returns a string that a template has extracted.
func (p *parser) taken(b []byte, s target) []byte {
	return b[p.values.text[s].from:p.values.text[s].to]
}

// task returns the number of a process or thread, -1 if the line has none.
func (p *parser) task(t *template, s target) int64 {
	if !t.given(s) {
		return -1
	}
	return int64(p.values.number[s])
}

func (p *parser) cpu(t *template) uint16 {
	if n := p.values.number[slotCPU]; t.given(slotCPU) && n < uint64(model.NoCPU) {
		return uint16(n)
	}
	return model.NoCPU
}

// quoted returns an id that is a string.
func (p *parser) quoted(b []byte) identifier {
	s := p.values.text[slotText]
	return identify(b[s.from-1 : s.to+1])
}

func (p *parser) emitSample(t *template, b []byte, at place) {
	v := &p.values
	r := sampleRecord{place: at, time: v.time, kind: t.id, id: v.number[slotID]}
	if t.given(slotPeriod) {
		if r.period = float64(v.number[slotPeriod]); r.period == 0 {
			p.periodZero(at)
		}
	}
	if t.id == model.IDText {
		r.kind, r.id = p.out.keep(p.quoted(b))
	}
	r.label = p.label(sampleLabel{p.task(t, slotPID), p.task(t, slotTID), p.names.find(p.taken(b, slotEvent)), p.cpu(t)})
	p.out.samples = append(p.out.samples, r)
}

func (p *parser) emitStack(t *template, b []byte, at place, from uint32) {
	v := &p.values
	r := stackRecord{
		place: at, id: identifier{value: v.number[slotID], kind: t.id}, frames: v.frames, event: p.names.find(p.taken(b, slotEvent)),
		weights:   span{from + t.weights.from, from + t.weights.to},
		exclusive: span{from + t.exclusive.from, from + t.exclusive.to},
		cpu:       p.cpu(t), pid: p.task(t, slotPID), tid: p.task(t, slotTID), hasLeaf: t.leaf,
	}
	if t.id == model.IDText {
		r.id = p.quoted(b)
	}
	if t.leaf {
		r.leaf = v.number[slotLeaf]
	}
	if t.given(slotComm) {
		r.comm = p.taken(b, slotComm)
	}
	p.out.stacks = append(p.out.stacks, r)
}

func (p *parser) emitFrame(t *template, b []byte, at place) {
	v := &p.values
	r := t.frame
	r.place, r.id, r.dso, r.function = at, v.number[slotID], v.number[slotDSO], p.taken(b, slotFunc)
	if t.given(slotSource) {
		if r.source = p.taken(b, slotSource); t.unknownSource && string(r.source) == "??:0" {
			r.source = nil
		}
	}
	if p.strict {
		if t.given(slotIP) {
			s := p.taken(b, slotIP)
			r.ip = maphash.Bytes(p.seed, s)
			if !bytes.HasPrefix(s, []byte("0x")) {
				p.noAddress(at, keyIP)
			}
		}
		if t.given(slotSymoff) {
			s := p.taken(b, slotSymoff)
			r.symoff = maphash.Bytes(p.seed, s)
			if !bytes.HasPrefix(s, []byte("0x")) {
				p.noAddress(at, keySymoff)
			}
		}
		if t.given(slotDepth) {
			r.depth = p.depth(at, v.number[slotDepth])
		}
	}
	p.checkFrame(&r, true, true)
	p.out.frames = append(p.out.frames, r)
}
