package analysis

// ranked is a block and what it is sorted by, next to each other in memory.
type ranked struct {
	key   uint64 // smaller ones first
	block uint32
}
