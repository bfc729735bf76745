import type { Container, ContainerStatus, Pod } from '../api/objects.ts';
import { restartDelayMs } from './container.ts';
import { identityOf, privilegeFlags } from './identity.ts';
import { afterAnswer, NOTHING_YET } from './probe-result.ts';
import { podStatus } from './status.ts';

const SECOND = 1000;
const metadata = { name: 'pod', namespace: 'space', uid: 'u', resourceVersion: '1' };
const podWith = (spec: Partial<Pod['spec']>): Pod => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata },
  spec: { containers: [{ name: 'main' }], ...spec },
});

describe('a container that ends again and again', () => {
  it('is started at once after its first end, then after 10 s, 20 s and so on up to 5 min', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8].map((ends) => restartDelayMs(Array(ends).fill(SECOND)));
    expect(delays).toEqual([0, 10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * SECOND));
  });

  it('starts afresh when it ran for ten minutes', () => {
    expect(restartDelayMs([1, 1, 1, 600 * SECOND])).toBe(0);
    expect(restartDelayMs([1, 1, 1, 600 * SECOND, 1, 1])).toBe(10 * SECOND);
  });
});

describe('a probe', () => {
  const after = (answers: readonly boolean[], thresholds = {}) =>
    answers.reduce((result, answer) => afterAnswer(result, answer, thresholds), NOTHING_YET).healthy;

  it('finds a container healthy after one good answer, and unhealthy after three bad ones in a row', () => {
    expect(after([true])).toBe(true);
    expect(after([true, false, false])).toBe(true);
    expect(after([true, false, false, true, false, false])).toBe(true);
    expect(after([true, false, false, false])).toBe(false);
  });

  it('keeps to its own thresholds', () => {
    expect(after([false], { failureThreshold: 1 })).toBe(false);
    expect(after([false, false, false, true], { successThreshold: 2 })).toBe(false);
    expect(after([false, false, false, true, true], { successThreshold: 2 })).toBe(true);
  });
});

describe('the status of a pod', () => {
  const status = (name: string, more: Partial<ContainerStatus>): ContainerStatus => ({
    ...{ name, image: 'i', imageID: '', ready: false, restartCount: 0 },
    ...more,
  });
  const running = status('main', { ready: true, state: { running: {} } });
  const waiting = status('main', { state: { waiting: {} } });
  const ended = (exitCode: number) => status('main', { state: { terminated: { exitCode } } });
  const backingOff = status('main', { state: { waiting: {} }, lastState: { terminated: { exitCode: 1 } } });
  const of = (more: Partial<Parameters<typeof podStatus>[0]>) =>
    podStatus({
      ...{ pod: podWith({}), podIp: '10.244.0.2', hostIp: '10.244.0.1', startedAt: 'start', now: 'now' },
      ...{ initContainers: [], containers: [running], before: [], final: false },
      ...more,
    });
  const conditions = (found: ReturnType<typeof of>) =>
    Object.fromEntries((found.conditions ?? []).map(({ type, status: holds }) => [type, holds]));

  it.each([
    ['Pending', 'an init container runs', { initContainers: [running], containers: [waiting] }],
    ['Pending', 'a container never ran', { containers: [waiting] }],
    ['Running', 'a container runs', {}],
    ['Running', 'a container waits to be started again', { containers: [backingOff] }],
    ['Running', 'a container ended that is always started again', { containers: [ended(0)] }],
    ['Succeeded', 'all ended well', { containers: [ended(0)], pod: podWith({ restartPolicy: 'Never' }) }],
    ['Failed', 'one failed', { containers: [ended(0), ended(1)], pod: podWith({ restartPolicy: 'Never' }) }],
    [
      'Running',
      'one failed and is tried again',
      { containers: [ended(1)], pod: podWith({ restartPolicy: 'OnFailure' }) },
    ],
    [
      'Failed',
      'an init container failed for good',
      { initContainers: [ended(1)], containers: [waiting], pod: podWith({ restartPolicy: 'Never' }) },
    ],
    ['Failed', 'it was ended for good by force', { containers: [ended(137)], final: true }],
  ] as const)('is %s when %s', (phase, _when, facts) => {
    expect(of(facts).phase).toBe(phase);
  });

  it('is ready when every container and every gate is', () => {
    expect(conditions(of({}))).toMatchObject({ Ready: 'True', ContainersReady: 'True', Initialized: 'True' });
    const gated = podWith({ readinessGates: [{ conditionType: 'gate' }] });
    expect(conditions(of({ pod: gated }))).toMatchObject({ Ready: 'False', ContainersReady: 'True' });
    expect(conditions(of({ containers: [{ ...running, ready: false }] }))).toMatchObject({ Ready: 'False' });
    expect(
      conditions(of({ containers: [ended(0)], pod: podWith({ restartPolicy: 'Never' }) })),
    ).toMatchObject({ Ready: 'False' });
  });

  it('keeps the time of a condition that has not changed', () => {
    const before = [
      { type: 'Ready', status: 'True', lastTransitionTime: 'then' },
      { type: 'Initialized', status: 'False', lastTransitionTime: 'then' },
    ] as const;
    const times = Object.fromEntries(
      (of({ before: [...before] }).conditions ?? []).map(({ type, lastTransitionTime }) => [
        type,
        lastTransitionTime,
      ]),
    );
    expect(times).toMatchObject({ Ready: 'then', Initialized: 'now' });
  });
});

describe('who a container runs as', () => {
  const image = { entrypoint: [], command: [], folder: '/', environment: {}, user: 7, group: 8 };
  const of = (container: Partial<Container>, spec: Partial<Pod['spec']> = {}) =>
    identityOf(podWith(spec), { name: 'main', ...container }, image);

  it('is what it says, else what its pod says, else what its image says', () => {
    expect(of({})).toMatchObject({ user: 7, group: 8 });
    const pod = { securityContext: { runAsUser: 5, runAsGroup: 6, fsGroup: 9 } };
    expect(of({}, pod)).toMatchObject({ user: 5, group: 6, groups: [9] });
    expect(of({ securityContext: { runAsUser: 4 } }, pod)).toMatchObject({ user: 4, group: 6 });
  });

  it('is nobody where it must not be root and would be', () => {
    expect(() => of({ securityContext: { runAsNonRoot: true, runAsUser: 0 } })).toThrow('runAsNonRoot');
  });

  it('has no capability left when all are dropped, but those that are added', () => {
    const found = of({
      securityContext: {
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
      },
    });
    expect(privilegeFlags(found)).toEqual([
      ...['--reuid=7', '--regid=8', '--clear-groups', '--inh-caps=-all'],
      ...['--bounding-set=-all,+net_bind_service', '--no-new-privs'],
    ]);
  });
});
