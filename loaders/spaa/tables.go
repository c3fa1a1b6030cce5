package spaa

import (
	"bytes"
	"hash/maphash"
	"strconv"

	"github.com/memtui/memtui/model"
)

// dictionaries resolve the file's ids of DSOs and frames.
type dictionaries struct {
	dso    map[uint64]model.DSOID
	dense  []model.FrameID // by id, if ids are small; 0 is unknown
	sparse map[uint64]model.FrameID
	frames index // of all frames of the model
	funcs  nameSet
	files  nameSet
	count  int // of frames, so far
}

// frameKey is the key by which frames of the file are equal.
type frameKey struct {
	function model.FuncID
	file     model.FileID
	line     int64
	dso      model.DSOID
	column   uint32
	kind     model.FrameKind
	flags    model.FrameFlags
}

func (d *dictionaries) init() {
	d.dso, d.sparse = map[uint64]model.DSOID{}, map[uint64]model.FrameID{}
	d.funcs.seed = maphash.MakeSeed()
	d.files.seed = d.funcs.seed
}

// frame finds a frame by the file's id; ok is false if it has not been defined so far.
func (d *dictionaries) frame(id uint64) (f model.FrameID, ok bool) {
	if id < uint64(len(d.dense)) {
		f = d.dense[id]
		return f, f != 0
	}
	f, ok = d.sparse[id]
	return f, ok
}

// define sets the frame of an id. known reports that the id was defined before.
func (d *dictionaries) define(id uint64, f model.FrameID) (known bool) {
	_, known = d.frame(id)
	d.count++
	if id < uint64(len(d.dense)) {
		d.dense[id] = f
	} else if _, out := d.sparse[id]; !out && id < uint64(2*d.count+1024) {
		d.dense = append(d.dense, make([]model.FrameID, int(id)+1-len(d.dense))...)
		for old, g := range d.sparse { // few: ids that came before their turn
			if old < uint64(len(d.dense)) {
				d.dense[old] = g
				delete(d.sparse, old)
			}
		}
		d.dense[id] = f
	} else {
		d.sparse[id] = f
	}
	return known
}

func (b *builder) addDSO(r *dsoRecord) {
	b.p.Counts.DSOs++
	if _, known := b.dict.dso[r.id]; known {
		b.problem(model.Error, "duplicate-id", r.place, "the id %d of a dso is used twice", r.id)
	}
	b.checkLength(r.place, len(r.dso.Name))
	r.dso.Name = model.KeptName(r.dso.Name)
	b.p.DSOs = append(b.p.DSOs, r.dso)
	b.dict.dso[r.id] = model.DSOID(len(b.p.DSOs) - 1)
	b.order.dso[r.id] = b.line(r.place)
}

func (b *builder) addFrame(r *frameRecord) {
	b.p.Counts.Frames++
	k := frameKey{kind: r.kind, flags: r.flags}
	var ok bool
	if r.dsoKnown {
		if k.dso, ok = b.dict.dso[r.dso]; !ok {
			b.order.wait(b, r.dso, r.place, r.id)
		} else if b.order.dso[r.dso] > b.line(r.place) {
			b.problem(model.Error, "order", r.place, "frame %d comes before its dso %d", r.id, r.dso)
		}
	}
	if ok && b.strict && r.kind == model.FrameKernel && !b.p.DSOs[k.dso].Kernel {
		b.problem(model.Warning, "frame", r.place, "the kernel frame %d is in a dso that is not a kernel image", r.id)
	}
	file, line, column := splitSource(r.source)
	b.checkLength(r.place, max(len(r.function), len(file)))
	k.function = b.function(model.KeptName(r.function))
	k.file, k.line, k.column = b.file(model.KeptName(file)), line, column
	if b.dict.define(r.id, b.internFrame(k)) {
		b.problem(model.Error, "duplicate-id", r.place, "the id %d of a frame is used twice", r.id)
	}
	if b.strict {
		b.order.deep = b.order.deep || r.depth > 0
		b.order.frames[r.id] = frameFacts{b.line(r.place), r.ip, r.symoff, r.dso, r.depth}
	}
}

func (k frameKey) hash() uint64 {
	return mix(mix(uint64(k.function)<<32|uint64(k.file), uint64(k.line)),
		uint64(k.dso)<<40^uint64(k.column)<<8^uint64(k.kind)<<4^uint64(k.flags))
}

// frameKey returns the key of a frame of the model.
func (b *builder) frameKey(f model.FrameID) frameKey {
	s, p := b.s, b.p
	return frameKey{s.FrameFunc[f], s.FrameFile[f], s.FrameLine[f], p.FrameDSO[f], p.FrameColumn[f], p.FrameKind[f], p.FrameFlags[f]}
}

