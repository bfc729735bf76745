import { createServer } from 'node:net';
import { CannotStart } from '../terminal.ts';
import { choosePorts, isPortFree } from './ports.ts';

const usual = { api: 8080, pages: 8081 };
const free = async () => true;

describe('choosePorts', () => {
  it('uses the usual ports when they are free', async () => {
    expect(await choosePorts(usual, {}, free)).toEqual(usual);
  });

  it('prefers the ports of the last run', async () => {
    expect(await choosePorts(usual, { api: 25_000 }, free)).toEqual({ api: 25_000, pages: 8081 });
  });

  it('prefers only valid ports of known names from the last run', async () => {
    const last = { api: 'x', pages: 70_000, nats: 4222.5, postgres: 0, gone: 25_000 };
    const known = { ...usual, nats: 4222, postgres: 5432 };
    expect(await choosePorts(known, last, free)).toEqual(known);
  });

  it('replaces a taken port', async () => {
    const ports = await choosePorts(usual, {}, async (port) => port !== 8080);
    expect(ports.api).not.toBe(8080);
    expect(ports.pages).toBe(8081);
  });

  it('never gives two names the same port', async () => {
    const ports = await choosePorts(usual, { api: 8081 }, free);
    expect(ports.api).toBe(8081);
    expect(ports.pages).not.toBe(8081);
  });

  it('fails with one line when no port is free', async () => {
    await expect(choosePorts(usual, {}, async () => false)).rejects.toThrow(CannotStart);
  });
});

describe('isPortFree', () => {
  it('is false exactly while another server listens', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    expect(await isPortFree(port)).toBe(false);
    await new Promise((resolve) => server.close(resolve));
    expect(await isPortFree(port)).toBe(true);
  });
});
