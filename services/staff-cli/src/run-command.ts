import { type DescMethod, fromJson, type JsonObject, type Message } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { askApproval } from './ask-approval.ts';
import { callOnce } from './calls/call-once.ts';
import type { Caller } from './calls/caller.ts';
import { allPages, isPaged, nextPageToken } from './calls/paging.ts';
import type { Wait } from './calls/wait.ts';
import type { Declaration } from './declarations/declaration.ts';
import { CommandFailure, exitCodes } from './exit-codes.ts';
import { buildRequest, type FlagInput, labelOf, sharedFields } from './flags/build-request.ts';
import type { Flag } from './flags/flags-of.ts';
import { readRequest } from './flags/request-file.ts';
import { isSupplierName, withAccountIds, withoutNames } from './flags/supplier-names.ts';
import { formatOf } from './output/format.ts';
import { sortedAnswer } from './output/list-shape.ts';
import { streamWriter, viewOf, writeAnswer } from './output/write-answer.ts';
import type { ServiceName } from './services.ts';
import { type CommonFlags, inSession, type Runtime, type Session } from './session.ts';

/** Flags that some commands have in addition to the request's fields. */
export interface CallFlags extends CommonFlags {
  readonly fromJson?: string;
  readonly all?: boolean;
  readonly wait?: boolean;
  /** For actions that need approval: the purpose of the request. */
  readonly askApproval?: string;
  /** For contracts that every service implements: the service to call. */
  readonly service?: ServiceName;
  /** Digest of the object that was read before, because --yes skips showing it. */
  readonly sha256?: string;
  readonly waitSeconds?: number;
}

const POLL_INTERVAL_MS = 500;
const STREAM_BATCH = 100;

/** Runs the command of one RPC: builds the request, asks for confirmation, calls, writes the answer, and waits. */
export async function runCommand(
  declaration: Declaration,
  flags: readonly Flag[],
  given: readonly FlagInput[],
  options: CallFlags,
  runtime: Runtime,
): Promise<void> {
  const { method, startsFrom } = declaration;
  const { terminal, now } = runtime;
  const base = options.fromJson === undefined ? {} : readRequest(method.input, options.fromJson);
  const requestFrom = (inputs: readonly FlagInput[], json: JsonObject) =>
    buildRequest(method.input, flags, inputs, json, now());
  if (declaration.reviewMethod && options.yes && options.sha256 === undefined)
    throw new CommandFailure(
      exitCodes.usage,
      `\`sss ${declaration.name} --yes\` requires the --sha256 of what you have read`,
      ['`sss approvals show` prints it; without --yes, the command shows everything first'],
    );
  if (startsFrom && options.fromJson === undefined && given.every(({ flag }) => flag.positional))
    throw new CommandFailure(exitCodes.usage, `\`sss ${declaration.name}\` has nothing to change`, [
      'give at least one of the options that --help lists',
    ]);
  // Reject an invalid request before opening a connection.
  const checked = startsFrom ? undefined : requestFrom(withoutNames(given), base);
  const early = given.some(isSupplierName) ? undefined : checked;
  await inSession(
    options,
    runtime,
    async (session) => {
      const { caller } = session;
      const target = options.service === undefined ? caller : caller.at(options.service);
      const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
      const inputs = await withAccountIds(given, caller, terminal, isRead ? 'part' : 'whole');
      const current = await readCurrent(declaration, inputs, caller, runtime);
      const request = early ?? requestFrom(inputs, { ...current?.asRequest, ...base });
      const format = formatOf(options);
      if (options.askApproval !== undefined) {
        const { schema, answer } = await askApproval(method, request, options.askApproval, caller);
        writeAnswer(schema, answer, {}, format, terminal);
        return;
      }
      const message = current && declaration.confirmationFor?.(request, current.answer);
      if (options.sha256 !== undefined) await checkDigest(declaration, request, options.sha256, target);
      const show = () => showForReview(declaration, request, target, terminal);
      await confirm({ irreversible: message, ...declaration, show }, options, session, runtime);
      if (method.methodKind === 'server_streaming') {
        if (format.raw)
          throw new CommandFailure(
            exitCodes.usage,
            '--raw does not apply to a stream, which has many values',
          );
        const write = streamWriter(method.output, declaration, format, terminal);
        const { watches = false } = declaration;
        const messages = target.stream(method, request, watches);
        if (!watches) return writeInBatches(messages, write);
        // Each message is a complete answer, so show it as it arrives.
        const isText = format.kind === 'text' && format.get === undefined;
        for await (const message of messages)
          if (isText) writeAnswer(method.output, message, declaration, format, terminal);
          else await write([message]);
        return;
      }
      const { answer, note } = await call(method, request, options, target, runtime);
      let shown = answer;
      const onState = (now: Message) => {
        if (now.$typeName === method.output.typeName) shown = now;
      };
      try {
        if (options.wait && declaration.wait)
          await waitFor(
            declaration.wait,
            request,
            answer,
            options.waitSeconds ?? 0,
            caller,
            runtime,
            onState,
          );
      } finally {
        // Write the outcome and the last state, even when the wait fails.
        const { sortBy } = options;
        const inOrder =
          sortBy === undefined ? shown : sortedAnswer(method.output, shown, declaration, sortBy);
        const related = await declaration.related?.(shown, caller);
        writeAnswer(method.output, inOrder, declaration, format, terminal, related);
        if (note !== undefined && format.kind === 'text') terminal.note(note);
        if (current && revisionOf(current.answer) === revisionOf(answer)) terminal.note('nothing to change');
      }
      const no = declaration.negativeResult?.(shown);
      if (no !== undefined) throw new CommandFailure(exitCodes.someNotDone, no);
    },
    (path) => flagAt(flags, path),
  );
}

