package memtest

import "context"

// AskedContext counts how often it is asked for its error, and is canceled once that was more than Most times.
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
