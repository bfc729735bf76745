// Every program of a Kubernetes node and its control plane in one, so that what they have in common is linked once: the
// first argument says which of them this is.
package main

import (
	"context"
	"log"
	"os"
	_ "time/tzdata" // for CronJobs with a time zone

	"github.com/coredns/caddy"
	"github.com/coredns/coredns/core/dnsserver"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/hosts"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

var commands = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllers.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kube-proxy":              proxy.NewProxyCommand,
	"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
	"kubectl":                 kubectl.NewDefaultKubectlCommand,
}

func main() {
	if len(os.Args) < 2 {
		log.Fatal("which program? its name is the first argument")
	}
	os.Args = os.Args[1:]
	switch name := os.Args[0]; name {
	case "etcd":
		etcdmain.Main(os.Args)
	case "coredns":
		serveNames(os.Args[1])
	default:
		command, known := commands[name]
		if !known {
			log.Fatalf("there is no program %s", name)
		}
		os.Exit(cli.Run(command()))
	}
}

// serveNames runs CoreDNS on a file of its configuration. Its own command would bring every plugin, with a cloud's client each.
func serveNames(path string) {
	dnsserver.Directives = []string{"errors", "ready", "hosts", "kubernetes"}
	caddy.TrapSignals()
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	instance, err := caddy.Start(caddy.CaddyfileInput{Contents: text, Filepath: path, ServerTypeName: "dns"})
	if err != nil {
		log.Fatal(err)
	}
	instance.Wait()
}
