import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { create } from '@bufbuild/protobuf';
import { itWith } from '@supplier/lib/testing';
import type { EventId } from '@supplier/lib/text/ids';
import { renderStatus, type StatusObject } from '@supplier/lib/text/status-object';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  BillingModel,
  BillingStatus,
  Environment,
  Level,
  NotBillableReason,
  ReturnReasonCategory,
  Status,
  SubmissionStatusSchema,
} from '@supplier/proto/common/v1/status';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { EXAMPLE_RECEIVERS } from '../../testing/example-receivers.ts';
import { envelopeBytes } from './envelope.ts';

interface Event {
  readonly id: EventId;
  readonly occurred_at: string;
  readonly data: StatusObject;
}
const document = JSON.parse(
  readFileSync(new URL('../../../../docs/openapi/v1.json', import.meta.url), 'utf8'),
);
const body = document.webhooks['submission.status_changed'].post.requestBody.content['application/json'];
const kinds = Object.entries<{ value: Event }>(body.examples).map(([kind, { value }]) => ({ kind, value }));

/** Strict about formats: an unknown format must cause an error. */
const ajv = new Ajv2020({ strict: false, formats: { uuid: true, uri: true, 'date-time': true } });
ajv.addSchema(document, 'openapi');
const isEvent = ajv.compile({ $ref: 'openapi#/components/schemas/WebhookEvent' });

const at = (text: string | null) => (text === null ? undefined : toTimestamp(new Date(text)));
const enumValue = (names: object, name: string) => Number(Reflect.get(names, name.toUpperCase()));

/** The submission state that would make the service send this `data`. */
const stateOf = (data: StatusObject) =>
  create(SubmissionStatusSchema, {
    environment: enumValue(Environment, data.environment),
    submissionId: data.submission_id,
    externalReference: data.external_reference,
    level: enumValue(Level, data.level),
    status: enumValue(Status, data.status),
    receivedAt: at(data.received_at),
    decidedAt: at(data.decided_at),
    applicationReference: data.application_reference ?? undefined,
    applicationCreatedAt: at(data.application_created_at),
    billing: {
      billingStatus: enumValue(BillingStatus, data.billing.billing_status),
      billableAt: at(data.billing.billable_at),
      billingModel: enumValue(BillingModel, data.billing.billing_model),
      notBillableReason: enumValue(NotBillableReason, data.billing.not_billable_reason ?? 'unspecified'),
    },
    ...(data.handoff
      ? {
          handoff: {
            customerJourneyUrl: data.handoff.customer_journey_url,
            expiresAt: at(data.handoff.expires_at),
          },
        }
      : {}),
    ...(data.return
      ? {
          return: {
            reasonCategory: enumValue(ReturnReasonCategory, data.return.reason_category),
            returnedAt: at(data.return.returned_at),
          },
        }
      : {}),
  } as Parameters<typeof create<typeof SubmissionStatusSchema>>[1]);

describe('webhook samples', () => {
  it('include every reason to send one', () => {
    const reasons = kinds.map(({ value: { data } }) =>
      [data.environment, data.level, data.status, data.billing.billing_status, data.handoff ? 'link' : '']
        .join(' ')
        .trim(),
    );
    expect(new Set(reasons).size).toBe(kinds.length);
    expect(reasons).toEqual(
      expect.arrayContaining([
        'production application accepted pending',
        'production application accepted billable',
        'production application accepted billable link',
        'production application returned not_billable',
        'production application rejected not_billable',
        'production application duplicate_not_accepted not_billable',
        'production basic accepted pending',
        'sandbox application accepted not_billable',
      ]),
    );
  });

  it.each(kinds)('equal the bytes that the service would freeze, and are valid: $kind', ({ value }) => {
    const frozen = envelopeBytes(value.id, value.occurred_at, renderStatus(stateOf(value.data)));
    expect(JSON.stringify(value)).toBe(Buffer.from(frozen).toString());
    expect([isEvent(value), isEvent.errors]).toEqual([true, null]);
  });

  for (const { language, needs, command } of EXAMPLE_RECEIVERS.filter(({ sends }) => sends))
    itWith(...needs)(`equal those in the ${language} sender`, () => {
      const [program, ...args] = command('');
      const printed = execFileSync(program, [...args, 'samples'], { encoding: 'utf8' })
        .trim()
        .split('\n');
      expect(printed).toEqual(kinds.map(({ value }) => JSON.stringify(value)));
    });
});
