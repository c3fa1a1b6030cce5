package heaptext

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"regexp"
	"strconv"
	"strings"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/loaders/internal/lines"
	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

// maxDepth is how many frames of a stack are kept.
const maxDepth = 1 << 14

// row is the numbers of a stack; for jemalloc, of one of its threads.
type row struct {
	counts
	stack  []byte // addresses as varints, shared by rows of one stack
	node   model.NodeID
	thread int64 // -1 if the file has none
	offset int64
	size   int64 // of a block, if rows distinguish sizes of blocks
}

// reader reads one file. Stacks are kept until its end, where the file has its mappings.
type reader struct {
	*weighted.Reading
	lines *lines.Reader
	in    addresses

	name    string // of the format
	kind    string // as in the header
	rate    float64
	accum   bool // allocations in total are counted
	rows    []row
	threads map[int64]string // names
	mapped  bool             // the list of mappings has begun
	named   []model.FrameID  // frames of the last row by names, leaf first
	listed  bool             // the last row's frames are being listed

	stack  []byte // of jemalloc: that of the current stack
	offset int64
	total  counts // its sum over threads, as in the file
	parts  []row
	summed bool

	unusable bool // the addresses of the current stack cannot be read: its numbers are left out

	rounding carried
	hidden   int64 // frames of the allocator that were left out
}

// read reads a file of any of these formats.
func read(r *weighted.Reading) error {
	k := &reader{
		Reading: r, lines: lines.New(r.Ctx, r.Src), threads: map[int64]string{},
		in: addresses{b: r.Builder, names: map[uint64]string{}, known: map[uint64][]model.FrameID{}},
	}
	r.LeafFirst(true)
	err := k.lineByLine()
	if k.name != "" {
		k.endStack()
		err = cmp.Or(err, k.build())
	}
	return cmp.Or(err, k.lines.Err())
}

func (k *reader) lineByLine() error {
	if !k.header() {
		return k.lines.Err()
	}
	for k.lines.Next() {
		line := k.lines.Bytes()
		if !k.line(line) {
			k.bad(line)
		}
		if k.lines.Cut() && k.name != nameGo { // these end with a line end
			k.Cut = true
			k.Say(model.Warning, "truncated", k.lines.Offset(), k.lines.Number(), "the last line is incomplete: the file was truncated")
		}
		if err := k.Step(); err != nil {
			return err
		}
		k.lines.SkipEmpty()
	}
	return nil
}

func (k *reader) bad(line []byte) {
	k.Lost += int64(len(line))
	if k.mapped {
		k.Say(model.Warning, "mapping", k.lines.Offset(), k.lines.Number(),
			"this line does not describe a mapping: addresses in it are not assigned to a file")
		return
	}
	k.Say(model.Error, "syntax", k.lines.Offset(), k.lines.Number(), "this line is neither a stack nor the figures of one: it was left out")
}

// header reads everything before the stacks; false if there is no header.
func (k *reader) header() bool {
	for symbols := false; k.lines.Next(); {
		line := bytes.TrimSpace(k.lines.Bytes())
		switch {
		case k.begin(line):
			return true
		case bytes.Equal(line, []byte("--- symbol")):
			symbols = true
		case bytes.HasPrefix(line, []byte("binary=")):
			k.Profile.Command = string(line[len("binary="):])
			k.Fact("binary", "Binary", k.Profile.Command)
		case bytes.HasPrefix(line, []byte("--- heap")), bytes.HasPrefix(line, []byte("--- growth")), bytes.Equal(line, []byte("---")):
			symbols = false
		case symbols && k.symbol(line), len(line) == 0:
		default:
			k.Say(model.Error, "header", k.lines.Offset(), k.lines.Number(), "this is not the header of a heap profile")
			return false
		}
	}
	if k.lines.Err() == nil {
		k.Say(model.Error, "header", 0, 1, "the file ends before its header")
	}
	return false
}

