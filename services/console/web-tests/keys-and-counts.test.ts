import './browser-storage.ts';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { approvingServiceOf, clientOf, pagesOf, queryOf } from '../web/src/calls.ts';
import { formatCount } from '../web/src/shell/attention.ts';
import { searchable } from '../web/src/shell/find-submission.ts';

describe('a call of a contract that several services implement', () => {
  const message = 'name the service for supplier.audit.v1.AuditService';
  const { listAudit } = AuditService.method;

  it('needs the name of the service', () => {
    expect(() => queryOf(listAudit, {})).toThrow(message);
    expect(() => pagesOf(listAudit, {})).toThrow(message);
    expect(() => clientOf(AuditService)).toThrow(message);
  });

  it('goes to the named service, and has a key of its own', () => {
    const keys = (['account', 'billing'] as const).map((service) =>
      JSON.stringify(queryOf(listAudit, {}, service).queryKey),
    );
    expect(new Set(keys).size).toBe(2);
    expect(() => clientOf(AuditService, 'billing')).not.toThrow();
  });

  it('fails for a service that does not implement it', () => {
    expect(() => queryOf(ApprovalService.method.listApprovals, {})).toThrow('name the service');
    expect(approvingServiceOf(PolicyService.method.activatePolicy)).toBe('submission');
    expect(() => approvingServiceOf(BillingService.method.closeMonth)).toThrow('takes no approval');
  });
});

describe('what is searched while a person types', () => {
  it.each(['ada@example.test', '07700 900123', '+44 (0)7700 900123', 'ab', ''])(
    'is nothing for %j',
    (text) => {
      expect(searchable(text)).toBe('');
    },
  );

  it.each(['REF-1', '01a226d4-32c0-7664-a8a8-95281640bdda', '12345678'])('is %s itself', (text) => {
    expect(searchable(text)).toBe(text);
  });
});

describe('a count in the menu', () => {
  it('is exact for the queues of submissions, and up to 20 for the others', () => {
    expect(formatCount('/submissions', 1_234)).toBe('1,234');
    expect(formatCount('/webhooks', 20)).toBe('20');
    expect(formatCount('/webhooks', 21)).toBe('20+');
  });
});
