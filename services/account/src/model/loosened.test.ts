import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { BusinessSector, TradingDuration } from '@supplier/proto/common/v1/enquiry';
import {
  ApplicationMinting,
  type Caps,
  DecisionMode,
  PreUnderwritingFailure,
  TermsSchema,
  type Thresholds,
} from '@supplier/proto/common/v1/principal';
import { BillingModel } from '@supplier/proto/common/v1/status';
import type { AccountSettings } from './account.ts';
import { loosenedBy, loosenedLater, loosenedSettings } from './loosened.ts';
import { timelineOf } from './scheduled-terms.ts';

type TermsInit = MessageInitShape<typeof TermsSchema>;

const TERMS = {
  billingModel: BillingModel.ACCEPTED_SUBMISSION,
  decisionMode: DecisionMode.STAFF,
  applicationMinting: ApplicationMinting.ON_ACCEPTANCE,
  preUnderwritingFailure: PreUnderwritingFailure.RETURN,
  thresholds: {
    minimumFundingAmount: 0,
    maximumFundingAmount: 50_000,
    excludedSectors: [BusinessSector.TRANSPORT, BusinessSector.OTHER],
    minimumAnnualTurnoverGbp: 100_000,
    minimumTradingDuration: TradingDuration.TRADING_DURATION_2_5_YEARS,
  },
  caps: { acceptedPerDay: 10, acceptedPerMonth: 100 },
} satisfies TermsInit;

const settings = (terms: object = {}, more: Partial<AccountSettings> = {}): AccountSettings => ({
  state: 'active',
  permittedScopes: ['create_application', 'read'],
  terms: create(TermsSchema, { ...TERMS, ...terms } as TermsInit),
  writesPerMinute: 100,
  readsPerMinute: null,
  ...more,
});
const thresholds = (more: object) => ({ thresholds: { ...TERMS.thresholds, ...more } });

/** Expected name, settings before, settings after. */
const LOOSENING: readonly (readonly [string, AccountSettings, AccountSettings])[] = [
  ['state', settings({}, { state: 'suspended' }), settings()],
  [
    'permitted_scopes',
    settings(),
    settings({}, { permittedScopes: ['read', 'create_application', 'promote'] }),
  ],
  ['terms.decision_mode', settings(), settings({ decisionMode: DecisionMode.AUTOMATIC })],
  [
    'terms.pre_underwriting_failure',
    settings(),
    settings({ preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF }),
  ],
  ['terms.thresholds.minimum_funding_amount', settings(thresholds({ minimumFundingAmount: 9 })), settings()],
  [
    'terms.thresholds.minimum_funding_amount',
    settings(),
    settings({ thresholds: omit(TERMS.thresholds, 'minimumFundingAmount') }),
  ],
  [
    'terms.thresholds.maximum_funding_amount',
    settings(),
    settings(thresholds({ maximumFundingAmount: 50_001 })),
  ],
  [
    'terms.thresholds.maximum_funding_amount',
    settings(),
    settings({ thresholds: omit(TERMS.thresholds, 'maximumFundingAmount') }),
  ],
  [
    'terms.thresholds.excluded_sectors',
    settings(),
    settings(thresholds({ excludedSectors: [BusinessSector.OTHER, BusinessSector.RETAIL_WHOLESALE] })),
  ],
  [
    'terms.thresholds.minimum_annual_turnover_gbp',
    settings(),
    settings(thresholds({ minimumAnnualTurnoverGbp: 99_999 })),
  ],
  [
    'terms.thresholds.minimum_trading_duration',
    settings(),
    settings(thresholds({ minimumTradingDuration: TradingDuration.TRADING_DURATION_1_2_YEARS })),
  ],
  [
    'terms.thresholds.minimum_trading_duration',
    settings(),
    settings(thresholds({ minimumTradingDuration: TradingDuration.TRADING_DURATION_UNSPECIFIED })),
  ],
  ['terms.caps.accepted_per_day', settings(), settings({ caps: { ...TERMS.caps, acceptedPerDay: 11 } })],
  ['terms.caps.accepted_per_month', settings(), settings({ caps: { acceptedPerDay: 10 } })],
];

