// Package cores runs work on all cores.
package cores

import (
	"errors"
	"runtime"
	"sync"

	"github.com/memtui/memtui/model"
)

// Run runs f on as many goroutines as there are cores, and returns a panic in it as an error.
func Run(f func()) error {
	var group sync.WaitGroup
	errs := make([]error, runtime.GOMAXPROCS(0))
	for i := range errs {
		group.Go(func() { errs[i] = model.Guarded(func() error { f(); return nil }) })
	}
	group.Wait()
	return errors.Join(errs...)
}
