package term

import "github.com/gdamore/tcell/v2"

// A plan decides in which order differences are sent. A cursor column over a
// chart changes two cells in each row, of two styles: row by row every cell
// costs a change of style (some forty bytes in true colour), style by style every
// cell costs a movement (eight).
type plan struct {
	group []uint8 // of each change
	ids   map[tcell.Style]uint8
	ends  [maxGroups]point // behind the last cell of each group
}

const (
	maxGroups  = 6   // more styles than this are sent row by row
	maxPlanned = 800 // and so are more changes
	styleCost  = 30  // bytes, roughly
	moveCost   = 8
	frameCost  = 60 // of an extra frame
)

// make sets the group of each change and returns how many there are; with 1 the
// groups are not set.
func (p *plan) make(diff []change) int {
	if len(diff) < 8 || len(diff) > maxPlanned {
		return 1
	}
	if p.ids == nil {
		p.ids = map[tcell.Style]uint8{}
	}
	clear(p.ids)
	p.group = p.group[:0]
	p.ends = [maxGroups]point{}
	byRow, byStyle := 0, 0
	end := hidden()
	for i := range diff {
		c := &diff[i]
		g, known := p.ids[c.style]
		if !known {
			if len(p.ids) == maxGroups {
				return 1
			}
			g = uint8(len(p.ids))
			p.ids[c.style] = g
			p.ends[g] = hidden()
			byStyle += styleCost + frameCost
		}
		p.group = append(p.group, g)
		here, after := point{c.x, c.y}, point{c.x + max(1, c.width), c.y}
		if i == 0 || c.style != diff[i-1].style {
			byRow += styleCost
		}
		if here != end {
			byRow += moveCost
		}
		if here != p.ends[g] {
			byStyle += moveCost
		}
		end, p.ends[g] = after, after
	}
	if byRow <= byStyle {
		return 1
	}
	return len(p.ids)
}
