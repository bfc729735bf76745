// The part of RFC 1035 that a resolver of one network needs: one question, and addresses as an answer.

const HEADER_BYTES = 12;
const TYPE_A = 1;
const CLASS_IN = 1;
/** Answer, authoritative, recursion available. */
const ANSWER_FLAGS = 0x8480;
const NAME_ERROR = 3;
const RECURSION_DESIRED = 0x0100;
/** An answer's name: the one of the question. */
const SAME_NAME = 0xc00c;
const TTL_SECONDS = 1;
const LONGEST_LABEL = 63;

export interface Question {
  readonly id: number;
  /** In lower case, without a trailing dot. */
  readonly name: string;
  readonly wantsIpv4: boolean;
  readonly recursionDesired: boolean;
  /** The question's own bytes, which the answer repeats. */
  readonly bytes: Buffer;
}

/** The question of a query; undefined where it is not one plain question. */
export function parseQuery(message: Buffer): Question | undefined {
  if (message.length < HEADER_BYTES || message.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > LONGEST_LABEL) return undefined;
    at += 1;
    if (length === 0) break;
    labels.push(message.toString('latin1', at, at + length));
    at += length;
  }
  if (message.length < at + 4) return undefined;
  return {
    id: message.readUInt16BE(0),
    name: labels.join('.').toLowerCase(),
    wantsIpv4: message.readUInt16BE(at) === TYPE_A && message.readUInt16BE(at + 2) === CLASS_IN,
    recursionDesired: (message.readUInt16BE(2) & RECURSION_DESIRED) !== 0,
    bytes: message.subarray(HEADER_BYTES, at + 4),
  };
}

/** The answer: `addresses` of a name, none where it has none of the wanted kind, undefined where there is no such name. */
export function answer(question: Question, addresses: readonly string[] | undefined): Buffer {
  const given = question.wantsIpv4 ? (addresses ?? []) : [];
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(question.id, 0);
  const recursion = question.recursionDesired ? RECURSION_DESIRED : 0;
  header.writeUInt16BE(ANSWER_FLAGS | recursion | (addresses ? 0 : NAME_ERROR), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(given.length, 6);
  return Buffer.concat([header, question.bytes, ...given.map(record)]);
}

function record(address: string): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16BE(SAME_NAME, 0);
  bytes.writeUInt16BE(TYPE_A, 2);
  bytes.writeUInt16BE(CLASS_IN, 4);
  bytes.writeUInt32BE(TTL_SECONDS, 6);
  bytes.writeUInt16BE(4, 10);
  for (const [index, part] of address.split('.').entries()) bytes.writeUInt8(Number(part), 12 + index);
  return bytes;
}
