import { Agent, request } from 'undici';
import type { Cluster } from './kubeconfig.ts';

const TIMEOUT_MS = 30_000;

export type PatchType = 'merge' | 'strategic-merge';

/** An answer of the API server that is no success. */
export class ApiError extends Error {
  readonly status: number;
  constructor(what: string, status: number, message: string) {
    super(`${what} failed with ${status}: ${message}`);
    this.status = status;
  }
}

/** The API of a cluster. Paths begin with /api or /apis. Each rejects with an ApiError unless the answer is a success. */
export interface Api {
  get<T>(path: string): Promise<T>;
  create<T>(path: string, body: object): Promise<T>;
  patch<T>(path: string, body: object, type?: PatchType): Promise<T>;
  delete(path: string, body?: object): Promise<void>;
  /** The lines of a watch, until it ends or `signal` is aborted. */
  lines(path: string, signal: AbortSignal): AsyncIterable<string>;
  close(): Promise<void>;
}

export function connectApi(cluster: Cluster): Api {
  const connect = { ca: cluster.ca, cert: cluster.certificate, key: cluster.key };
  const agent = new Agent({ connect, connections: 16 });
  // A watch holds its connection; the others must not wait for it.
  const watches = new Agent({ connect, bodyTimeout: 0 });

  async function call<T>(method: Method, path: string, body?: object, type = 'application/json'): Promise<T> {
    const answer = await request(`${cluster.server}${path}`, {
      method,
      dispatcher: agent,
      headers: body === undefined ? {} : { 'content-type': type },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw new ApiError(`${method} ${path}`, answer.statusCode, messageOf(text));
    return JSON.parse(text) as T;
  }

  async function* lines(path: string, signal: AbortSignal): AsyncIterable<string> {
    const answer = await request(`${cluster.server}${path}`, { dispatcher: watches, signal });
    if (answer.statusCode >= 400)
      throw new ApiError(`GET ${path}`, answer.statusCode, messageOf(await answer.body.text()));
    let rest = '';
    for await (const chunk of answer.body.setEncoding('utf8')) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      yield* parts;
    }
  }

  return {
    get: (path) => call('GET', path),
    create: (path, body) => call('POST', path, body),
    patch: (path, body, type = 'merge') => call('PATCH', path, body, `application/${type}-patch+json`),
    delete: async (path, body) => void (await call('DELETE', path, body)),
    lines,
    close: async () => void (await Promise.all([agent.destroy(), watches.destroy()])),
  };
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What a Status object says, which is what an API server answers failures with. */
function messageOf(text: string): string {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text.slice(0, 500);
  }
}
