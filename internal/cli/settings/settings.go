// Package settings reads values of flags from the environment and from the user's config file.
package settings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/keymap"
)

// Path returns the path of the user's config file, or "" if there is no home directory. The file need not exist.
func Path(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "memtui", "config")
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "memtui", "config")
	}
	return ""
}

// Read reads the config file; a missing one is empty, as is one that may not be read: that of another user, whose HOME is
// still set. The config is never nil.
func Read(getenv func(string) string) (*keymap.Config, error) {
	path := Path(getenv)
	if path == "" {
		return &keymap.Config{}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			err = nil
		}
		return &keymap.Config{}, err
	}
	defer f.Close()
	config, err := keymap.ParseConfig(f)
	if config == nil {
		config = &keymap.Config{}
	}
	if err != nil {
		return config, fmt.Errorf("%s: %w", path, err)
	}
	for _, line := range config.Settings {
		if !isSetting(line.Key) {
			return config, fmt.Errorf("%s: line %d: unknown setting %q", path, line.Number, line.Key)
		}
		if _, err := regexp.Compile(line.Value); line.Key == librariesSetting && err != nil {
			return config, fmt.Errorf("%s: line %d: invalid regular expression %s", path, line.Number, line.Value)
		}
	}
	return config, nil
}

// librariesSetting names functions and files that own no memory, in addition to the built-in ones. Their allocations
// belong to their callers.
const librariesSetting = "libraries"

// Libraries returns the expression for these functions and files in a config, or nil if it has none. The config may be
// nil.
func Libraries(config *keymap.Config) *regexp.Regexp {
	if config == nil {
		return nil
	}
	for _, line := range config.Settings {
		if expr, err := regexp.Compile(line.Value); line.Key == librariesSetting && err == nil && line.Value != "" {
			return expr
		}
	}
	return nil
}

// isSetting reports whether a config file may hold a value for the flag of that name. Flags about one file or one
// question are excluded.
func isSetting(name string) bool {
	switch name {
	case "format", "limit", "by", "min-age", "frame-order", "edges", "max-memory", "index", "color", "ascii", "mouse",
		"theme", librariesSetting:
		return true
	}
	return false
}

// Resolver sets flags that are not on the command line from the environment, or else from the config file.
type Resolver struct {
	Config *keymap.Config
	Getenv func(string) string
}

// Validate implements [kong.Resolver]. Config files are checked when they are read, and environments need no check.
func (Resolver) Validate(*kong.Application) error { return nil }

// Resolve returns the value of a flag, or nil for its default.
func (s Resolver) Resolve(ctx *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if flag.Name == "help" || flag.Hidden {
		return nil, nil
	}
	if command := ctx.Selected(); command != nil && uses.IsShared(ctx.Model, flag) {
		if !uses.Means(uses.Path(command), flag.Name) {
			return nil, nil // even an invalid value is harmless for commands that the flag does not apply to
		}
	}
	name := "MEMTUI_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
	if v := s.Getenv(name); v != "" {
		return value(flag, v), nil
	}
	if flag.Name == "mouse" && s.Getenv("MEMTUI_NO_MOUSE") != "" {
		return "false", nil
	}
	for _, line := range s.Config.Settings {
		if line.Key == flag.Name {
			return value(flag, line.Value), nil
		}
	}
	return nil, nil
}

// value translates the words of config files into those of the parser.
func value(flag *kong.Flag, v string) string {
	if !flag.IsBool() {
		return v
	}
	switch strings.ToLower(v) {
	case "on":
		return "true"
	case "off":
		return "false"
	}
	return v
}
