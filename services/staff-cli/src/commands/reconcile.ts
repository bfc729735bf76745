import type { DescMethod, JsonObject, Message } from '@bufbuild/protobuf';
import {
  type Finding,
  FindingKind,
  FindingSchema,
  ReconciliationService,
  RepairOutcome,
} from '@supplier/proto/reconciliation/v1/reconciliation';
import type { Caller } from '../calls/caller.ts';
import { reconciliationOf } from '../declarations/all-commands.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { buildRequest, type FlagInput } from '../flags/build-request.ts';
import { flagsOf } from '../flags/flags-of.ts';
import { formatOf } from '../output/format.ts';
import { EMPTY, formatAt } from '../output/format-value.ts';
import { jsonOf, writeTable } from '../output/write-answer.ts';
import { confirm } from '../run-command.ts';
import { type ServiceName, serviceNames } from '../services.ts';
import { type CommonFlags, inSession, type Runtime } from '../session.ts';

/** Half a minute each, which bounds a run to hours. */
const MAX_CALLS = 500;
const IRREVERSIBLE =
  'This adds missing ledger lines, charges submissions that billing has lost, sends lost webhook events, and ' +
  'removes objects that no document refers to.';

export interface ReconcileFlags extends CommonFlags {
  readonly since?: string;
  readonly until?: string;
  readonly repair?: boolean;
}

interface Answer {
  readonly service: ServiceName;
  readonly findings: readonly Finding[];
  readonly failure?: CommandFailure;
}

/**
 * Compares the records of every service, and prints each difference and backlog in one table. Exits with 9 when a
 * difference is not repaired, and with the code of the failure when a service did not finish.
 */
export async function reconcile(options: ReconcileFlags, runtime: Runtime): Promise<void> {
  const { terminal } = runtime;
  const request = requestOf(options, runtime);
  await inSession(options, runtime, async (session) => {
    if (options.repair)
      await confirm({ name: 'reconcile', irreversible: IRREVERSIBLE }, options, session, runtime);
    const answers = await Promise.all(
      serviceNames.map((service) => findingsOf(session.caller, service, request, terminal)),
    );
    const found = answers.flatMap(({ service, findings }) =>
      findings.filter(({ kind }) => kind !== FindingKind.ENDED).map((finding) => ({ service, finding })),
    );
    const json = { findings: found.map(({ service, finding }) => ({ service, ...objectOf(finding) })) };
    const table = tableOf(found);
    writeTable(json, { text: table, csv: table }, formatOf(options), terminal);
    const differences = found.filter(({ finding }) => finding.kind === FindingKind.DIFFERENCE);
    const left = differences.filter(({ finding }) => finding.repair !== RepairOutcome.REPAIRED);
    terminal.note(`${differences.length} differences, ${left.length} of them not repaired`);
    for (const { failure } of answers) if (failure) throw failure;
    if (left.length > 0)
      throw new CommandFailure(exitCodes.someNotDone, 'records differ', [
        options.repair
          ? 'look up each WHAT in docs/reconciling.md'
          : 'run it with --repair to repair what can be repaired',
      ]);
  });
}

/**
 * Returns a function that builds requests with the same times, because a resume token is valid only for the times it
 * was issued for.
 */
function requestOf({ since = '-24h', until = '-1m', repair }: ReconcileFlags, { now }: Runtime) {
  const flags = flagsOf(reconciliationOf);
  const inputs = flags.flatMap((flag): FlagInput[] => {
    const value = { since, until }[flag.path as 'since' | 'until'];
    return value === undefined ? [] : [{ flag, values: [value] }];
  });
  const base = { repair: repair ?? false };
  const time = now();
  return (resumeToken: string) =>
    buildRequest(reconciliationOf.method.input, flags, inputs, { ...base, resume_token: resumeToken }, time);
}

/** Returns everything a service finds, over several calls. Findings made before a call fails are kept. */
async function findingsOf(
  caller: Caller,
  service: ServiceName,
  requestFrom: (resumeToken: string) => Message,
  terminal: Runtime['terminal'],
): Promise<Answer> {
  const method: DescMethod = ReconciliationService.method.reconcile;
  const findings: Finding[] = [];
  let [token, compared]: [string | undefined, bigint] = ['', 0n];
  try {
    for (let call = 0; call < MAX_CALLS && token !== undefined; call += 1) {
      const answered: Finding[] = [];
      for await (const message of caller.at(service).stream(method, requestFrom(token)))
        answered.push(message as Finding);
      findings.push(...answered);
      const ended = answered.findLast(({ kind }) => kind === FindingKind.ENDED);
      if (!ended)
        throw new CommandFailure(
          exitCodes.failed,
          `the ${service} service ended its comparison without a result`,
        );
      compared += ended.count;
      token = ended.resumeToken || undefined;
      terminal.note(`${service}: ${compared} compared${token === undefined ? '' : ', continuing'}`);
    }
    if (token !== undefined)
      throw new CommandFailure(
        exitCodes.unavailable,
        `the ${service} service has more to compare; continue with`,
        [`sss reconciliation of --service ${service} --resume-token "${token}"`],
      );
    return { service, findings };
  } catch (error) {
    if (error instanceof CommandFailure) return { service, findings, failure: error };
    throw error;
  }
}

const objectOf = (finding: Finding) => jsonOf(FindingSchema, finding) as JsonObject;

function tableOf(found: readonly { readonly service: ServiceName; readonly finding: Finding }[]) {
  const spell = (finding: Finding, path: string) => formatAt(finding, FindingSchema, path);
  return {
    heads: ['SERVICE', 'KIND', 'WHAT', 'TARGET', 'COUNT', 'REPAIR', 'EXPLANATION'],
    rows: found.map(({ service, finding }) => [
      service,
      spell(finding, 'kind'),
      finding.what,
      finding.target,
      finding.kind === FindingKind.BACKLOG ? `${finding.count}` : EMPTY,
      finding.repair === RepairOutcome.UNSPECIFIED ? EMPTY : spell(finding, 'repair'),
      spell(finding, 'explanation'),
    ]),
  };
}
