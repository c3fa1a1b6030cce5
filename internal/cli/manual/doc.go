// Package manual writes what a command line's grammar tells: completion scripts for shells and the manual page.
package manual
