import fc from 'fast-check';
import { page } from '../contract/journey/page.ts';
import { type Body, minimalEnquiry, upload, without } from '../harness/enquiries.ts';
import { UPLOAD_URL_PATH } from '../harness/http.ts';
import { EICAR, pdf } from '../harness/scans.ts';
import { asStatusObject, asUpload, type StatusObject } from '../harness/schemas.ts';
import { finalize, put } from '../harness/uploads.ts';
import { type Before, of, onSubmission, operation } from './operations.ts';
import {
  type Enquiry,
  FINDINGS,
  type Finding,
  PLAYED,
  type State,
  type Supplier,
  submissionAt,
  type Terms,
} from './state.ts';
import { answered, bodyOf, promotionOf, VALUES, type World } from './world.ts';

export const SUPPLIERS = 3;
export const by = fc.nat(SUPPLIERS - 1);
const value = fc.nat(VALUES - 1);
const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 });
const finding = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Finding>('none') },
  { weight: 2, arbitrary: fc.constantFrom(...(Object.keys(FINDINGS) as Finding[])) },
);
const customer = { company: sometimes(value), telephone: value };

export const terms: fc.Arbitrary<Terms> = fc.record({
  billing: fc.constantFrom('accepted_submission', 'application_created', 'pre_underwriting_cleared'),
  decidedByStaff: fc.constantFrom(false, false, true),
  mintedOnPromotion: fc.boolean(),
  failuresQueue: fc.boolean(),
  minimumAmount: sometimes(fc.constant(20_000)),
  dailyCap: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 1 }),
  arrivalScreen: fc.boolean(),
  documentFirst: fc.boolean(),
});

export const suppliers: fc.Arbitrary<Supplier[]> = fc.array(
  fc.record({
    environment: fc.constantFrom('production', 'production', 'sandbox'),
    terms,
    isSuspended: fc.constant(false),
    listens: fc.constant(true),
    accepted: fc.constant(0),
  }),
  { minLength: SUPPLIERS, maxLength: SUPPLIERS },
);

const amount = fc.constantFrom(25_000, 25_000, 10_000);
const businessName = fc.oneof(
  { weight: 3, arbitrary: fc.constant('Analytical Engines Ltd') },
  { weight: 1, arbitrary: fc.constantFrom(...Object.keys(PLAYED)) },
);
const application: fc.Arbitrary<Enquiry> = fc.record({
  level: fc.constant('application'),
  ...{ ...customer, email: value, businessName, amount, finding },
});
const enquiry: fc.Arbitrary<Enquiry> = fc.oneof(
  application,
  fc.record({
    level: fc.constant('basic'),
    ...{ ...customer, email: sometimes(value), businessName, amount, finding: fc.constant('none') },
  }),
);

/** The supplier of a submission and its client; the refusal of a suspended one comes before the rules. */
const ownerOf = ({ state, world }: Before, at: number) => {
  const { supplier: owner } = submissionAt(state, at);
  return { owner, api: world.callers[owner]!.api, sent: world.sent[at]! };
};

const send = ({ callers }: World, supplier: number, body: object, level: Enquiry['level']) =>
  level === 'basic' ? callers[supplier]!.api.createBasic(body) : callers[supplier]!.api.create(body);

const create = operation('create', fc.record({ by, enquiry }), async (before, chosen) => {
  const { rules, state, world } = before;
  const outcome = rules.bySupplier(state, chosen.by, () => rules.create(state, chosen.by, chosen.enquiry));
  const body = bodyOf(world, chosen.enquiry);
  const answer = await send(world, chosen.by, body, chosen.enquiry.level);
  const next = answered(world, outcome, answer);
  if (answer.status < 300) recorded(world, next, body, asStatusObject(answer.json, 'create'));
  return next;
});

/** Remembers the submission that the model has just added. */
function recorded(world: World, next: State, body: Body, { arrival_screen_url, ...seen }: StatusObject) {
  const { arrival } = submissionAt(next, world.sent.length);
  expect(arrival_screen_url !== undefined).toBe(arrival !== 'none');
  world.sent.push({ body, id: seen.submission_id, seen, links: { arrival: arrival_screen_url } });
}

