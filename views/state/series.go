package state

// Series is the quantity that charts show over time.
type Series uint8

const (
	SeriesBytes  Series = iota // live bytes
	SeriesBlocks               // live blocks
	SeriesRate                 // bytes allocated per second
	seriesCount
)

// Next returns the next series in the cycle.
func (s Series) Next() Series { return (s + 1) % seriesCount }

func (s Series) String() string {
	return [...]string{"Live bytes", "Live blocks", "Allocation rate"}[s]
}
