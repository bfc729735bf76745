import { readFileSync } from 'node:fs';

/** Reads the reviewed table in docs/internal-api.md, instead of what the running code reports about itself. */
export function rolesTable(): { staffRoles: string[]; allowed: Record<string, string[]> } {
  const page = readFileSync(new URL('../../docs/internal-api.md', import.meta.url), 'utf8');
  const [, table = ''] = /<!-- roles: [^>]*-->\n(.*?)\n<!-- end of roles -->/s.exec(page) ?? [];
  const [heads = [], , ...rows] = table.split('\n').map((line) => line.slice(2, -2).split(' | '));
  const staffRoles = heads.slice(1, -1).map((head) => `staff:${head}`);
  const allowed = rows.map(([method = '', ...cells]) => [
    method,
    [
      ...staffRoles.filter((_, index) => cells[index] === 'yes'),
      ...(cells.at(-1) ?? '').split(', ').map((name) => `service:${name}`),
    ],
  ]);
  return { staffRoles, allowed: Object.fromEntries(allowed) };
}
