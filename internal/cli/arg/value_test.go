package arg

import (
	"testing"

	"github.com/memtui/memtui/analysis"
)

func TestCell(t *testing.T) {
	const sizes, lives = analysis.SizeClasses, analysis.LifeClasses
	for text, want := range map[string]analysis.Cell{
		"64,1ms":    {SizeFrom: 7, SizeTo: 8, LifeFrom: 10, LifeTo: 11},
		"4K, never": {SizeFrom: 13, SizeTo: 14, LifeFrom: analysis.NeverFreed, LifeTo: lives},
		"any,10us":  {SizeTo: sizes, LifeFrom: 4, LifeTo: 5},
		"0,0us":     {SizeTo: 1, LifeTo: 1},
		"any,any":   {SizeTo: sizes, LifeTo: lives},
	} {
		var c Cell
		if err := c.UnmarshalText([]byte(text)); err != nil || c.Cell != want {
			t.Errorf("%q is %+v, %v", text, c.Cell, err)
		}
	}
	for _, text := range []string{"", "64", "x,1ms", "64,x", "64,1", ",", "-1,1s"} {
		if err := new(Cell).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a cell", text)
		}
	}
}

func TestArgumentOfEveryCell(t *testing.T) {
	for s := range analysis.SizeClasses {
		for l := range analysis.LifeClasses {
			var got Cell
			want := analysis.Cell{SizeFrom: uint8(s), SizeTo: uint8(s + 1), LifeFrom: uint8(l), LifeTo: uint8(l + 1)}
			if err := got.UnmarshalText([]byte(want.Argument())); err != nil || got.Cell != want {
				t.Errorf("%s is %+v (%v), want %+v", want.Argument(), got.Cell, err, want)
			}
		}
	}
}
