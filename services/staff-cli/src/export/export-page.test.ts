import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openExportFolder } from './export-folder.ts';
import { exportPage } from './export-page.ts';

describe('an export page', () => {
  it('escapes all content, including headings and names', () => {
    const hostile = `<script>alert("1")</script>'&`;
    const page = exportPage(hostile, [[hostile, { [hostile]: [hostile, { inner: hostile }] }]]);
    expect(page).not.toContain('<script');
    expect(page.split('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;').length - 1).toBe(6);
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });

  it('labels values with words, and leaves out empty ones', () => {
    const page = exportPage('Held', [
      ['One', { businessName: 'Sample', notes: '', links: [], marketing: false }],
    ]);
    expect(page).toContain('<dt>business name</dt><dd>Sample</dd>');
    expect(page).toContain('<dt>marketing</dt><dd>false</dd>');
    expect(page).not.toMatch(/notes|links/);
  });
});

describe('an export directory', () => {
  let parent: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'export-'));
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  it('is accessible only to its owner, with everything in it', () => {
    const path = join(parent, 'person');
    const folder = openExportFolder(path);
    folder.write('documents/one.pdf', 'bytes');
    const modeOf = (name: string) => statSync(join(path, name)).mode & 0o777;
    expect([modeOf('.'), modeOf('documents'), modeOf('documents/one.pdf')]).toEqual([0o700, 0o700, 0o600]);
    expect(readFileSync(join(path, 'documents/one.pdf'), 'utf8')).toBe('bytes');
  });

  it('is refused if it is not empty, is a file, or is readable by others', () => {
    writeFileSync(join(parent, 'file'), '');
    expect(() => openExportFolder(parent)).toThrow('is not empty');
    expect(() => openExportFolder(join(parent, 'file'))).toThrow('is not a directory');
    mkdirSync(join(parent, 'open'), { mode: 0o755 });
    expect(() => openExportFolder(join(parent, 'open'))).toThrow('other users can read');
    expect(() => openExportFolder(join(parent, 'no', 'parent'))).toThrow('cannot create');
  });
});
