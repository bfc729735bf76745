import { request as httpRequest } from 'node:http';
import { constants as http2, connect as http2Connect } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import type { Container, LifecycleHandler, Probe } from '../api/objects.ts';
import type { ExecOutcome } from './container-process.ts';

/** What a probe or hook is asked of. */
export interface Target {
  readonly address: string;
  readonly container: Container;
  exec(command: readonly string[], withinMs: number): Promise<ExecOutcome>;
}

type HttpGet = NonNullable<Probe['httpGet']>;

/** Asks once; true where the answer is good and in time. Never rejects. */
export async function askOnce(probe: Probe, target: Target): Promise<boolean> {
  const withinMs = (probe.timeoutSeconds ?? 1) * 1000;
  const { container, address } = target;
  try {
    if (probe.exec) return (await target.exec(probe.exec.command ?? [], withinMs)).exitCode === 0;
    if (probe.httpGet) return await getsGood(probe.httpGet, target, withinMs);
    if (probe.tcpSocket) {
      const { host = address, port } = probe.tcpSocket;
      return await accepts(host, portOf(container, port), withinMs);
    }
    if (probe.grpc) return await serves(address, probe.grpc.port, probe.grpc.service ?? '', withinMs);
    return true;
  } catch {
    return false;
  }
}

/** Runs a hook to its end, at most `withinMs`; says why where it failed. */
export async function runHook(hook: LifecycleHandler, target: Target, withinMs: number): Promise<void> {
  if (hook.sleep) await new Promise((resolve) => setTimeout(resolve, Number(hook.sleep?.seconds) * 1000));
  else if (hook.httpGet && !(await getsGood(hook.httpGet, target, withinMs)))
    throw new Error('its address did not answer well');
  else if (hook.exec) {
    const { exitCode, output } = await target.exec(hook.exec.command ?? [], withinMs);
    if (exitCode !== 0) throw new Error(`its command ended with exit code ${exitCode}: ${output}`);
  }
}

/** A number, or a port of the container by its name. */
function portOf(container: Container, port: string | number): number {
  const number = Number(port);
  if (Number.isInteger(number)) return number;
  const named = container.ports?.find(({ name }) => name === port);
  if (!named)
    throw new Error(
      `cannot resolve the port ${port} of container ${container.name}: no such name among its ports`,
    );
  return named.containerPort;
}

function getsGood(get: HttpGet, { address, container }: Target, withinMs: number): Promise<boolean> {
  const send = get.scheme === 'HTTPS' ? httpsRequest : httpRequest;
  const headers: Record<string, string> = { 'user-agent': 'kube-probe/1.35', accept: '*/*' };
  for (const { name, value } of get.httpHeaders ?? []) headers[name.toLowerCase()] = value;
  const path = get.path ?? '/';
  return new Promise((resolve) => {
    const asked = send(
      {
        ...{ host: get.host ?? address, port: portOf(container, get.port), headers, agent: false },
        ...{ path: path.startsWith('/') ? path : `/${path}`, rejectUnauthorized: false },
        signal: AbortSignal.timeout(withinMs),
      },
      (answer) => {
        answer.on('error', () => undefined);
        answer.resume();
        const status = answer.statusCode ?? 0;
        resolve(status >= 200 && status < 400);
      },
    );
    asked.on('error', () => resolve(false));
    asked.end();
  });
}

function accepts(host: string, port: number, withinMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.setTimeout(withinMs, () => done(false));
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
  });
}

/** SERVING, the one good answer of grpc.health.v1.Health/Check. */
const SERVING = 1;

function serves(address: string, port: number, service: string, withinMs: number): Promise<boolean> {
  const name = Buffer.from(service);
  const request =
    name.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(request.length, 1);
  return new Promise((resolve) => {
    const session = http2Connect(`http://${address}:${port}`);
    const done = (good: boolean) => {
      clearTimeout(timer);
      session.destroy();
      resolve(good);
    };
    const timer = setTimeout(() => done(false), withinMs);
    session.on('error', () => done(false));
    const stream = session.request({
      [http2.HTTP2_HEADER_METHOD]: 'POST',
      [http2.HTTP2_HEADER_PATH]: '/grpc.health.v1.Health/Check',
      [http2.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      te: 'trailers',
    });
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', () => done(false));
    // One message: five bytes of its own, then field 1 with the status.
    stream.on('end', () => {
      const message = Buffer.concat(chunks).subarray(5);
      done(message[0] === 0x08 && message[1] === SERVING);
    });
    stream.end(Buffer.concat([frame, request]));
  });
}
