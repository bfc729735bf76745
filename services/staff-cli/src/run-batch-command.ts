import { create, type DescMessage, type DescMethod, type Message } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import {
  type BatchResult,
  type BatchResults,
  BatchResultsSchema,
} from '@supplier/proto/submission/v1/staff_batches';
import type { Declaration } from './declarations/declaration.ts';
import { CommandFailure, exitCodes } from './exit-codes.ts';
import { buildRequest, type FlagInput } from './flags/build-request.ts';
import type { Flag } from './flags/flags-of.ts';
import { MAX_IDS, readIds } from './flags/ids-file.ts';
import { bareId } from './flags/parse-value.ts';
import { formatOf, rejectListFormats } from './output/format.ts';
import { writeAnswer } from './output/write-answer.ts';
import { type CallFlags, confirm, waitFor } from './run-command.ts';
import { inSession, type Runtime } from './session.ts';

const MAX_IDS_PER_CALL = 100;
const COLUMNS = ['submission_id', 'done.status', 'refused.code', 'refused.message'];

/** Flags of a command that takes several ids. */
export interface BatchFlags extends CallFlags {
  readonly file?: string;
}

/** Returns the ids for a batch command: its arguments, and those in `--file`. */
export function idsOf(
  { positional = [] }: Declaration,
  inputs: readonly FlagInput[],
  { file }: BatchFlags,
): readonly string[] {
  const column = positional[0] ?? '';
  const placed = inputs.find(({ flag }) => flag.path === column)?.values ?? [];
  return (file === undefined ? placed : [...placed, ...readIds(file, column)]).map(bareId);
}

/**
 * Runs a command for several ids: the same flags for each, a hundred ids per call, and one table of results. Fails with
 * `someNotDone` when some failed, and reports how many were not sent because an earlier call failed.
 */
export async function runBatchCommand(
  declaration: Declaration & { readonly batch: DescMethod },
  flags: readonly Flag[],
  inputs: readonly FlagInput[],
  ids: readonly string[],
  options: BatchFlags,
  runtime: Runtime,
): Promise<void> {
  const { terminal } = runtime;
  rejectListFormats(options, `${declaration.name} …`);
  const requests = requestsFor(declaration, flags, inputs, ids, runtime);
  await inSession(options, runtime, async (session) => {
    await confirm(declaration, options, session, runtime, requests.length);
    const { results, failure } = await callInChunks(declaration.batch, requests, session.caller);
    const answer = create(BatchResultsSchema, { results });
    writeAnswer(BatchResultsSchema, answer, { columns: COLUMNS }, formatOf(options), terminal);
    const done = results.filter(({ outcome }) => outcome.case === 'done');
    terminal.note(`${done.length} of ${requests.length} done`);
    if (failure)
      throw new CommandFailure(failure.exitCode, failure.message, [
        `${requests.length - results.length} of ${requests.length} may not have been sent: run the command again (those already done are refused)`,
        ...failure.details,
      ]);
    if (options.wait && declaration.wait)
      for (const { submissionId } of done) {
        const request = requestOf(declaration, flags, inputs, submissionId, runtime);
        await waitFor(declaration.wait, request, answer, options.waitSeconds ?? 0, session.caller, runtime);
      }
    if (done.length < requests.length)
      throw new CommandFailure(exitCodes.someNotDone, 'some failed: see the table');
  });
}

/** Builds a request for each id. Throws CommandFailure for a repeated id, no ids or too many. */
function requestsFor(
  declaration: Declaration,
  flags: readonly Flag[],
  inputs: readonly FlagInput[],
  ids: readonly string[],
  runtime: Runtime,
): Message[] {
  if (ids.length > MAX_IDS)
    throw new CommandFailure(exitCodes.usage, `give at most ${MAX_IDS} ids, not ${ids.length}`);
  if (ids.length === 0) throw new CommandFailure(exitCodes.usage, 'the file has no ids');
  const seen = new Set<string>();
  const twice = ids.find((id) => seen.size === seen.add(id.toLowerCase()).size);
  if (twice !== undefined) throw new CommandFailure(exitCodes.usage, `${twice} is given twice`);
  return ids.map((id) => requestOf(declaration, flags, inputs, id, runtime));
}

function requestOf(
  { method, positional = [] }: Declaration,
  flags: readonly Flag[],
  inputs: readonly FlagInput[],
  id: string,
  { now }: Runtime,
): Message {
  const flag = flags.find(({ path }) => path === positional[0]);
  if (!flag) throw new Error(`${method.name} has no positional id`);
  const others = inputs.filter((one) => one.flag !== flag);
  return buildRequest(method.input, flags, [{ flag, values: [id] }, ...others], {}, now());
}

/** Sends a hundred requests per call. Results received before a call fails are kept. */
async function callInChunks(
  method: DescMethod,
  requests: readonly Message[],
  caller: { unary(method: DescMethod, request: Message): Promise<Message> },
): Promise<{ results: BatchResult[]; failure?: CommandFailure }> {
  const results: BatchResult[] = [];
  for (let from = 0; from < requests.length; from += MAX_IDS_PER_CALL)
    try {
      const request = batchOf(method.input, requests.slice(from, from + MAX_IDS_PER_CALL));
      const answer = (await caller.unary(method, request)) as BatchResults;
      results.push(...answer.results);
    } catch (error) {
      if (error instanceof CommandFailure) return { results, failure: error };
      throw error;
    }
  return { results };
}

/** Builds a batch request, whose only field is a list of single requests. */
function batchOf(schema: DescMessage, items: readonly Message[]): Message {
  const batch: ReflectMessage = reflect(schema, create(schema));
  const [list] = schema.fields;
  if (list?.fieldKind !== 'list' || list.listKind !== 'message')
    throw new Error(`${schema.typeName} is not a batch request`);
  for (const item of items) batch.get(list).add(reflect(list.message, item));
  return batch.message;
}
