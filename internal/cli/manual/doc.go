// Package manual generates documentation from a command line's grammar: completion scripts for shells and the manual
// page.
package manual
