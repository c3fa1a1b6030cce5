package serve

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
)

// Reached returns the host in an address for browsers on this machine, of a server that listens at host.
func Reached(host string) string {
	if ip := net.ParseIP(host); ip != nil && (ip.IsUnspecified() || ip.IsLoopback() && ip.To4() != nil) {
		return "127.0.0.1"
	}
	return host
}

// Names returns the names under which others reach a server that listens at host.
func Names(host string) []string {
	names := []string{host}
	if ip := net.ParseIP(host); ip == nil || !ip.IsUnspecified() {
		return names
	}
	if name, err := os.Hostname(); err == nil {
		names = append(names, name)
	}
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok {
			names = append(names, n.IP.String())
		}
	}
	return names
}

// Hints returns how to reach a server that listens at host from elsewhere, and that others can where they can. remote is true
// where the user is on another machine.
func Hints(host string, at net.Addr, remote bool) (lines []string) {
	_, port, _ := net.SplitHostPort(at.String())
	ip := net.ParseIP(host)
	switch {
	case host != "localhost" && (ip == nil || !ip.IsLoopback()):
		lines = append(lines, "warning: every machine that reaches "+host+" can ask this port, without encryption; only those with the address above get answers")
	case remote:
		name, err := os.Hostname()
		if err != nil {
			name = "this-machine"
		}
		lines = append(lines, fmt.Sprintf("from your own machine: ssh -L %s:127.0.0.1:%[1]s %s, then open the address there", port, name))
	}
	return append(lines, "Ctrl-C ends it")
}

// OpenBrowser opens an address in the user's browser, and does not wait for it.
func OpenBrowser(ctx context.Context, address string) error {
	program := []string{"xdg-open", address}
	if runtime.GOOS == "darwin" {
		program[0] = "open"
	}
	return exec.CommandContext(context.WithoutCancel(ctx), program[0], program[1:]...).Start()
}
