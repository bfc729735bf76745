import type { IncomingMessage, ServerResponse } from 'node:http';
import { ALWAYS, Refused } from './answers.ts';
import type { Layout } from './layout.ts';
import type { SignedLinks } from './signed-links.ts';
import { writeObject } from './write-object.ts';

/**
 * Takes one object as its link admits it. Everything is checked before a byte of the body is asked for; what is cut
 * half-way leaves nothing. Throws Refused. A length or type other than signed is 403, as in S3, whose signature covers
 * both.
 */
export async function takeUpload(
  { layout, links, proceed }: { layout: Layout; links: SignedLinks; proceed: () => void },
  key: string,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'PUT') throw new Refused('method_not_allowed', 'PUT');
  const upload = links.readUpload(key, query);
  if (typeof upload === 'string') throw new Refused(upload);
  const length = request.headers['content-length'];
  if (request.headers['transfer-encoding'] !== undefined || length === undefined)
    throw new Refused('length_required');
  if (length !== String(upload.byteSize)) throw new Refused('size_mismatch');
  if (request.headers['content-type'] !== upload.contentType) throw new Refused('type_mismatch');

  proceed();
  // A disk that refuses must not cost the connection: the client is still to be told.
  const body = request.iterator({ destroyOnReturn: false });
  const etag = await writeObject(layout, upload, body);
  response.writeHead(200, { ...ALWAYS, etag: `"${etag}"`, 'content-length': 0 });
  response.end();
}
