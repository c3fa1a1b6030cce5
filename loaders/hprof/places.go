package hprof

import "github.com/memtui/memtui/model/sections"

// places are the positions of the rows of a decoded dump in the file: parts with their first rows. They take little
// memory; a row's part is scanned again to find it.
type places struct {
	units   []placed
	classes []int64 // by class row, from 1: offset of the class dump, after its tag
	threads []root
}

type placed struct {
	from, end int64
	first     [numOrders]uint32
}

// note stores the positions of a dump that was decoded.
func (p *places) note(d *decoding) {
	p.threads = threadRoots(d.units)
	for _, u := range d.units {
		p.units = append(p.units, placed{u.from, u.end, u.first})
		for _, c := range u.classes {
			p.classes = append(p.classes, c.at)
		}
	}
}

// sections writes the positions to a file or reads them.
func (p *places) sections(f *sections.Codec) {
	sections.Array(f, "parts", &p.units)
	sections.Array(f, "classes", &p.classes)
	sections.Array(f, "roots of threads", &p.threads)
}
