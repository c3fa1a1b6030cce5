package fleets

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// User and Password are those of the server of [ClickHouse].
const User, Password = "fleet", `se'cret "1" <&>`

const config = `<?xml version="1.0"?>
<yandex>
<logger><level>warning</level><console>1</console></logger>
<http_port>%d</http_port><tcp_port>%d</tcp_port><listen_host>127.0.0.1</listen_host>
<path>%[3]s/data/</path><tmp_path>%[3]s/tmp/</tmp_path><user_files_path>%[3]s/files/</user_files_path>
<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size>
</yandex>
`

const users = `<?xml version="1.0"?>
<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
<users><fleet><password>se'cret "1" &lt;&amp;&gt;</password>
<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></fleet></users>
<quotas><default/></quotas></yandex>
`

// ClickHouse starts a server on loopback, with a folder of its own, until the test ends, and returns its address. The
// program is that of MEMTUI_CLICKHOUSE, or clickhouse-server; without either the test is skipped.
func ClickHouse(t testing.TB) (address string) {
	t.Helper()
	program := os.Getenv("MEMTUI_CLICKHOUSE")
	if program == "" {
		var err error
		if program, err = exec.LookPath("clickhouse-server"); err != nil {
			t.Skip("no clickhouse-server: install Debian's package, or name the program in MEMTUI_CLICKHOUSE")
		}
	}
	dir := t.TempDir()
	web, native := freePort(t), freePort(t)
	for name, text := range map[string]string{"config.xml": fmt.Sprintf(config, web, native, dir), "users.xml": users} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--config-file="+filepath.Join(dir, "config.xml"))
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
		log.Close()
	})
	address = fmt.Sprintf("http://127.0.0.1:%d", web)
	wait(t, address, ended, log.Name())
	return address
}

// wait returns when a server answers.
func wait(t testing.TB, address string, ended chan struct{}, log string) {
	for range 300 {
		resp, err := http.Get(address + "/ping")
		if err == nil {
			resp.Body.Close()
			return
		}
		select {
		case <-ended:
			text, _ := os.ReadFile(log)
			t.Fatalf("the server ended: %s", text)
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatal("the server does not answer")
}

func freePort(t testing.TB) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
