import { readFileSync } from 'node:fs';

/** Reads the reviewed table in docs/internal-api.md, instead of what the running code reports about itself. */
export function rolesTable(): { staffRoles: string[]; allowed: Record<string, string[]> } {
  const page = readFileSync(new URL('../../docs/internal-api.md', import.meta.url), 'utf8');
  const [, table = ''] = /<!-- roles: [^>]*-->\n(.*?)\n<!-- end of roles -->/s.exec(page) ?? [];
  const [, , ...rows] = table.split('\n').map((line) => line.slice(2, -2).split(' | '));
  const allowed = Object.fromEntries(
    rows.flatMap(([service = '', names = '', methods = '']) => {
      const roles = names.split(', ').map((name) => (name.startsWith('service:') ? name : `staff:${name}`));
      return methods.split(', ').map((method) => [`${service}/${method}`, roles]);
    }),
  );
  const roles = new Set(Object.values(allowed).flat());
  return { staffRoles: [...roles].filter((role) => role.startsWith('staff:')), allowed };
}
