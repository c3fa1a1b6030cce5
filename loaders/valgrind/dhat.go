package valgrind

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"strconv"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

const nameDHAT = "dhat"

// DHAT returns the format of DHAT's output files, version 2.
func DHAT() loaders.Format {
	return weighted.Format(loaders.Format{
		Name: nameDHAT, Summary: "DHAT: lifetimes of blocks, and how often they are read and written, by stack",
		Extensions: []string{".dhat"}, AllocatorFrames: true,
		Sniff: func(head []byte) loaders.Confidence {
			head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
			switch {
			case len(head) == 0 || head[0] != '{':
			case bytes.Contains(head, []byte(`"dhatFileVersion"`)):
				return loaders.Sure
			case bytes.Contains(head, []byte(`"bklt"`)) && bytes.Contains(head, []byte(`"pps"`)):
				return loaders.Maybe
			}
			return loaders.No
		},
	}, readDHAT)
}

// point is a program point. has marks which figures it has.
type point struct {
	figures [figureCount]uint64
	has     uint16
	stack   []byte // indexes of frames as varints, leaf first
	offset  int64
}

// Figures of points.
const (
	totalBytes = iota
	totalBlocks
	peakBytes
	peakBlocks
	endBytes
	endBlocks
	lifetimes
	readBytes
	writtenBytes
	ownPeakBytes
	ownPeakBlocks
	figureCount
)

var figureNames = map[string]int{
	"tb": totalBytes, "tbk": totalBlocks, "gb": peakBytes, "gbk": peakBlocks, "eb": endBytes, "ebk": endBlocks,
	"tl": lifetimes, "rb": readBytes, "wb": writtenBytes, "mb": ownPeakBytes, "mbk": ownPeakBlocks,
}

func (p *point) known(figure int) bool { return p.has>>figure&1 != 0 }

type dhat struct {
	*weighted.Reading
	c       *json.Cursor
	texts   map[string]string // members that are strings
	version uint64
	points  []point
	frames  []string
	listed  bool // the list of frames was read
	places  places
}

func readDHAT(r *weighted.Reading) error {
	d := &dhat{Reading: r, c: json.NewReader(r.Reader(), 0, 256<<10), texts: map[string]string{}, places: newPlaces(r.Builder)}
	r.Src.KeepsInMemory()
	d.c.MaxText = model.MaxName
	d.c.OnFault = d.fault
	r.LeafFirst(true)
	r.Profile.SourceTool = nameDHAT
	err := d.file()
	switch {
	case d.version == 0 && !d.Cut && err == nil:
		d.Say(model.Error, "version", 0, 1, "the file does not state its version, as DHAT files do")
	case d.version != 0 && d.version != 2:
		d.Say(model.Error, "version", 0, 1, "this is version %d of DHAT's format, from valgrind before 3.17: only version 2 can be read", d.version)
		return cmp.Or(err, d.c.Err())
	}
	return cmp.Or(err, d.c.Err(), d.build())
}

// fault records a JSON fault of the file.
func (d *dhat) fault(f json.Fault) bool {
	switch f.Code {
	case json.LongText: // names are cut when they are stored
		return true
	case json.Truncated:
		d.Cut = true
		d.Say(model.Error, "truncated", f.Byte, f.Line, "the file ends in the middle of its JSON")
		return false
	case json.BadEscape, json.Control:
		d.Say(model.Warning, "syntax", f.Byte, f.Line, "a string contains characters that JSON does not allow")
		return true
	}
	d.Cut = true
	switch f.Code {
	case json.TooDeep:
		d.Say(model.Error, "syntax", f.Byte, f.Line,
			"arrays and objects are nested deeper than the limit of 1,000, which cannot be raised: the rest was left out")
	case json.LongWord:
		d.Say(model.Error, "syntax", f.Byte, f.Line,
			"a number is longer than the limit of 64 KiB, or a string than 1 GiB, which cannot be raised: the rest was left out")
	default:
		d.Say(model.Error, "syntax", f.Byte, f.Line, "this is not JSON: the rest was left out")
	}
	return false
}

// file reads the object that the file consists of.
func (d *dhat) file() error {
	if d.c.Next() != '{' {
		return d.c.Err()
	}
	for first := true; ; {
		name, ok := d.c.Member(&first)
		if !ok {
			return d.after()
		}
		if err := d.member(string(name)); err != nil {
			return err
		}
	}
}

// after reports that there is something after the object.
func (d *dhat) after() error {
	if d.c.More() {
		d.Say(model.Error, "syntax", d.c.Offset(), d.c.Line(), "data follows the JSON: the rest was left out")
	}
	return d.c.Err()
}

func (d *dhat) member(name string) error {
	switch name {
	case "pps":
		return d.array(name, d.point)
	case "ftbl":
		d.listed = true
		return d.array(name, func() error {
			if d.c.Value() != json.String {
				d.field("ftbl")
			}
			d.frames = append(d.frames, model.KeptName(string(d.c.Text())))
			return d.Full()
		})
	case "dhatFileVersion":
		d.c.Value()
		d.version, _ = json.Uint(d.c.Text())
		d.Meta.Version = int(min(d.version, 1<<20))
		return nil
	}
	switch d.c.Value() {
	case json.String, json.Number:
		d.texts[known(name)] = model.KeptName(string(d.c.Text()))
	}
	return nil
}

