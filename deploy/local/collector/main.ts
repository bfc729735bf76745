// A trace collector for this machine only: stores exported spans in two files, as received and as one line of JSON per
// span. Takes a port and a folder as arguments; without a folder it stores nothing.
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { readExport } from '@supplier/lib/testing/otlp-collector';

/** The limit of each file; the rest is dropped. */
const MAX_BYTES = 256 * 1024 * 1024;
const KEEP_ALIVE_MS = 120_000;

const [port = '', folder = ''] = process.argv.slice(2);
const keep = folder === '' ? () => {} : keeper(folder);

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method === 'POST') keep(Buffer.concat(chunks));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
});
server.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
server.listen(Number(port), '127.0.0.1');

for (const signal of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(signal, () => process.exit(0));

function keeper(path: string): (body: Buffer) => void {
  const append = (name: string) => createWriteStream(join(path, name), { flags: 'a', mode: 0o600 });
  const [requests, spans] = [append('requests.otlp'), append('spans.jsonl')];
  let kept = 0;
  return (body) => {
    kept += body.length;
    if (kept > MAX_BYTES) return;
    requests.write(body);
    spans.write(
      readExport(body)
        .map((span) => `${JSON.stringify(span)}\n`)
        .join(''),
    );
  };
}
