import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { itWith } from '@supplier/lib/testing';
import { EXAMPLE_RECEIVERS, type Receiver, whileServing } from '../../testing/example-receivers.ts';
import { EXAMPLE_SECRET } from './envelope.ts';
import { signedHeaders } from './signing.ts';

const scratch = mkdtempSync(join(tmpdir(), 'receiver-examples-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const BODY = new Uint8Array(
  Buffer.from('{"id":"1","type":"submission.status_changed","occurred_at":"2026-01-15T09:30:00.250Z"}'),
);
const LARGEST_BODY_BYTES = 1024 * 1024;
const UNUSABLE = ['', 'whsec_', 'undefined', 'whsec_ ', `${EXAMPLE_SECRET}\n`, `"${EXAMPLE_SECRET}"`];

/** Returns the status of a signed request, or the exit code of a receiver that exited before it listened. */
async function post({ port, process: receiver }: Receiver, secret: string, body = BODY): Promise<number> {
  while (receiver.exitCode === null) {
    try {
      const headers = signedHeaders('1', body, secret, new Date());
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
    } catch (error) {
      const { code } = (error as { cause?: { code?: string } }).cause ?? {};
      if (code !== 'ECONNREFUSED') throw error;
      await pause(20);
    }
  }
  return receiver.exitCode;
}

/** Returns how many bytes of an endless chunked body are sent before the receiver answers or closes the connection. */
async function sentUntilRefused(port: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  let over = false;
  for (const event of ['data', 'close', 'error'])
    socket.on(event, () => {
      over = true;
    });
  await once(socket, 'connect');
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
  const chunk = Buffer.from(`10000\r\n${'x'.repeat(65_536)}\r\n`);
  let sent = 0;
  while (!over && sent < 64 * LARGEST_BODY_BYTES) {
    sent += 65_536;
    await new Promise((written) => socket.write(chunk, written));
  }
  socket.destroy();
  return sent;
}

describe.each(EXAMPLE_RECEIVERS)('example receiver in $language', (example) => {
  const run = itWith(...example.needs);
  // PHP's web server starts regardless of its program.
  const refusal = example.serve ? 503 : 64;

  run.each([undefined, ...UNUSABLE])('accepts nothing without a usable secret: %j', async (secrets) => {
    expect(
      await whileServing({ example, secrets, scratch }, (receiver) => post(receiver, secrets ?? '')),
    ).toBe(refusal);
  });

  run('refuses a signature with an unusable secret that is configured next to the real one', async () => {
    await whileServing(
      { example, secrets: `,whsec_,${EXAMPLE_SECRET},undefined`, scratch },
      async (receiver) => {
        expect(await post(receiver, EXAMPLE_SECRET)).toBe(204);
        for (const secret of UNUSABLE) expect([secret, await post(receiver, secret)]).toEqual([secret, 401]);
      },
    );
  });

  run('refuses a body over 1 MiB, whether or not its length is announced', async () => {
    await whileServing({ example, secrets: EXAMPLE_SECRET, scratch }, async (receiver) => {
      expect(await post(receiver, EXAMPLE_SECRET)).toBe(204);
      const tooLarge = new Uint8Array(LARGEST_BODY_BYTES + 1).fill(32);
      // A receiver that does not read the rest may close the connection before its response is read.
      expect([413, 'closed']).toContain(await post(receiver, EXAMPLE_SECRET, tooLarge).catch(() => 'closed'));
      // PHP's web server reads the whole body before it starts the program.
      if (!example.serve) expect(await sentUntilRefused(receiver.port)).toBeLessThan(16 * LARGEST_BODY_BYTES);
      expect(await post(receiver, EXAMPLE_SECRET)).toBe(204);
    });
  });
});
