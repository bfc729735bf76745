import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { CallsService } from '@supplier/proto/calls/v1/calls';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { roleTable } from './role-table.ts';

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

describe('which role may call which method', () => {
  it('is published as the contracts have it; UPDATE_ROLES=1 writes it', () => {
    const text = readFileSync(page, 'utf8');
    const made = roleTable(SERVICES);
    if (process.env.UPDATE_ROLES === '1') writeFileSync(page, text.replace(TABLE, made));
    expect(TABLE.exec(readFileSync(page, 'utf8'))?.[0]).toBe(made);
  });

  it('is said of every service that there is', () => {
    const declared = globSync('proto/supplier/**/*.proto', { cwd: root }).flatMap((path) =>
      [...readFileSync(new URL(path, root), 'utf8').matchAll(/^service (\w+)/gm)].map(([, name]) => name),
    );
    expect(SERVICES.map(({ name }) => name).sort()).toEqual(declared.sort());
  });
});
