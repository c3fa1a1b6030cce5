// Package profile has the screens of stack profiles, except for their stacks: Overview, Functions, Timeline and Leaks.
package profile
