// Package memtest has what tests of several packages share: VT, an emulator that interprets tcell's output and records
// other sequences; Session, a program on a pseudo terminal; Text, Styles and Golden, for comparing screens with files.
// Its own tests check the rules for the complete repository: which packages import which, and how long functions and
// files may be.
package memtest
