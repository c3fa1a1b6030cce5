package arg

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// MustBeFolder fails if what a flag names is not a folder.
func MustBeFolder(flag, dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--%s: no folder %s", flag, dir)
	case err != nil:
		return fmt.Errorf("--%s: %w", flag, err)
	case !info.IsDir():
		return fmt.Errorf("--%s: %s is not a folder", flag, dir)
	}
	return nil
}