// symbol reads the name of an address.
func (k *reader) symbol(line []byte) bool {
	text, name, ok := bytes.Cut(line, []byte(" "))
	addr, good := address(text)
	if ok && good {
		k.in.names[addr] = string(bytes.TrimSpace(name))
	}
	return ok && good
}

func address(text []byte) (uint64, bool) {
	hex, ok := bytes.CutPrefix(text, []byte("0x"))
	if !ok || len(hex) == 0 || len(hex) > 16 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(hex), 16, 64)
	return n, err == nil
}

// begin reads the header's first line.
func (k *reader) begin(line []byte) bool {
	name := dialect(line)
	if name == "" {
		return false
	}
	k.name, k.Meta.Format, k.accum = name, name, true
	k.Profile.SourceTool = map[string]string{nameJemalloc: "jemalloc", nameTcmalloc: "tcmalloc", nameGo: "go"}[name]
	if name == nameJemalloc {
		k.kind, k.Meta.Version = string(line), 2
		k.setRate(string(line[len("heap_v2/"):]))
	} else {
		c, rest, _ := cutCounts(line[len("heap profile:"):])
		kind, rate, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(string(rest)), "@")), "/")
		k.kind = kind
		k.setRate(rate)
		if name == nameGo {
			k.rate /= 2
		}
		k.headerCounts(c)
	}
	k.Fact("kind", "Kind", k.kind)
	k.Fact("sequence", "Number of the dump", sequence(k.Meta.Name))
	if k.rate > 1 {
		k.Count("sample_rate", "Bytes per sample", int64(min(k.rate, 1<<62)))
		k.Say(model.Note, "sampled", model.NoOffset, 0,
			"one of about %s allocated bytes was sampled: all figures are estimates of what there was",
			model.Group(uint64(min(k.rate, 1<<62))))
	}
	return true
}

func (k *reader) setRate(text string) {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(n >= 0) || n > 1<<62 {
		n = 1
		if text != "" {
			k.Say(model.Warning, "header", 0, k.lines.Number(),
				"the sample rate is not a number: figures are shown as they are in the file")
		}
	}
	k.rate = n
}

// headerCounts keeps the numbers of the header, which are those of the samples.
func (k *reader) headerCounts(c counts) {
	k.Fact("header_counts", "Header", strconv.FormatInt(c.blocks, 10)+": "+strconv.FormatInt(c.bytes, 10)+
		" ["+strconv.FormatInt(c.allBlocks, 10)+": "+strconv.FormatInt(c.allBytes, 10)+"]"+
		map[bool]string{true: " as sampled, not scaled"}[k.rate > 1])
}

var sequences = regexp.MustCompile(`\.(\d{1,9})(?:\.[imuf]\d*)?\.heap`)

