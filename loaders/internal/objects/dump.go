package objects

import (
	"encoding/json"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// Dump is stored for a decoded dump: the positions of its lines.
type Dump struct {
	Calls []*Call // of threads, in the order of the file
	Rows  []model.Row
	units []placed
}

// placed is the positions of the lines of a unit.
type placed struct {
	first uint32
	from  int64
	line  []uint32
}

// keep stores the positions of lines, and the calls of threads.
func (b *Build) keep() {
	d := &Dump{}
	for _, u := range b.Units {
		if len(u.line) > 0 {
			d.units = append(d.units, placed{u.first, u.From, u.line})
		}
	}
	if b.kinds.Lines {
		for i, r := range b.roots {
			if r.Call != nil {
				d.Calls, d.Rows = append(d.Calls, r.Call), append(d.Rows, model.Row(1+len(b.groups)+i))
			}
		}
	}
	b.Dump = d
}

// keptCall is a call as stored between runs. Its names may be any bytes, which a JSON string cannot hold.
type keptCall struct {
	Call
	Row                        model.Row
	ThreadName, Function, File []byte
}

// sections writes a dump to a file or reads it.
func (d *Dump) sections(f *sections.Codec) {
	first, from := make([]uint32, len(d.units)), make([]int64, len(d.units))
	for i, u := range d.units {
		first[i], from[i] = u.first, u.from
	}
	sections.Array(f, "first rows of parts", &first)
	sections.Array(f, "offsets of parts", &from)
	if f.Reads() && len(first) == len(from) {
		d.units = make([]placed, len(first))
		for i := range first {
			d.units[i].first, d.units[i].from = first[i], from[i]
		}
	}
	sections.Parts(f, "lines of parts", len(d.units), func(i int) *[]uint32 { return &d.units[i].line })
	d.calls(f)
}

// calls writes the calls of threads to a file or reads them.
func (d *Dump) calls(f *sections.Codec) {
	f.Describe("calls", keptCall{})
	var list []keptCall
	for i, c := range d.Calls {
		list = append(list, keptCall{*c, d.Rows[i], []byte(c.ThreadName), []byte(c.Function), []byte(c.File)})
	}
	text, err := json.Marshal(list)
	if err != nil {
		f.Fail("calls: %v", err)
		return
	}
	sections.Array(f, "calls", &text)
	if !f.Reads() {
		return
	}
	if list = nil; json.Unmarshal(text, &list) != nil {
		f.Fail("the calls of threads are not valid JSON")
		return
	}
	d.Calls, d.Rows = nil, nil
	for i := range list {
		x := &list[i]
		c := x.Call
		c.ThreadName, c.Function, c.File = string(x.ThreadName), string(x.Function), string(x.File)
		d.Calls, d.Rows = append(d.Calls, &c), append(d.Rows, x.Row)
	}
}
