package cli

import "strings"

// question is what somebody wants to know, and the words of the command that tells.
type question struct {
	question string
	words    []string
}

// questions are those of the guide, in the order in which one asks. A test parses every command.
func questions() []question {
	ask := func(text, command string) question { return question{text, strings.Fields(command)} }
	return []question{
		ask("What is this file, how large, and what will reading it cost?", "info -f json FILE"),
		ask("Can I trust it?", "validate -f json FILE"),
		ask("How do I make later commands about a large trace fast?", "index -f json FILE"),
		ask("What does the program need, and who allocates? (traces; start here)", "report -f json FILE"),
		ask("Who held the memory at the peak?", "report -f csv --table peak_sites FILE"),
		ask("Who holds it at an instant?", "report -f csv --table live_sites --at 12.5s FILE"),
		ask("What leaks, since when, and how does it grow?", "report -f csv --table leaks --min-age 1s FILE"),
		ask("What was allocated in a range and is still there at its end?", "report -f json --from 10s --to 20s FILE"),
		ask("Which functions, files or threads cost most?", "report -f json --group file FILE"),
		ask("Which blocks are live?", "report -f csv --table blocks --limit 1000 FILE"),
		ask("What weighs a stack profile down?", "report -f csv --table total_functions --event cpu-clock FILE"),
		ask("How do measured curves go?", "report -f csv --table series FILE"),
		ask("Can a person look at all of it in a browser?", "report -f html -o page.html FILE"),
		ask("How large is each snapshot?", "heap snapshots -f json FILE"),
		ask("Which types fill the heap?", "heap types -f json --by retained_bytes FILE#-1"),
		ask("Which routines have frames on the heap?", "heap frames -f json FILE"),
		ask("Who alone keeps most alive?", "heap dominators -f json --limit 10 FILE"),
		ask("Which rows are of a type?", "heap find -f json --type Session --kind object FILE"),
		ask("What is in a row, and who refers to it?", "heap object -f json FILE 40929"),
		ask("Why is a row alive?", "heap path -f json FILE 40929"),
		ask("How full are the pages?", "pages -f json FILE#-1"),
		ask("What changed between two runs or snapshots?", "diff -f json BEFORE AFTER"),
		ask("Which types grew?", "diff -f csv FILE#0 FILE#-1"),
		ask("Does it still need no more than it may?", "check --max-peak 512M --max-leak 1M -f json FILE"),
		ask("Does it need more than before?", "check --base OLD --max-peak +5% -f json FILE"),
		ask("How do I get it into another tool?", "convert FILE out.pprof"),
		ask("What do I attach to a ticket?", "evidence -o ticket.tar.gz FILE"),
		ask("And without the names of my program?", "evidence --redact -o ticket.tar.gz FILE"),
		ask("What can I try without a file?", "demo --list"),
		ask("Which version is this?", "version -f json"),
		ask("Which keys does the full screen have?", "keys -f json"),
		ask("And this guide for a program?", "guide -f json"),
	}
}
