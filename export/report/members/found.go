package members

// Found counts the found rows that have a property in common.
type Found struct {
	Value string `json:"value"`
	Count uint64 `json:"count"`
	Bytes uint64 `json:"bytes"`
	text  string
}

// NewFound returns a count of objects with a value, which tables show as text.
func NewFound(value, text string, count, bytes uint64) Found {
	return Found{value, count, bytes, text}
}

// Text returns the value as tables show it, not cleaned.
func (f *Found) Text() string { return f.text }
