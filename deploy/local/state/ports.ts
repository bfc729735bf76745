import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { CannotStart } from '../terminal.ts';

export type Ports<Name extends string> = Readonly<Record<Name, number>>;

/** Below the ephemeral ports. */
const SPARE = { from: 20_000, to: 31_999 };
const TRIES = 100;

/** Chooses a port for each name: the remembered one if it is valid, else the usual one, else a spare one. Throws CannotStart when none is free. */
export async function choosePorts<Name extends string>(
  usual: Ports<Name>,
  remembered: Readonly<Record<string, unknown>>,
  isPortAvailable: (port: number) => Promise<boolean>,
): Promise<Ports<Name>> {
  const names = Object.keys(usual) as Name[];
  const chosen = new Map<Name, number>();
  const given = new Set<number>();
  for (const name of names) {
    const last = remembered[name];
    const wanted = isPort(last) ? last : usual[name];
    const usable = !given.has(wanted) && (await isPortAvailable(wanted));
    const port = usable
      ? wanted
      : await sparePort(new Set([...given, ...Object.values<number>(usual)]), isPortAvailable);
    given.add(port);
    chosen.set(name, port);
  }
  return Object.fromEntries(chosen) as Record<Name, number>;
}

const isPort = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;

async function sparePort(
  avoid: ReadonlySet<number>,
  isPortAvailable: (port: number) => Promise<boolean>,
): Promise<number> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const port = randomInt(SPARE.from, SPARE.to + 1);
    if (!avoid.has(port) && (await isPortAvailable(port))) return port;
  }
  throw new CannotStart(`no free port between ${SPARE.from} and ${SPARE.to}`);
}

/** Whether a server can listen on the port now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
