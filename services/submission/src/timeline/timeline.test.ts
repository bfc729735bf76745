import { create, toBinary } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/text/time';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import {
  BillingStatus,
  Level,
  NotBillableReason,
  ReturnReasonCategory,
  Status,
} from '@supplier/proto/common/v1/status';
import { StatusChange, SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { JourneyLinkKind } from '@supplier/proto/submission/v1/journey_links';
import { ContactSchema, PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import {
  FactKind,
  LinkMoment,
  MatchKey,
  PreUnderwritingOutcome,
} from '@supplier/proto/submission/v1/timeline';
import { type LifeOfSubmission, timelineOf } from './timeline.ts';

const START = new Date('2026-11-20T10:00:00.000Z');
/** Returns the time this many minutes after the receipt. */
const at = (minutes: number) => new Date(START.getTime() + minutes * 60_000);

const RECEIVED: LifeOfSubmission['submission'] = {
  level: Level.APPLICATION,
  status: Status.RECEIVED,
  awaitsStaff: false,
  unidentified: false,
  receivedAt: START,
  decidedAt: null,
  decisionPolicy: null,
  decisionRule: null,
  decisionReason: null,
  duplicateOf: null,
  duplicateKey: null,
  erasedAt: null,
  billingStatus: BillingStatus.PENDING,
  billableAt: null,
  notBillableReason: NotBillableReason.UNSPECIFIED,
  returnReason: null,
  returnedAt: null,
  changedAt: START,
  requestId: 'req-1',
  workAttempts: 0,
  workFailure: null,
  workParkedAt: null,
};
const ACCEPTED = {
  status: Status.ACCEPTED,
  decidedAt: at(1),
  decisionPolicy: '2026-11-21',
  decisionRule: 'accepted',
  decisionReason: 'No rule is against it.',
};
const APPLICATION: NonNullable<LifeOfSubmission['application']> = {
  reference: 'APP-0000000001',
  createdAt: at(2),
  preUnderwriting: PreUnderwritingState.PENDING,
  preUnderwritingAt: null,
  preUnderwritingPolicy: null,
  preUnderwritingReasons: [],
  closeReason: null,
};

type Changes = Omit<Partial<LifeOfSubmission>, 'submission'> & {
  readonly submission?: Partial<LifeOfSubmission['submission']>;
};

const lifeOf = ({ submission, ...rest }: Changes): LifeOfSubmission => ({
  application: null,
  promotedAt: null,
  corrections: [],
  links: [],
  events: [],
  compared: { decision: [], preUnderwriting: [] },
  acts: [],
  earlier: null,
  ...rest,
  submission: { ...RECEIVED, ...submission },
});

/** Returns the entries as minutes after the receipt, kind and content. */
const timeline = (changes: Changes, now = at(1_000)) =>
  timelineOf(lifeOf(changes), now).map(({ at: time, what }) => [
    (Number(time?.seconds) * 1_000 - START.getTime()) / 60_000,
    what?.case,
    what?.value,
  ]);
const entriesOf = (kind: string, changes: Changes, now?: Date) =>
  timeline(changes, now)
    .filter(([, name]) => name === kind)
    .map(([minutes, , value]) => [minutes, value]);

describe('the timeline of a submission', () => {
  it('begins with its receipt', () => {
    expect(timeline({})).toEqual([
      [0, 'received', { requestId: 'req-1', forStaff: false, noUsableContact: false }],
    ]);
    expect(timeline({ submission: { requestId: null } })[0]?.[2]).toMatchObject({ requestId: '' });
  });

  it.each([
    ['awaits staff', { awaitsStaff: true }],
    ['was decided by staff', { ...ACCEPTED, decisionPolicy: 'staff' }],
  ])('marks its receipt as for staff if it %s', (_what, submission) => {
    expect(timeline({ submission })[0]?.[2]).toMatchObject({ forStaff: true });
  });

  it('is in time order, and in logical order within one moment', () => {
    const act = { at: at(0.5), actor: 'jo', action: 'GetSubmission', requestId: 'req-2' };
    const life = { submission: ACCEPTED, application: { ...APPLICATION, createdAt: at(1) }, acts: [act] };
    expect(timeline(life).map(([minutes, kind]) => [minutes, kind])).toEqual([
      [0, 'received'],
      [0.5, 'staffAction'],
      [1, 'decided'],
      [1, 'applicationCreated'],
    ]);
  });

  it('includes the grounds of the decision, and the kinds of facts that its rule compares', () => {
    const compared = { decision: [FactKind.FUNDING_AMOUNT], preUnderwriting: [] };
    expect(entriesOf('decided', { submission: ACCEPTED, compared })).toEqual([
      [
        1,
        {
          decision: Status.ACCEPTED,
          policyVersion: '2026-11-21',
          rule: 'accepted',
          reason: 'No rule is against it.',
          duplicateOf: '',
          duplicateKey: MatchKey.UNSPECIFIED,
          duplicateAccountId: '',
          duplicateReference: '',
          comparedKinds: [FactKind.FUNDING_AMOUNT],
        },
      ],
    ]);
    const erased = { ...ACCEPTED, decisionPolicy: null, decisionRule: null, decisionReason: null };
    expect(entriesOf('decided', { submission: erased })).toMatchObject([
      [1, { policyVersion: '', rule: '', reason: '' }],
    ]);
  });

  it('names the earlier submission of a duplicate and the matching key', () => {
    const duplicate = {
      ...ACCEPTED,
      status: Status.DUPLICATE_NOT_ACCEPTED,
      duplicateOf: 'earlier',
      duplicateKey: MatchKey.EMAIL,
    };
    const earlier = { accountId: 'supplier', externalReference: 'Ref 1' };
    expect(entriesOf('decided', { submission: duplicate, earlier })).toMatchObject([
      [
        1,
        {
          decision: Status.DUPLICATE_NOT_ACCEPTED,
          duplicateOf: 'earlier',
          duplicateAccountId: 'supplier',
          duplicateReference: 'Ref 1',
          duplicateKey: MatchKey.EMAIL,
        },
      ],
    ]);
  });

  it('reports that a returned submission was accepted, and when and why it was returned', () => {
    const returned = {
      ...ACCEPTED,
      status: Status.RETURNED,
      returnedAt: at(7),
      returnReason: ReturnReasonCategory.OVERDUE_FILINGS,
    };
    expect(entriesOf('decided', { submission: returned })).toMatchObject([
      [1, { decision: Status.ACCEPTED }],
    ]);
    expect(entriesOf('returned', { submission: returned })).toEqual([
      [7, { reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS }],
    ]);
  });

  it('includes its promotion and parked work', () => {
    expect(entriesOf('promoted', { promotedAt: at(3) })).toEqual([[3, {}]]);
    const parked = { workParkedAt: at(4), workAttempts: 5, workFailure: 'Error at decide' };
    expect(entriesOf('parked', { submission: parked })).toEqual([
      [4, { attempts: 5, failure: 'Error at decide' }],
    ]);
    expect(entriesOf('parked', { submission: { ...parked, workFailure: null } })).toMatchObject([
      [4, { failure: '' }],
    ]);
  });

  it('includes every staff action', () => {
    const act = { at: at(3), actor: 'jo', action: 'ReturnSubmission', requestId: 'req-2' };
    expect(entriesOf('staffAction', { acts: [act] })).toEqual([
      [3, { actor: 'jo', action: 'ReturnSubmission', requestId: 'req-2' }],
    ]);
  });
});

describe('an Application in the timeline', () => {
  it('has its reference, and no unfinished pre-underwriting', () => {
    expect(timeline({ application: APPLICATION }).slice(1)).toEqual([
      [2, 'applicationCreated', { applicationReference: 'APP-0000000001' }],
    ]);
  });

  it.each([
    [PreUnderwritingState.PENDING, PreUnderwritingOutcome.LEFT_TO_STAFF],
    [PreUnderwritingState.CLEARED, PreUnderwritingOutcome.CLEARED],
    [PreUnderwritingState.NOT_CLEARED, PreUnderwritingOutcome.NOT_CLEARED],
  ])('has the outcome of pre-underwriting in state %i', (preUnderwriting, outcome) => {
    const application = {
      ...APPLICATION,
      preUnderwriting,
      preUnderwritingAt: at(3),
      preUnderwritingPolicy: '2026-11-21',
      preUnderwritingReasons: ['unsatisfied-ccjs'],
      closeReason: 'The broker asked for it.',
    };
    const compared = { decision: [], preUnderwriting: [FactKind.COURT_JUDGMENTS] };
    expect(entriesOf('preUnderwriting', { application, compared })).toEqual([
      [
        3,
        {
          outcome,
          policyVersion: '2026-11-21',
          reasons: ['unsatisfied-ccjs'],
          closeReason: 'The broker asked for it.',
          comparedKinds: [FactKind.COURT_JUDGMENTS],
        },
      ],
    ]);
  });

  it('omits pre-underwriting details that earlier versions did not record', () => {
    const application = { ...APPLICATION, preUnderwritingAt: at(3) };
    expect(entriesOf('preUnderwriting', { application })).toMatchObject([
      [3, { policyVersion: '', reasons: [], closeReason: '' }],
    ]);
  });
});

describe('billing in the timeline', () => {
  const notBillable = { billingStatus: BillingStatus.NOT_BILLABLE, changedAt: at(8) };

  it.each([
    ['the billing time', { billingStatus: BillingStatus.BILLABLE, billableAt: at(5) }, 5],
    [
      'its receipt in the sandbox',
      { ...notBillable, notBillableReason: NotBillableReason.SANDBOX, returnedAt: at(7) },
      0,
    ],
    ['its return', { ...notBillable, notBillableReason: NotBillableReason.RETURNED, returnedAt: at(7) }, 7],
    ['its last change', { ...notBillable, notBillableReason: NotBillableReason.REJECTED }, 8],
  ])('is at %s', (_what, submission, minutes) => {
    const { billingStatus, notBillableReason } = { ...RECEIVED, ...submission };
    expect(entriesOf('billing', { submission })).toEqual([[minutes, { billingStatus, notBillableReason }]]);
  });

  it('is absent while it is pending', () => {
    expect(entriesOf('billing', { submission: ACCEPTED })).toEqual([]);
  });
});

describe('a contact correction in the timeline', () => {
  const fieldsOf = (contact: LifeOfSubmission['corrections'][number]['contact']) =>
    entriesOf('contactCorrected', { corrections: [{ revision: 2, correctedAt: at(3), contact }] });

  it('names its stated fields without their values', () => {
    const contact = create(ContactSchema, {
      firstName: 'Ada',
      lastName: 'Sample',
      telephone: '07700 900123',
      email: 'ada@example.test',
      preferredContactMethod: 1,
    });
    const fields = ['first_name', 'last_name', 'telephone', 'email', 'preferred_contact_method'];
    expect(fieldsOf(contact)).toEqual([[3, { revision: 2n, fields }]]);
    expect(fieldsOf(create(ContactSchema, { telephone: '07700 900123' }))).toEqual([
      [3, { revision: 2n, fields: ['telephone'] }],
    ]);
  });

  it('names no field once it is erased', () => {
    expect(fieldsOf(null)).toEqual([[3, { revision: 2n, fields: [] }]]);
  });
});

describe('a journey link in the timeline', () => {
  const LINK = {
    kind: JourneyLinkKind.HANDOFF,
    number: 2,
    createdAt: at(2),
    expiresAt: at(60),
    usedAt: null,
    codeUsedAt: null,
    endedAt: null,
  };
  /** Returns the moments of a link, each with its minutes. */
  const momentsOf = (link: object, now: Date) =>
    entriesOf('journeyLink', { links: [{ ...LINK, ...link }] }, now)
      .map(([minutes, value]) => {
        expect(value).toMatchObject({ kind: JourneyLinkKind.HANDOFF, number: 2 });
        return `${minutes} ${LinkMoment[(value as { moment: LinkMoment }).moment]}`;
      })
      .join(', ');

  it.each([
    ['is issued', {}, at(59.9), '2 ISSUED'],
    ['expires unused', {}, at(60), '2 ISSUED, 60 EXPIRED'],
    [
      'is used and its code exchanged',
      { usedAt: at(5), codeUsedAt: at(6) },
      at(99),
      '2 ISSUED, 5 USED, 6 CODE_EXCHANGED',
    ],
    ['is ended by a return', { endedAt: at(9) }, at(99), '2 ISSUED, 9 ENDED'],
  ])('%s', (_what, link, now, moments) => {
    expect(momentsOf(link, now)).toBe(moments);
  });
});

describe('a domain event in the timeline', () => {
  const envelope = (type: string, payload = new Uint8Array()) =>
    create(EventEnvelopeSchema, {
      eventId: 'event-1',
      type,
      aggregateVersion: 4n,
      occurredAt: toTimestamp(at(3)),
      requestId: 'req-1',
      payload,
    });
  const changed = (change: StatusChange, submission?: object) =>
    envelope(
      SubmissionStatusChangedSchema.typeName,
      toBinary(
        SubmissionStatusChangedSchema,
        create(SubmissionStatusChangedSchema, { change, ...(submission ? { submission } : {}) }),
      ),
    );

  it('has its change and its state', () => {
    const event = changed(StatusChange.BILLING_DECIDED, {
      status: Status.ACCEPTED,
      billing: { billingStatus: BillingStatus.BILLABLE },
    });
    expect(entriesOf('event', { events: [event] })).toEqual([
      [
        3,
        {
          eventId: 'event-1',
          type: 'SubmissionStatusChanged',
          version: 4n,
          requestId: 'req-1',
          change: 'billing_decided',
          status: Status.ACCEPTED,
          billingStatus: BillingStatus.BILLABLE,
        },
      ],
    ]);
  });

  it.each([StatusChange.UNSPECIFIED, 99 as StatusChange])('leaves the unknown change %i empty', (change) => {
    expect(entriesOf('event', { events: [changed(change)] })).toMatchObject([
      [3, { change: '', status: Status.UNSPECIFIED, billingStatus: BillingStatus.UNSPECIFIED }],
    ]);
  });

  it('has no change if its type is different', () => {
    expect(entriesOf('event', { events: [envelope('supplier.submission.v1.Other')] })).toEqual([
      [3, { eventId: 'event-1', type: 'Other', version: 4n, requestId: 'req-1' }],
    ]);
  });

  it('is omitted without a time', () => {
    expect(timeline({ events: [create(EventEnvelopeSchema, { type: 'x' })] })).toHaveLength(1);
  });
});
