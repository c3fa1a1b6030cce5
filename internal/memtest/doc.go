// Package memtest holds what tests of several packages share: VT, an emulator
// that understands what tcell writes and remembers what else was sent;
// Session, a program on a pseudo terminal; Text, Styles and Golden, screens as
// files to compare with. Its own tests check the rules that hold for the whole
// repository: who imports whom, and how long functions and files may be.
package memtest
