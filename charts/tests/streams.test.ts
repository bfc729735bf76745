import { PRODUCTION, withValues } from './examples.ts';
import { describeWithHelm } from './helm.ts';
import { ofKind, type Pod, podsIn } from './objects.ts';

describeWithHelm('pods', 4, (helm) => {
  it('configure the streams at each install and upgrade, and repair them, with credentials that no process has', async () => {
    const objects = await helm.render(withValues(PRODUCTION, 'streams.repairSchedule="*/7 * * * *"'));
    const pods = podsIn(objects);
    const configuring = pods.filter(({ component }) => component === 'streams');
    expect(configuring.map(({ owner }) => owner.kind)).toEqual(['Job', 'CronJob']);
    const secrets = ({ spec }: Pod) =>
      JSON.stringify(spec.volumes?.filter(({ name }) => name === 'nats') ?? []);
    for (const pod of configuring) {
      expect(pod.spec.containers[0]?.command).toContain('src/configure-streams.mjs');
      expect(secrets(pod)).toContain('"key":"streams"');
    }
    expect(pods.filter((pod) => secrets(pod).includes('"key":"streams"'))).toEqual(configuring);
    const [cron] = ofKind(objects, 'CronJob').filter(({ metadata }) => metadata.name.endsWith('-streams'));
    expect(cron?.spec).toMatchObject({ schedule: '*/7 * * * *', concurrencyPolicy: 'Forbid' });
  });

  it('have the event keys that they sign or verify with, and no other', async () => {
    const keysOf = ({ spec }: Pod) =>
      (spec.volumes ?? [])
        .filter(({ name }) => name === 'event-keys')
        .flatMap(({ projected }) => projected?.sources ?? [])
        .flatMap(({ secret }) => secret?.items?.map(({ path }) => path) ?? []);
    const found = podsIn(await helm.render(PRODUCTION))
      .map((pod) => [pod.component, keysOf(pod)] as const)
      .filter(([, keys]) => keys.length > 0);
    expect(Object.fromEntries(found)).toEqual({
      submission: ['billing.json', 'webhook.json'],
      billing: ['billing.json'],
      webhook: ['webhook.json'],
    });
  });
});
