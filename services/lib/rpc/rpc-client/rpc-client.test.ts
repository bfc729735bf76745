import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceTokens } from './index.ts';

describe('serviceTokens', () => {
  it('reads one token per audience and throws when there is none', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'tokens-'));
    writeFileSync(join(dir, 'billing'), 'a.b.c\n');
    const tokens = serviceTokens(dir);
    expect(await tokens.tokenFor('billing')).toBe('a.b.c');
    await expect(tokens.tokenFor('account')).rejects.toThrow('no token');
    writeFileSync(join(dir, 'account'), 'd.e.f');
    expect(await tokens.tokenFor('account')).toBe('d.e.f');
    rmSync(dir, { recursive: true });
  });
});
