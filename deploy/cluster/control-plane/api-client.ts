import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import type { Certificates } from '../../local/identity/make-certificates.ts';

const ANSWER_MS = 30_000;
const LARGEST_ANSWER = 64 << 20;

export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
}

/** The API of Kubernetes, without its watches. Objects are what JSON says. */
export interface ApiClient {
  readonly url: string;
  /** Any request; resolves to whatever is answered. Rejects when nothing is within 30 s. */
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<ApiAnswer>;
  /** The object at a path. Rejects unless the answer is good. */
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  /** Changes what `body` names (a JSON merge patch). */
  patch<T>(path: string, body: unknown): Promise<T>;
  /** Deletes; what is not there is deleted. */
  delete(path: string, body?: unknown): Promise<void>;
  close(): void;
}

/** A client that presents itself with `files`. */
export function apiClient(url: string, { authority, certificate, key }: Certificates): ApiClient {
  const [ca, cert, secret] = [authority, certificate, key].map((file) => readFileSync(file));
  const agent = new Agent({ keepAlive: true, maxSockets: 20, ca, cert, key: secret });
  const send = (method: string, path: string, body?: unknown, contentType = 'application/json') =>
    new Promise<ApiAnswer>((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = text === undefined ? {} : { 'content-type': contentType };
      const asked = request(
        `${url}${path}`,
        { method, agent, headers, signal: AbortSignal.timeout(ANSWER_MS) },
        (answer) => {
          const chunks: Buffer[] = [];
          let size = 0;
          answer.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size > LARGEST_ANSWER) answer.destroy(new Error(`${path} answers with too much`));
            else chunks.push(chunk);
          });
          answer.on('error', reject);
          answer.on('end', () =>
            resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
          );
        },
      );
      asked.on('error', reject);
      asked.end(text);
    });
  const good = async <T>(method: string, path: string, body?: unknown, contentType?: string): Promise<T> => {
    const { status, text } = await send(method, path, body, contentType);
    if (status < 200 || status > 299) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 500)}`);
    return JSON.parse(text) as T;
  };
  return {
    url,
    request: send,
    get: (path) => good('GET', path),
    post: (path, body) => good('POST', path, body),
    patch: (path, body) => good('PATCH', path, body, 'application/merge-patch+json'),
    async delete(path, body) {
      const { status, text } = await send('DELETE', path, body);
      if (status > 299 && status !== 404) throw new Error(`DELETE ${path}: ${status} ${text.slice(0, 500)}`);
    },
    close: () => agent.destroy(),
  };
}
