// A client of HTTP/1.1 that costs as little as a client can, so that what is measured is the server: whole requests are
// strings that are written at once, and of an answer only the status and the body are read.
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** A fixed number of kept-alive connections to one server, one request at a time on each. */
export interface Connections {
  /**
   * Sends what `write` makes on the next free connection, in the order asked for. Rejects when the connection breaks,
   * when no connection becomes free in time, and when no answer has come in time.
   */
  send(write: (connection: number) => string): Promise<Answer>;
  close(): void;
}

const ANSWER_MS = 15_000;
const FREE_MS = 15_000;
const LARGEST_ANSWER = 1024 * 1024;
const HEAD_END = '\r\n\r\n';

interface Waiting {
  readonly since: number;
  readonly write: (connection: number) => string;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Opens connections as they are needed, at most `count`. */
export function openConnections(origin: string, count: number): Connections {
  const { hostname, port } = new URL(origin);
  const queue: Waiting[] = [];
  let next = 0;
  const idle: Connection[] = [];
  const nextInTime = (): Waiting | undefined => {
    for (;;) {
      const waiting = queue[next];
      if (!waiting) {
        queue.length = 0;
        next = 0;
        return undefined;
      }
      next += 1;
      if (performance.now() - waiting.since <= FREE_MS) return waiting;
      waiting.reject(new Error(`no connection was free for ${FREE_MS} ms`));
    }
  };
  const all = Array.from({ length: count }, (_, index) => {
    const connection = new Connection(index, hostname, Number(port), () => {
      const waiting = nextInTime();
      if (waiting) connection.send(waiting);
      else idle.push(connection);
    });
    idle.push(connection);
    return connection;
  });
  return {
    send: (write) =>
      new Promise((resolve, reject) => {
        const waiting = { since: performance.now(), write, resolve, reject };
        const connection = idle.pop();
        if (connection) connection.send(waiting);
        else queue.push(waiting);
      }),
    close: () => {
      for (const connection of all) connection.close();
    },
  };
}

class Connection {
  readonly #index: number;
  readonly #host: string;
  readonly #port: number;
  readonly #free: () => void;
  #socket: Socket | undefined;
  #under: Waiting | undefined;
  #received: Buffer<ArrayBufferLike> = Buffer.alloc(0);

  constructor(index: number, host: string, port: number, free: () => void) {
    this.#index = index;
    this.#host = host;
    this.#port = port;
    this.#free = free;
  }

  send(waiting: Waiting): void {
    this.#under = waiting;
    this.#socket ??= this.#connect();
    this.#socket.write(waiting.write(this.#index), 'latin1');
  }

  close(): void {
    this.#socket?.destroy();
  }

  #connect(): Socket {
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true });
    this.#received = Buffer.alloc(0);
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error(`no answer within ${ANSWER_MS} ms`)));
    socket.on('data', (chunk) => this.#read(chunk));
    let reason = new Error('the server closed the connection');
    socket.on('error', (error) => {
      reason = error;
    });
    socket.on('close', () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      const under = this.#under;
      if (!under) return;
      this.#under = undefined;
      under.reject(reason);
      this.#free();
    });
    return socket;
  }

  #read(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const text = this.#received.toString('latin1');
    const headEnd = text.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = text.slice(0, headEnd).toLowerCase();
    const length = Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? Number.NaN);
    if (!(length <= LARGEST_ANSWER)) {
      this.#socket?.destroy(new Error('the answer does not say how long it is'));
      return;
    }
    const end = headEnd + HEAD_END.length + length;
    const under = this.#under;
    if (this.#received.length < end || !under) return;
    this.#received = Buffer.alloc(0);
    this.#under = undefined;
    if (head.includes('\r\nconnection: close')) {
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    under.resolve({ status: Number(head.slice(9, 12)), body: text.slice(headEnd + HEAD_END.length, end) });
    this.#free();
  }
}
