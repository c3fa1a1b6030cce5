package spaa

import (
	"bytes"
	"strconv"

	"github.com/memtui/memtui/model"
)

// dictionaries resolve what the file calls DSOs and frames.
type dictionaries struct {
	dso     map[uint64]model.DSOID
	dense   []model.FrameID // by id, where ids are small; 0 is unknown
	sparse  map[uint64]model.FrameID
	funcs   map[string]model.FuncID
	files   map[string]model.FileID
	frames  map[frameKey]model.FrameID
	changes int // of frames, so far
}

// frameKey is what makes two frames of the file the same.
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
	d.funcs, d.files, d.frames = map[string]model.FuncID{"": 0}, map[string]model.FileID{"": 0}, map[frameKey]model.FrameID{}
}

// frame finds a frame by the file's id; ok is false for one that is not defined, so far.
func (d *dictionaries) frame(id uint64) (f model.FrameID, ok bool) {
	if id < uint64(len(d.dense)) {
		f = d.dense[id]
		return f, f != 0
	}
	f, ok = d.sparse[id]
	return f, ok
}

// define gives a frame its id. known says that the id had a meaning before.
func (d *dictionaries) define(id uint64, f model.FrameID) (known bool) {
	_, known = d.frame(id)
	d.changes++
	if id < uint64(len(d.dense)) {
		d.dense[id] = f
	} else if _, out := d.sparse[id]; !out && id < uint64(2*d.changes+1024) {
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
		b.problem(model.Error, "duplicate-id", r.place, "the id %d of a dso stands twice", r.id)
	}
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
			b.problem(model.Error, "order", r.place, "frame %d stands before its dso %d", r.id, r.dso)
		}
	}
	if ok && b.strict && r.kind == model.FrameKernel && !b.p.DSOs[k.dso].Kernel {
		b.problem(model.Warning, "frame", r.place, "the kernel frame %d is in a dso that is no kernel image", r.id)
	}
	k.function = b.function(r.function)
	file, line, column := splitSource(r.source)
	k.file, k.line, k.column = b.file(file), line, column
	if b.dict.define(r.id, b.internFrame(k)) {
		b.problem(model.Error, "duplicate-id", r.place, "the id %d of a frame stands twice", r.id)
	}
	if b.strict {
		b.order.frames[r.id] = frameFacts{b.line(r.place), r.ip, r.symoff, r.dso, r.depth}
	}
}

func (b *builder) internFrame(k frameKey) model.FrameID {
	f, ok := b.dict.frames[k]
	if !ok {
		s, p := b.s, b.p
		f = model.FrameID(len(s.FrameFunc))
		b.dict.frames[k] = f
		s.FrameFunc, s.FrameFile, s.FrameLine = append(s.FrameFunc, k.function), append(s.FrameFile, k.file), append(s.FrameLine, k.line)
		p.FrameDSO, p.FrameKind = append(p.FrameDSO, k.dso), append(p.FrameKind, k.kind)
		p.FrameFlags, p.FrameColumn = append(p.FrameFlags, k.flags), append(p.FrameColumn, k.column)
	}
	return f
}

func (b *builder) function(name []byte) model.FuncID {
	id, ok := b.dict.funcs[string(name)]
	if !ok {
		id = model.FuncID(len(b.s.Functions))
		b.s.Functions = append(b.s.Functions, string(name))
		b.dict.funcs[b.s.Functions[id]] = id
	}
	return id
}

func (b *builder) file(name []byte) model.FileID {
	id, ok := b.dict.files[string(name)]
	if !ok {
		id = model.FileID(len(b.s.Files))
		b.s.Files = append(b.s.Files, string(name))
		b.dict.files[b.s.Files[id]] = id
	}
	return id
}

// splitSource takes "file:line" or "file:line:column" apart. Only numbers that print as they stand are taken off.
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

// threadTable finds threads by what records say of them.
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
	if _, twice := t.byTID[r.tid]; twice && r.tid >= 0 {
		b.problem(model.Error, "duplicate-id", r.place, "the tid %d of a thread stands twice", r.tid)
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

// thread finds the thread of a record, or adds it. One that gives no name is the listed one of its number.
func (b *builder) thread(pid, tid int64, comm []byte) model.ThreadID {
	if tid < 0 && pid < 0 && len(comm) == 0 {
		return 0
	}
	t := &b.threads
	last := &t.last[uint64(tid)%uint64(len(t.last))]
	if len(comm) == 0 && last.id != 0 && last.tid == tid && last.pid == pid {
		return last.id
	}
	t.open()
	id, ok := t.byTID[tid]
	if ok {
		listed := &b.p.Threads[id]
		ok = tid >= 0 && (pid < 0 || listed.PID < 0 || pid == listed.PID) && (len(comm) == 0 || listed.Comm == "" || listed.Comm == string(comm))
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

// tree makes the model's stack tree.
type tree struct {
	s     *model.Stacks
	child table
	last  []uint64 // ids of the stack before, root first
	nodes []model.NodeID
	at    int // changes of the dictionary then
}

// insert adds the stack of the ids, in the file's order, and returns its leaf. Ids that are not defined are given to
// missing, which says what stands for them; false there ends it.
func (t *tree) insert(d *dictionaries, ids []uint64, leafFirst bool, missing func(id uint64) (model.FrameID, bool)) (leaf model.NodeID, ok bool) {
	if t.at != d.changes {
		t.last, t.nodes, t.at = t.last[:0], t.nodes[:0], d.changes
	}
	shared := true
	for i := range ids {
		id := ids[i]
		if leafFirst {
			id = ids[len(ids)-1-i]
		}
		if shared && i < len(t.last) && t.last[i] == id {
			leaf = t.nodes[i]
			continue
		}
		if shared {
			shared, t.last, t.nodes = false, t.last[:i], t.nodes[:i]
		}
		f, known := d.frame(id)
		if !known {
			if f, known = missing(id); !known {
				return 0, false
			}
		}
		leaf = t.step(leaf, f)
		t.last, t.nodes = append(t.last, id), append(t.nodes, leaf)
	}
	return leaf, true
}

// step returns the child of a node.
func (t *tree) step(parent model.NodeID, f model.FrameID) model.NodeID {
	k := uint64(parent)<<32 | uint64(f)
	if n, ok := t.child.get(k); ok {
		return model.NodeID(n)
	}
	s := t.s
	n := uint32(len(s.Parent))
	s.Parent, s.Frame, s.Depth = append(s.Parent, parent), append(s.Frame, f), append(s.Depth, s.Depth[parent]+1)
	t.child.put(k, n)
	return model.NodeID(n)
}
