package manual

import "strings"

// CommandsFirst moves the list of commands in a help text before the flags, which are many.
func CommandsFirst(help string) string {
	flags, commands := strings.Index(help, "\nFlags:\n"), strings.Index(help, "\nCommands:\n")
	end := strings.LastIndex(help, "\nRun \"")
	if flags < 0 || commands < flags || end < commands {
		return help
	}
	return help[:flags] + help[commands:end] + help[flags:commands] + help[end:]
}
