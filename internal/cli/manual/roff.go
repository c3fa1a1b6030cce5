package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/keymap"
)

// Man writes the manual page of a command line in roff, for `man -l -`.
func Man(w io.Writer, app Grammar, statuses []string) {
	m := manual{w}
	m.printf(".TH MEMTUI 1\n.SH NAME\nmemtui \\- shows in a terminal where memory went\n")
	m.printf(".SH SYNOPSIS\n.B memtui\n[flags] FILE\n.br\n.B memtui\nCOMMAND [flags] [arguments]\n")
	m.printf(".SH COMMANDS\n")
	for _, c := range app.Children {
		if len(c.Children) == 0 {
			m.command(c, c.Name, app.Shared(c))
		}
		for _, verb := range c.Children {
			m.command(verb, c.Name+" "+verb.Name, app.Shared(verb))
		}
	}
	m.printf(".SH FLAGS\n")
	for _, f := range app.Flags {
		if !f.Hidden {
			m.flag(f)
		}
	}
	m.printf(".SH TIMES AND SIZES\n%s\n", roff(timesAndSizes))
	m.printf(".SH KEYS\n")
	for _, section := range keymap.Default().Help() {
		m.printf(".SS %s\n", roff(section.Title))
		for _, row := range section.Rows {
			m.printf(".TP\n%s\n%s%s\n", orDash(roff(row.Keys)), roff(row.Help), in(row.Where))
		}
	}
	m.printf(".SH EXIT STATUS\n")
	for _, s := range statuses {
		m.printf(".TP\n%s\n%s\n", s[:1], roff(s[2:]))
	}
	m.printf(".SH FILES AND ENVIRONMENT\n%s\n", roff(filesAndEnvironment))
}

const timesAndSizes = "Times are numbers with units, such as 12.5s, 350ms, 900us, 5min or 4h3m, in ns, us, ms, s, min or m, h and d; shares of the duration, such as 50%; " +
	"peak, the state just after the highest live bytes; or end. Sizes are 4096, 64KiB or 1.5M, in powers of 1,024."

const filesAndEnvironment = "$XDG_CONFIG_HOME/memtui/config, else ~/.config/memtui/config, holds lines such as theme = dark, mouse = off and " +
	"bind = global.quit q. Every flag may also be set in the environment as MEMTUI_ and its name, such as MEMTUI_THEME. " +
	"The command line wins over the environment, and that over the config file. NO_COLOR switches colors off. " +
	"$XDG_CACHE_HOME/memtui, else ~/.cache/memtui, holds indexes of large traces; they may be removed at any time."

type manual struct{ w io.Writer }

func (m manual) printf(format string, args ...any) { fmt.Fprintf(m.w, format, args...) }

func (m manual) command(c *kong.Node, name string, shared []*kong.Flag) {
	var arguments []string
	for _, p := range c.Positional {
		name := strings.ToUpper(p.Name)
		if !p.Required {
			name = "[" + name + "]"
		}
		if p.IsSlice() {
			name += "..."
		}
		arguments = append(arguments, name)
	}
	m.printf(".TP\n.B %s %s\n%s\n", name, roff(strings.Join(arguments, " ")), roff(c.Help))
	m.detail(c.Detail)
	for _, f := range c.Flags {
		m.printf(".br\n\\fB%s\\fR%s %s\n", roff(strings.Join(flagNames(f), ", ")), roff(OptionalValue(f)), roff(f.Help))
	}
	var names []string
	for _, f := range shared {
		if f.Name != "help" {
			names = append(names, flagNames(f)[0])
		}
	}
	if len(names) > 0 {
		m.printf(".br\nAlso, see below: %s.\n", roff(strings.Join(names, ", ")))
	}
}

// detail prints paragraphs; paragraphs that begin with spaces are tables.
func (m manual) detail(text string) {
	if text == "" {
		return
	}
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(paragraph, " ") {
			m.printf(".sp\n.nf\n%s\n.fi\n", roff(paragraph))
			continue
		}
		m.printf(".sp\n%s\n", roff(paragraph))
	}
	m.printf(".sp\n")
}

func (m manual) flag(f *kong.Flag) {
	value := ""
	if takesValue(f) {
		value = " " + roff(f.FormatPlaceHolder())
	}
	m.printf(".TP\n\\fB%s\\fR%s\n%s\n", roff(strings.Join(flagNames(f), ", ")), value, roff(f.Help))
}

// roff escapes what roff would treat as markup, and non-ASCII characters: readers treat the bytes as Latin-1.
func roff(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\e`), "-", `\-`)
	var ascii strings.Builder
	for _, r := range s {
		if r < 0x80 {
			ascii.WriteRune(r)
		} else {
			fmt.Fprintf(&ascii, `\[u%04X]`, r)
		}
	}
	s = ascii.String()
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

func orDash(s string) string {
	if s == "" {
		return `\-`
	}
	return s
}

// in returns where a key works, in words.
func in(where string) string {
	if where == "" {
		return ""
	}
	return " (" + roff(where) + ")"
}
