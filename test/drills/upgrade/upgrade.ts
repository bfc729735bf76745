import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { servicesWithDatabase } from '../../../deploy/local/services/process-table.ts';
import type { PortName } from '../../../deploy/local/services/usual-ports.ts';
import { type Databases, databasesAt } from '../databases.ts';
import type { Findings } from '../findings.ts';
import { type Load, startLoad } from '../load.ts';
import { allSettled, checkOutcomes } from '../outcomes.ts';
import { startReceiver } from '../receiver.ts';
import type { Stage } from '../stage.ts';
import { openSupplier } from '../supplier.ts';
import { type Balancer, balance } from './balancer.ts';
import { type Fleet, makeFleet } from './fleet.ts';
import { prepareInfrastructure } from './infrastructure.ts';
import { previousRelease } from './previous-release.ts';

const SENDERS = 4;
/** Rounds of load until both releases have handled every kind of call. */
const MOST_ROUNDS = 20;
const SETTLED_MS = 120_000;
/** The processes called from outside: services by each other, the gateways by suppliers. */
const CALLED: readonly PortName[] = [
  ...servicesWithDatabase.map((service): PortName => `${service}Http1`),
  'gateway',
  'production',
];

/** The services that submissions reach through calls; billing and webhooks get them from the streams. */
const THROUGH: readonly PortName[] = ['production', 'accountHttp1', 'submissionHttp1'];

/**
 * Replaces the previous release with this one while suppliers send submissions: the schema first, then both releases behind
 * the same addresses, databases and streams, a rollback, and the upgrade again.
 */
export async function upgrade(stage: Stage, short: boolean, out: Findings): Promise<void> {
  const { checkout, progress } = stage;
  const previous = await previousRelease(checkout, progress);
  if ('missing' in previous) throw new Error(previous.missing);
  const submissions = short ? 25 : 300;
  const infrastructure = await prepareInfrastructure(stage);
  const before = await makeFleet(stage, infrastructure, { name: 'previous', checkout: previous.checkout });
  const present = await makeFleet(stage, infrastructure, { name: 'present', checkout });
  const balancers = await balanceAll(infrastructure.surroundings.ports);
  const receiver = await startReceiver(infrastructure.receiverCertificates);
  const routeTo = (...fleets: Fleet[]) => {
    for (const [name, balancer] of balancers) balancer.route(fleets.map(({ ports }) => ports[name]));
  };
  try {
    progress(`the previous release, ${previous.commit}, on its own schema`);
    await before.migrate();
    // A new gateway is ready only when services answer it.
    routeTo(before);
    await before.start();
    const supplier = await openSupplier(infrastructure, receiver);
    const load = startLoad(supplier.production, SENDERS);
    const phase = phases(load, submissions, out);
    await phase('previous release only');

    const databases = databasesAt(infrastructure.superuserUrl);
    await waitsForSchema(present, checkout, databases, out);
    progress('new schema, previous release');
    const codes = await present.migrate();
    out.none('every migration is applied while the previous release serves', failed(codes), 'migrate');
    await phase('previous release on the new schema');

    await present.start();
    routeTo(before, present);
    await phase('both releases together', 2);
    // A kept connection stays with its release, so further rounds begin with new ones.
    for (let round = 0; round < MOST_ROUNDS && idle(balancers, before, present).length > 0; round += 1) {
      balancers.get('accountHttp1')?.closeIdle();
      await load.more(submissions);
    }
    out.none('both releases handled every kind of call', idle(balancers, before, present), 'connections');

    routeTo(before);
    await present.stop();
    await phase('rollback to the previous release');

    await present.start();
    routeTo(before, present);
    await phase('both releases together again');
    routeTo(present);
    await before.stop();
    await phase('new release only');
    await load.finish();
    const all = load.submissions.flatMap(({ statuses }) => statuses);
    out.none(
      'no lead was refused at any time',
      all.filter((status) => status >= 500).map(String),
      `${all.length} requests`,
    );
    const { accountId } = supplier;
    const world = { databases, accountId, receiver };
    const settled = await allSettled(world, SETTLED_MS);
    out.found('all work completes automatically', settled, `within ${SETTLED_MS / 1_000} s`);
    await checkOutcomes(world, load.submissions, out);
  } finally {
    await receiver.close();
    await Promise.all([before.stop(), present.stop()]);
    for (const balancer of balancers.values()) balancer.close();
  }
}

async function balanceAll(ports: Readonly<Record<PortName, number>>): Promise<Map<PortName, Balancer>> {
  const balancers = new Map<PortName, Balancer>();
  for (const name of CALLED) balancers.set(name, await balance(ports[name]));
  return balancers;
}

/** Checks the responses to suppliers from the end of one phase until `submissions` more are accepted in the next. */
function phases(
  load: Load,
  submissions: number,
  out: Findings,
): (name: string, times?: number) => Promise<void> {
  let from = 0;
  return async (name, times = 1) => {
    await load.more(submissions * times);
    // A submission that is still being sent belongs to the next phase.
    const open = load.submissions.findIndex((submission, at) => at >= from && !submission.taken);
    const to = open === -1 ? load.submissions.length : open;
    const statuses = load.submissions.slice(from, to).flatMap((submission) => submission.statuses);
    from = to;
    const refused = statuses.filter((status) => status >= 500);
    out.none(`${name}: no lead is refused`, refused.map(String), `${statuses.length} requests`);
    const unanswered = statuses.filter((status) => status === 0).length;
    if (unanswered > 0)
      out.measured(`${name}: broken connections, and creates retried`, unanswered, 'requests');
  };
}

/** Checks that pods of a new release wait for their schema: the wait command reports that, and changes nothing. */
async function waitsForSchema(present: Fleet, checkout: string, databases: Databases, out: Findings) {
  const pending = async () => {
    const services: string[] = [];
    for (const service of servicesWithDatabase) {
      const sql = 'SELECT migration_name AS name FROM _prisma_migrations';
      const applied = new Set((await databases.rows<{ name: string }>(service, sql)).map(({ name }) => name));
      const folder = join(checkout, 'services', service, 'prisma/migrations');
      const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
      if (names.some(({ name }) => !applied.has(name))) services.push(service);
    }
    return services.join(', ');
  };
  const lacking = await pending();
  const codes = await present.migrate('--status');
  const waiting = servicesWithDatabase.filter((service) => codes[service] !== 0).join(', ');
  out.found(
    'a new process waits for its schema, and changes nothing',
    waiting === lacking && (await pending()) === lacking,
    lacking === '' ? 'none is missing' : `${lacking} wait`,
  );
}

const failed = (codes: Readonly<Record<string, number>>) =>
  Object.entries(codes).flatMap(([service, code]) => (code === 0 ? [] : [`${service}: ${code}`]));

/** Returns the fleets that got no connection on the path of submissions. */
function idle(balancers: ReadonlyMap<PortName, Balancer>, ...fleets: Fleet[]): string[] {
  return THROUGH.flatMap((name) =>
    fleets.filter(({ ports }) => !balancers.get(name)?.given.get(ports[name])).map(() => name),
  );
}
