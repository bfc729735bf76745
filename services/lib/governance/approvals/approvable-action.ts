import {
  create,
  type DescMessage,
  fromJson,
  getOption,
  type JsonValue,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf';
import { access } from '@supplier/proto/common/v1/options';
import type { Pool } from 'pg';
import { z } from 'zod';
import { checkMessage } from '../../rpc/contract-rules/index.ts';
import { invalid, RefusalCode, refuse } from '../../rpc/refusal/index.ts';
import { type Caller, callerOf, type RpcCall } from '../../rpc/rpc-server/index.ts';
import type { Clock } from '../../text/time/index.ts';
import { type ActionLine, digestOf, requestLines, type Spelled, spelled } from './action-lines.ts';

/** A request that names the approval it uses. */
export type Approvable = { readonly approvalId: string };

interface Method<Input extends DescMessage> {
  readonly name: string;
  readonly input: Input;
}

/** The effect that an act would have now. */
export interface Judgement {
  /** The id of the object that the act changes. */
  readonly target: string;
  /** Why the act requires a second person's approval; empty if it does not. */
  readonly reasons: readonly string[];
  /** The values that fields of the request replace, by path. */
  readonly before?: Spelled;
  /** Everything else that the approval covers and that the approver sees. */
  readonly further?: readonly ActionLine[];
}

/** Judges a request, with the errors of the act itself. In its transaction, locks what it reads first. */
export type Evaluate<Session, Request> = (
  session: Session,
  request: Request,
  now: Date,
) => Promise<Judgement>;

/** An act that may require a second person's approval, created by `approvableAction`. */
export interface ApprovableAction<Session> {
  readonly action: string;
  isFor(caller: Pick<Caller, 'roles'>): boolean;
  /** Returns the act of a request, without its approval and idempotency key. Throws the errors of the act itself. */
  asked(session: Session, request: unknown, now: Date): Promise<RequestedAction>;
  /** Parses a request that a person has written as JSON. Throws VALIDATION_ERROR. */
  requestOf(json: string): unknown;
}

/** An act, with everything that it does and was judged by. */
export interface RequestedAction extends Pick<Judgement, 'target' | 'reasons'> {
  /** The request as JSON. */
  readonly arguments: string;
  readonly lines: readonly ActionLine[];
  readonly sha256: string;
}

/**
 * Declares the RPC of an act. Its request and what `judge` returns are stored and shown, so they must not contain
 * secrets or applicants' data. The approval covers the request, the values it replaces, and the facts.
 */
export function approvableAction<Input extends DescMessage, Session>(
  method: Method<Input>,
  judge: Evaluate<Session, MessageShape<Input>>,
): ApprovableAction<Session> {
  const { input, name: action } = method;
  const roles = getOption(method as never, access).roles;
  const plain = (request: MessageShape<Input>) =>
    create(input, { ...request, approvalId: '', idempotencyKey: '' } as never) as MessageShape<Input>;
  return {
    action,
    isFor: (caller) => caller.roles.some((role) => roles.includes(role)),
    async asked(session, request, now) {
      const asked = plain(request as MessageShape<Input>);
      const { target, reasons, before = {}, further = [] } = await judge(session, asked, now);
      const lines = [...requestLines(spelled(input, asked), before), ...further];
      const json = JSON.stringify(toJson(input, asked));
      return { target, reasons, arguments: json, lines, sha256: digestOf(action, lines) };
    },
    requestOf(json) {
      const request = parse(input, json);
      const [first] = checkMessage(input, request);
      if (first) throw invalid('arguments_json', `${first.path} ${first.message}`);
      return request;
    },
  };
}

function parse<Input extends DescMessage>(input: Input, text: string): MessageShape<Input> {
  try {
    return fromJson(input, JSON.parse(text) as JsonValue);
  } catch {
    throw invalid('arguments_json', `must be a ${input.name} in protobuf JSON`);
  }
}

/** Returns the caller, whose role must allow the act. Throws FORBIDDEN. */
export function requireRole(
  approvable: Pick<ApprovableAction<never>, 'isFor'>,
  call: Pick<RpcCall, 'values'>,
): Caller {
  const caller = callerOf(call);
  if (!approvable.isFor(caller))
    throw refuse(RefusalCode.FORBIDDEN, 'Only people who may perform the action can request or approve it.');
  return caller;
}

/** Whether acts that require approval are refused without one. */
export type FourEyes = 'required' | 'off';

/** Parses the setting SSS_FOUR_EYES. */
export const fourEyes = () => z.enum(['required', 'off'], 'is neither required nor off').default('required');

export interface ApprovalsOptions<Session> {
  readonly pool: Pool;
  /** Runs a transaction of the kind that the acts use. */
  readonly transact: <Result>(work: (session: Session) => Promise<Result>) => Promise<Result>;
  readonly clock: Clock;
  readonly fourEyes: FourEyes;
}
