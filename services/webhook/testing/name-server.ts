import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';

/** How a family is answered: with addresses (none: there are none of it), with a failure, or never. */
export interface Answer {
  readonly addresses?: readonly string[];
  readonly fails?: true;
  readonly afterMs?: number;
}

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };
const SERVFAIL = 2;

/** A DNS server over UDP on the loopback address; what `answers` has no entry for is never answered. */
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
    /** The families that were queried, in order. */
    queries,
    close() {
      isClosed = true;
      socket.close();
    },
  };
}

/** Where the type follows the name of the question. */
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
    // The name is that of the question.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(type, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([head, question, ...records]);
}
