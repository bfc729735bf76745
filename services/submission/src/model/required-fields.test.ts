import { readFileSync } from 'node:fs';
import { create } from '@bufbuild/protobuf';
import { ContactChannel, EnquirySchema, PreferredContactMethod } from '@supplier/proto/common/v1/enquiry';
import { sampleEnquiry } from '../../testing/sample-enquiry.ts';
import { missingFields } from './required-fields.ts';

interface Published {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly required: readonly string[] }>>;
  };
}
const published: Published = JSON.parse(
  readFileSync(new URL('../../../../docs/openapi/v1.json', import.meta.url), 'utf8'),
);
/** Fields of a body that are not part of the enquiry. */
const NOT_OF_THE_ENQUIRY = new Set(['external_reference', 'level', 'operation_idempotency_key']);

it.each([
  ['application', 'CreateSubmissionRequest'],
  ['basic', 'CreateDeliverySubmissionRequest'],
  ['promotion', 'PromoteSubmissionRequest'],
] as const)('the fields required for %s match the published %s', (purpose, name) => {
  const required = published.components.schemas[name]?.required ?? [];
  const ofTheEnquiry = required.filter((field) => !NOT_OF_THE_ENQUIRY.has(field));
  expect(missingFields(purpose, create(EnquirySchema)).toSorted()).toEqual(ofTheEnquiry.toSorted());
});

it.each([
  ['prefers email', PreferredContactMethod.EMAIL, [ContactChannel.PHONE]],
  ['expects contact by email', PreferredContactMethod.PHONE, [ContactChannel.EMAIL]],
])(
  'the email of a basic enquiry is required if the customer %s',
  (_what, preferredContactMethod, channels) => {
    const contactExpectation = { permissionStated: true, wordingVersion: 'v1', channels };
    const stated = { email: undefined, contactExpectation, preferredContactMethod };
    expect(missingFields('basic', sampleEnquiry(stated))).toEqual(['email']);
  },
);