describe('loosenedSettings', () => {
  it.each(LOOSENING)(
    'reports %s for a change that loosens it, and nothing for the reverse',
    (name, before, after) => {
      expect(loosenedSettings(before, after)).toEqual([name]);
      if (name !== 'terms.thresholds.excluded_sectors') expect(loosenedSettings(after, before)).toEqual([]);
    },
  );

  it('reports every exchange of scopes and of excluded sectors, whatever the order and length of the lists', () => {
    const scopes = ['create_basic', 'create_application', 'read'] as const;
    const sectors = [
      BusinessSector.TRANSPORT,
      BusinessSector.OTHER,
      BusinessSector.RETAIL_WHOLESALE,
    ] as const;
    const places = [[], [0], [1], [2], [0, 1], [1, 0], [2, 1], [0, 2], [2, 0, 1], [0, 1, 2]];
    const listsAt = (list: readonly number[]) =>
      settings(thresholds({ excludedSectors: list.map((place) => sectors[place]) }), {
        permittedScopes: list.flatMap((place) => scopes[place] ?? []),
      });
    for (const had of places)
      for (const has of places)
        expect(loosenedSettings(listsAt(had), listsAt(has))).toEqual([
          ...(has.some((place) => !had.includes(place)) ? ['permitted_scopes'] : []),
          ...(had.some((place) => !has.includes(place)) ? ['terms.thresholds.excluded_sectors'] : []),
        ]);
  });

  it('names every removed threshold and cap', () => {
    const { thresholds: _, caps: __, ...rest } = TERMS;
    const none = { ...settings(), terms: create(TermsSchema, rest) };
    expect(loosenedSettings(settings(), none)).toHaveLength(7);
    expect(loosenedSettings(none, settings())).toEqual([]);
  });

  it('reports only the loosened setting when another is tightened', () => {
    const change = settings({ caps: { acceptedPerDay: 1, acceptedPerMonth: 101 } });
    expect(loosenedSettings(settings(), change)).toEqual(['terms.caps.accepted_per_month']);
  });

  it.each<[string, AccountSettings]>([
    ['billing', settings({ billingModel: BillingModel.PRE_UNDERWRITING_CLEARED })],
    ['minting', settings({ applicationMinting: ApplicationMinting.ON_PROMOTION })],
    ['enrolments', settings({ enrolments: { arrivalScreen: true, documentFirst: true } })],
    ['limits', settings({}, { writesPerMinute: 10_000, readsPerMinute: 1 })],
    ['the order of lists', settings({}, { permittedScopes: ['read', 'create_application'] })],
  ])('reports nothing for a change of %s', (_, after) => {
    expect(loosenedSettings(settings(), after)).toEqual([]);
  });
});

describe('loosenedBy', () => {
  const NOW = new Date('2026-11-20T12:00:00.000Z');
  /** Builds a timeline from a current cap and later caps by the hour at which they take effect. */
  const timeline = ([now, ...later]: readonly [number, ...(readonly [number, number])[]]) =>
    timelineOf(
      cap(now),
      later.map(([hour, value]) => ({ ...cap(value), effectiveFrom: hours(hour) })),
      NOW,
    );
  const cap = (acceptedPerDay: number) =>
    create(TermsSchema, { caps: { acceptedPerDay }, thresholds: {} }) as Bounds;
  const hours = (count: number) => new Date(NOW.getTime() + count * 3_600_000);
  type Bounds = { readonly thresholds: Thresholds; readonly caps: Caps };
  type CapsByHour = readonly [number, ...(readonly [number, number])[]];

  it.each<[string, CapsByHour, CapsByHour, number[]]>([
    ['schedules the current terms', [10], [10, [48, 10]], []],
    ['schedules a tightening before a loosening', [10, [48, 10]], [10, [24, 5], [48, 10]], [48]],
    ['schedules a tightening before an approved loosening', [10, [48, 20]], [10, [24, 5], [48, 20]], []],
    ['schedules two tightenings', [10, [48, 5]], [10, [24, 7], [48, 5]], []],
    ['schedules a loosening', [10], [10, [24, 11]], [24]],
    ['schedules a loosening before a tightening', [10, [48, 5]], [10, [24, 11], [48, 5]], [24]],
    ['schedules two loosenings', [10], [10, [24, 11], [48, 12]], [24]],
    ['brings forward and raises a scheduled cap', [10, [48, 5]], [10, [24, 11], [48, 12]], [24]],
    ['tightens now', [10], [5], []],
    ['tightens now what scheduled terms loosen', [10, [24, 10], [48, 10]], [5, [24, 10], [48, 10]], [24]],
    ['tightens now alongside an approved loosening', [10, [24, 20]], [5, [24, 20]], []],
    ['loosens now until a tightening', [10, [24, 5]], [11, [24, 5]], [0]],
    ['cancels a loosening', [10, [24, 20]], [10], []],
    ['cancels a tightening', [10, [24, 5]], [10], [24]],
    ['cancels a tightening before a further one', [10, [24, 5], [48, 4]], [10, [48, 4]], [24]],
    ['cancels a loosening before a smaller one', [10, [24, 20], [48, 15]], [10, [48, 15]], [48]],
  ])('reports the hours listed for a change that %s', (_, before, after, expected) => {
    const found = loosenedBy(timeline(before), timeline(after));
    expect(found).toEqual(expected.map((hour) => ({ from: hours(hour), names: ['caps.accepted_per_day'] })));
  });

  it('lists only the scheduled terms that loosen the preceding ones', () => {
    expect(loosenedLater(timeline([10, [24, 5], [48, 8], [72, 8]]))).toEqual([
      { from: hours(48), names: ['caps.accepted_per_day'] },
    ]);
  });
});

function omit<From extends object, Name extends keyof From>(from: From, name: Name): Omit<From, Name> {
  const { [name]: _, ...rest } = from;
  return rest;
}
