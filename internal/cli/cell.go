package cli

import (
	"fmt"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// cell is a cell of sizes and lifetimes as the user writes it: by a size and a lifetime that are in it.
type cell struct{ analysis.Cell }

// UnmarshalText reads "64,1ms", "4K,never" or "any,10us".
func (c *cell) UnmarshalText(text []byte) error {
	size, life, ok := strings.Cut(strings.ToLower(strings.TrimSpace(string(text))), ",")
	if !ok {
		return fmt.Errorf("%q is no cell: write a size and a lifetime such as 64,1ms or 4K,never", text)
	}
	c.SizeTo, c.LifeTo = analysis.SizeClasses, analysis.LifeClasses
	if size != "any" {
		n, err := model.ParseSize(size)
		if err != nil {
			return err
		}
		class := uint8(analysis.SizeClass(uint64(n)))
		c.SizeFrom, c.SizeTo = class, class+1
	}
	switch life = strings.TrimSpace(life); life {
	case "any":
	case "never":
		c.LifeFrom = analysis.NeverFreed
	default:
		t, err := model.ParseTime(life)
		if err != nil {
			return err
		}
		b := analysis.Block{Died: t}
		c.LifeFrom = uint8(b.LifeClass())
		c.LifeTo = c.LifeFrom + 1
	}
	return nil
}
