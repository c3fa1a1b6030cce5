// Package pages adds up page layouts and measured series: what is occupied, how memory is fragmented, how two layouts
// differ, and what a curve shows in so many columns.
package pages
