import { join } from 'node:path';
import pg from 'pg';
import { prepareStateFolder } from '../../../../deploy/local/state/state-folder.ts';
import { CannotStart } from '../../../../deploy/local/terminal.ts';
import { databasesAt, urlOf } from '../../databases.ts';
import type { Stage } from '../../stage.ts';
import type { Load } from '../clients.ts';
import { observe, openSystem, type Plan, type System, settle } from '../observe.ts';
import { findNames, readQueues } from '../read-evidence.ts';
import { canMoveClocks } from '../replicas.ts';
import { violations } from '../rules.ts';
import { type PlantedBug, plantedBugs } from './planted-bugs.ts';
import { copySources, plant } from './sources.ts';

/** Whether the rule of a planted bug reported it. */
export interface PlantedResult {
  /** The bug, or `nothing` for the unchanged sources. */
  readonly bug: string;
  /** The rule that must report it; empty for the unchanged sources, which no rule may report. */
  readonly rule: string;
  readonly isSeen: boolean;
  /** The rules that reported something. */
  readonly reported: readonly string[];
  readonly seconds: number;
}

const LOAD: Load = {
  ...{ senders: 4, paceMs: 80, caps: [null, null, 10], known: 0.3, latest: 10 },
  ...{ staffPaceMs: 200, rotations: 0.1 },
};
const PLAN = {
  ...{
    durationMs: 10_000,
    leastRequests: 400,
    load: LOAD,
    faults: { only: [] },
    refused: 0.1,
    inFlightMs: 30_000,
  },
  recoveryMs: 15_000,
};
/** The unchanged sources, under the kinds of faults that make bugs visible. */
const NOTHING: PlantedBug = {
  ...{ name: 'nothing', edits: [], rule: '' },
  faults: { only: ['kill', 'slow', 'disconnect', 'deleteConsumer'], longestMs: 5_000 },
  ...{ seconds: 25, refused: 0.2, recoverySeconds: 120 },
};
/** More than one run can have. */
const CUSTOMERS = 10_000;
const HASTEN_MS = 500;
const CLEAN_MS = 15_000;

/**
 * Runs a short load with each of the named bugs planted into a copy of the sources, or with all of them, and with none.
 * The bugs share a system: only the processes whose sources change are restarted.
 */
export async function runPlanted(
  stage: Stage,
  seed: number,
  names: readonly string[],
): Promise<PlantedResult[]> {
  const { progress } = stage;
  const unknown = names.find((name) => !plantedBugs.some((bug) => bug.name === name));
  if (unknown !== undefined) {
    const known = plantedBugs.map(({ name }) => name).join(', ');
    throw new CannotStart(`no planted bug is named ${unknown}: use ${known}`);
  }
  const sources = join(stage.state.path, 'sources');
  copySources(stage.checkout, sources);
  const wanted = plantedBugs.filter(({ name }) => names.length === 0 || names.includes(name));
  const needsClock = ({ faults }: PlantedBug) => faults?.only?.includes('clock') || faults?.offsetS;
  const bugs = wanted.filter((bug) => canMoveClocks || !needsClock(bug));
  for (const { name } of wanted.filter((bug) => !bugs.includes(bug)))
    progress(`${name} is left out: it needs libfaketime`);
  const results: PlantedResult[] = [];
  let system: System | undefined;
  let changed: readonly string[] = [];
  try {
    for (const bug of [NOTHING, ...bugs]) {
      progress(`planting ${bug.name}`);
      const began = performance.now();
      if (system && !(await isCleanWithout(system, changed))) {
        progress('the bug left work behind, so the next one gets a new system');
        await system.stop();
        await stage.stop();
        prepareStateFolder(stage.state, { fresh: true });
        system = undefined;
      }
      const mend = plant(sources, bug.name, bug.edits);
      if (system) await system.replicas.restart([...new Set([...changed, ...servicesOf(bug)])]);
      system ??= await openSystem(stage, seed, 1, sources);
      changed = servicesOf(bug);
      const reported = await reportedBy(system, bug, { seed, customersBefore: results.length * CUSTOMERS });
      mend();
      results.push({
        ...{ bug: bug.name, rule: bug.rule, reported },
        isSeen: bug.rule === '' ? reported.length === 0 : reported.includes(bug.rule),
        seconds: Math.round((performance.now() - began) / 1_000),
      });
      progress(describePlanted(results.slice(-1)));
    }
    return results;
  } finally {
    await system?.stop();
  }
}

async function reportedBy(
  system: System,
  bug: PlantedBug,
  run: Pick<Plan, 'seed' | 'customersBefore'>,
): Promise<string[]> {
  const { progress } = system.stage;
  const { seconds, recoverySeconds, load, ...own } = bug;
  const plan: Plan = {
    ...{ ...PLAN, ...own, ...run },
    load: { ...LOAD, ...load },
    ...(seconds && { durationMs: seconds * 1_000 }),
    ...(recoverySeconds && { recoveryMs: recoverySeconds * 1_000 }),
  };
  const hastening = setInterval(() => {
    hasten(system.infrastructure.superuserUrl).catch(() => undefined);
  }, HASTEN_MS);
  try {
    const { evidence } = await observe(system, plan, progress);
    const broken = violations(evidence);
    for (const [rule, exceptions] of broken) progress(`${rule}: ${exceptions.slice(0, 3).join(', ')}`);
    return [...broken.keys()];
  } finally {
    clearInterval(hastening);
  }
}

/** Makes webhooks that wait for their next attempt due, so that a run needn't wait for the schedule. */
async function hasten(superuserUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(superuserUrl, 'webhook') });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('UPDATE event SET next_attempt_at = now() WHERE next_attempt_at > now()');
  } finally {
    await client.end();
  }
}

/** Returns whether nothing of a bug is left in the databases, if need be once the mended services run. */
async function isCleanWithout(system: System, changed: readonly string[]): Promise<boolean> {
  if (await isClean(system, 0)) return true;
  await system.replicas.restart(changed);
  return isClean(system, CLEAN_MS);
}

async function isClean(system: System, withinMs: number): Promise<boolean> {
  const databases = databasesAt(system.infrastructure.superuserUrl);
  await settle(system, withinMs, () => undefined);
  const left = await readQueues(databases, system.backlogs);
  return left.length === 0 && (await findNames(databases)).length === 0;
}

/** Returns the services whose processes load the changed files. */
const servicesOf = ({ edits, services }: PlantedBug): readonly string[] =>
  services ?? edits.map(({ file }) => file.split('/')[1] ?? '');

/** Formats results as a table for people. */
export function describePlanted(results: readonly PlantedResult[]): string {
  const width = (pick: (one: PlantedResult) => string) => Math.max(...results.map((one) => pick(one).length));
  const [bugs, rules] = [width(({ bug }) => bug), width(({ rule }) => rule || NO_RULE)];
  return results
    .map(({ bug, rule, isSeen, reported, seconds }) => {
      const seen =
        rule === '' ? (isSeen ? 'clean' : `reported: ${reported.join('; ')}`) : isSeen ? 'seen' : 'not seen';
      return `${bug.padEnd(bugs)}  ${(rule || NO_RULE).padEnd(rules)}  ${String(seconds).padStart(4)} s  ${seen}`;
    })
    .join('\n');
}

const NO_RULE = '(no rule)';
