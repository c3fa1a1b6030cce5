package term

// plan decides in which order differences are sent. A cursor column over a chart changes two cells in each row, of two
// styles: row by row every cell costs a change of style (some forty bytes in true color), style by style every cell
// costs a movement (eight). So styles that often alternate with others are sent in a group of their own, and all other
// styles together, row by row.
type plan struct {
	group  []uint8 // of each change; 0 is sent row by row
	ids    map[styleID]int
	styles []plannedStyle // by id
	groups []sending      // by group
}

type plannedStyle struct {
	runs  int // runs of cells of this style, row by row
	group uint8
}

// sending is the progress of sending a group.
type sending struct {
	end   point // after its last cell
	style int
}

const (
	maxGroups  = 12
	maxPlanned = 8000 // more changes than this are sent row by row
	styleCost  = 30   // bytes, approximately
	moveCost   = 8
	frameCost  = 60 // of an extra frame
)

// make sets the group of each change of cells, for a screen w wide, and returns how many groups there are; with 1 they
// are not set.
func (p *plan) make(diff []change, cells []cell, w int) int {
	if len(diff) < 8 || len(diff) > maxPlanned {
		return 1
	}
	p.count(diff, cells)
	groups := p.choose()
	if groups == 1 {
		return 1
	}
	p.group = p.group[:0]
	for i := range diff {
		p.group = append(p.group, p.styles[p.ids[cells[diff[i].at].style]].group)
	}
	alone := p.cost(diff, cells, w, 1, func(int) uint8 { return 0 })
	if p.cost(diff, cells, w, groups, func(i int) uint8 { return p.group[i] }) >= alone {
		return 1
	}
	return groups
}

// count numbers the styles and counts their runs.
func (p *plan) count(diff []change, cells []cell) {
	if p.ids == nil {
		p.ids = map[styleID]int{}
	}
	clear(p.ids)
	p.styles = p.styles[:0]
	last := -1
	for i := range diff {
		style := cells[diff[i].at].style
		id, known := p.ids[style]
		if !known {
			id = len(p.styles)
			p.ids[style] = id
			p.styles = append(p.styles, plannedStyle{})
		}
		if id != last {
			p.styles[id].runs++
		}
		last = id
	}
}

// choose assigns a group of its own to each style for which that pays off, and returns the number of groups.
func (p *plan) choose() int {
	groups := 1
	for id := range p.styles {
		s := &p.styles[id]
		if groups < maxGroups && s.runs*styleCost > 2*(frameCost+styleCost) {
			s.group = uint8(groups)
			groups++
		}
	}
	return groups
}

// cost estimates the bytes that sending takes.
func (p *plan) cost(diff []change, cells []cell, w, groups int, groupOf func(i int) uint8) int {
	p.groups = p.groups[:0]
	for range groups {
		p.groups = append(p.groups, sending{hidden(), -1})
	}
	n := (groups - 1) * frameCost
	for i := range diff {
		c, g := &cells[diff[i].at], &p.groups[groupOf(i)]
		x, y := int(diff[i].at)%w, int(diff[i].at)/w
		if id := p.ids[c.style]; id != g.style {
			n += styleCost
			g.style = id
		}
		if (point{x, y}) != g.end {
			n += moveCost
		}
		g.end = point{x + max(1, int(c.width)), y}
	}
	return n
}
