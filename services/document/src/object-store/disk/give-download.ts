import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { contentDisposition } from '../content-disposition.ts';
import { ObjectChanged, type ObjectStore } from '../object-store.ts';
import { ALWAYS, Refused } from './answers.ts';
import type { SignedLinks } from './signed-links.ts';

/**
 * Gives a clean object to whoever holds its link, to be saved, never shown. No link leads to any other area. Throws
 * Refused.
 */
export async function giveDownload(
  { links, store }: { links: SignedLinks; store: ObjectStore },
  key: string,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new Refused('method_not_allowed', 'GET, HEAD');
  const download = links.readDownload(key, query);
  if (typeof download === 'string') throw new Refused(download);
  const object = await store.stat('clean', key);
  if (!object) throw new Refused('not_found');

  const headers = {
    ...ALWAYS,
    'content-type': download.contentType,
    'content-length': object.byteSize,
    'content-disposition': contentDisposition(download.filename),
    etag: `"${object.etag}"`,
  };
  if (request.method === 'HEAD') {
    response.writeHead(200, headers).end();
    return;
  }
  const bytes = await store.read('clean', key, object.etag).catch((error: unknown) => {
    throw error instanceof ObjectChanged ? new Refused('not_found') : error;
  });
  response.writeHead(200, headers);
  await pipeline(bytes, response);
}