// sequence returns the number of a dump in a series, which only file names have; "" for none.
func sequence(name string) string {
	if m := sequences.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

// line reads one line; false if it does not match the format.
func (k *reader) line(line []byte) bool {
	text := bytes.TrimSpace(line)
	switch {
	case len(text) == 0:
		k.listed = false
		return true
	case bytes.Equal(text, []byte("MAPPED_LIBRARIES:")):
		k.endStack()
		k.mapped = true
		return true
	case k.mapped:
		m, ok := parseMapping(text)
		if ok {
			k.in.maps = append(k.in.maps, m)
		}
		return ok || bytes.HasPrefix(text, []byte("build=")) // /proc/self/maps has no build ids
	case text[0] == '#':
		return k.comment(text)
	case k.name == nameJemalloc && text[0] == '@':
		return k.beginStack(text[1:])
	case k.name == nameJemalloc && text[0] == 't':
		return k.thread(text[1:])
	case k.name != nameJemalloc:
		return k.row(text)
	}
	return false
}

// packed reads addresses; false if one is invalid.
func (k *reader) packed(text []byte) (out []byte, ok bool) {
	n := 0
	for f := range bytes.FieldsSeq(text) {
		addr, ok := address(f)
		if !ok {
			return nil, false
		}
		if n++; n == maxDepth {
			k.Say(model.Warning, "stack-depth", k.lines.Offset(), k.lines.Number(),
				"a stack has more than %d frames: the others were left out", maxDepth)
			break
		}
		out = binary.AppendUvarint(out, addr)
	}
	return out, true
}

// row reads the numbers and the stack of a row of tcmalloc or Go.
func (k *reader) row(text []byte) bool {
	c, rest, ok := cutCounts(text)
	if !ok {
		return false
	}
	stack, ok := bytes.CutPrefix(bytes.TrimSpace(rest), []byte("@"))
	if !ok {
		return false
	}
	k.nameLast()
	packed, ok := k.packed(stack)
	if !ok {
		return false
	}
	size := int64(0)
	if k.name == nameGo || k.rate > 1 {
		size = cmpDivide(c.bytes, c.blocks, cmpDivide(c.allBytes, c.allBlocks, 0))
	}
	k.rows = append(k.rows, row{counts: c.unsampled(k.rate), stack: packed, thread: -1, offset: k.lines.Offset(), size: size})
	k.listed, k.named = true, nil
	return true
}

// cmpDivide returns a/b, or other if that is undefined.
func cmpDivide(a, b, other int64) int64 {
	if a <= 0 || b <= 0 {
		return other
	}
	return a / b
}

// beginStack begins a stack of jemalloc.
func (k *reader) beginStack(text []byte) bool {
	k.endStack()
	packed, ok := k.packed(text)
	k.stack, k.offset, k.summed, k.unusable = packed, k.lines.Offset(), false, !ok
	if ok && packed == nil {
		k.stack = []byte{}
	}
	return ok
}

// thread reads the numbers of a thread, or of all threads, for the current stack or the process.
func (k *reader) thread(text []byte) bool {
	id, rest, ok := bytes.Cut(text, []byte(":"))
	if !ok {
		return false
	}
	c, name, ok := cutCounts(rest)
	number, isNumber := int64(-1), string(id) == "*"
	if !isNumber {
		n, good := json.Int(id)
		number, isNumber = n, good
	}
	if !ok || !isNumber || k.unusable {
		return false
	}
	switch {
	case k.stack == nil && number < 0:
		k.headerCounts(c)
		k.accum = c.allBlocks != 0 || c.allBytes != 0
		if !k.accum {
			k.Fact("allocated", "Allocated in total", "not recorded: the program ran without prof_accum")
		}
	case k.stack == nil:
		if n := strings.TrimSpace(string(name)); n != "" {
			k.threads[number] = n
		}
	case number < 0:
		k.total, k.summed = c, true
	default:
		k.parts = append(k.parts, row{counts: c, thread: number, offset: k.lines.Offset()})
	}
	return true
}

// endStack ends the current stack of jemalloc: its estimate is divided among its threads.
func (k *reader) endStack() {
	if k.stack == nil {
		return
	}
	var sum counts
	parts := make([]counts, len(k.parts))
	for i, p := range k.parts {
		parts[i] = p.counts
		sum.add(p.counts)
	}
	switch {
	case !k.summed:
		k.total = sum
	case len(k.parts) == 0:
		k.parts, parts = []row{{thread: -1, offset: k.offset}}, []counts{k.total}
	case k.total != sum:
		k.Say(model.Warning, "counts", k.offset, 0, "the threads of a stack do not add up to it: the stack is shown without threads")
		k.parts, parts = []row{{thread: -1, offset: k.offset}}, []counts{k.total}
	}
	if k.rate > 1 {
		parts = divide(k.total, k.rounding.unsampled(k.total, k.rate), parts)
	}
	for i, p := range parts {
		k.rows = append(k.rows, row{counts: p, stack: k.stack, thread: k.parts[i].thread, offset: k.parts[i].offset})
	}
	k.stack, k.parts = nil, k.parts[:0]
}
