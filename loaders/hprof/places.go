package hprof

import "github.com/memtui/memtui/model/sections"

// places says where the rows of a decoded dump stand in the file: parts with their first rows. It takes little memory,
// as the part that a row is in is gone through again.
type places struct {
	units   []placed
	classes []int64 // by class row, from 1 on: offset of the class dump, after its tag
	threads []root
}

type placed struct {
	from, end int64
	first     [numOrders]uint32
}

// note takes the places from a dump that was decoded.
func (p *places) note(d *decoding) {
	p.threads = threadRoots(d.units)
	for _, u := range d.units {
		p.units = append(p.units, placed{u.from, u.end, u.first})
		for _, c := range u.classes {
			p.classes = append(p.classes, c.at)
		}
	}
}

// sections moves the places to or from a file.
func (p *places) sections(f *sections.Codec) {
	sections.Array(f, "parts", &p.units)
	sections.Array(f, "classes", &p.classes)
	sections.Array(f, "roots of threads", &p.threads)
}
