import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { bringUp, bringUpStores, type Means, type RunningStack } from './bring-up.ts';
import { demonstrate } from './demonstration/demonstrate.ts';
import { supplierClient } from './demonstration/supplier-client.ts';
import type { Options } from './options.ts';
import { databasesInMemory, removeFromMemory } from './postgres/in-memory.ts';
import { addSampleData } from './sample-data/add-sample-data.ts';
import { servicesWithDatabase } from './services/process-table.ts';
import { takeInstanceLock } from './state/instance-lock.ts';
import { portClaims } from './state/port-claims.ts';
import { prepareStateFolder, type StateFolder, stateFolder } from './state/state-folder.ts';
import { listenForStop, type StopRequest } from './stop-request.ts';
import { endLeftovers } from './supervisor/end-leftovers.ts';
import { createSupervisor } from './supervisor/supervisor.ts';
import { formatDuration, reasonOf, type Terminal } from './terminal.ts';

/** Callers first, stores last. */
const STOP_ORDER = [
  ['console'],
  ['gateway', 'production'],
  [...servicesWithDatabase, 'scanner'],
  ['clamd', 'collector'],
  ['receiver'],
  ['nats'],
  ['postgres'],
];

/** How every local stack differs from production, whatever its processes loosen. Printed at each start. */
export const DIFFERENCES = [
  'documents are kept unencrypted in a folder of this machine; in production, in encrypted S3 buckets',
  'tokens come from an issuer of this stack; in production, from an identity provider',
  'SIGUSR1 opens the debugger of every process except the scanner; in images, of none',
  'the production gateway is enabled; outside this stack it responds with 503',
  "one person may do everything: no action needs a second person's approval",
];
const WITHOUT_TLS = [
  'services call each other over plain HTTP',
  'PostgreSQL and NATS are used without TLS',
  'NATS has no users: every process may publish on every subject',
];

/** Runs the stack until it is stopped. Resolves to the exit code; throws CannotStart. */
export async function runStack(options: Options, checkout: string, terminal: Terminal): Promise<number> {
  const stop = listenForStop();
  const state = stateFolder(options.state, checkout);
  mkdirSync(state.path, { recursive: true });
  const release = takeInstanceLock(state.instanceLock, state.path);
  const claims = portClaims();
  let describe = () => {};
  const supervisor = createSupervisor(state, terminal, () => describe());
  stop.onInsist(() => {
    terminal.warn('stopping everything immediately');
    supervisor.killAll();
    claims.release();
    release();
    process.exit(1);
  });
  try {
    const leftovers = await endLeftovers(state.processRecord);
    if (leftovers.length > 0) terminal.say(`stopped processes of an earlier stack: ${leftovers.join(', ')}`);
    rmSync(state.stackFile, { force: true });
    prepareStateFolder(state, options);
    const onStores: Means['onStores'] = (stores) => process.send?.({ stores });
    const kept = options.synced ? state : databasesInMemory(state);
    const means = { ...options, state: kept, checkout, supervisor, claims, terminal, onStores };
    if (options.storesOnly) {
      await Promise.race([bringUpStores(means).then(() => aborted(stop)), aborted(stop)]);
      return 0;
    }
    const stack = await Promise.race([bringUp(means), aborted(stop)]);
    if (!stack) return 0;
    describe = stack.writeStackFile;
    return await serve(stack, state, options, stop, terminal);
  } finally {
    describe = () => {};
    rmSync(state.stackFile, { force: true });
    if (stop.asked.aborted) terminal.say('stopping …');
    await supervisor.stop(STOP_ORDER);
    if (!options.synced) removeFromMemory(state);
    rmSync(state.processRecord, { force: true });
    claims.release();
    release();
  }
}

async function serve(
  stack: RunningStack,
  state: StateFolder,
  options: Options,
  stop: StopRequest,
  terminal: Terminal,
): Promise<number> {
  const readyMs = process.uptime() * 1000 - stack.toolingMs;
  if (!options.demonstrate) await Promise.race([stack.startConsole(), aborted(stop)]);
  printStarted(stack, state, readyMs, terminal);
  stack.writeStackFile();
  process.send?.({ ready: state.stackFile });
  if (options.demonstrate) {
    const held = await Promise.race([show(stack, readyMs, terminal), aborted(stop)]);
    if (options.once) return held ? 0 : 1;
    if (held === false) terminal.warn('the demonstration failed; the stack continues to run');
  }
  if (options.sampleData) {
    const isAdded = await Promise.race([fillStack(stack, state, stop, terminal), aborted(stop)]);
    if (options.once) return isAdded ? 0 : 1;
  }
  if (stop.asked.aborted) return 0;
  // Started after the demonstration, which measures memory.
  if (options.demonstrate) await Promise.race([stack.startConsole(), aborted(stop)]);
  const { console: url } = stack.description();
  if (url !== undefined) terminal.say(`  console     ${url} (log in with any name and staff role)`);
  if (options.background) stop.outliveParent();
  else terminal.say('\nrunning; press Ctrl-C to stop');
  process.send?.({ running: true });
  await aborted(stop);
  return 0;
}

/** Adds the sample data. Resolves to false after a warning if that fails, because the stack is useful without it. */
async function fillStack(
  stack: RunningStack,
  state: StateFolder,
  { asked }: StopRequest,
  terminal: Terminal,
): Promise<boolean> {
  const { identity, sampleData: file } = state;
  try {
    await addSampleData({ stack: stack.description(), identity, file, terminal });
    return true;
  } catch (error) {
    if (!asked.aborted) {
      terminal.warn(`the sample data is incomplete: ${reasonOf(error)}`);
      terminal.warn('to add the rest, start the stack again with --sample-data');
    }
    return false;
  }
}

function show(stack: RunningStack, readyMs: number, terminal: Terminal): Promise<boolean> {
  const { description } = stack;
  const { gateway, production, receiver, suppliers } = description();
  return demonstrate(
    {
      supplier: 'alpha',
      client: supplierClient(production, suppliers.alpha?.liveCredential ?? ''),
      staff: stack.staff,
      eventsUrl: receiver.events,
      sandbox: supplierClient(gateway, suppliers.alpha?.credential ?? ''),
    },
    readyMs,
    terminal,
  );
}

function printStarted(stack: RunningStack, state: StateFolder, readyMs: number, terminal: Terminal): void {
  const { gateway, production, pages, receiver } = stack.description();
  terminal.say(`ready after ${formatDuration(readyMs)}`);
  const places = { sandbox: gateway, production, pages, webhooks: receiver.events, details: state.stackFile };
  for (const [name, place] of Object.entries(places)) terminal.say(`  ${name.padEnd(11)} ${place}`);
  terminal.say('differences from production:');
  const plain = stack.description().tls === undefined ? WITHOUT_TLS : [];
  for (const line of [...plain, ...DIFFERENCES, ...stack.loosened]) terminal.say(`  - ${line}`);
}

async function aborted({ asked }: StopRequest): Promise<undefined> {
  if (!asked.aborted) await once(asked, 'abort');
  return undefined;
}
