import { create, type DescMessage, type DescMethod, type Message } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import {
  type BatchResult,
  type BatchResults,
  BatchResultsSchema,
} from '@supplier/proto/submission/v1/staff_batches';
import type { Declaration } from './declarations/declaration.ts';
import { CommandFailure, exitCodes } from './exit-codes.ts';
import { buildRequest, type Stated } from './flags/build-request.ts';
import type { Flag } from './flags/flags-of.ts';
import { MAX_IDS, readIds } from './flags/ids-file.ts';
import { formatOf, refuseListFormats } from './output/format.ts';
import { writeAnswer } from './output/write-answer.ts';
import { type CallFlags, confirm, waitFor } from './run-command.ts';
import { inSession, type Surroundings } from './session.ts';

/** Maximum ids per call. */
const SLICE = 100;
const COLUMNS = ['submission_id', 'done.status', 'refused.code', 'refused.message'];

/** Flags of a command that takes several ids. */
export interface BatchFlags extends CallFlags {
  readonly file?: string;
}

/** Returns the ids for a batch command: its arguments, and those in `--file`. */
export function idsOf(
  { given = [] }: Declaration,
  stated: readonly Stated[],
  { file }: BatchFlags,
): readonly string[] {
  const column = given[0] ?? '';
  const placed = stated.find(({ flag }) => flag.path === column)?.values ?? [];
  return file === undefined ? placed : [...placed, ...readIds(file, column)];
}

/**
 * Runs a command for several ids: the same flags for each, a hundred ids per call, and one table of results. Fails with
 * `someNotDone` when some failed, and reports how many were not sent because an earlier call failed.
 */
export async function runBatchCommand(
  declaration: Declaration & { readonly batch: DescMethod },
  flags: readonly Flag[],
  stated: readonly Stated[],
  ids: readonly string[],
  asked: BatchFlags,
  surroundings: Surroundings,
): Promise<void> {
  const { terminal } = surroundings;
  refuseListFormats(asked, `${declaration.name} …`);
  const requests = requestsFor(declaration, flags, stated, ids, surroundings);
  await inSession(asked, surroundings, async (session) => {
    await confirm(declaration, asked, session, surroundings, requests.length);
    const { results, failure } = await callInSlices(declaration.batch, requests, session.caller);
    const answer = create(BatchResultsSchema, { results });
    writeAnswer(BatchResultsSchema, answer, { columns: COLUMNS }, formatOf(asked), terminal);
    const done = results.filter(({ outcome }) => outcome.case === 'done');
    terminal.note(`${done.length} of ${requests.length} done`);
    if (failure)
      throw new CommandFailure(failure.exitCode, failure.message, [
        `${requests.length - results.length} of ${requests.length} may not have been asked for: run it again, what is done is refused`,
        ...failure.details,
      ]);
    if (asked.wait && declaration.wait)
      for (const { submissionId } of done) {
        const request = requestOf(declaration, flags, stated, submissionId, surroundings);
        await waitFor(
          declaration.wait,
          request,
          answer,
          asked.waitSeconds ?? 0,
          session.caller,
          surroundings,
        );
      }
    if (done.length < requests.length)
      throw new CommandFailure(exitCodes.someNotDone, 'some were not done: the table says why');
  });
}

/** Builds a request for each id. Throws CommandFailure for a repeated id, no ids or too many. */
function requestsFor(
  declaration: Declaration,
  flags: readonly Flag[],
  stated: readonly Stated[],
  ids: readonly string[],
  surroundings: Surroundings,
): Message[] {
  if (ids.length > MAX_IDS)
    throw new CommandFailure(exitCodes.usage, `at most ${MAX_IDS} ids at once, and these are ${ids.length}`);
  if (ids.length === 0) throw new CommandFailure(exitCodes.usage, 'there is no id in the file');
  const seen = new Set<string>();
  const twice = ids.find((id) => seen.size === seen.add(id.toLowerCase()).size);
  if (twice !== undefined) throw new CommandFailure(exitCodes.usage, `${twice} stands twice`);
  return ids.map((id) => requestOf(declaration, flags, stated, id, surroundings));
}

function requestOf(
  { method, given = [] }: Declaration,
  flags: readonly Flag[],
  stated: readonly Stated[],
  id: string,
  { now }: Surroundings,
): Message {
  const flag = flags.find(({ path }) => path === given[0]);
  if (!flag) throw new Error(`${method.name} has no id that is given by its place`);
  const others = stated.filter((one) => one.flag !== flag);
  return buildRequest(method.input, flags, [{ flag, values: [id] }, ...others], {}, now());
}

/** Sends a hundred requests per call. Results received before a call fails are kept. */
async function callInSlices(
  method: DescMethod,
  requests: readonly Message[],
  caller: { unary(method: DescMethod, request: Message): Promise<Message> },
): Promise<{ results: BatchResult[]; failure?: CommandFailure }> {
  const results: BatchResult[] = [];
  for (let from = 0; from < requests.length; from += SLICE)
    try {
      const request = batchOf(method.input, requests.slice(from, from + SLICE));
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
    throw new Error(`${schema.typeName} is no request for several`);
  for (const item of items) batch.get(list).add(reflect(list.message, item));
  return batch.message;
}