const repeat = onSubmission(
  'repeat a create',
  fc.record({ of, sameBody: fc.boolean() }),
  async (before, at, chosen) => {
    const { rules, state, world } = before;
    const { owner, sent } = ownerOf(before, at);
    const { level, arrival } = submissionAt(state, at);
    const body = chosen.sameBody ? sent.body : { ...sent.body, last_name: 'Hopper' };
    const answer = await send(world, owner, body, level);
    if (answer.status === 200)
      expect(asStatusObject(answer.json, 'create').arrival_screen_url).toBe(
        arrival === 'works' ? sent.links.arrival : undefined,
      );
    const outcome = rules.bySupplier(state, owner, () => rules.repeat(state, at, chosen.sameBody));
    return answered(world, outcome, answer, at);
  },
);

/** Bodies that are refused, with the paths that the refusal names. */
const INVALID: readonly (readonly [string, (body: Body) => Body])[] = [
  ['business_name', (body) => without(body, 'business_name')],
  ['funding_amount', (body) => ({ ...body, funding_amount: 999 })],
  ['telephone', (body) => ({ ...body, telephone: '' })],
  ['unknown', (body) => ({ ...body, unknown: true })],
];

const invalid = operation(
  'create with an invalid body',
  fc.record({ by, which: fc.constantFrom(...INVALID) }),
  async ({ rules, state, world }, chosen) => {
    const [path, spoil] = chosen.which;
    const body = spoil(minimalEnquiry());
    const answer = await send(world, chosen.by, body, 'application');
    const next = answered(
      world,
      rules.bySupplier(state, chosen.by, () => ({ answer: `422 validation_error ${path}`, state })),
      answer,
    );
    if (answer.status === 422)
      expect(
        (await world.callers[chosen.by]!.api.readByReference(String(body.external_reference))).status,
      ).toBe(404);
    return next;
  },
);

const withoutScope = operation(
  'create without its scope',
  fc.record({ by }),
  async ({ state, world }, chosen) =>
    answered(
      world,
      { state, answer: '403 forbidden' },
      await world.callers[chosen.by]!.reader.create(minimalEnquiry()),
    ),
);

const read = onSubmission('read by id', fc.record({ of, by }), async (before, at, chosen) => {
  const { rules, state, world } = before;
  const { owner } = ownerOf(before, at);
  const outcome = rules.bySupplier(state, chosen.by, () =>
    chosen.by === owner ? rules.read(state, at) : { state, answer: '404 not_found' },
  );
  return answered(world, outcome, await world.callers[chosen.by]!.api.read(world.sent[at]!.id), at);
});

const key = fc.constantFrom('key-number-1', 'key-number-2', 'key-number-3');

const promote = onSubmission(
  'promote',
  fc.record({ of, by, key, promotion: fc.record({ ...customer, email: value, finding }) }),
  async (before, at, chosen) => {
    const { rules, state, world } = before;
    const isOwn = chosen.by === ownerOf(before, at).owner;
    const outcome = rules.bySupplier(state, chosen.by, () =>
      isOwn ? rules.promote(state, at, chosen.key, chosen.promotion) : { state, answer: '404 not_found' },
    );
    const body = promotionOf(world, chosen.key, chosen.promotion);
    return answered(
      world,
      outcome,
      await world.callers[chosen.by]!.api.promote(world.sent[at]!.id, body),
      at,
    );
  },
);

const correct = onSubmission(
  'correct the contact',
  fc.record({ of, key, late: fc.constantFrom(0, 0, 0, 1), telephone: sometimes(value) }),
  async (before, at, chosen) => {
    const { rules, state, world } = before;
    const { owner, api, sent } = ownerOf(before, at);
    const { telephone } = chosen;
    const expectedRevision = submissionAt(state, at).revision + chosen.late;
    const outcome = rules.bySupplier(state, owner, () =>
      rules.correct(state, at, chosen.key, { expectedRevision, telephone }),
    );
    const body = {
      operation_idempotency_key: chosen.key,
      expected_revision: expectedRevision,
      ...(telephone === null
        ? { preferred_contact_method: 'email' }
        : { telephone: world.customers[telephone]?.telephone }),
    };
    return answered(world, outcome, await api.correct(sent.id, body), at);
  },
);

