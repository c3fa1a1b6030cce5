// Package fail holds errors of commands with their exit statuses.
package fail

// Exit statuses of the command line's contract.
const (
	Done         = 0
	Violated     = 1 // validate found violations
	StatusUsage  = 2
	StatusInput  = 3 // the input cannot be used at all
	StatusSignal = 130
)

// Error is an error with its exit status. Err may be nil: then nothing is printed.
type Error struct {
	Status int
	Err    error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return ""
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Usage returns an error of the command line.
func Usage(err error) error { return &Error{StatusUsage, err} }

// Input returns an error of an input that cannot be used.
func Input(err error) error { return &Error{StatusInput, err} }
