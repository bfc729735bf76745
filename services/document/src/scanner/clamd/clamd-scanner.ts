import type { NetConnectOpts } from 'node:net';
import { addAbortSignal, Readable } from 'node:stream';
import { readVersionReply, type SignatureSet } from '../../domain/signature-set.ts';
import { type Scanner, ScannerUnavailable, type ScanVerdict } from '../scanner.ts';
import { CLAMD_BOUNDS, type ClamdBounds } from './bounds.ts';
import { checkSettings } from './check-settings.ts';
import { verdictOf } from './reply.ts';
import { openSession, type Session } from './session.ts';

const LARGEST_PIECE = 1024 * 1024;
const LENGTH_BYTES = 4;
const NEVER = new AbortController().signal;

/**
 * ClamAV's clamd, one connection for each command, answers ended by NUL. While it is not set to tell what it could not
 * look into, it has no signatures to be relied on: it counts as away.
 */
export function clamdScanner(address: NetConnectOpts, bounds: ClamdBounds = CLAMD_BOUNDS): Scanner {
  async function scan(bytes: Readable, signal: AbortSignal): Promise<ScanVerdict> {
    const whole = AbortSignal.timeout(bounds.wholeMs);
    addAbortSignal(AbortSignal.any([signal, whole]), bytes);
    try {
      return await scanOver(await openSession(address, bounds), bytes, signal, bounds);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw whole.aborted ? new ScannerUnavailable('took too long', error) : error;
    } finally {
      bytes.destroy();
    }
  }

  async function signatures(): Promise<SignatureSet> {
    const set = readVersionReply(await ask(address, 'VERSION', bounds));
    if (!set) throw new ScannerUnavailable('does not say which signatures it has');
    await checkSettings((bytes) => scan(Readable.from([bytes]), NEVER));
    return set;
  }

  return { scan, signatures };
}

async function scanOver(
  session: Session,
  bytes: Readable,
  signal: AbortSignal,
  { verdictMs }: ClamdBounds,
): Promise<ScanVerdict> {
  const close = () => session.close();
  signal.addEventListener('abort', close, { once: true });
  try {
    const whole = await sendAll(session, bytes);
    const verdict = verdictOf(await session.reply(verdictMs));
    if (!whole && verdict.kind === 'clean') throw new ScannerUnavailable('answered before it had everything');
    return verdict;
  } finally {
    signal.removeEventListener('abort', close);
    session.close();
  }
}

/**
 * Sends the stream in pieces, each after its length, and an empty one to end it. Resolves to whether all of it was sent:
 * it stops early where clamd has answered or gone.
 */
async function sendAll(session: Session, bytes: Readable): Promise<boolean> {
  if (!(await session.send(Buffer.from('zINSTREAM\0')))) return false;
  for await (const chunk of bytes) {
    for (const piece of pieces(chunk)) {
      if (!(await session.send(lengthOf(piece.length)))) return false;
      if (!(await session.send(piece))) return false;
    }
  }
  if (session.answered()) return false;
  await session.send(lengthOf(0));
  return true;
}

/** Cuts a chunk to what clamd may be sent at once. An empty chunk yields nothing: its length would end the stream. */
function* pieces(chunk: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < chunk.length; start += LARGEST_PIECE)
    yield chunk.subarray(start, start + LARGEST_PIECE);
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes);
  return length;
}

async function ask(address: NetConnectOpts, command: string, bounds: ClamdBounds): Promise<string> {
  const session = await openSession(address, bounds);
  try {
    await session.send(Buffer.from(`z${command}\0`));
    return await session.reply(bounds.connectMs);
  } finally {
    session.close();
  }
}
