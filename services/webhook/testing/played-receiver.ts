import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:tls';
import { type Credentials, type Receiver, tcpReceiver } from './receivers.ts';

export interface ReceivedRequest {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
}

/** A receiver whose behaviour can be changed while it listens. */
export interface PlayedReceiver extends Receiver {
  plays: 'never answers' | 'answers';
  readonly requests: readonly ReceivedRequest[];
  /** Answers every pending request with 200. */
  answerAll(): void;
}

export async function playedReceiver(
  credentials: Credentials,
  plays: PlayedReceiver['plays'],
): Promise<PlayedReceiver> {
  const requests: ReceivedRequest[] = [];
  const waiting: ServerResponse[] = [];
  const http = createServer(async (request, response) => {
    response.on('error', () => {});
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const header = (name: string) => String(request.headers[name]);
    requests.push({
      id: header('svc-webhook-id'),
      timestamp: header('svc-webhook-timestamp'),
      signature: header('svc-webhook-signature'),
      body: Buffer.concat(chunks).toString(),
    });
    if (played.plays === 'answers') response.end();
    else waiting.push(response);
  });
  const tls = createTlsServer(credentials, (socket) => {
    socket.on('error', () => {});
    http.emit('connection', socket);
  });
  tls.on('tlsClientError', () => {});
  const receiver = await tcpReceiver((socket) => {
    tls.emit('connection', socket);
  });
  const played: PlayedReceiver = {
    ...receiver,
    plays,
    requests,
    answerAll() {
      for (const response of waiting.splice(0)) response.end();
    },
  };
  return played;
}
