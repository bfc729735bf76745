import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const BLOCK = 512;
const archive = new URL('samples.tar.gz', import.meta.url);

/** Returns the sample documents of a folder of the archive, with their names. */
export function samples(folder: 'files' | 'pdf/ordinary' | 'pdf/refused'): (readonly [string, Buffer])[] {
  const tar = gunzipSync(readFileSync(archive));
  const found: (readonly [string, Buffer])[] = [];
  for (let at = 0; tar[at]; ) {
    const [path = ''] = tar.toString('latin1', at, at + 100).split('\0');
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8);
    const name = path.slice(folder.length + 1);
    if (name && path === `${folder}/${name}`) found.push([name, tar.subarray(at + BLOCK, at + BLOCK + size)]);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return found;
}
