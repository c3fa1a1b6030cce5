package mvmheap

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/memtui/memtui/model"
)

// tables are the names of a file, decoded snapshot by snapshot on demand. Returned ones stay valid: later snapshots
// only append.
type tables struct {
	f  *file
	mu sync.Mutex

	all      model.HeapTables   // without the axes
	reprs    []uint32           // by type
	upTo     []model.HeapTables // by snapshot
	limit    int64              // of bytes decoded in total
	budget   int64              // bytes that may still be decoded, which stops zstd bombs
	narrow   bool               // by the user's limit of memory
	left     bool               // something was not read because of a limit: missing entries are not damage
	problems []model.Problem    // by then
}

// tableRatio bounds the decoded size of tables relative to the file.
const tableRatio = 8

// tablePart is their fraction of all memory: an empty name takes four bytes in the file, and sixteen here.
const tablePart = 12

func (t *tables) init(f *file) {
	t.f = f
	usual := max(tableRatio*f.size+16<<20, f.src.Allowed())
	t.limit = f.src.Budget().Part(usual, tablePart)
	t.budget, t.narrow = t.limit, t.limit < usual
}

// get returns the tables of snapshot i.
func (t *tables) get(ctx context.Context, i int) (*model.HeapTables, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.upTo) <= i {
		if err := t.next(ctx, &t.f.snaps[len(t.upTo)]); err != nil {
			return nil, err
		}
		t.upTo = append(t.upTo, model.HeapTables{
			Strings: slices.Clip(t.all.Strings), Types: slices.Clip(t.all.Types), Frames: slices.Clip(t.all.Frames),
			Axes: [][]uint32{axisRepr: slices.Clip(t.reprs)},
		})
	}
	out := t.upTo[i]
	return &out, nil
}

// next adds the tables of the next snapshot. Only failures of reading and an end of ctx are errors; then nothing was
// added.
func (t *tables) next(ctx context.Context, s *snapshot) error {
	read := t.next3
	if t.f.version == 2 {
		read = t.next2
	}
	before, reprs := t.all, t.reprs
	err := read(ctx, s)
	if err != nil {
		t.all, t.reprs = before, reprs
	}
	return err
}

// limited reports whether names were not read because of a limit.
func (t *tables) limited() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.left
}

func (t *tables) problem(severity model.Severity, code string, at int64, format string, args ...any) {
	p := model.Problem{Severity: severity, Code: code, Message: fmt.Sprintf(format, args...), Offset: at}
	t.problems = model.AddProblem(t.problems, p)
	t.f.state.Found([]model.Problem{p}, 0)
}

func (t *tables) next3(ctx context.Context, s *snapshot) error {
	if b := s.blocks[strings3]; b.there() {
		raw, err := t.inflate(ctx, b, strings3)
		if err != nil {
			return err
		}
		t.addStrings(raw, b.start)
	}
	columns := map[kind][]uint32{}
	for k := reprname; k <= sffile; k++ {
		if b := s.blocks[k]; b.there() {
			col, err := t.column(ctx, b, k)
			if err != nil {
				return err
			}
			columns[k] = col
		}
	}
	at := func(k kind, i int) uint32 { // a short column is a problem of its own
		if i < len(columns[k]) {
			return columns[k][i]
		}
		return ^uint32(0)
	}
	for i := range t.rows(s, columns, reprname, typename) {
		t.all.Types = append(t.all.Types, model.HeapType{Name: at(typename, i)})
		t.reprs = append(t.reprs, at(reprname, i))
	}
	for i := range t.rows(s, columns, sfname, sffile) {
		t.all.Frames = append(t.all.Frames, model.HeapFrame{
			Name: at(sfname, i), ID: at(sfcuid, i), Line: at(sfline, i), File: at(sffile, i),
		})
	}
	return nil
}

// rows returns the length of the longest of the columns from first to last.
func (t *tables) rows(s *snapshot, columns map[kind][]uint32, first, last kind) int {
	n := 0
	for k := first; k <= last; k++ {
		n = max(n, len(columns[k]))
	}
	for k := first; k <= last; k++ {
		if len(columns[k]) != n && !t.left {
			t.problem(model.Error, "row-count", s.first(), "%s has %d rows where other columns have %d", k, len(columns[k]), n)
		}
	}
	return n
}

