package cli

import (
	"context"
	"reflect"
	"strconv"
	"strings"
	"unicode"
)

// parsePlain reads a command line of nothing but files, where no setting stands anywhere: nearly all that open a file. It is nil for
// any other. The parser would take most of a millisecond, in which the file and the terminal can be opened.
func (a *app) parsePlain() command {
	if len(a.config.Settings) > 0 || a.env.Getenv(envPrefix+"NO_MOUSE") != "" {
		return nil
	}
	for _, arg := range a.env.Args {
		if arg == "" || arg[0] == '-' {
			return nil
		}
	}
	g := &globals{}
	v := reflect.ValueOf(g).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if a.env.Getenv(envName(f)) != "" {
			return nil
		}
		if given, ok := f.Tag.Lookup("default"); ok && !setDefault(v.Field(i), given) {
			return nil
		}
	}
	a.flags = g
	return &plainOpen{openCmd{File: a.env.Args}}
}

const envPrefix = "MEMTUI_"

// envName is what the value of a flag is called in the environment.
func envName(f reflect.StructField) string {
	name := f.Tag.Get("name")
	if name == "" {
		var b strings.Builder
		for i, r := range f.Name {
			if i > 0 && unicode.IsUpper(r) {
				b.WriteByte('_')
			}
			b.WriteRune(r)
		}
		name = b.String()
	}
	return envPrefix + strings.ToUpper(name)
}

// setDefault gives a flag the value that its tag names. It is false for what only the parser understands.
func setDefault(v reflect.Value, given string) bool {
	switch v.Kind() {
	case reflect.String:
		v.SetString(given)
	case reflect.Int:
		n, err := strconv.Atoi(given)
		v.SetInt(int64(n))
		return err == nil
	case reflect.Bool:
		b, err := strconv.ParseBool(given)
		v.SetBool(b)
		return err == nil
	default:
		return false
	}
	return true
}

// plainOpen is the command that opens files.
type plainOpen struct{ openCmd }

func (*plainOpen) Command() string { return "open <file>" }

func (c *plainOpen) run(ctx context.Context, a *app) error { return c.Run(ctx, a) }