/** Returns the present object for commands that replace the whole object, otherwise undefined. */
async function readCurrent(
  { startsFrom, method }: Declaration,
  inputs: readonly FlagInput[],
  caller: Caller,
  { now }: Runtime,
): Promise<{ readonly answer: Message; readonly asRequest: JsonObject } | undefined> {
  if (!startsFrom) return undefined;
  const named = new Set(startsFrom.input.fields.map(({ name }) => name));
  const keys = inputs.filter(({ flag }) => named.has(flag.path));
  const request = buildRequest(startsFrom.input, [], keys, {}, now());
  const answer = await caller.unary(startsFrom, request);
  return { answer, asRequest: sharedFields(method.input, startsFrom.output, answer) };
}

const revisionOf = (answer: Message) => (answer as Message & { readonly revision?: bigint }).revision;

/** Shows what the user must read before they confirm. */
async function showForReview(
  declaration: Declaration,
  request: Message,
  caller: Pick<Caller, 'unary'>,
  terminal: Runtime['terminal'],
): Promise<void> {
  const { reviewMethod } = declaration;
  if (!reviewMethod) return;
  const answer = await readForReview(reviewMethod, declaration, request, caller);
  for (const line of viewOf(reviewMethod.output, answer, terminal.noteWidth)) terminal.note(line);
}

/**
 * Throws CommandFailure when the digest differs from the object to be confirmed. The service does not change it
 * afterwards.
 */
async function checkDigest(
  declaration: Declaration,
  request: Message,
  sha256: string,
  caller: Pick<Caller, 'unary'>,
): Promise<void> {
  if (!declaration.reviewMethod) return;
  const answer = await readForReview(declaration.reviewMethod, declaration, request, caller);
  if ((answer as Message & { readonly sha256?: string }).sha256 !== sha256.toLowerCase())
    throw new CommandFailure(
      exitCodes.refused,
      'the --sha256 does not match: read the request again before you approve it',
    );
}

