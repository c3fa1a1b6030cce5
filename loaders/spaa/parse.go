package spaa

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"unicode/utf8"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

// parser parses blocks into batches. It belongs to one worker.
type parser struct {
	ctx     context.Context
	scanner lineScanner
	names   nameTable
	worker  int
	strict  bool // check what only validation needs
	checker jsonChecker
	limited func() bool  // whether the source ended at a limit, which was reported; nil for no
	seed    maphash.Seed // of all workers

	templates templates
	values    values
	labels    [256]uint32 // recently used indexes of batch.labels

	out   *batch
	units map[string]string // of metrics, as first stated
}

// askLines is how many lines are parsed between two checks of the context.
const askLines = 256

// block parses complete lines; the last one may lack its end. An error is that of the context.
func (p *parser) block(data []byte, out *batch) error {
	p.out = out
	out.reset()
	out.worker = p.worker
	lines := 0 // position of the last one of data
	if cap(data) >= len(data)+pad {
		lines = bytes.LastIndexByte(data, '\n') + 1
	}
	for at := 0; at < len(data); {
		if out.lines%askLines == 0 && p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		if at < lines {
			if end := p.fast(data[:len(data)+pad], at, uint32(out.lines)); end >= 0 {
				out.lines++
				at = end
				continue
			}
		}
		end := bytes.IndexByte(data[at:], '\n')
		next := at + end + 1
		if end < 0 {
			next = len(data)
			end = next - at
		}
		line := data[at : at+end]
		before := out.problems
		kind := p.line(line, place{uint32(at), uint32(out.lines)}, next == len(data) && data[len(data)-1] != '\n')
		if before == out.problems && (kind == typeSample || kind == typeStack || kind == typeFrame) {
			p.learn(data[at:next], kind)
		}
		out.lines++
		at = next
	}
	out.names = p.names.list
	return nil
}

// line parses one line; last reports that it has no end. kind is unknown for an unusable one.
func (p *parser) line(line []byte, at place, last bool) (kind recordType) {
	for len(line) > 0 && (line[len(line)-1] == '\r' || line[len(line)-1] == ' ' || line[len(line)-1] == '\t') {
		line = line[:len(line)-1]
	}
	if len(line) == 0 {
		return typeUnknown
	}
	if last && p.limited != nil && p.limited() {
		p.drop(line, at)
		return typeUnknown
	}
	sound := !p.strict || p.check(line, at)
	if !sound || !p.scanner.scan(line) {
		p.refuse(line, at, last, sound)
		p.note(at, typeUnknown)
		return typeUnknown
	}
	typed := false
	for _, f := range p.scanner.fields {
		if f.key == keyType {
			kind, typed = typeOf(f.value), f.value[0] == '"'
		}
	}
	p.note(at, kind)
	switch kind {
	case typeSample:
		p.sample(at)
	case typeStack:
		p.stack(at)
	case typeFrame:
		p.frame(at)
	case typeDSO:
		p.dso(at)
	case typeThread:
		p.thread(at)
	case typeWindow:
		p.window(at)
	case typeHeader:
		p.header(at)
	default:
		p.unknown(line, at, typed)
	}
	return kind
}

// drop counts an unusable line.
func (p *parser) drop(line []byte, at place) {
	p.out.lost += int64(len(line)) + 1
	p.out.bad = append(p.out.bad, at.at)
}

// refuse reports a line that is not a JSON object.
func (p *parser) refuse(line []byte, at place, last, sound bool) {
	p.drop(line, at)
	switch {
	case !sound:
	case last:
		p.out.issue(model.Error, "json", at, "the last record is truncated")
	case line[0] != '{':
		p.out.issue(model.Error, "json", at, "a line is not a JSON object")
	default:
		p.out.issue(model.Error, "json", at, "a line is not a well-formed JSON object")
	}
}

// check applies the full rules of JSON to a line.
func (p *parser) check(line []byte, at place) (ok bool) {
	if !utf8.Valid(line) {
		p.out.issue(model.Error, "utf-8", at, "a line is not valid UTF-8")
	}
	twice, err := p.checker.object(line)
	if errors.Is(err, errNesting) {
		p.out.issue(model.Error, "too-large", at, "%v", err)
		return true
	}
	if err != nil {
		p.out.issue(model.Error, "json", at, "%v", err)
		return false
	}
	if twice != "" {
		p.out.issue(model.Warning, "duplicate-key", at, "the member %s appears twice in one object", shortened([]byte(twice)))
	}
	return true
}

