import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DescMessage } from '@bufbuild/protobuf';
import { spellEnumValue } from '@supplier/lib/text/enum-spelling';
import { AccountService, type CreateAccountRequest } from '@supplier/proto/account/v1/account';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { Scope } from '@supplier/proto/common/v1/principal';
import {
  BillingStatus,
  NotBillableReason,
  Status,
  SubmissionStatusSchema,
} from '@supplier/proto/common/v1/status';
import { DocumentSchema } from '@supplier/proto/document/v1/document';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { type FakeServices, startFakeServices } from '../testing/fake-services.ts';

const ID = '01998c1e-7d5c-7000-8000-000000000003';
const reference: unknown = JSON.parse(
  readFileSync(new URL('../../../docs/openapi/v1.json', import.meta.url), 'utf8'),
);

/** Collects the enum values of each property in the public reference, by property name. */
function publicValues(at: unknown, found = new Map<string, Set<string>>()): Map<string, Set<string>> {
  if (typeof at !== 'object' || at === null) return found;
  for (const [name, inner] of Object.entries(at)) {
    const property = inner as { enum?: string[]; items?: { enum?: string[] } } | null;
    const values = property?.enum ?? property?.items?.enum ?? [];
    for (const value of values)
      if (value !== null) found.set(name, (found.get(name) ?? new Set()).add(value));
    publicValues(inner, found);
  }
  return found;
}

/** Returns each enum field of a message and its nested messages, with the spelling of its values. */
const spelledFields = (schema: DescMessage): [string, string[]][] =>
  schema.fields.flatMap((field) => {
    if (field.enum) return [[field.name, field.enum.values.map(spellEnumValue)] as [string, string[]]];
    return field.message ? spelledFields(field.message) : [];
  });

it('every enum that suppliers use is spelled as in the public reference', () => {
  const values = publicValues(reference);
  const fields = [EnquirySchema, SubmissionStatusSchema, DocumentSchema].flatMap(spelledFields);
  const compared = fields.filter(([name]) => values.has(name));
  expect(compared.length).toBeGreaterThan(20);
  for (const [name, formatted] of compared)
    expect({ name, formatted }).toEqual({
      name,
      formatted: expect.arrayContaining([...(values.get(name) ?? [])]),
    });
});

let shell: FakeServices;
const creates: CreateAccountRequest[] = [];
const answer = {
  submissionId: ID,
  status: Status.RETURNED,
  billing: { billingStatus: BillingStatus.NOT_BILLABLE, notBillableReason: NotBillableReason.RETURNED },
};
beforeAll(async () => {
  shell = await startFakeServices((router) =>
    router
      .service(SubmissionService, {
        getSubmission: () => answer,
        listSubmissions: () => ({
          submissions: [{ submissionId: ID, status: Status.DUPLICATE_NOT_ACCEPTED }],
        }),
      })
      .service(AccountService, {
        createAccount: (request) => {
          creates.push(request);
          return {};
        },
      }),
  );
});
afterAll(() => shell.close());

describe('the spelling of an enum', () => {
  it('is the same in text output, --get and --json, with "unspecified" for an unset value', async () => {
    const get = ['submissions', 'get', ID];
    expect((await shell.run(...get)).stdout).toMatch(/billing_status +not_billable/);
    expect((await shell.run(...get, '--get', 'status')).stdout).toBe('returned\n');
    expect(JSON.parse((await shell.run(...get, '--json')).stdout)).toMatchObject({
      environment: 'unspecified',
      status: 'returned',
      billing: { billingStatus: 'not_billable', notBillableReason: 'returned' },
    });
    expect((await shell.run('submissions', 'list', '--csv')).stdout).toContain(',duplicate_not_accepted,');
  });

  it("is accepted in a request file, as is the contract's constant", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'enums-'));
    const file = join(folder, 'account.json');
    const request = {
      name: 'x',
      permittedScopes: ['create:basic', 'SCOPE_READ'],
      terms: {
        billing_model: 'accepted_submission',
        decisionMode: 'staff',
        applicationMinting: 'APPLICATION_MINTING_ON_ACCEPTANCE',
        preUnderwritingFailure: 'return',
        thresholds: { excludedSectors: ['motor-trade'], minimumTradingDuration: '2-5-years' },
      },
    };
    writeFileSync(file, JSON.stringify(request));
    expect(await shell.run('accounts', 'create', '--from-json', file)).toMatchObject({ code: 0 });
    expect(creates).toMatchObject([
      { permittedScopes: [Scope.CREATE_BASIC, Scope.READ], terms: { billingModel: 1 } },
    ]);
    writeFileSync(file, JSON.stringify({ ...request, permittedScopes: ['none-such'] }));
    expect((await shell.run('accounts', 'create', '--from-json', file)).code).toBe(2);
    rmSync(folder, { recursive: true });
  });
});
