package hprof

// places says where the rows of a decoded dump stand in the file: parts with their first rows. It takes little memory, as the part
// that a row is in is gone through again.
type places struct {
	units   []placed
	classes []int64 // by class row, from 1 on: offset of the class dump, after its tag
}

type placed struct {
	from, end int64
	first     [numOrders]uint32
}

func newPlaces(d *decoding) *places {
	p := &places{}
	for _, u := range d.units {
		p.units = append(p.units, placed{u.from, u.end, u.first})
		for _, c := range u.classes {
			p.classes = append(p.classes, c.at)
		}
	}
	return p
}
