package arg

// AfterDashes returns a command without the "--" that may separate it from the flags before it.
func AfterDashes(command []string) []string {
	if len(command) > 0 && command[0] == "--" {
		return command[1:]
	}
	return command
}
