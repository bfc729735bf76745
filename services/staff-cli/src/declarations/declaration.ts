import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { Wait } from '../calls/wait.ts';
import type { ListShape } from '../output/list-shape.ts';

/** What a command adds to the RPC behind it; flags, types, bounds and explanations come from the contract. */
export interface Declaration extends ListShape {
  /** Such as `accounts create`. */
  readonly name: `${string} ${string}`;
  readonly method: DescMethod;
  /** Request fields that are given without a flag, in this order; a repeated one takes all that follow. */
  readonly given?: readonly string[];
  /** The form for several: its request is a list of requests of `method`, and a table says what became of each. */
  readonly batch?: DescMethod;
  /** Request fields that have no flag, because they are for other callers. */
  readonly hidden?: readonly string[];
  /** Request fields that name a person: asked for at a terminal rather than stated as flags, of which is warned. */
  readonly personal?: readonly string[];
  /** Request fields that the service asks for, beside those that the contract's rules require. */
  readonly required?: readonly string[];
  /** Flags of other names than their fields have, by path. */
  readonly flags?: Readonly<Record<string, string>>;
  /** The values that make sense of an enum, by path, where others exist. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** What cannot be undone: asked for confirmation with this sentence. */
  readonly irreversible?: string;
  /** What a request does that others of the command do not, upon how things stand: asked for confirmation with this sentence. */
  readonly confirmedWhen?: (request: Message, present: Message) => string | undefined;
  /** What an answer says where it is a "no" to what was asked: then the command ends with 9, after the answer. */
  readonly answersNo?: (answer: Message) => string | undefined;
  /** A read by the same fields, whose whole answer is shown to who is asked for confirmation; `--yes` names it by its sha256. */
  readonly showsFirst?: DescMethod;
  /** Replaces a whole object: what no flag states is taken over from this read of it, the revision included. */
  readonly startsFrom?: DescMethod;
  /** Its stream tells of changes as they come, until the service or Ctrl-C ends it. */
  readonly watches?: boolean;
  /** What follows after the answer, for `--wait`. */
  readonly wait?: Wait;
  /** What it does, where the contract has no words for it. */
  readonly summary?: string;
  /** A paragraph beside the contract's own words. */
  readonly notes?: string;
  /** What follows `sss <name>` in an example. */
  readonly example: string;
}

/** A command for an RPC. */
export const declare = (
  name: Declaration['name'],
  method: DescMethod,
  more: Omit<Declaration, 'name' | 'method'>,
): Declaration => ({ name, method, ...more });
