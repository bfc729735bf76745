import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';

/** The answer for an address family: addresses (none means that it has none), a failure, or no answer. */
export interface Answer {
  readonly addresses?: readonly string[];
  readonly fails?: true;
  readonly afterMs?: number;
}

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };
const SERVFAIL = 2;

/** Starts a DNS server over UDP on the loopback address; queries without an entry in `answers` are never answered. */
export async function nameServer(answers: { readonly A?: Answer; readonly AAAA?: Answer }) {
  const socket = createSocket('udp4');
  const queries: string[] = [];
  let isClosed = false;

  async function answer(query: Buffer, to: RemoteInfo): Promise<void> {
    const type = query.readUInt16BE(endOfName(query));
    const family = TYPES[type];
    if (!family) return;
    queries.push(family);
    const found = answers[family];
    if (!found) return;
    await delay(found.afterMs ?? 0);
    if (!isClosed) socket.send(responseTo(query, type, found), to.port, to.address);
  }

  socket.on('message', (query, to) => void answer(query, to));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    /** The queried families, in order. */
    queries,
    close() {
      isClosed = true;
      socket.close();
    },
  };
}

/** Returns the offset after the name in the question, where the type is. */
function endOfName(query: Buffer): number {
  let at = 12;
  while (query[at] !== 0) at += 1 + (query[at] ?? 0);
  return at + 1;
}

function responseTo(query: Buffer, type: number, { addresses = [], fails }: Answer): Buffer {
  const question = query.subarray(12, endOfName(query) + 4);
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 + (fails ? SERVFAIL : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const data = Buffer.from(ipaddr.parse(address).toByteArray());
    const record = Buffer.alloc(12);
    // A pointer to the name in the question.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([head, question, ...records]);
}
