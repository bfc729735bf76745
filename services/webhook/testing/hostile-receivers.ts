import { connect, type Socket } from 'node:net';
import { createServer as createTlsServer, type SecureVersion, type TLSSocket } from 'node:tls';
import { createGzip } from 'node:zlib';
import { makeTestAuthority, type TestAuthority } from '@supplier/lib/testing';
import type { AttemptError } from '../src/model/attempt.ts';
import { type Credentials, listening, type Receiver, tcpReceiver, tlsReceiver } from './receivers.ts';

/** The parameters of a hostile receiver: the authority that the client trusts. */
export interface Surroundings {
  readonly authority: TestAuthority;
  readonly credentials: Credentials;
}

export interface HostileReceiver {
  /** Its behaviour, to complete "a receiver that …". */
  readonly does: string;
  readonly start: (surroundings: Surroundings) => Promise<Receiver>;
  /**
   * How one attempt at it ends; an undefined error is a success, which a 2xx status line causes even if errors follow.
   */
  readonly ends: { readonly error: AttemptError | undefined; readonly statusCode?: number };
  /** The other possible error, if the result depends on timing. */
  readonly orEnds?: AttemptError;
}

const FOR_US = { ips: ['127.0.0.1'] };
const OK = 'HTTP/1.1 200 OK\r\n';
const FAILED = 'HTTP/1.1 500 Internal Server Error\r\n';
/** Delay between two pieces of a slow response: many of them fit into the limits of a test. */
const DRIP_MS = 20;
const CHUNK = Buffer.alloc(16_384, 'x');
export const HUGE_BYTES = 100_000_000;

/** Before the first byte of HTTP. */
const IN_THE_HANDSHAKE: HostileReceiver[] = [
  // The reset may arrive with the connection or after it.
  {
    ...tcp('resets the connection immediately', 'tls', (socket) => socket.resetAndDestroy()),
    orEnds: 'connect',
  },
  tcp('closes the connection immediately', 'tls', (socket) => socket.end()),
  tcp('never answers the handshake', 'timeout', (socket) => socket.resume()),
  tcp('does not even read the handshake', 'timeout', (socket) => socket.pause()),
  tcp('resets in the handshake', 'tls', (socket) => socket.once('data', () => socket.resetAndDestroy())),
  tcp('answers the handshake in plain HTTP', 'tls', (socket) =>
    socket.once('data', () => socket.end(`${OK}\r\n`)),
  ),
  tcp('answers the handshake with noise', 'tls', (socket) =>
    socket.once('data', () => socket.end(Buffer.alloc(4_096, 0xa5))),
  ),
  tcp('refuses the handshake with an alert', 'tls', (socket) =>
    socket.once('data', () => socket.end(Buffer.from('15030300020228', 'hex'))),
  ),
  {
    does: 'closes the connection halfway through its handshake',
    start: (around) => behindProxy(around, (bytes, socket) => socket.end(bytes.subarray(0, 100))),
    ends: { error: 'tls' },
  },
  {
    does: 'sends its certificate a byte at a time',
    start: (around) => behindProxy(around, (bytes, socket) => drip(socket, bytes)),
    ends: { error: 'timeout' },
  },
  certificate('that has expired', ({ authority }) =>
    authority.issue({ ...FOR_US, valid: 'until yesterday' }),
  ),
  certificate('that is not valid yet', ({ authority }) =>
    authority.issue({ ...FOR_US, valid: 'from tomorrow' }),
  ),
  certificate('for another host', ({ authority }) => authority.issue({ hosts: ['other.test'] })),
  certificate('for another address', ({ authority }) => authority.issue({ ips: ['127.0.0.2'] })),
  certificate('for its address written as a name', ({ authority }) =>
    authority.issue({ hosts: ['127.0.0.1'] }),
  ),
  certificate('from an unknown authority', async () => (await makeTestAuthority()).issue(FOR_US)),
  certificate('that it signed itself', ({ authority }) => authority.selfSigned(FOR_US)),
  oldTls('TLSv1'),
  oldTls('TLSv1.1'),
  {
    does: 'supports and offers only HTTP/2',
    start: ({ credentials }) =>
      listening(createTlsServer({ ...credentials, ALPNProtocols: ['h2'] }).on('tlsClientError', () => {})),
    ends: { error: 'tls' },
  },
];

