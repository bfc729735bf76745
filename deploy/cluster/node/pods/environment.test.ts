import type { Container, Pod, Secret } from '../api/objects.ts';
import { commandLine } from './command-line.ts';
import { environmentOf, expand } from './environment.ts';
import { quantity } from './pod-fields.ts';
import { MissingSource, type Sources } from './sources.ts';

const facts = { podIp: '10.244.0.2', hostIp: '10.244.0.1', nodeName: 'node', cpus: 2, memoryBytes: 2 ** 30 };
const apiServer = { host: '10.96.0.1', port: 443 };
const metadata = { name: 'pod', namespace: 'space', uid: 'u', resourceVersion: '1', labels: { app: 'x' } };
const secret: Secret = {
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, name: 'secret' } },
  data: { password: Buffer.from('geheim').toString('base64') },
};
const sources: Sources = {
  secret: async (_namespace, name) => (name === 'secret' ? secret : undefined),
  configMap: async () => undefined,
};

async function variablesOf(container: Partial<Container>): Promise<Record<string, string>> {
  const whole: Container = { name: 'main', ...container };
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [whole] } };
  const variables = await environmentOf({ pod, container: whole, facts, sources, apiServer });
  return Object.fromEntries(variables);
}

it.each([
  ['$(A) and $(B)', '1 and $(B)'],
  ['$$(A)', '$(A)'],
  ['$$$(A)', '$1'],
  ['$A $ $(', '$A $ $('],
])('expands %j to %j', (text, expected) => {
  expect(expand(text, new Map([['A', '1']]))).toBe(expected);
});

it.each([
  ['250m', 0.25],
  ['1Gi', 2 ** 30],
  ['1e3', 1000],
  ['2k', 2000],
])('takes the quantity %s for %d', (text, expected) => {
  expect(quantity(text)).toBe(expected);
});

it('gives a variable of its own precedence over one of envFrom, and lets later ones name earlier ones', async () => {
  const found = await variablesOf({
    envFrom: [
      { prefix: 'X_', secretRef: { name: 'secret' } },
      { prefix: 'Y_', secretRef: { name: 'secret' } },
    ],
    env: [
      { name: 'X_password', value: 'own' },
      { name: 'URL', value: 'db://$(X_password)@$(KUBERNETES_SERVICE_HOST)' },
    ],
  });
  expect(found).toMatchObject({ X_password: 'own', Y_password: 'geheim', URL: 'db://own@10.96.0.1' });
});

it('takes values from keys of Secrets, fields of the pod and limits of the container', async () => {
  const from = (name: string, valueFrom: NonNullable<Container['env']>[number]['valueFrom']) => ({
    name,
    valueFrom: valueFrom!,
  });
  const found = await variablesOf({
    resources: { limits: { memory: '64Mi' } },
    env: [
      from('SECRET', { secretKeyRef: { name: 'secret', key: 'password' } }),
      from('IP', { fieldRef: { fieldPath: 'status.podIP' } }),
      from('LABEL', { fieldRef: { fieldPath: "metadata.labels['app']" } }),
      from('MEMORY', { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } }),
      from('CPU', { resourceFieldRef: { resource: 'limits.cpu' } }),
      from('ABSENT', { secretKeyRef: { name: 'none', key: 'a', optional: true } }),
    ],
  });
  expect(found).toMatchObject({ SECRET: 'geheim', IP: '10.244.0.2', LABEL: 'x', MEMORY: '64', CPU: '2' });
  expect(found).not.toHaveProperty('ABSENT');
});

it.each([
  ['a Secret', { name: 'none', key: 'a' }, 'secret "none" not found'],
  ['a key', { name: 'secret', key: 'none' }, "couldn't find key none in secret secret"],
])('waits for %s that is not there', async (_what, secretKeyRef, message) => {
  const failed = variablesOf({ env: [{ name: 'A', valueFrom: { secretKeyRef } }] });
  await expect(failed).rejects.toThrow(message);
  await expect(failed).rejects.toBeInstanceOf(MissingSource);
});

const image = { entrypoint: ['node'], command: ['main.mjs'], folder: '/', environment: {} };
it.each([
  ['nothing', {}, ['node', 'main.mjs']],
  ['args', { args: ['$(A)'] }, ['node', '1']],
  ['command', { command: ['sh'] }, ['sh']],
  ['both', { command: ['sh'], args: ['-c', 'x'] }, ['sh', '-c', 'x']],
])('runs what the image says, with %s of the container in its place', (_what, own, expected) => {
  expect(commandLine({ name: 'main', ...own }, image, new Map([['A', '1']]))).toEqual(expected);
});
