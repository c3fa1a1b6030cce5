package ui

import "github.com/memtui/memtui/analysis"

// NoneInCell returns why nothing is shown while blocks are restricted to one cell.
func (e *Env) NoneInCell(c analysis.Cell) []string {
	return []string{"No block of " + c.Text() + " is here.", e.Hint("{back} shows blocks of every size and lifetime again.")}
}