/** After the handshake and before a final status line. */
const BEFORE_THE_STATUS: HostileReceiver[] = [
  tls('closes after the handshake', 'reset', (socket) => socket.destroy()),
  tls('never reads the request', 'timeout', (socket) => socket.pause()),
  answering('never answers the request', 'timeout', () => {}),
  answering('closes after the request', 'reset', (socket) => socket.end()),
  answering('resets after the request', 'reset', (socket) => socket.destroy(new Error('on purpose'))),
  answering('closes within the status line', 'reset', (socket) => socket.end('HTTP/1.1 2')),
  answering('hangs in the status line', 'timeout', (socket) => socket.write('HTTP/1.1 20')),
  answering('drips its status line', 'timeout', (socket) =>
    drip(socket, `HTTP/1.1 200 ${'O'.repeat(5_000)}`),
  ),
  answering('sends endless interim responses', 'reset', (socket) =>
    flood(socket, 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
  ),
  answering('sends interim responses slowly', 'timeout', (socket) =>
    drip(socket, Array(500).fill('HTTP/1.1 102 Processing\r\n\r\n')),
  ),
  answering('sends only an interim response', 'timeout', (socket) =>
    socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'),
  ),
  answering('switches protocols', 'reset', (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
  ),
  answering('speaks another protocol', 'reset', (socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n')),
  answering('responds with noise', 'reset', (socket) => socket.write(Buffer.alloc(4_096, 0xa5))),
  answering('responds with HTTP/0.9', 'reset', (socket) => socket.end('<html><body>200 OK</body></html>')),
  answering('responds with HTTP/2 frames', 'reset', (socket) =>
    socket.write(Buffer.from('000000040000000000', 'hex')),
  ),
  answering('claims a nonexistent HTTP version', 'reset', (socket) =>
    socket.end('HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n'),
  ),
  answering('has a status that is not a number', 'reset', (socket) =>
    socket.end('HTTP/1.1 2OO OK\r\nContent-Length: 0\r\n\r\n'),
  ),
];

/** After a status line, which has already decided. */
const AFTER_THE_STATUS: HostileReceiver[] = [
  redirect('to the metadata address', 'https://169.254.169.254/latest/meta-data'),
  redirect('to a private address without TLS', 'http://10.0.0.1/'),
  redirect('to a file URL', 'file:///etc/passwd'),
  ...afterStatus('closes within the headers', (socket) => socket.end('Content-Le')),
  ...afterStatus('hangs in the headers', (socket) => socket.write('Content-Length: 0\r\n')),
  ...afterStatus('drips its headers a byte at a time', (socket) =>
    drip(socket, `X-Drip: ${'x'.repeat(5_000)}`),
  ),
  ...afterStatus('sends an endless header', (socket) => flood(socket, 'x', 'X: ')),
  ...afterStatus('sends endless headers', (socket) => flood(socket, 'X-More: more\r\n')),
  ...afterStatus('gives two lengths for one body', (socket) =>
    socket.end('Content-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
  ),
  ...afterHead('resets after its headers', 'Content-Length: 10\r\n', (socket) =>
    socket.destroy(new Error('on purpose')),
  ),
  ...afterHead('never sends the declared body', 'Content-Length: 10\r\n', () => {}),
  ...afterHead('sends less than it declared', 'Content-Length: 10\r\n', (socket) => socket.end('abc')),
  ...afterHead('sends more than it declared', 'Content-Length: 1\r\n', (socket) =>
    socket.write(`a${OK}Content-Length: 0\r\n\r\n`),
  ),
  ...afterHead('drips its body', '', (socket) => drip(socket, 'x'.repeat(5_000))),
  ...afterHead('sends 100 MB', `Content-Length: ${HUGE_BYTES}\r\n`, (socket) =>
    flood(socket, CHUNK, '', HUGE_BYTES),
  ),
  ...afterHead('sends an endless body', '', (socket) => flood(socket, CHUNK)),
  ...afterHead('sends invalid chunks', 'Transfer-Encoding: chunked\r\n', (socket) =>
    socket.write('zz\r\nnoise\r\n'),
  ),
  ...afterHead('sends a gzip bomb', 'Content-Encoding: gzip\r\n', (socket) => {
    const gzip = createGzip();
    gzip.pipe(socket);
    flood(gzip, Buffer.alloc(1_000_000), '', 50_000_000);
  }),
];

/** All hostile receivers. Each is used for exactly one attempt. */
export const HOSTILE_RECEIVERS: readonly HostileReceiver[] = [
  ...IN_THE_HANDSHAKE,
  ...BEFORE_THE_STATUS,
  ...AFTER_THE_STATUS,
];

function tcp(does: string, error: AttemptError, talk: (socket: Socket) => void): HostileReceiver {
  return { does, start: () => tcpReceiver(talk), ends: { error } };
}

function tls(does: string, error: AttemptError, talk: (socket: TLSSocket) => void): HostileReceiver {
  return { does, start: ({ credentials }) => tlsReceiver(credentials, talk), ends: { error } };
}

/** Acts once it has started to read a request. */
function answering(does: string, error: AttemptError, act: (socket: TLSSocket) => void): HostileReceiver {
  return tls(does, error, (socket) => void socket.once('data', () => act(socket)));
}

/** Returns the behaviour after a status line that means success, and after one that means failure. */
function afterStatus(does: string, act: (socket: TLSSocket) => void): HostileReceiver[] {
  const saying = (status: string) => (around: Surroundings) =>
    tlsReceiver(
      around.credentials,
      (socket) =>
        void socket.once('data', () => {
          socket.write(status);
          act(socket);
        }),
    );
  return [
    { does: `returns 200 and ${does}`, start: saying(OK), ends: { error: undefined, statusCode: 200 } },
    { does: `returns 500 and ${does}`, start: saying(FAILED), ends: { error: 'status', statusCode: 500 } },
  ];
}

/** Returns the behaviour after the headers. */
function afterHead(does: string, headers: string, act: (socket: TLSSocket) => void): HostileReceiver[] {
  return afterStatus(does, (socket) => {
    socket.write(`${headers}\r\n`);
    act(socket);
  });
}

function redirect(where: string, location: string): HostileReceiver {
  return {
    does: `redirects ${where}`,
    start: ({ credentials }) =>
      tlsReceiver(
        credentials,
        (socket) =>
          void socket.once('data', () =>
            socket.end(
              `HTTP/1.1 307 Temporary Redirect\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`,
            ),
          ),
      ),
    ends: { error: 'status', statusCode: 307 },
  };
}

function certificate(
  what: string,
  issue: (surroundings: Surroundings) => Promise<Credentials>,
): HostileReceiver {
  return {
    does: `has a certificate ${what}`,
    start: async (around) => tlsReceiver(await issue(around), (socket) => void socket.end(`${OK}\r\n`)),
    ends: { error: 'tls' },
  };
}

function oldTls(version: SecureVersion): HostileReceiver {
  const only = { minVersion: version, maxVersion: version, ciphers: 'ALL:@SECLEVEL=0' };
  return {
    does: `speaks nothing newer than ${version}`,
    start: ({ credentials }) =>
      tlsReceiver({ ...credentials, ...only }, (socket) => void socket.end(`${OK}\r\n`)),
    ends: { error: 'tls' },
  };
}

/** Starts a valid TLS receiver whose bytes pass through `forward` on their way to the client. */
async function behindProxy(
  { credentials }: Surroundings,
  forward: (bytes: Buffer, socket: Socket) => void,
): Promise<Receiver> {
  const hidden = await tlsReceiver(credentials, () => {});
  const proxy = await tcpReceiver((socket) => {
    const inner = connect(hidden.port, '127.0.0.1');
    inner.on('error', () => {});
    socket.pipe(inner);
    socket.on('close', () => inner.destroy());
    inner.on('data', (bytes: Buffer) => forward(bytes, socket));
  });
  return {
    ...proxy,
    close: async () => {
      await proxy.close();
      await hidden.close();
    },
  };
}

/** Writes piece by piece until all is written or the peer is gone. */
function drip(socket: Socket, pieces: string | readonly string[] | Uint8Array): void {
  const queue = [...pieces].map((piece) => (typeof piece === 'number' ? Buffer.from([piece]) : piece));
  const timer = setInterval(() => {
    const piece = queue.shift();
    if (piece === undefined) clearInterval(timer);
    else socket.write(piece);
  }, DRIP_MS);
  socket.on('close', () => clearInterval(timer));
}

/** Writes as fast as the peer reads, until `limit` bytes are written or the peer is gone. */
function flood(
  to: NodeJS.WritableStream & { destroyed?: boolean },
  piece: string | Uint8Array,
  before = '',
  limit = Number.POSITIVE_INFINITY,
): void {
  let written = 0;
  // Small pieces are combined into larger ones, so that the reader is the busy side.
  const chunk = typeof piece === 'string' ? piece.repeat(Math.ceil(16_384 / piece.length)) : piece;
  const more = () => {
    let writable = true;
    while (writable && written < limit && to.destroyed !== true) {
      writable = to.write(chunk);
      written += chunk.length;
    }
    if (written >= limit) to.end();
    else to.once('drain', more);
  };
  if (before !== '') to.write(before);
  more();
}