// stoppable reads until ctx is done: a few compressed bytes can expand to gigabytes.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// inflate decompresses a complete block.
func (t *tables) inflate(ctx context.Context, b span, k kind) ([]byte, error) {
	kit := t.f.kit()
	defer t.f.kits.Put(kit)
	in, err := t.f.openColumn(ctx, kit, b, k, nil)
	if err != nil {
		return nil, err
	}
	if in.bad != nil {
		t.problem(model.Error, in.bad.rule, b.start, "the block %s cannot be read: %v", k, in.bad)
		return nil, nil
	}
	raw, err := io.ReadAll(io.LimitReader(&stoppable{ctx, kit.dec}, t.budget+1))
	if fatal := cmp.Or(ctx.Err(), in.failure(ctx)); fatal != nil {
		return nil, fatal
	}
	if int64(len(raw)) > t.budget && t.narrow {
		p := t.f.src.Budget().Problem("names were left out")
		p.Offset, t.budget, t.left = b.start, 0, true
		t.problems = model.AddProblem(t.problems, p)
		t.f.state.Found([]model.Problem{p}, 0)
		return nil, nil
	}
	if int64(len(raw)) > t.budget {
		t.problem(model.Error, "too-large", b.start,
			"the names are larger than the limit of %s for a file of this size, the rest was not read; %s",
			model.Bytes(t.limit), model.RaiseHint(2*t.limit*tablePart))
		t.budget, t.left = 0, true
		return nil, nil
	}
	t.budget -= int64(len(raw))
	if err != nil {
		bad := frameDamage(err)
		what := "is damaged"
		if bad.rule == tooLarge {
			what, t.left = "cannot be read", true
		}
		t.problem(model.Error, bad.rule, b.start, "the block %s %s: %v", k, what, bad)
	}
	return raw, nil
}

// column decodes a column of small numbers.
func (t *tables) column(ctx context.Context, b span, k kind) ([]uint32, error) {
	raw, err := t.inflate(ctx, b, k)
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	width, err := t.f.width(b)
	if err != nil {
		return nil, err
	}
	if len(raw)%width != 0 {
		t.problem(model.Error, "entry-size", b.start, "%s does not end with a whole number", k)
	}
	vals := unpack(nil, raw, width)
	out := make([]uint32, len(vals))
	for i, v := range vals {
		out[i] = uint32(min(v, 1<<32-1))
	}
	return out, nil
}

// addStrings cuts raw into strings that share its copy.
func (t *tables) addStrings(raw []byte, at int64) {
	text := string(raw)
	for len(text) > 0 {
		if len(text) < 4 || uint64(binary.LittleEndian.Uint32(raw)) > uint64(len(text)-4) {
			t.problem(model.Error, "string-index", at, "the last string of a block is truncated")
			return
		}
		n := 4 + int(binary.LittleEndian.Uint32(raw))
		t.addString(text[4:n], at)
		text, raw = text[n:], raw[n:]
	}
}

func (t *tables) addString(s string, at int64) {
	if !utf8.ValidString(s) {
		t.problem(model.Warning, "strings-utf8", at, "a string is not valid UTF-8")
	}
	if len(s) > model.MaxName {
		t.problem(model.Warning, "name-length", at, model.LongName)
	}
	t.all.Strings = append(t.all.Strings, model.KeptName(s))
}

// next2 reads the tables of version 2, whose decoded size is that in the file.
func (t *tables) next2(ctx context.Context, s *snapshot) error {
	for _, k := range []kind{strs, types, fram} {
		b := s.blocks[k]
		if !b.there() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		raw, err := t.f.bytes(span{b.start + k.header(), b.end})
		if err != nil {
			return err
		}
		switch k {
		case strs:
			t.addStrings2(raw, b.start)
		case types:
			for ; len(raw) >= typeRow; raw = raw[typeRow:] {
				t.all.Types = append(t.all.Types, model.HeapType{Name: low(raw[8:])})
				t.reprs = append(t.reprs, low(raw))
			}
		default:
			for ; len(raw) >= framRow; raw = raw[framRow:] {
				t.all.Frames = append(t.all.Frames,
					model.HeapFrame{Name: low(raw), ID: low(raw[8:]), Line: low(raw[16:]), File: low(raw[24:])})
			}
		}
	}
	return nil
}

// low returns the meaningful half of a 64-bit number.
func low(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

func (t *tables) addStrings2(raw []byte, at int64) {
	text := string(raw)
	for len(raw) >= 8 && binary.LittleEndian.Uint64(raw) <= uint64(len(raw)-8) {
		n := 8 + int(binary.LittleEndian.Uint64(raw))
		t.addString(text[8:n], at)
		text, raw = text[n:], raw[n:]
	}
}
