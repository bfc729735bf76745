import { connect } from 'node:net';
import { ContentUnchecked, type OpenContent, textOf } from './open-content.ts';

/** The first bytes of a connection: the arguments of the program as JSON, filled up with spaces. */
export const HEADER_BYTES = 256;
/** More than the answer, and a line for each second that it may take. */
const MAX_RESPONSE_LENGTH = 2_000;
const RESPONSE = /^started\n+(?:(answered|failed) (".*")\n)?/;

/** The server of content checks ended during a check: the document may be the cause. */
export class ContentLost extends ContentUnchecked {
  override readonly name = 'ContentLost';
}

/** Opens a check at the server that listens on the socket (`serve-content.ts`). */
export function connectContent(path: string, args: readonly string[]): OpenContent {
  const socket = connect({ path });
  const text = textOf(socket, MAX_RESPONSE_LENGTH);
  let cause: unknown;
  // `answer` reports it.
  socket.on('error', (error) => {
    cause = error;
  });
  socket.write(JSON.stringify(args).padEnd(HEADER_BYTES));
  return {
    input: socket,
    answer: new Promise<void>((resolve) => socket.once('close', resolve)).then(() => {
      const [started, outcome, json = '""'] = RESPONSE.exec(text()) ?? [];
      if (started === undefined) throw new Error('content check not started', { cause });
      if (outcome === undefined) throw new ContentLost('connection lost', cause);
      const message = String(JSON.parse(json));
      if (outcome === 'failed') throw new ContentUnchecked(message);
      return message;
    }),
    close: () => void socket.destroy(),
  };
}
