// Package profile has the screens of stack profiles, but for their stacks: Overview, Functions, Timeline and Leaks.
package profile
