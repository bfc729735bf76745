import type { DescMethod, Message } from '@bufbuild/protobuf';
import type { Caller } from '../calls/caller.ts';
import type { Wait } from '../calls/wait.ts';
import type { ListShape } from '../output/list-shape.ts';
import type { Related } from '../output/write-answer.ts';

/** Settings of a command beyond its RPC. Flags, types, bounds and help texts come from the contract. */
export interface Declaration extends ListShape {
  /** For example `accounts create`. */
  readonly name: `${string} ${string}`;
  readonly method: DescMethod;
  /** Request fields given as arguments, in this order. A repeated field takes all remaining arguments. */
  readonly positional?: readonly string[];
  /** The batch method. Its request is a list of requests of `method`, and a table shows the result of each. */
  readonly batch?: DescMethod;
  /** Request fields without a flag, because they are for other callers. */
  readonly hidden?: readonly string[];
  /** Request fields that identify a person. The terminal asks for them, and their flags cause a warning. */
  readonly personal?: readonly string[];
  /** Request fields that the service requires in addition to the contract's rules. */
  readonly required?: readonly string[];
  /** Flag names that differ from their field names, by path. */
  readonly flags?: Readonly<Record<string, string>>;
  /** The useful values of an enum, by path, when not all of them apply. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
  /** Set for irreversible commands: the sentence shown when asking for confirmation. */
  readonly irreversible?: string;
  /** Returns the sentence for confirmation if this request needs one, given the present state. */
  readonly confirmationFor?: (request: Message, present: Message) => string | undefined;
  /** Returns a message if the answer is negative. The command then exits with 9, after writing the answer. */
  readonly negativeResult?: (answer: Message) => string | undefined;
  /**
   * A read with the same fields, whose whole answer is shown before asking for confirmation. With `--yes`, the user
   * must give its sha256.
   */
  readonly reviewMethod?: DescMethod;
  /**
   * Set when the command replaces a whole object: fields without a flag are taken from this read, including the
   * revision.
   */
  readonly startsFrom?: DescMethod;
  /** Reads what else belongs to the answer, if anything. */
  readonly related?: (answer: Message, caller: Pick<Caller, 'unary'>) => Promise<Related | undefined>;
  /** The stream sends changes until the service or Ctrl-C ends it. */
  readonly watches?: boolean;
  /** What `--wait` waits for after the answer. */
  readonly wait?: Wait;
  /** One line in the imperative, shown in lists of commands. */
  readonly summary: string;
  /** A paragraph in addition to the contract's comment. */
  readonly notes?: string;
  /** The rest of an example after `sss <name>`. */
  readonly example: string;
}

/** Declares the command for an RPC. */
export const declare = (
  name: Declaration['name'],
  method: DescMethod,
  more: Omit<Declaration, 'name' | 'method'>,
): Declaration => ({ name, method, ...more });
