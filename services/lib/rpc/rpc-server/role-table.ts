import { type DescMethod, type DescService, getOption, hasOption } from '@bufbuild/protobuf';
import { access } from '@supplier/proto/common/v1/options';

/**
 * Roles of people, as tokens have them. An access option that names another is a mistake, for which `roleTable` throws.
 */
export const STAFF_ROLES = [
  'staff:viewer',
  'staff:operator',
  'staff:billing',
  'staff:privacy',
  'staff:admin',
] as const;
const SERVICE_ROLE = /^service:(account|billing|document|gateway|journey|submission|webhook)$/;

/**
 * Which role may call which method, as the contracts say: the Markdown table of docs/internal-api.md. Throws for a
 * method that nobody may call, and for an unknown role.
 */
export function roleTable(services: readonly DescService[]): string {
  const heads = ['Method', ...STAFF_ROLES.map((role) => role.replace('staff:', '')), 'services'];
  const rows = services.flatMap(({ methods }) => methods.map(row));
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function row(method: DescMethod): string[] {
  const name = `${method.parent.name}/${method.name}`;
  const roles = hasOption(method, access) ? getOption(method, access).roles : [];
  if (roles.length === 0) throw new Error(`${name} has no access option: nobody can call it`);
  const staff: readonly string[] = STAFF_ROLES;
  const unknown = roles.filter((role) => !staff.includes(role) && !SERVICE_ROLE.test(role));
  if (unknown.length > 0) throw new Error(`${name} names unknown roles: ${unknown.join(', ')}`);
  const processes = roles
    .filter((role) => SERVICE_ROLE.test(role))
    .map((role) => role.replace('service:', ''));
  return [name, ...STAFF_ROLES.map((role) => (roles.includes(role) ? 'yes' : '')), processes.join(', ')];
}
