package column

// Ref identifies a block within a chunk: a record, or an allocation of the chunk.
type Ref uint32

const (
	NoRef    Ref = 1<<32 - 1
	LocalRef Ref = 1 << 31 // the other bits are the number of an event that is not a FREE
)

// Local returns the number of an event within the chunk. ok is false for a record, and for NoRef.
func (r Ref) Local() (payload int, ok bool) { return int(r &^ LocalRef), r&LocalRef != 0 && r != NoRef }
