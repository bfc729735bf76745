import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const ANSWER_MS = 30_000;
const START_MS = 120_000;

export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
}

/** The API of Kubernetes, without its watches. Objects are what JSON says. */
export interface ApiClient {
  /** Any request; resolves to whatever is answered. Rejects when nothing is within 30 s. */
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiAnswer>;
  /** The object at a path. Rejects unless the answer is good. */
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  /** Changes what `body` names (a JSON merge patch). */
  patch<T>(path: string, body: unknown): Promise<T>;
  /** Deletes; what is not there is deleted. */
  delete(path: string): Promise<void>;
  close(): void;
}

/** A client by way of `kubectl proxy`, which knows how whatever cluster wants to be asked. */
export async function openApi(kubectl: readonly [string, ...string[]]): Promise<ApiClient> {
  const [command, ...args] = kubectl;
  const proxy = spawn(command, [...args, 'proxy', '--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(proxy.stdout);
  const [line] = (await once(lines, 'line', { signal: AbortSignal.timeout(START_MS) })) as [string];
  const address = /127\.0\.0\.1:\d+/.exec(line)?.[0];
  if (address === undefined) throw new Error(`kubectl proxy says ${line}`);
  const send = async (method: string, path: string, body?: unknown, contentType = 'application/json') => {
    const answer = await fetch(`http://${address}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': contentType } }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const good = async <T>(method: string, path: string, body?: unknown, contentType?: string): Promise<T> => {
    const { status, text } = await send(method, path, body, contentType);
    if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  };
  return {
    request: send,
    get: (path) => good('GET', path),
    post: (path, body) => good('POST', path, body),
    patch: (path, body) => good('PATCH', path, body, 'application/merge-patch+json'),
    async delete(path) {
      const { status, text } = await send('DELETE', path);
      if (status > 299 && status !== 404) throw new Error(`DELETE ${path}: ${status} ${text.slice(0, 500)}`);
    },
    close: () => void proxy.kill(),
  };
}
