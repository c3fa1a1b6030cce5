package serve

import (
	"context"
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

// OpenBrowser opens an address in the user's browser, and does not wait for it.
func OpenBrowser(ctx context.Context, address string) error {
	program := []string{"xdg-open", address}
	if runtime.GOOS == "darwin" {
		program[0] = "open"
	}
	return exec.CommandContext(context.WithoutCancel(ctx), program[0], program[1:]...).Start()
}
