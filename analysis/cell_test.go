package analysis

import "testing"

func TestNearestCells(t *testing.T) {
	var g Grid
	g[7][10] = GridCell{Count: 1, Bytes: 64}
	g[7][NeverFreed] = GridCell{Count: 1, Bytes: 64}
	g[9][12] = GridCell{Count: 1, Bytes: 300}
	g[9][8] = GridCell{Count: 2, Bytes: 600}
	for _, c := range []struct {
		size, life uint8
		want       []string
	}{
		{7, 11, []string{"64B,1ms", "256B,3ms"}},
		{9, 10, []string{"256B,200us", "256B,3ms"}}, // equally near: most bytes first
		{8, NeverFreed, []string{"64B,never", "256B,3ms"}},
	} {
		cell := Cell{SizeFrom: c.size, SizeTo: c.size + 1, LifeFrom: c.life, LifeTo: c.life + 1}
		cells := g.near(cell, 2)
		for i, want := range c.want {
			if len(cells) != len(c.want) || cells[i].Argument() != want {
				t.Errorf("near %s: %v, want %v", cell.Argument(), cells, c.want)
				break
			}
		}
	}
}
