// The objects of the trial, as somebody would write them for any cluster.

export const NAMESPACE = 'trial';
export const IMAGE = 'localhost/trial:1';
const USER = 65532;

const restricted = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};
const podSecurity = {
  ...{ runAsNonRoot: true, runAsUser: USER, runAsGroup: USER, fsGroup: USER },
  seccompProfile: { type: 'RuntimeDefault' },
};
const PORTS = [{ name: 'http', containerPort: 8080 }];

export const secret = (password: string) => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'secret' } },
  stringData: { password },
});

export const settings = {
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } },
  data: { GREETING: 'hello' },
};

/** A server with two pods that see everything which a pod can be given. */
export const server = (checkout: string) => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'server' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'server' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    template: {
      metadata: { labels: { app: 'server' } },
      spec: {
        ...{
          securityContext: podSecurity,
          terminationGracePeriodSeconds: 20,
          automountServiceAccountToken: false,
        },
        containers: [
          {
            ...{ name: 'server', image: IMAGE, args: ['server.mjs', '$(POD)', '$$(POD)'], ports: PORTS },
            envFrom: [{ configMapRef: { name: 'settings' } }],
            env: [
              { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'secret', key: 'password' } } },
              { name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
              { name: 'CHECKOUT', value: checkout },
            ],
            startupProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 1, failureThreshold: 60 },
            readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 1, timeoutSeconds: 10 },
            lifecycle: { preStop: { sleep: { seconds: 2 } } },
            securityContext: restricted,
            volumeMounts: [
              { name: 'secret', mountPath: '/etc/secret', readOnly: true },
              { name: 'tokens', mountPath: '/var/run/tokens', readOnly: true },
              { name: 'scratch', mountPath: '/scratch' },
            ],
          },
        ],
        volumes: [
          { name: 'secret', secret: { secretName: 'secret', defaultMode: 0o440 } },
          {
            name: 'tokens',
            projected: { sources: [{ serviceAccountToken: { audience: 'other', path: 'other' } }] },
          },
          { name: 'scratch', persistentVolumeClaim: { claimName: 'scratch' } },
        ],
      },
    },
  },
});

export const claim = {
  ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'scratch' } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

export const service = {
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'server' } },
  spec: { selector: { app: 'server' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
};

/** A Job whose pods do what `script` says. */
export const job = (name: string, script: string, backoffLimit: number) => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name } },
  spec: { backoffLimit, template: { spec: { ...running(script), restartPolicy: 'Never' } } },
});

/** A pod of its own that does what `script` says. */
export const pod = (name: string, script: string, more: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name } },
  spec: running(script, more),
});

function running(script: string, more: object = {}) {
  const container = { name: 'main', image: IMAGE, command: ['node', '--eval', script] };
  return {
    ...{
      securityContext: podSecurity,
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
    },
    containers: [{ ...container, securityContext: restricted, ...more }],
  };
}
