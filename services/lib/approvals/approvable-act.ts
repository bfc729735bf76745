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
import { checkMessage } from '../contract-rules/index.ts';
import { invalid, RefusalCode, refuse } from '../refusal/index.ts';
import { type Caller, callerOf, type RpcCall } from '../rpc-server/index.ts';

/** A request that names the approval by which it is made. */
export type Approvable = { readonly approvalId: string };

/** The RPC of an act, whose request has a field `approval_id`. */
interface Method<Input extends DescMessage> {
  readonly name: string;
  readonly input: Input;
}

/** An act that two people take part in, as `approvableAct` makes it. */
export interface ApprovableAct {
  /** Name of its RPC. */
  readonly action: string;
  /** Whether a caller may do it by role. */
  isFor(caller: Pick<Caller, 'roles'>): boolean;
  /** What a request asks for, whoever spelt it; the approval that it names is no part of it. */
  askedBy(request: unknown): AskedAct;
  /** The same of JSON that a person has written. Throws VALIDATION_ERROR. */
  askedByJson(text: string): AskedAct;
}

/** One act, with everything that is to be done. */
export interface AskedAct {
  readonly target: string;
  readonly arguments: string;
  /** Whether an act as it is asked for takes two people at all. */
  readonly takesTwo: boolean;
}

/**
 * Declares the RPC of an act. Its request holds no secret and no applicant's data: it is stored, and shown to who
 * approves. `takesTwo` tells the requests that need approval from those that never do.
 */
export function approvableAct<Input extends DescMessage>(
  method: Method<Input>,
  {
    target,
    takesTwo = () => true,
  }: {
    readonly target: (request: MessageShape<Input>) => string;
    readonly takesTwo?: (request: MessageShape<Input>) => boolean;
  },
): ApprovableAct {
  const { input, name: action } = method;
  const roles = getOption(method as never, access).roles;
  const asked = (request: MessageShape<Input>): AskedAct => {
    const plain = create(input, { ...request, approvalId: '' } as never) as MessageShape<Input>;
    return {
      target: target(plain),
      arguments: JSON.stringify(toJson(input, plain)),
      takesTwo: takesTwo(plain),
    };
  };
  return {
    action,
    isFor: (caller) => caller.roles.some((role) => roles.includes(role)),
    askedBy: (request) => asked(request as MessageShape<Input>),
    askedByJson(text) {
      const request = parse(input, text);
      const [first] = checkMessage(input, request);
      if (first) throw invalid('arguments_json', `${first.path} ${first.message}`);
      return asked(request);
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

/** The caller of a call, who must be one that may do the act. Throws FORBIDDEN. */
export function requireRole(act: ApprovableAct, call: Pick<RpcCall, 'values'>): Caller {
  const caller = callerOf(call);
  if (!act.isFor(caller))
    throw refuse(RefusalCode.FORBIDDEN, 'Only somebody who may do the act takes part in it.');
  return caller;
}