func (b *builder) internFrame(k frameKey) model.FrameID {
	x, s, p := &b.dict.frames, b.s, b.p
	h := k.hash()
	f, ok := model.FrameID(0), false
	for at := x.seek(h); ; {
		n, more := at.next()
		if f = model.FrameID(n); !more || b.frameKey(f) == k {
			ok = more
			break
		}
	}
	if !ok {
		f = model.FrameID(len(s.FrameFunc))
		if x.full(1) {
			x.clear(2 * x.count)
			for old := model.FrameID(1); old < f; old++ {
				x.put(b.frameKey(old).hash(), uint32(old))
			}
		}
		x.put(h, uint32(f))
		s.FrameFunc, s.FrameFile, s.FrameLine = append(s.FrameFunc, k.function), append(s.FrameFile, k.file), append(s.FrameLine, k.line)
		p.FrameDSO, p.FrameKind = append(p.FrameDSO, k.dso), append(p.FrameKind, k.kind)
		p.FrameFlags, p.FrameColumn = append(p.FrameFlags, k.flags), append(p.FrameColumn, k.column)
	}
	return f
}

// checkLength reports a name that is not kept completely.
func (b *builder) checkLength(p place, n int) {
	if n > model.MaxName {
		b.problem(model.Warning, "name-length", p, model.LongName)
	}
}

func (b *builder) function(name []byte) model.FuncID {
	if len(name) == 0 {
		return 0
	}
	return model.FuncID(b.dict.funcs.number(&b.s.Functions, name))
}

func (b *builder) file(name []byte) model.FileID {
	if len(name) == 0 {
		return 0
	}
	return model.FileID(b.dict.files.number(&b.s.Files, name))
}

// splitSource splits "file:line" or "file:line:column". It removes only numbers in the form in which they are printed.
func splitSource(s []byte) (file []byte, line int64, column uint32) {
	rest, n, ok := cutNumber(s)
	if !ok {
		return s, model.NoLine, 0
	}
	if outer, m, ok := cutNumber(rest); ok && n > 0 {
		return outer, int64(m), n
	}
	return rest, int64(n), 0
}

func cutNumber(s []byte) (rest []byte, n uint32, ok bool) {
	i := bytes.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	digits := string(s[i+1:])
	m, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || digits != strconv.FormatUint(m, 10) {
		return s, 0, false
	}
	return s[:i], uint32(m), true
}

// threadTable finds threads by the fields of records.
type threadTable struct {
	ids  map[threadKey]model.ThreadID
	last [64]struct {
		pid, tid int64
		id       model.ThreadID
	}
	byTID map[int64]model.ThreadID
}

type threadKey struct {
	pid, tid int64
	comm     string
}

func (b *builder) addThread(r *threadRecord) {
	b.p.Counts.Threads++
	t := &b.threads
	t.open()
	b.checkLength(r.place, len(r.comm))
	r.comm = model.KeptName(r.comm)
	if _, twice := t.byTID[r.tid]; twice && r.tid >= 0 {
		b.problem(model.Error, "duplicate-id", r.place, "the tid %d of a thread is used twice", r.tid)
	}
	if b.strict && r.tid >= 0 {
		b.order.lists(b, r.tid, r.place)
	}
	id := model.ThreadID(len(b.p.Threads))
	b.p.Threads = append(b.p.Threads, model.ProfileThread{PID: r.pid, TID: r.tid, Comm: string(r.comm), Declared: true})
	t.byTID[r.tid] = id
	t.ids[threadKey{r.pid, r.tid, string(r.comm)}] = id
	clear(t.last[:])
}

func (t *threadTable) open() {
	if t.ids == nil {
		t.ids, t.byTID = map[threadKey]model.ThreadID{}, map[int64]model.ThreadID{}
	}
}

// thread finds the thread of a record, or adds it. A record without a name means the listed thread of its number.
func (b *builder) thread(pid, tid int64, comm []byte, p place) model.ThreadID {
	b.checkLength(p, len(comm))
	comm = model.KeptName(comm)
	if tid < 0 && pid < 0 && len(comm) == 0 {
		return 0
	}
	t := &b.threads
	last := &t.last[uint64(tid)%uint64(len(t.last))]
	if len(comm) == 0 && last.id != 0 && last.tid == tid && last.pid == pid {
		return last.id
	}
	t.open()
	if b.strict && tid >= 0 {
		b.order.names(b, tid, p)
	}
	id, ok := t.byTID[tid]
	if ok {
		listed := &b.p.Threads[id]
		ok = tid >= 0 && (pid < 0 || listed.PID < 0 || pid == listed.PID) &&
			(len(comm) == 0 || listed.Comm == "" || listed.Comm == string(comm))
	}
	if !ok {
		k := threadKey{pid, tid, string(comm)}
		if id, ok = t.ids[k]; !ok {
			id = model.ThreadID(len(b.p.Threads))
			b.p.Threads = append(b.p.Threads, model.ProfileThread{PID: pid, TID: tid, Comm: k.comm})
			t.ids[k] = id
		}
	}
	if len(comm) == 0 {
		last.pid, last.tid, last.id = pid, tid, id
	}
	return id
}
