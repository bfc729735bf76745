import { type Connection, forbidden, type NetworkPolicy } from './network-policies.ts';

const pod = (app: string) => ({ metadata: { name: app, labels: { app } }, status: { phase: 'Running' } });
const connection = (from: string, to: string, port: number): Connection => ({
  from: pod(from),
  to: pod(to),
  port,
});
const selector = (app: string) => ({ matchLabels: { app } });

const policies: readonly NetworkPolicy[] = [
  { spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } },
  {
    spec: {
      podSelector: selector('caller'),
      policyTypes: ['Ingress', 'Egress'],
      egress: [{ to: [{ podSelector: selector('callee') }], ports: [{ port: 8443 }] }],
    },
  },
  {
    spec: {
      podSelector: selector('callee'),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { from: [{ podSelector: selector('caller') }], ports: [{ port: 8443 }] },
        { from: [], ports: [{ protocol: 'TCP', port: 8080 }] },
        { from: [], ports: [{ protocol: 'UDP', port: 53 }] },
      ],
    },
  },
];

it('network policies permit traffic that both ends list, by the port in the pod', () => {
  expect(forbidden([connection('caller', 'callee', 8443)], policies)).toEqual([]);
  expect(forbidden([connection('caller', 'callee', 9090)], policies)).toEqual([
    'caller -> callee:9090: no policy allows the caller',
    'caller -> callee:9090: no policy allows access to the callee',
  ]);
});

it('network policies deny a caller that only the callee admits, and a callee that admits no one', () => {
  expect(forbidden([connection('other', 'callee', 8080)], policies)).toEqual([
    'other -> callee:8080: no policy allows the caller',
  ]);
  expect(forbidden([connection('caller', 'other', 8443)], policies)).toHaveLength(2);
});

it('network policies deny a TCP connection to a port that is open only for UDP', () => {
  expect(forbidden([connection('other', 'callee', 53)], policies)).toHaveLength(2);
});

it('network policies permit everything when there are none', () => {
  expect(forbidden([connection('a', 'b', 1)], [])).toEqual([]);
});
