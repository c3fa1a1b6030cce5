package state

// Series is what the charts show over time.
type Series uint8

const (
	SeriesBytes  Series = iota // live bytes
	SeriesBlocks               // live blocks
	SeriesRate                 // bytes allocated per second
	seriesCount
)

// Next returns the one after s, in turn.
func (s Series) Next() Series { return (s + 1) % seriesCount }

func (s Series) String() string {
	return [...]string{"Live bytes", "Live blocks", "Allocation rate"}[s]
}
