import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { permissionsOf } from '@supplier/lib/events/event-bus';
import { parse, parseAllDocuments } from 'yaml';
import { filesOf } from '../../deploy/prepare/files.ts';
import { completed } from '../../deploy/prepare/prepared.ts';
import { KIND } from './examples.ts';
import { CHART, describeWithHelm } from './helm.ts';
import { validate } from './kubernetes-schemas.ts';
import { type KubernetesObject, ofKind } from './objects.ts';

const EXAMPLES = join(CHART, '..', 'examples');
const text = (name: string) => readFileSync(join(EXAMPLES, name), 'utf8');
const objectsOf = (yaml: string): KubernetesObject[] =>
  parseAllDocuments(yaml)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);

describe('charts/examples', () => {
  it('describes the purpose of each file', () => {
    const files = readdirSync(EXAMPLES).filter((name) => name !== 'README.md');
    const listed = [...text('README.md').matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name);
    expect(listed.toSorted()).toEqual(files.toSorted());
  });

  it.each(['cert-manager.yaml', 'postgresql.yaml', 'external-secrets.yaml'])(
    '%s is accepted by its operator',
    async (name) => {
      const objects = objectsOf(text(name));
      expect(objects.length).toBeGreaterThan(0);
      for (const object of objects) await validate(object);
    },
  );

  it('external-secrets.yaml is the store of the prepared secrets, which the operator accepts too', async () => {
    const [store] = objectsOf(text('external-secrets.yaml'));
    const files = filesOf(
      completed({ release: 'leads', namespace: 'suppliers', store: store?.metadata.name }),
    );
    const secrets = objectsOf(files['external-secrets.yaml'] ?? '');
    expect(secrets).toHaveLength(3);
    for (const object of secrets) await validate(object);
  });

  it('nats.yaml syncs messages to disk every second and includes the prepared users', () => {
    const { config, container, podTemplate } = parse(text('nats.yaml'));
    expect(config.jetstream.merge.sync_interval).toBe('1s');
    const [{ value: volume }] = podTemplate.patch;
    const [{ value: mount }] = container.patch;
    expect(mount.name).toBe(volume.name);
    // The server's own file is in /etc/nats-config.
    expect(join('/etc/nats-config', config.merge.$include)).toBe(join(mount.mountPath, 'nats-users.conf'));
    const files = filesOf(completed({ release: 'leads', namespace: 'suppliers' }));
    expect(files['nats-users.conf']).toContain(permissionsOf('account').subscribe.allow[0]);
  });
});

describeWithHelm('kind.yaml', 4, (helm) => {
  it('maps the ports of the kind values to localhost', async () => {
    const objects = await helm.render(KIND);
    const opened = ofKind(objects, 'Service').flatMap(({ spec }) => {
      const { type, ports } = spec as { type?: string; ports: { name: string; nodePort?: number }[] };
      return type === 'NodePort' ? ports.map(({ name, nodePort }) => [name, nodePort]) : [];
    });
    const { nodes } = parse(text('kind.yaml'));
    const hostPort = (name: string) => {
      const [, nodePort] = opened.find(([port]) => port === name) ?? [];
      const mappings = nodes[0].extraPortMappings as Record<string, unknown>[];
      const found = mappings.find(({ containerPort }) => containerPort === nodePort);
      expect(found).toMatchObject({ listenAddress: '127.0.0.1' });
      return found?.hostPort;
    };
    const { gateways, processes } = parse(readFileSync(join(CHART, 'values-kind.yaml'), 'utf8'));
    const { throwAway } = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
    expect(processes.gateway.settings.sandboxUrl).toBe(`http://localhost:${hostPort('api')}`);
    expect(gateways.sandbox.pagesUrl).toBe(`http://localhost:${hostPort('pages')}`);
    expect(throwAway.uploadUrl).toBe(`http://localhost:${hostPort('uploads')}`);
    expect(opened).toHaveLength(3);
  });
});

describeWithHelm('the example of', 4, (helm) => {
  it.each([
    ['EKS', 'eks.yaml', 'Ingress'],
    ['GKE', 'gke.yaml', 'HTTPRoute'],
    ['your own cluster', 'bare.yaml', 'Certificate'],
  ])('%s installs, and every object is valid for Kubernetes', async (_where, file, kind) => {
    const objects = await helm.render({ files: ['values-production.yaml', join(EXAMPLES, file)] });
    for (const object of objects) await validate(object);
    expect(ofKind(objects, kind).length).toBeGreaterThan(0);
  });
});
