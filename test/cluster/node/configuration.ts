import { PAUSE } from './pause-image.ts';

/** The address of the node, on a bridge, since not every kernel has dummy devices. */
export const ADDRESS = '10.99.0.1';
export const NAME = 'node';
export const SERVICES = '10.96.0.0/16';
const PODS = '10.244.0.0/24';
const DOMAIN = 'cluster.local';

/** Each pod has its own network device, and traffic between pods is routed, so that connections can be followed. */
export const podNetwork = JSON.stringify({
  cniVersion: '1.0.0',
  name: 'pods',
  plugins: [
    {
      type: 'ptp',
      ipMasq: false,
      ipam: { type: 'host-local', ranges: [[{ subnet: PODS }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
  ],
});

export const containerd = (folder: string) => `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE}"
  # Root may lack the capability to be killed later than others.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${folder}"
`;

export const kubelet = (cgroup: string) =>
  JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    failCgroupV1: false,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${cgroup}`,
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    clusterDNS: [ADDRESS],
    clusterDomain: DOMAIN,
    // Secrets must reach pods within seconds.
    syncFrequency: '5s',
    failSwapOn: false,
    enforceNodeAllocatable: [],
    // Images that were imported can't be pulled again.
    evictionHard: { 'memory.available': '100Mi' },
    imageGCHighThresholdPercent: 100,
    resolvConf: '',
  });

export const kubeProxy = (kubeconfig: string) =>
  JSON.stringify({
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig },
    mode: 'iptables',
    clusterCIDR: PODS,
    // These settings belong to the machine.
    conntrack: { maxPerCore: 0, min: 0 },
    hostnameOverride: NAME,
  });

/** Resolves Services and `hosts` only. */
export const coreDns = (kubeconfig: string, hosts: Readonly<Record<string, string>>) => `.:53 {
  errors
  ready 127.0.0.1:8181
  hosts {
    ${Object.entries(hosts)
      .map(([name, address]) => `${address} ${name}`)
      .join('\n    ')}
    fallthrough
  }
  kubernetes ${DOMAIN} in-addr.arpa ip6.arpa {
    kubeconfig ${kubeconfig}
  }
}
`;

export const resolver = `nameserver ${ADDRESS}\nsearch svc.${DOMAIN} ${DOMAIN}\noptions ndots:5\n`;

export const volumeAt = (name: string, path: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: '10Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path },
  },
});
