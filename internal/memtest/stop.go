package memtest

import "context"

// AskedContext counts the calls of Err, which fails after Most of them.
type AskedContext struct {
	context.Context
	N, Most int
}

// Err implements [context.Context].
func (a *AskedContext) Err() error {
	if a.N++; a.N > a.Most {
		return context.Canceled
	}
	return nil
}