// note records the block's first record.
func (p *parser) note(at place, kind recordType) {
	if !p.out.seen {
		p.out.seen, p.out.first, p.out.kind = true, at, kind
	}
}

// unknown reports a record of a type that is not in the specification.
func (p *parser) unknown(line []byte, at place, typed bool) {
	if !typed {
		p.drop(line, at)
		p.out.issue(model.Error, "record-type", at, "a record has no type, or one that is not a string")
		return
	}
	severity := model.Note
	if p.strict {
		severity = model.Warning
	}
	for _, f := range p.scanner.fields {
		if f.key == keyType {
			p.out.issue(severity, "record-type", at, "records of the unknown type %s are skipped", shortened(f.value))
		}
	}
}

// wrong reports a member with an invalid value.
func (p *parser) wrong(rule string, at place, k key) {
	p.out.issue(model.Error, rule, at, "%s of a %s record is missing or invalid", names[k], rule)
}

// optional reads a string that may be missing, or null.
func (p *parser) optional(rule string, at place, f field) (s []byte, ok bool) {
	if s, ok = json.Text(f.value); !ok && p.strict && !isNull(f.value) {
		p.wrong(rule, at, f.key)
	}
	return s, ok
}

// flag reads true or false; without is returned for anything else.
func (p *parser) flag(rule string, at place, f field, without bool) bool {
	is, ok := truth(f.value)
	if !ok {
		is = without
		if p.strict {
			p.wrong(rule, at, f.key)
		}
	}
	return is
}

func (p *parser) warn(rule string, at place, format string, args ...any) {
	if p.strict {
		p.out.issue(model.Warning, rule, at, format, args...)
	}
}

func (p *parser) dso(at place) {
	r := dsoRecord{place: at}
	var id, named bool
	for _, f := range p.scanner.fields {
		switch f.key {
		case keyID:
			r.id, id = json.Uint(f.value)
		case keyName:
			s, ok := json.Text(f.value)
			r.dso.Name, named = string(s), ok
		case keyBuildID:
			s, _ := json.Text(f.value)
			r.dso.BuildID = string(s)
			if !hexadecimal(s) && !isNull(f.value) {
				p.warn("build-id", at, "build_id %q is not a lowercase hexadecimal number", shortened(s))
			}
		case keyIsKernel:
			is, ok := truth(f.value)
			if r.dso.Kernel = is; !ok {
				p.wrong("dso", at, keyIsKernel)
			}
		}
	}
	if !named {
		p.wrong("dso", at, keyName)
	}
	if !id {
		p.wrong("dso", at, keyID)
		return
	}
	if !r.dso.Kernel && (bytes.HasPrefix([]byte(r.dso.Name), []byte("[kernel")) || r.dso.Name == "vmlinux") {
		p.out.issue(model.Error, "dso", at, "%s is named like a kernel image, but is_kernel is not true", shortened([]byte(r.dso.Name)))
	}
	p.out.dsos = append(p.out.dsos, r)
}

