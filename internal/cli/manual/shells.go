package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// Bash writes a script that completes commands, flags and their values in bash.
func Bash(w io.Writer, app Grammar) {
	var commands []string
	for _, c := range app.Children {
		commands = append(commands, c.Name)
	}
	fmt.Fprintf(w, `# bash completion for %[1]s: source <(%[1]s completion bash)
_%[1]s() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= word words= flags=
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in %[2]s) command=$word; break;; esac
  done
  case $prev in
`, app.Name, strings.Join(commands, "|"))
	seen := map[string]bool{}
	for _, c := range append([]*kong.Node{nil}, app.Children...) {
		for _, f := range app.Visible(c) {
			if list := choices(f.Value); len(list) > 0 && !seen[f.Name] {
				seen[f.Name] = true
				fmt.Fprintf(w, "    %s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return;;\n",
					strings.Join(flagNames(f), "|"), strings.Join(list, " "))
			}
		}
	}
	fmt.Fprint(w, "  esac\n  case $command in\n")
	for _, c := range append([]*kong.Node{nil}, app.Children...) {
		name, list := "*", commands
		if c != nil {
			name, list = c.Name, words(c)
		}
		var flags []string
		for _, f := range app.Visible(c) {
			flags = append(flags, flagNames(f)...)
		}
		if c != nil {
			fmt.Fprintf(w, "    %s) words='%s' flags='%s';;\n", name, strings.Join(list, " "), strings.Join(flags, " "))
			continue
		}
		fmt.Fprintf(w, "    '') words='%s' flags='%s';;\n", strings.Join(list, " "), strings.Join(flags, " "))
	}
	fmt.Fprintf(w, `  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur"))
  fi
}
complete -o filenames -F _%[1]s %[1]s
`, app.Name)
}

// quoteZsh makes a help text safe between the quotes and brackets of a zsh specification.
func quoteZsh(s string) string {
	return strings.NewReplacer("'", "’", "[", "(", "]", ")", ":", " -").Replace(s)
}

// Zsh writes a script that completes commands, flags and their values in zsh.
func Zsh(w io.Writer, app Grammar) {
	fmt.Fprintf(w, "#compdef %[1]s\n# zsh completion for %[1]s: source <(%[1]s completion zsh)\n_%[1]s() {\n  local -a commands\n  commands=(\n", app.Name)
	for _, c := range app.Children {
		fmt.Fprintf(w, "    '%s:%s'\n", c.Name, quoteZsh(c.Help))
	}
	fmt.Fprintf(w, "  )\n  local command=\n  (( CURRENT > 2 )) && command=${words[2]}\n  case $command in\n")
	for _, c := range app.Children {
		arguments := "'*:file:_files'"
		if list := words(c); len(c.Children) > 0 {
			arguments = fmt.Sprintf("'2:verb:(%s)' '*:file:_files'", strings.Join(list, " "))
		} else if len(list) > 0 {
			arguments = fmt.Sprintf("'*:argument:(%s)'", strings.Join(list, " "))
		}
		fmt.Fprintf(w, "    %s) _arguments%s '1:command:' %s;;\n", c.Name, zshFlags(app, c), arguments)
	}
	fmt.Fprintf(w, "    *) _arguments%s '1:command or file:{_describe command commands; _files}' '*:file:_files';;\n  esac\n}\ncompdef _%s %s\n",
		zshFlags(app, nil), app.Name, app.Name)
}

func zshFlags(app Grammar, command *kong.Node) string {
	var out strings.Builder
	for _, f := range app.Visible(command) {
		for _, name := range flagNames(f) {
			value := ""
			if list := choices(f.Value); len(list) > 0 {
				value = ":value:(" + strings.Join(list, " ") + ")"
			} else if takesValue(f) {
				value = ":value:"
			}
			fmt.Fprintf(&out, " '%s[%s]%s'", name, quoteZsh(f.Help), value)
		}
	}
	return out.String()
}

// Fish writes a script that completes commands, flags and their values in fish.
func Fish(w io.Writer, app Grammar) {
	fmt.Fprintf(w, "# fish completion for %[1]s: %[1]s completion fish | source\n", app.Name)
	quote := func(s string) string {
		return "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", `\'`) + "'"
	}
	for _, c := range app.Children {
		fmt.Fprintf(w, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", app.Name, c.Name, quote(c.Help))
		if list := words(c); len(list) > 0 {
			only := "-f "
			if len(c.Children) > 0 {
				only = "" // files follow the verb
			}
			fmt.Fprintf(w, "complete -c %s -n '__fish_seen_subcommand_from %s' "+only+"-a %s\n", app.Name, c.Name,
				quote(strings.Join(list, " ")))
		}
	}
	flag := func(f *kong.Flag, condition string) {
		for _, name := range flagNames(f) {
			spelling := "-l " + strings.TrimPrefix(name, "--")
			if !strings.HasPrefix(name, "--") {
				spelling = "-s " + name[1:]
			}
			value := ""
			if list := choices(f.Value); len(list) > 0 {
				value = " -x -a " + quote(strings.Join(list, " "))
			} else if takesValue(f) {
				value = " -x"
			}
			fmt.Fprintf(w, "complete -c %s%s %s%s -d %s\n", app.Name, condition, spelling, value, quote(f.Help))
		}
	}
	for _, f := range app.Visible(nil) {
		flag(f, " -n __fish_use_subcommand")
	}
	for _, c := range app.Children {
		for _, f := range app.Visible(c) {
			flag(f, " -n '__fish_seen_subcommand_from "+c.Name+"'")
		}
	}
}