/** The earliest received wins, which only the responses tell. */
const together = operation(
  'create together',
  fc.record({ senders: fc.array(by, { minLength: 2, maxLength: 4 }), enquiry: application }),
  async ({ rules, state, world }, { senders, enquiry: same }) => {
    const all = await Promise.all(
      senders.map(async (sender) => {
        const body = bodyOf(world, same);
        const answer = await send(world, sender, body, same.level);
        return { sender, body, answer, seen: asStatusObject(answer.json, 'create') };
      }),
    );
    const orderOf = ({ seen }: (typeof all)[number]) => `${seen.received_at} ${seen.submission_id}`;
    let next = state;
    for (const { sender, body, answer, seen } of all.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))) {
      next = answered(world, rules.create(next, sender, same), answer);
      recorded(world, next, body, seen);
    }
    return next;
  },
  ({ suppliers: all }, { senders }) =>
    senders.every((sender) => !all[sender]!.isSuspended && all[sender]!.terms.dailyCap === null),
);

const kind = fc.constantFrom('handoff', 'arrival');
const useLink = onSubmission(
  'use a link',
  fc.record({ of, kind }),
  async ({ rules, state, world }, at, chosen) => {
    const link = world.sent[at]!.links[chosen.kind];
    if (submissionAt(state, at)[chosen.kind] === 'none' || link === undefined) return state;
    const outcome = rules.useLink(state, at, chosen.kind);
    expect(String((await page(link, 'POST')).status)).toBe(outcome.answer);
    return outcome.state;
  },
);

const FILES = {
  clean: { bytes: pdf(), content_type: 'application/pdf' },
  infected: { bytes: EICAR, content_type: 'text/csv' },
  mistyped: { bytes: pdf(), content_type: 'image/png' },
};

const reserveUpload = onSubmission(
  'request an upload',
  fc.record({ of, content: fc.constantFrom('clean', 'infected', 'mistyped') }),
  async (before, at, { content }) => {
    const { rules, state, world } = before;
    const { owner, api, sent } = ownerOf(before, at);
    const { bytes, content_type: contentType } = FILES[content];
    const reference = sent.seen.external_reference;
    const body = upload({
      external_reference: reference,
      content_type: contentType,
      byte_size: bytes.length,
    });
    const answer = await api.call({ method: 'POST', path: UPLOAD_URL_PATH, body });
    if (answer.status === 200) {
      const { document_id: documentId, upload_url: url } = asUpload(answer.json);
      world.documents.push({ reference, documentId, url, contentType, byteSize: bytes.length });
    }
    return answered(
      world,
      rules.bySupplier(state, owner, () => rules.reserveUpload(state, at, content)),
      answer,
    );
  },
);

const sendFile = operation(
  'upload and finalize',
  fc.record({ of, uploads: fc.boolean() }),
  async (before, chosen) => {
    const { rules, state, world } = before;
    const place = chosen.of % state.documents.length;
    const { submission, content, state: stage } = state.documents[place]!;
    const { owner, api } = ownerOf(before, submission);
    const document = world.documents[place]!;
    const uploads = chosen.uploads && stage === 'reserved' && !submissionAt(state, submission).isErased;
    if (uploads) expect((await put(document, { bytes: FILES[content].bytes })).status).toBe(200);
    const uploaded = uploads ? rules.upload(state, place) : state;
    const outcome = rules.bySupplier(uploaded, owner, () => rules.finalize(uploaded, place));
    return answered(world, outcome, await finalize(api, document));
  },
  ({ documents }) => documents.length > 0,
);

export const ofSuppliers = {
  ...{ create, together, repeat, invalid, withoutScope, read, promote, correct },
  ...{ useLink, reserveUpload, sendFile },
};