const readForReview = (
  read: DescMethod,
  { method }: Declaration,
  request: Message,
  caller: Pick<Caller, 'unary'>,
): Promise<Message> =>
  caller.unary(read, fromJson(read.input, sharedFields(read.input, method.input, request)));

interface Confirmed {
  readonly name: string;
  readonly irreversible?: string | undefined;
  readonly show?: () => Promise<void>;
}

/**
 * Asks for confirmation of an action on `count` objects that can't be undone or takes effect immediately. Throws
 * CommandFailure unless the answer is yes.
 */
export async function confirm(
  { irreversible, name, show }: Confirmed,
  { yes }: CallFlags,
  { context }: Session,
  { terminal, signal }: Runtime,
  count = 1,
): Promise<void> {
  if (irreversible === undefined || yes) return;
  if (!terminal.interactive)
    throw new CommandFailure(exitCodes.notConfirmed, `\`sss ${name}\` requires confirmation: add --yes`, [
      irreversible,
    ]);
  await show?.();
  terminal.note(`${irreversible} Context: ${context.name}${count > 1 ? `, ${count} items` : ''}.`);
  const answer = await terminal.ask('Continue? (yes/no) ', signal).catch(() => '');
  if (!/^y(?:es)?$/i.test(answer.trim()))
    throw new CommandFailure(
      signal.aborted ? exitCodes.interrupted : exitCodes.notConfirmed,
      'not confirmed; nothing was changed',
    );
}

async function call(
  method: DescMethod,
  request: Message,
  { all }: CallFlags,
  caller: Pick<Caller, 'unary'>,
  runtime: Runtime,
): Promise<{ answer: Message; note?: string }> {
  const { input, output } = method;
  if (!isPaged(input, output)) return { answer: await callOnce(method, request, caller, runtime) };
  const ask = (one: Message) => caller.unary(method, one);
  const answer = all ? await allPages(input, output, request, ask) : await ask(request);
  const token = nextPageToken(output, answer);
  if (token === '') return { answer };
  return { answer, note: `more results: add --page-token ${token}${all ? '' : ', or --all'}` };
}

async function writeInBatches(
  messages: AsyncIterable<Message>,
  write: (batch: readonly Message[]) => Promise<void>,
): Promise<void> {
  let batch: Message[] = [];
  let wrote = false;
  for await (const message of messages) {
    batch.push(message);
    if (batch.length < STREAM_BATCH) continue;
    await write(batch);
    [batch, wrote] = [[], true];
  }
  // A stream without messages still has a head.
  if (batch.length > 0 || !wrote) await write(batch);
}

/**
 * Polls until the wait is over, and passes each state to `onState`. Throws CommandFailure when it is not over within
 * `seconds`.
 */
export async function waitFor(
  wait: Wait,
  request: Message,
  answer: Message,
  seconds: number,
  caller: Caller,
  { terminal, now, sleep }: Runtime,
  onState: (state: Message) => void = () => {},
): Promise<void> {
  const until = now().getTime() + seconds * 1_000;
  for (;;) {
    const { isDone, line, now: state } = await wait.poll(caller, request, answer);
    if (state) onState(state);
    if (isDone) return terminal.note(line);
    if (now().getTime() >= until)
      throw new CommandFailure(
        exitCodes.stillWaiting,
        `done, but timed out waiting after ${seconds} s: ${line}`,
      );
    await sleep(POLL_INTERVAL_MS);
  }
}

/**
 * Returns the user's name for a field path of the service: its flag, the flag of the list that contains it, or for a
 * message the required flags in it. Returns undefined for a field without a flag.
 */
export function flagAt(flags: readonly Flag[], path: string): string | undefined {
  const named = path.replace(/\[\d+\]/g, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const flag = flags.find((one) => one.path === named);
  if (flag) return labelOf(flag);
  const inside = flags.filter((one) => one.required && one.path.startsWith(`${named}.`));
  return inside.map(labelOf).join(', ') || undefined;
}
