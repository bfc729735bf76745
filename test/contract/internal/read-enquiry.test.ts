import { type Client, Code } from '@connectrpc/connect';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { newSupplier } from '../../harness/accounts.ts';
import { enquiry } from '../../harness/enquiries.ts';
import { rpcClient, rpcErrorOf } from '../../harness/rpc.ts';
import { decided, type SupplierApi } from '../../harness/suppliers.ts';
import { token } from '../../harness/tokens.ts';

const purpose = 'the applicant has called about the outcome';
const PERSON = {
  first_name: 'Ada',
  last_name: 'Sample-Jones',
  email: 'ada.jones@mail.example.test',
  telephone: '07700 900456',
};

let api: SupplierApi;
let submissionId: string;
beforeAll(async () => {
  api = await newSupplier();
  submissionId = (await decided(api, enquiry({ ...PERSON }))).submission_id;
});

const as = (role: string): Client<typeof SubmissionService> =>
  rpcClient('submission', SubmissionService, token({ roles: [role], audience: 'submission' }));
const FULL = ['staff:operator', 'staff:privacy', 'staff:admin'];

describe('ReadEnquiry', () => {
  it.each(FULL)('shows %s the enquiry as received, and the contact', async (role) => {
    const { enquiry: received, contact, masked } = await as(role).readEnquiry({ submissionId, purpose });
    expect(received).toMatchObject({ firstName: 'Ada', lastName: 'Sample-Jones', email: PERSON.email });
    expect(contact).toMatchObject({ firstName: 'Ada', telephone: PERSON.telephone, revision: 0n });
    expect(masked).toBeUndefined();
  });

  it.each(['staff:viewer', ...FULL])('shows %s only masked details in the masked form', async (role) => {
    const answer = await as(role).readEnquiry({ submissionId, purpose, masked: true });
    expect(answer).toMatchObject({
      masked: { initials: 'A. S.', telephoneEnding: '456', email: 'a…@mail.example.test' },
    });
    expect([answer.enquiry, answer.contact]).toEqual([undefined, undefined]);
  });

  it('shows a viewer only the masked form', async () => {
    const { code } = await rpcErrorOf(as('staff:viewer').readEnquiry({ submissionId, purpose }));
    expect(code).toBe(Code.PermissionDenied);
  });

  it('records an entry with the purpose and role, and none for a refused call', async () => {
    const { submission_id: other } = await decided(api, enquiry({ ...PERSON, telephone: '07700 900457' }));
    await rpcErrorOf(as('staff:viewer').readEnquiry({ submissionId: other, purpose }));
    await as('staff:viewer').readEnquiry({ submissionId: other, purpose: ` ${purpose} `, masked: true });
    await as('staff:privacy').readEnquiry({ submissionId: other, purpose });
    const { entries } = await rpcClient('submission', AuditService).listAudit({
      target: other,
      action: 'ReadEnquiry',
    });
    expect(entries.map((entry) => [entry.roles, entry.purpose, entry.afterJson])).toEqual([
      [['staff:privacy'], purpose, '{"masked": false}'],
      [['staff:viewer'], purpose, '{"masked": true}'],
    ]);
  });
});
