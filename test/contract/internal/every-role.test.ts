import { generateKeyPairSync } from 'node:crypto';
import { create, type DescMethod, type DescService, toBinary } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { CallsService } from '@supplier/proto/calls/v1/calls';
import { PrincipalSchema } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { ALL_SCOPES } from '../../harness/accounts.ts';
import { grpcBytes } from '../../harness/grpc.ts';
import { rolesTable } from '../../harness/roles-table.ts';
import { readStack, type ServiceName } from '../../harness/stack.ts';
import { type TokenOptions, token } from '../../harness/tokens.ts';

const SERVICES: [ServiceName, DescService][] = [
  ['account', AccountService],
  ['submission', SubmissionService],
  ['document', DocumentService],
  ['billing', BillingService],
  ['webhook', WebhookService],
];
const FURTHER: Partial<Record<ServiceName, readonly DescService[]>> = {
  account: [ApprovalService],
  submission: [PrivacyService, PolicyService, ApprovalService],
};
/** Every process also serves its audit log, reconciliation and batched calls. */
const METHODS = SERVICES.flatMap(([name, service]) =>
  [service, ...(FURTHER[name] ?? []), AuditService, ReconciliationService, CallsService]
    .flatMap(({ methods }) => methods)
    .map((method) => [`${method.parent.name}/${method.name}`, name, method] as const),
);

/** The first method of each process. */
const FIRST = SERVICES.flatMap(([service]) => METHODS.filter(([, name]) => name === service).slice(0, 1));

const TABLE = rolesTable();
const SERVICE_ROLES = ['gateway', ...SERVICES.map(([name]) => name), 'journey'].map((s) => `service:${s}`);
const ROLES = [...TABLE.staffRoles, ...SERVICE_ROLES];

/** Not a valid message: an admitted caller gets an error without effects; for any other the bytes aren't read. */
const JUNK = Buffer.alloc(300, 255);
/** A supplier with every scope; another test covers what the gateway may do for each scope. */
const FOR_A_SUPPLIER = { 'x-supplier-principal': principal() };
const stranger = generateKeyPairSync('ed25519').privateKey;

async function codeOf(name: ServiceName, method: DescMethod, bearer: string | undefined): Promise<string> {
  const { code } = await grpcBytes(name, method, JUNK, { token: bearer, headers: FOR_A_SUPPLIER });
  // An admitted caller's invalid message can't be decoded, so no call succeeds here.
  const isRefused = code === status.UNAUTHENTICATED || code === status.PERMISSION_DENIED;
  return isRefused || code === status.OK ? (status[code] ?? '') : 'LET_IN';
}

describe('every method of every service', () => {
  it('has a row in the published table, which has no other rows', () => {
    const methods = new Set(METHODS.map(([method]) => method));
    expect(Object.keys(TABLE.allowed).sort()).toEqual([...methods].sort());
  });

  it.each(METHODS)('%s of %s: is for only the roles of its row', async (row, name, method) => {
    const answers = await Promise.all(
      ROLES.map(async (role) => [role, await codeOf(name, method, token({ roles: [role], audience: name }))]),
    );
    const expected = ROLES.map((role) => [
      role,
      TABLE.allowed[row]?.includes(role) ? 'LET_IN' : 'PERMISSION_DENIED',
    ]);
    expect(answers).toEqual(expected);
  });

  it.each(METHODS)('%s of %s: requires a token', async (_row, name, method) => {
    expect(await codeOf(name, method, undefined)).toBe('UNAUTHENTICATED');
  });

  // All methods of a process check tokens alike.
  it.each(FIRST)('%s of %s: requires a valid token for this service', async (_row, name, method) => {
    const roles = ROLES.filter((role) => role.startsWith('staff:'));
    const options: TokenOptions = { roles, audience: name };
    const ask = (bearer?: string) => codeOf(name, method, bearer);
    expect({
      text: await ask('let-me-in'),
      credential: await ask(readStack().suppliers.alpha?.credential),
      expired: await ask(token({ ...options, expiresIn: -120 })),
      foreignIssuer: await ask(token({ ...options, issuer: 'urn:somebody-else' })),
      foreignKey: await ask(token({ ...options, key: stranger })),
      otherAudience: await ask(token({ ...options, audience: name === 'billing' ? 'account' : 'billing' })),
      noRole: await ask(token({ ...options, roles: [] })),
      madeUpRole: await ask(token({ ...options, roles: ['staff:everything', 'STAFF:ADMIN', 'admin'] })),
      serviceOfAnother: await ask(token({ ...options, roles: SERVICE_ROLES, subject: 'jo' })),
    }).toEqual({
      text: 'UNAUTHENTICATED',
      credential: 'UNAUTHENTICATED',
      expired: 'UNAUTHENTICATED',
      foreignIssuer: 'UNAUTHENTICATED',
      foreignKey: 'UNAUTHENTICATED',
      otherAudience: 'PERMISSION_DENIED',
      noRole: 'PERMISSION_DENIED',
      madeUpRole: 'PERMISSION_DENIED',
      serviceOfAnother: 'PERMISSION_DENIED',
    });
  });
});

function principal(): string {
  const message = create(PrincipalSchema, {
    accountId: '00000000-0000-7000-8000-000000000001',
    credentialId: '00000000-0000-7000-8000-000000000002',
    environment: Environment.SANDBOX,
    scopes: [...ALL_SCOPES],
    terms: {},
  });
  return Buffer.from(toBinary(PrincipalSchema, message)).toString('base64url');
}
