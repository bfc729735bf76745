import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portClaims } from './port-claims.ts';

const folder = mkdtempSync(join(tmpdir(), 'claims-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('portClaims', () => {
  it('reserves a port against other stacks until it is released', () => {
    const first = portClaims(folder);
    const second = portClaims(folder);
    expect(first.claim(8080)).toBe(true);
    expect(second.claim(8080)).toBe(false);
    expect(second.claim(8081)).toBe(true);
    first.release();
    expect(second.claim(8080)).toBe(true);
  });

  it('takes over the claim of a stack that is gone', () => {
    writeFileSync(join(folder, '9000'), JSON.stringify({ pid: process.pid, startedAt: 'another time' }));
    expect(portClaims(folder).claim(9000)).toBe(true);
  });
});
