import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EICAR } from '../../../services/document/testing/eicar.ts';

import { describeSignatures, prepareSignatures } from './clamd.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clamav-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('prepareSignatures', () => {
  it('detects the EICAR test file without official signatures, where freshclam has never run', () => {
    const signatures = prepareSignatures(join(folder, 'signatures'), join(folder, 'absent'));
    expect(readdirSync(signatures.folder)).toEqual(['local.ndb']);
    const text = readFileSync(join(signatures.folder, 'local.ndb'), 'latin1');
    expect(text).toContain(Buffer.from(EICAR).toString('hex'));
    expect(text).not.toContain(EICAR);
    expect(describeSignatures(signatures)).toMatch(/only one for the EICAR test file/);
  });

  it('links the existing official databases, and removes links to missing ones', () => {
    const official = join(folder, 'official');
    mkdirSync(official);
    for (const name of ['daily.cld', 'main.cvd', 'freshclam.dat', 'other.ndb'])
      writeFileSync(join(official, name), '');
    const signatures = prepareSignatures(join(folder, 'signatures'), official);
    expect(signatures.official).toEqual(['daily.cld', 'main.cvd']);
    expect(readdirSync(signatures.folder).sort()).toEqual(['daily.cld', 'local.ndb', 'main.cvd']);
    rmSync(join(official, 'main.cvd'));
    expect(prepareSignatures(join(folder, 'signatures'), official).official).toEqual(['daily.cld']);
  });
});
