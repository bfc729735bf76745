import type { NetConnectOpts } from 'node:net';
import { addAbortSignal, Readable } from 'node:stream';
import { readVersionReply, type SignatureSet } from '../../model/signatures.ts';
import { type Scanner, ScannerLost, ScannerUnavailable, type ScanVerdict } from '../malware-scanner.ts';
import { checkLimits, checkSettings } from './check-settings.ts';
import { CLAMD_BOUNDS, type ClamdBounds, openSession, type Session } from './session.ts';

const MAX_CHUNK_BYTES = 1024 * 1024;
const LENGTH_BYTES = 4;
const NEVER = new AbortController().signal;
const MAX_NAME_LENGTH = 200;
const STREAM_TOO_LONG = 'INSTREAM size limit exceeded. ERROR';

/**
 * ClamAV's clamd, one connection for each command, replies ended by NUL. A clamd that is not configured to report what
 * it could not look into, or that looks into less than the largest document where one is given, counts as unavailable:
 * `signatures` rejects.
 */
export function clamdScanner(
  address: NetConnectOpts,
  bounds: ClamdBounds = CLAMD_BOUNDS,
  largestBytes?: number,
): Scanner {
  /** Until clamd is lost: another one may be configured in another way. */
  let limitsChecked = false;

  async function scan(bytes: Readable, signal: AbortSignal): Promise<ScanVerdict> {
    const timeout = AbortSignal.timeout(bounds.scanMs);
    addAbortSignal(AbortSignal.any([signal, timeout]), bytes);
    let session: Session | undefined;
    try {
      session = await openSession(address, bounds);
      return await scanOver(session, bytes, signal, bounds);
    } catch (error) {
      if (error instanceof ScannerUnavailable) limitsChecked = false;
      if (signal.aborted) throw signal.reason;
      if (timeout.aborted) throw new ScannerLost('scan timed out', error);
      throw session && error instanceof ScannerUnavailable ? new ScannerLost(error.failure, error) : error;
    } finally {
      bytes.destroy();
    }
  }

  async function signatures(): Promise<SignatureSet> {
    const version = await runCommand(address, 'VERSION', bounds).catch((error: unknown) => {
      limitsChecked = false;
      throw error;
    });
    const set = readVersionReply(version);
    if (!set) throw new ScannerUnavailable('unknown reply to VERSION');
    await checkSettings((bytes) => scan(Readable.from([bytes]), NEVER));
    if (largestBytes !== undefined && !limitsChecked) {
      await checkLimits((bytes) => scan(bytes, NEVER), largestBytes);
      limitsChecked = true;
    }
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
    const sentAll = await sendAll(session, bytes);
    const verdict = verdictOf(await session.reply(verdictMs));
    if (!sentAll && verdict.kind === 'clean')
      throw new ScannerUnavailable('replied before the end of the stream');
    return verdict;
  } finally {
    signal.removeEventListener('abort', close);
    session.close();
  }
}

/**
 * Sends the stream in chunks, each after its length, and an empty one to end it. Resolves to whether all of it was
 * sent: it stops early when clamd has replied or disconnected.
 */
async function sendAll(session: Session, bytes: Readable): Promise<boolean> {
  if (!(await session.send(Buffer.from('zINSTREAM\0')))) return false;
  for await (const chunk of bytes) {
    for (const part of parts(chunk)) {
      if (!(await session.send(lengthOf(part.length)))) return false;
      if (!(await session.send(part))) return false;
    }
  }
  if (session.replied()) return false;
  await session.send(lengthOf(0));
  return true;
}

/** Cuts a chunk to the maximum that is sent at once. An empty chunk yields nothing: its length would end the stream. */
function* parts(chunk: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < chunk.length; start += MAX_CHUNK_BYTES)
    yield chunk.subarray(start, start + MAX_CHUNK_BYTES);
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes);
  return length;
}

async function runCommand(address: NetConnectOpts, command: string, bounds: ClamdBounds): Promise<string> {
  const session = await openSession(address, bounds);
  try {
    await session.send(Buffer.from(`z${command}\0`));
    return await session.reply(bounds.connectMs);
  } finally {
    session.close();
  }
}

/** The verdict in clamd's reply to INSTREAM. Throws ScannerUnavailable for any other reply. */
function verdictOf(reply: string): ScanVerdict {
  if (reply === 'stream: OK') return { kind: 'clean' };
  if (reply === STREAM_TOO_LONG) return { kind: 'limits_exceeded' };
  const found = /^stream: (.+) FOUND$/s.exec(reply)?.[1];
  if (found === undefined) throw new ScannerUnavailable('unknown reply');
  if (found.startsWith('Heuristics.Encrypted.')) return { kind: 'encrypted' };
  if (found.startsWith('Heuristics.Limits.Exceeded')) return { kind: 'limits_exceeded' };
  return { kind: 'infected', signature: printable(found) };
}

function printable(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, '_').slice(0, MAX_NAME_LENGTH);
}
