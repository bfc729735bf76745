import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Performs one HTTP exchange with exactly these headers; the body is chunked if there is no content-length. */
export async function exchange(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: http.OutgoingHttpHeaders; body?: Buffer },
): Promise<Answer> {
  const length = headers['content-length'];
  const fixed = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
  const send = url.startsWith('https:') ? https.request : http.request;
  const request = send(url, { method, headers: fixed, agent: false, signal: AbortSignal.timeout(60_000) });
  const answered = once(request, 'response');
  // A server that has refused may stop reading: then only its response counts.
  request.on('error', () => {});
  if (body && length === undefined) request.write(body);
  request.end(length === undefined ? undefined : body);
  const [response] = (await answered) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

/** Uploads as a well-behaved supplier does, with additional headers `other`. */
export function upload(
  url: string,
  body: Buffer,
  contentType: string,
  other: http.OutgoingHttpHeaders = {},
): Promise<Answer> {
  const headers = { 'content-type': contentType, 'content-length': body.length, ...other };
  return exchange(url, { method: 'PUT', headers, body });
}

/** Sends the head of an upload and part of its body, and resets the connection. */
export async function uploadAndVanish(
  url: string,
  announced: number,
  sent: Buffer,
  contentType: string,
): Promise<void> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port || 80) });
  await once(socket, 'connect');
  const head = [
    `PUT ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${announced}`,
  ];
  await new Promise<void>((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n`, () => resolve()));
  await new Promise<void>((resolve) => socket.write(sent, () => resolve()));
  // Gives the server time to start reading.
  await delay(100);
  socket.resetAndDestroy();
}
