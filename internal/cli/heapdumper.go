package cli

import (
	"github.com/memtui/memtui/loaders/pyheap"
)

// heapDumperCmd prints the source of a program.
type heapDumperCmd struct {
	Language string `arg:"" enum:"python" help:"${enum}: a module that needs only the standard library, to import or to run with sys.remote_exec of Python 3.14: memtui heap dumper python > heapdump.py"`
}

// Run prints it.
func (c *heapDumperCmd) Run(a *app) error {
	_, err := a.out.Write(pyheap.Dumper())
	return err
}
