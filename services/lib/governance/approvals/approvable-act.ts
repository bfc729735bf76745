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
import { checkMessage } from '../../rpc/contract-rules/index.ts';
import { invalid, RefusalCode, refuse } from '../../rpc/refusal/index.ts';
import { type Caller, callerOf, type RpcCall } from '../../rpc/rpc-server/index.ts';
import { type ActLine, digestOf, requestLines, type Spelled, spelled } from './act-lines.ts';

/** A request that names the approval it uses. */
export type Approvable = { readonly approvalId: string };

/** The RPC of an act, whose request has a field `approval_id`. */
interface Method<Input extends DescMessage> {
  readonly name: string;
  readonly input: Input;
}

/** What an act would do, as things stand. */
export interface Judgement {
  /** Id of the thing that the act changes. */
  readonly target: string;
  /** Why it takes two people; none where one is enough. */
  readonly reasons: readonly string[];
  /** What fields of the request replace, by their paths. */
  readonly before?: Spelled;
  /** Everything else that the approval covers and that the approver is shown. */
  readonly further?: readonly ActLine[];
}

/**
 * Judges a request within a session. Throws what the act itself would throw: nobody can request an act that is
 * impossible. In the act's own transaction, everything that it reads is locked first.
 */
export type Judge<Session, Request> = (session: Session, request: Request, now: Date) => Promise<Judgement>;

/** An act that takes two people, as `approvableAct` makes it. */
export interface ApprovableAct<Session> {
  /** Name of its RPC. */
  readonly action: string;
  /** Whether a caller may do it by role. */
  isFor(caller: Pick<Caller, 'roles'>): boolean;
  /** The act that a request asks for, without the approval and the idempotency key that it names. Throws what the act itself would throw. */
  asked(session: Session, request: unknown, now: Date): Promise<AskedAct>;
  /** The request that a person has written as JSON. Throws VALIDATION_ERROR. */
  requestOf(json: string): unknown;
}

/** One act, with everything that is to be done and that it was judged by. */
export interface AskedAct extends Pick<Judgement, 'target' | 'reasons'> {
  /** The request as JSON. */
  readonly arguments: string;
  readonly lines: readonly ActLine[];
  readonly sha256: string;
}

/**
 * Declares the RPC of an act. Its request and the answer of `judge` must hold no secret and no applicant's data: they
 * are stored, and shown to the approver. Lists in the request count as sets. What is approved are the lines made here:
 * the whole request, what it replaces, and what it was judged by.
 */
export function approvableAct<Input extends DescMessage, Session>(
  method: Method<Input>,
  judge: Judge<Session, MessageShape<Input>>,
): ApprovableAct<Session> {
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
    throw invalid('arguments_json', `must be a ${input.name} in protobuf's JSON`);
  }
}

/** The caller, whose role must allow the act. Throws FORBIDDEN. */
export function requireRole(act: Pick<ApprovableAct<never>, 'isFor'>, call: Pick<RpcCall, 'values'>): Caller {
  const caller = callerOf(call);
  if (!act.isFor(caller))
    throw refuse(RefusalCode.FORBIDDEN, 'Only people who may do the act can request or approve it.');
  return caller;
}