// known returns the name of a member if it is used, otherwise "".
func known(name string) string {
	switch name {
	case "mode", "verb", "bsu", "bksu", "tu", "tuth", "cmd", "pid", "te", "tg":
		return name
	}
	return ""
}

func (d *dhat) field(name string) {
	at, line := d.c.At()
	d.Say(model.Error, "field", at, line, "%q has an unexpected value: it was left out", name)
}

// array calls each for every element of an array.
func (d *dhat) array(name string, each func() error) error {
	if d.c.Peek() != '[' {
		d.c.Value()
		d.field(name)
		return nil
	}
	d.c.Next()
	for first := true; d.c.Element(&first); {
		if err := each(); err != nil {
			return err
		}
		if err := d.Step(); err != nil {
			return err
		}
	}
	return nil
}

// point reads a program point.
func (d *dhat) point() error {
	if d.c.Peek() != '{' {
		d.c.Value()
		d.field("pps")
		return nil
	}
	d.c.Next()
	p := point{}
	p.offset, _ = d.c.At()
	for first := true; ; {
		name, ok := d.c.Member(&first)
		if !ok {
			break
		}
		figure, isFigure := figureNames[string(name)]
		switch {
		case string(name) == "fs":
			if err := d.stack(&p); err != nil {
				return err
			}
		case isFigure:
			d.c.Value()
			if n, ok := json.Uint(d.c.Text()); ok {
				p.figures[figure], p.has = n, p.has|1<<figure
			} else {
				d.number()
			}
		default:
			d.c.Value()
		}
	}
	if d.c.Dead() {
		return nil // an incomplete point does not count
	}
	d.points = append(d.points, p)
	return nil
}

func (d *dhat) number() {
	at, line := d.c.At()
	d.Say(model.Error, "number", at, line, "this is not a 64-bit number: it was left out")
}

// stack reads the indexes of a point's frames.
func (d *dhat) stack(p *point) error {
	depth := 0
	return d.array("fs", func() error {
		d.c.Value()
		n, ok := json.Uint(d.c.Text())
		at, line := d.c.At()
		switch depth++; {
		case !ok:
			d.number()
		case depth > maxDepth:
			d.Say(model.Warning, "stack-depth", at, line, "a stack has more than %d frames: the others were left out", maxDepth)
		default:
			p.stack = binary.AppendUvarint(p.stack, n)
		}
		return nil
	})
}

// build converts the points to records.
func (d *dhat) build() error {
	d.facts()
	ids, event := d.metrics()
	if !d.listed && len(d.points) > 0 {
		d.Say(model.Error, "field", model.NoOffset, 0, "the list of frames is missing: stacks have no names")
	}
	for i := range d.points {
		if i%4096 == 4095 {
			d.Src.Works(float64(i) / float64(len(d.points)))
			if err := d.Ask(); err != nil {
				return err
			}
		}
		p := &d.points[i]
		node := d.node(p)
		for _, m := range ids {
			if n, ok := m.of(p); ok {
				d.Weigh(m.id, n)
			}
		}
		d.Add(weighted.Record{Node: node, Event: event, CPU: model.NoCPU, Offset: p.offset})
	}
	d.CountHidden()
	return nil
}

// node returns the stack of a point.
func (d *dhat) node(p *point) model.NodeID {
	var texts []string
	for packed := p.stack; len(packed) > 0; {
		i, n := binary.Uvarint(packed)
		packed = packed[n:]
		switch {
		case i < uint64(len(d.frames)) && i > 0:
			texts = append(texts, d.frames[i])
		case i > 0 || !d.listed:
			if d.listed {
				d.Say(model.Error, "reference", p.offset, 0, "a stack names frame %d, but there are only %d", i, len(d.frames))
			}
			texts = append(texts, "<frame "+strconv.FormatUint(i, 10)+">")
		}
	}
	return d.LeafStack(d.Callers(d.places.frames(texts)))
}

// facts adds what the file states about the run.
func (d *dhat) facts() {
	d.Profile.Command = d.texts["cmd"]
	d.Fact("mode", "Mode", d.texts["mode"])
	d.Fact("command", "Command", d.texts["cmd"])
	d.Fact("pid", "Process", d.texts["pid"])
	unit := d.timeUnit()
	if te := d.texts["te"]; te != "" {
		d.Fact("duration", "Run", te+" "+unit)
	}
	if tg := d.texts["tg"]; tg != "" {
		d.Fact("peak_at", "Peak of the heap at", tg+" "+unit)
	}
	if d.texts["tuth"] != "" {
		d.Fact("short_lived", "Short-lived below", d.texts["tuth"]+" "+unit)
	}
}

// timeUnit returns the unit of times in the file.
func (d *dhat) timeUnit() string {
	if d.texts["tu"] == "instrs" {
		return "instructions"
	}
	return d.texts["tu"]
}
