import { createHash } from 'node:crypto';
import { EVERYTHING, KIND, PRODUCTION, withValues } from './examples.ts';
import { describeWithHelm, type Helm } from './helm.ts';
import { type KubernetesObject, ofKind } from './objects.ts';

describeWithHelm('names', 4, (helm) => {
  const jobNames = async (...set: string[]) =>
    ofKind(await helm.render(withValues(PRODUCTION, ...set)), 'Job')
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.includes('-migrate-'));
  const longest = (helm: Helm, ...set: string[]) =>
    helm.render({ ...withValues(EVERYTHING, ...set), release: 'r'.repeat(53) });

  it.each([
    ['with a long release name', []],
    ['with a long override', [`fullnameOverride="${'f'.repeat(63)}"`]],
    ['with a long chart name', [`nameOverride="${'n'.repeat(120)}"`]],
  ])('%s stay within 63 characters and remain unique', async (_, set) => {
    const objects = await longest(helm, ...set);
    const keys = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(keys).size).toBe(keys.length);
    for (const object of objects) {
      expect(object.metadata.name).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
      // The suffix that a CronJob adds to its Jobs counts too.
      if (object.kind === 'CronJob') expect(object.metadata.name.length).toBeLessThanOrEqual(52);
      for (const label of labelsOf(object))
        expect(label).toMatch(/^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/);
    }
  });

  it('differ between two releases with the same prefix', async () => {
    const one = await helm.render({ ...PRODUCTION, release: `${'r'.repeat(50)}a` });
    const two = await helm.render({ ...PRODUCTION, release: `${'r'.repeat(50)}b` });
    const names = new Set(one.map(({ metadata }) => metadata.name));
    expect(two.filter(({ metadata }) => names.has(metadata.name))).toEqual([]);
  });

  it.each([
    ['production', PRODUCTION],
    ['kind', KIND],
    ['everything', EVERYTHING],
  ])(
    'of a Job end with the digest of its whole template, so that no value can change it alone: %s',
    async (_, values) => {
      const { output } = await helm.template(values);
      const jobs = output.split('\n---\n').filter((object) => /^kind: Job$/m.test(object));
      expect(jobs.length).toBeGreaterThan(5);
      for (const job of jobs) {
        const [, template = ''] = job.split('\n  template:\n');
        const digest = createHash('sha256').update(template.replace(/^ {4}/gm, '').trim()).digest('hex');
        expect(/^ {2}name: (.*)$/m.exec(job)?.[1]).toMatch(new RegExp(`-${digest.slice(0, 6)}$`));
      }
    },
  );

  it.each([
    'commonLabels={"team":"a"}',
    'image.pullSecrets=["other"]',
    'image.tag="9.9.9"',
    'databases.ca.existingSecret="other"',
    'migrations.podAnnotations={"example/a":"b"}',
    'defaults.priorityClassName="high"',
  ])('of a Job change with %s, which changes its template', async (set) => {
    const before = await jobNames();
    const after = await jobNames(set);
    expect(after.filter((name) => before.includes(name))).toEqual([]);
  });

  it('of a Job stay when only other pods change', async () => {
    expect(await jobNames('processes.account.replicas=5')).toEqual(await jobNames());
  });

  it.each([['2024-leads'], ['my.leads'], ['0']])(
    'of the release %s are refused where Services could not have them',
    async (release) => {
      const { ok, output } = await helm.template({ ...PRODUCTION, release });
      expect({ ok, output }).toEqual({
        ok: false,
        output: expect.stringContaining('fullnameOverride: a name that starts with a letter'),
      });
      const overridden = await helm.template({
        ...withValues(PRODUCTION, 'fullnameOverride="leads"'),
        release,
      });
      expect(overridden.ok).toBe(true);
    },
  );
});

function labelsOf({ metadata, spec }: KubernetesObject): string[] {
  const { template, selector } = (spec ?? {}) as {
    template?: { metadata?: { labels?: Record<string, string> } };
    selector?: { matchLabels?: Record<string, string> };
  };
  return [metadata.labels, template?.metadata?.labels, selector?.matchLabels].flatMap((labels) =>
    Object.values(labels ?? {}),
  );
}