func hexadecimal(s []byte) bool {
	for _, c := range s {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return len(s) > 0
}

func (p *parser) thread(at place) {
	r := threadRecord{place: at, pid: -1, tid: -1}
	for _, f := range p.scanner.fields {
		switch f.key {
		case keyPID:
			r.pid = task(f.value)
		case keyTID:
			r.tid = task(f.value)
		case keyComm:
			r.comm, _ = p.optional("thread", at, f)
		}
	}
	if r.pid == -1 || r.tid == -1 {
		p.wrong("thread", at, map[bool]key{true: keyPID, false: keyTID}[r.pid == -1])
	}
	p.out.threads = append(p.out.threads, r)
}

// numbered warns of a process or thread that is not a number; writers use -1 for none.
func (p *parser) numbered(at place, k key, value []byte) int64 {
	n := task(value)
	if n < 0 && string(value) != "-1" && !isNull(value) {
		p.warn("thread", at, "%s of a record is not a number", names[k])
	}
	return n
}

// cpuNumber warns of a CPU that is not a number; writers use -1 for none.
func (p *parser) cpuNumber(at place, value []byte) uint16 {
	if _, ok := json.Uint(value); !ok && string(value) != "-1" && !isNull(value) {
		p.warn("context", at, "cpu of a record is not a number")
	}
	return cpuOf(value)
}

// task reads the number of a process or thread, -1 if it is not one.
func task(value []byte) int64 {
	n, ok := json.Uint(value)
	if !ok || n > 1<<62 {
		return -1
	}
	return int64(n)
}

// cpuOf reads the number of a CPU.
func cpuOf(value []byte) uint16 {
	n, ok := json.Uint(value)
	if !ok || n >= uint64(model.NoCPU) {
		return model.NoCPU
	}
	return uint16(n)
}

func (p *parser) frame(at place) {
	r := frameRecord{place: at, depth: -1}
	var id, named, kinded bool
	srclineKnown := true
	for _, f := range p.scanner.fields {
		switch f.key {
		case keyID:
			r.id, id = json.Uint(f.value)
		case keyFunc:
			r.function, named = json.Text(f.value)
		case keyDSO:
			r.dso, r.dsoKnown = json.Uint(f.value)
		case keySrcline:
			r.source, _ = p.optional("frame", at, f)
		case keyKind:
			r.kind, kinded = frameKind(f.value)
		case keyFuncResolved:
			if is := p.flag("frame", at, f, true); !is {
				r.flags |= model.FrameUnresolved
			}
		case keySrclineResolved:
			srclineKnown = p.flag("frame", at, f, true)
		case keyInlined:
			if p.flag("frame", at, f, false) {
				r.flags |= model.FrameInlined
			}
		case keyIP, keySymoff, keyInlineDepth:
			p.inlining(&r, f)
		}
	}
	if !srclineKnown && string(r.source) == "??:0" {
		r.source = nil
	}
	if !id {
		p.wrong("frame", at, keyID)
		return
	}
	p.checkFrame(&r, named, kinded)
	p.out.frames = append(p.out.frames, r)
}

// checkFrame reports missing members of a frame.
func (p *parser) checkFrame(r *frameRecord, named, kinded bool) {
	at := r.place
	if !named {
		p.wrong("frame", at, keyFunc)
	}
	if !r.dsoKnown {
		p.wrong("frame", at, keyDSO)
	}
	if !kinded {
		p.out.issue(model.Error, "enum", at, "kind of frame %d must be user, kernel or unknown", r.id)
	}
	if r.flags&model.FrameUnresolved != 0 && !bytes.HasPrefix(r.function, []byte("0x")) {
		p.warn("frame", at, "func of the unresolved frame %d is not an address", r.id)
	}
}

// inlining reads what only the rules about inlined frames need.
func (p *parser) inlining(r *frameRecord, f field) {
	if !p.strict || isNull(f.value) {
		return
	}
	switch f.key {
	case keyIP:
		s, ok := json.Text(f.value)
		r.ip = maphash.Bytes(p.seed, s)
		if !ok || !bytes.HasPrefix(s, []byte("0x")) {
			p.noAddress(r.place, keyIP)
		}
	case keySymoff:
		s, ok := json.Text(f.value)
		r.symoff = maphash.Bytes(p.seed, s)
		if !ok || !bytes.HasPrefix(s, []byte("0x")) {
			p.noAddress(r.place, keySymoff)
		}
	case keyInlineDepth:
		n, ok := json.Uint(f.value)
		if !ok {
			n = maxDepth + 1
		}
		r.depth = p.depth(r.place, n)
	}
}

func (p *parser) noAddress(at place, k key) {
	p.warn("frame", at, "%s of a frame is not a hexadecimal string", names[k])
}

// maxDepth bounds the nesting of inlined functions.
const maxDepth = 1 << 30

// depth checks the depth of an inlined frame; -1 is an invalid one.
func (p *parser) depth(at place, n uint64) int32 {
	if n > maxDepth {
		p.wrong("frame", at, keyInlineDepth)
		return -1
	}
	return int32(n)
}

func frameKind(value []byte) (k model.FrameKind, ok bool) {
	switch string(value) {
	case `"user"`:
		return model.FrameUser, true
	case `"kernel"`:
		return model.FrameKernel, true
	}
	return model.FrameUnknown, string(value) == `"unknown"`
}
