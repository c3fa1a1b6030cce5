// Package pages sums up page layouts and measured series: what is occupied, how memory is fragmented, how two layouts
// differ, and the columns of a curve.
package pages
