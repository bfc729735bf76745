import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { type DescMethod, type DescService, getOption, hasOption } from '@bufbuild/protobuf';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { CallsService } from '@supplier/proto/calls/v1/calls';
import { access } from '@supplier/proto/common/v1/options';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';

const root = new URL('../../../../', import.meta.url);
const page = new URL('docs/internal-api.md', root);
const SERVICES = [
  ...[AccountService, SubmissionService, DocumentService, BillingService, WebhookService],
  PrivacyService,
  PolicyService,
  ApprovalService,
  AuditService,
  ReconciliationService,
  CallsService,
];
const TABLE = /(?<=<!-- roles: made from the contracts -->\n).*?(?=\n<!-- end of roles -->)/s;

describe('role table', () => {
  it('is published as the contracts define it; UPDATE_ROLES=1 writes it', () => {
    const text = readFileSync(page, 'utf8');
    const made = roleTable(SERVICES);
    if (process.env.UPDATE_ROLES === '1') writeFileSync(page, text.replace(TABLE, made));
    expect(TABLE.exec(readFileSync(page, 'utf8'))?.[0]).toBe(made);
  });

  it('covers every service', () => {
    const declared = globSync('proto/supplier/**/*.proto', { cwd: root }).flatMap((path) =>
      [...readFileSync(new URL(path, root), 'utf8').matchAll(/^service (\w+)/gm)].map(([, name]) => name),
    );
    expect(SERVICES.map(({ name }) => name).sort()).toEqual(declared.sort());
  });
});

/** Roles of people, as tokens have them. `roleTable` throws if an access option names an unknown role. */
const STAFF_ROLES = [
  'staff:viewer',
  'staff:operator',
  'staff:billing',
  'staff:privacy',
  'staff:admin',
] as const;
const SERVICE_ROLE = /^service:(account|billing|document|gateway|journey|submission|webhook)$/;

/**
 * Renders which roles may call which methods as the Markdown table of docs/internal-api.md. Throws for a method that no
 * role may call, and for an unknown role.
 */
function roleTable(services: readonly DescService[]): string {
  const rows = services.flatMap(({ name, methods }) =>
    [...Map.groupBy(methods, rolesOf)].map(([roles, sharing]) => [
      name,
      roles,
      sharing.map((method) => method.name).join(', '),
    ]),
  );
  const heads = ['Service', 'Roles', 'Methods'];
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Returns the roles that may call a method, staff first and without their prefix. */
function rolesOf(method: DescMethod): string {
  const name = `${method.parent.name}/${method.name}`;
  const roles = hasOption(method, access) ? getOption(method, access).roles : [];
  if (roles.length === 0) throw new Error(`${name} has no access option: no role may call it`);
  const staff: readonly string[] = STAFF_ROLES;
  const unknown = roles.filter((role) => !staff.includes(role) && !SERVICE_ROLE.test(role));
  if (unknown.length > 0) throw new Error(`${name} names unknown roles: ${unknown.join(', ')}`);
  return [
    ...STAFF_ROLES.filter((role) => roles.includes(role)).map((role) => role.replace('staff:', '')),
    ...roles.filter((role) => SERVICE_ROLE.test(role)),
  ].join(', ');
}
