import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { ScannerUnavailable } from '../scanner.ts';
import type { ClamdBounds } from './bounds.ts';

/** One connection to clamd, for one command. */
export interface Session {
  /** Sends bytes, and resolves when more may be sent; to false when clamd has answered or gone, and wants no more. */
  send(bytes: Uint8Array): Promise<boolean>;
  answered(): boolean;
  /** The whole answer, without the NUL that ends it. Rejects with ScannerUnavailable when it is cut, late or too long. */
  reply(withinMs: number): Promise<string>;
  close(): void;
}

/** Connects to clamd. Rejects with ScannerUnavailable. */
export async function openSession(address: NetConnectOpts, bounds: ClamdBounds): Promise<Session> {
  const socket = connect(address);
  const { connectMs, idleMs, replyBytes } = bounds;
  const answer = readAnswer(socket, replyBytes);
  try {
    await within(connectMs, 'did not take the connection in time', opened(socket));
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return {
    async send(bytes) {
      if (answer.ended()) return false;
      if (socket.write(bytes)) return true;
      await within(idleMs, 'stopped taking bytes', Promise.race([drained(socket), answer.settled]));
      return !answer.ended();
    },
    answered: answer.ended,
    reply: (withinMs) => within(withinMs, 'did not answer in time', answer.text),
    close: () => socket.destroy(),
  };
}

function opened(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', (cause) => reject(new ScannerUnavailable('cannot be reached', cause)));
  });
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('drain', resolve);
  });
}

interface Answer {
  readonly text: Promise<string>;
  /** Resolves, never rejects, when there will be no more of it. */
  readonly settled: Promise<void>;
  ended(): boolean;
}

/** Reads up to the NUL that ends an answer. One that is cut short is none, however much it looks like one. */
function readAnswer(socket: Socket, mostBytes: number): Answer {
  let ended = false;
  let said = Buffer.alloc(0);
  let failure: unknown;
  const text = new Promise<string>((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => {
      if (ended) return;
      said = Buffer.concat([said, chunk]);
      const end = said.indexOf(0);
      if (end >= 0 && end <= mostBytes) finish(() => resolve(said.toString('latin1', 0, end)));
      else if (said.length > mostBytes)
        finish(() => reject(new ScannerUnavailable('gave an answer without an end')));
    });
    // Bytes that clamd did not want reset the connection: what it said before that still counts.
    socket.on('error', (cause) => {
      failure = cause;
    });
    socket.once('close', () => finish(() => reject(new ScannerUnavailable('broke off', failure))));
    function finish(settle: () => void): void {
      ended = true;
      settle();
    }
  });
  const settled = text.then(
    () => undefined,
    () => undefined,
  );
  return { text, settled, ended: () => ended };
}

async function within<Result>(ms: number, lack: string, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ScannerUnavailable(lack)), ms);
  });
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
