import type { Socket } from 'node:net';
import { EICAR_SCANNER } from '../../../services/document/src/scan/clamd/clamd-scanner.ts';
import { EICAR, EICAR_NAME } from '../../../services/document/testing/eicar.ts';

export { eicarSignatureFile } from '../../../services/document/testing/eicar.ts';

const LONGEST_COMMAND = 64;
/** As `StreamMaxLength` of a clamd. */
const MAX_BYTES = 32 * 1024 * 1024;
const IDLE_MS = 30_000;

/**
 * Speaks clamd's protocol where no clamd is installed: PING, VERSION and INSTREAM. Finds the EICAR test file and nothing
 * else. A scanner of another deployment refuses it by its VERSION.
 */
export async function scanForEicar(socket: Socket): Promise<void> {
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  socket.on('error', () => {});
  try {
    const reply = await replyTo(socket);
    if (reply === undefined) socket.destroy();
    else socket.end(`${reply}\0`);
  } catch {
    socket.destroy();
  }
}

async function replyTo(socket: Socket): Promise<string | undefined> {
  let kept = Buffer.alloc(0);
  let found = false;
  let [length, left] = [0, 0];
  let isStream = false;
  // The last bytes of a chunk, in which the test file may begin.
  let tail = '';
  for await (const bytes of socket.iterator({ destroyOnReturn: false })) {
    kept = Buffer.concat([kept, bytes]);
    if (!isStream) {
      const end = kept.indexOf(0);
      if (end < 0 && kept.length < LONGEST_COMMAND) continue;
      const command = kept.toString('latin1', 0, Math.max(end, 0));
      if (command === 'zPING') return 'PONG';
      if (command === 'zVERSION') return EICAR_SCANNER;
      if (command !== 'zINSTREAM') return 'UNKNOWN COMMAND';
      isStream = true;
      kept = kept.subarray(end + 1);
    }
    while (kept.length > 0) {
      if (left === 0) {
        if (kept.length < 4) break;
        left = kept.readUInt32BE();
        kept = kept.subarray(4);
        if (left === 0) return found ? `stream: ${EICAR_NAME} FOUND` : 'stream: OK';
        length += left;
        if (length > MAX_BYTES) return 'INSTREAM size limit exceeded. ERROR';
      }
      const part = kept.subarray(0, left);
      const text = tail + part.toString('latin1');
      found ||= text.includes(EICAR);
      tail = text.slice(1 - EICAR.length);
      left -= part.length;
      kept = kept.subarray(part.length);
    }
  }
  return undefined;
}
