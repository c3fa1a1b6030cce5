package cli

import (
	"fmt"
	"os"

	"github.com/memtui/memtui/internal/sources"
)

// sources returns where source files are looked for. It fails if a folder does not exist: otherwise a mistyped name
// would go unnoticed.
func (a *app) sources() (*sources.Finder, error) {
	var maps []sources.Map
	for _, text := range a.flags.MapPath {
		m, err := sources.ParseMap(text)
		if err != nil {
			return nil, fmt.Errorf("--map-path: %w", err)
		}
		maps = append(maps, m)
		if err := mustBeFolder("map-path", m.To); err != nil {
			return nil, err
		}
	}
	for _, dir := range a.flags.Source {
		if err := mustBeFolder("source", dir); err != nil {
			return nil, err
		}
	}
	work, err := os.Getwd()
	if err != nil {
		work = ""
	}
	return sources.NewFinder(a.flags.Source, maps, work), nil
}
