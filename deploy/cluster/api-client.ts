import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const ANSWER_MS = 30_000;
const START_MS = 120_000;

/** The Kubernetes API, without watches. Objects are unchecked JSON. */
export interface ApiClient {
  /** Sends any request; resolves to the response, with any status. */
  request(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }>;
  /** Rejects unless the request succeeds. */
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  close(): void;
}

/** A client through `kubectl proxy`, which can authenticate to any cluster. */
export async function openApi(kubectl: readonly [string, ...string[]]): Promise<ApiClient> {
  const [command, ...args] = kubectl;
  const proxy = spawn(command, [...args, 'proxy', '--port=0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(proxy.stdout);
  const [line] = (await once(lines, 'line', { signal: AbortSignal.timeout(START_MS) })) as [string];
  const address = /127\.0\.0\.1:\d+/.exec(line)?.[0];
  if (address === undefined) throw new Error(`kubectl proxy: ${line}`);
  const request = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`http://${address}${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const good = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const { status, text } = await request(method, path, body);
    if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  };
  return {
    request,
    get: (path) => good('GET', path),
    post: (path, body) => good('POST', path, body),
    close: () => void proxy.kill(),
  };
}
