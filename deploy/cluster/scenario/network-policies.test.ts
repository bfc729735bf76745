import type { SeenConnection } from '../node/index.ts';
import { forbidden, type NetworkPolicy } from './network-policies.ts';

const labels = (app: string) => ({ app });
const connection = (from: string | undefined, to: string, targetPort: number): SeenConnection => ({
  ...(from === undefined ? {} : { from: { namespace: 'n', name: from, labels: labels(from) } }),
  to: { namespace: 'n', service: to, port: 80, pod: to, targetPort, labels: labels(to) },
  count: 1,
});
const selector = (app: string) => ({ matchLabels: { app } });

const policies: readonly NetworkPolicy[] = [
  { spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } },
  {
    spec: {
      podSelector: selector('caller'),
      policyTypes: ['Ingress', 'Egress'],
      egress: [{ to: [{ podSelector: selector('callee') }], ports: [{ protocol: 'TCP', port: 8443 }] }],
    },
  },
  {
    spec: {
      podSelector: selector('callee'),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { from: [{ podSelector: selector('caller') }], ports: [{ protocol: 'TCP', port: 8443 }] },
        { from: [], ports: [{ protocol: 'TCP', port: 8080 }] },
      ],
    },
  },
];

it('lets through what both ends list, by the port in the pod', () => {
  expect(forbidden([connection('caller', 'callee', 8443)], policies)).toEqual([]);
  expect(forbidden([connection('caller', 'callee', 9090)], policies)).toEqual([
    'caller -> callee:9090: the caller may not',
    'caller -> callee:9090: the callee lets nobody',
  ]);
});

it('tells of a caller that only the callee admits, and of a callee that nobody admits', () => {
  expect(forbidden([connection('other', 'callee', 8080)], policies)).toEqual([
    'other -> callee:8080: the caller may not',
  ]);
  expect(forbidden([connection('caller', 'other', 8443)], policies)).toHaveLength(2);
});

it('lets the node in, and everything where there is no policy', () => {
  expect(forbidden([connection(undefined, 'callee', 1)], policies)).toEqual([]);
  expect(forbidden([connection('a', 'b', 1)], [])).toEqual([]);
});
