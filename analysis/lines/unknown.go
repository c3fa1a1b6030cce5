package lines

import (
	"strings"

	"github.com/memtui/memtui/model"
)

// UnknownNameError reports that no stack passes a function or a file of a name.
type UnknownNameError struct {
	Name string
	Near []string // names that the user may have meant, nearest first
}

func (e *UnknownNameError) Error() string {
	text := "no stack passes a function or a file named " + model.Clean(e.Name)
	if len(e.Near) > 0 {
		text += ", near: " + model.Clean(strings.Join(e.Near, ", "))
	}
	return text
}
