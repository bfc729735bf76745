import type { Caps, Enrolments, Terms, Thresholds } from '@supplier/proto/common/v1/principal';
import { DecisionMode, PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import type { AccountSettings, AccountState } from './account.ts';

/** Returns whether a change of one value lets more through. */
type Rule<Value> = (before: Value, after: Value) => boolean;
/** One rule per field of a message: a missing rule fails to compile. */
type Rules<Message> = {
  readonly [Name in Exclude<keyof Message, '$typeName' | '$unknown'>]-?: Rule<Message[Name]>;
};

const never = () => false;
const loweredOrRemoved: Rule<number | undefined> = (before, after) =>
  before !== undefined && (after === undefined || after < before);
const raisedOrRemoved: Rule<number | undefined> = (before, after) =>
  before !== undefined && (after === undefined || after > before);
const lowered: Rule<number> = (before, after) => after < before;
const withOneLess = (before: readonly unknown[], after: readonly unknown[]) =>
  before.some((one) => !after.includes(one));
/** Loosens on any change except to the strictest value. */
const awayFrom =
  <Value>(tightest: Value): Rule<Value> =>
  (before, after) =>
    before !== after && after !== tightest;

const THRESHOLDS: Rules<Thresholds> = {
  minimumFundingAmount: loweredOrRemoved,
  maximumFundingAmount: raisedOrRemoved,
  excludedSectors: withOneLess,
  minimumAnnualTurnoverGbp: loweredOrRemoved,
  // Values are ordered by duration; unspecified comes first.
  minimumTradingDuration: lowered,
};

const CAPS: Rules<Caps> = {
  acceptedPerDay: raisedOrRemoved,
  acceptedPerMonth: raisedOrRemoved,
};

/** Enrolments decide what a customer is shown, not which submissions are accepted. */
const ENROLMENTS: Rules<Enrolments> = { arrivalScreen: never, documentFirst: never };

/** When each of the other terms loosens. */
const TERMS: Rules<Omit<Terms, 'thresholds' | 'caps' | 'enrolments'>> = {
  // Affects charges and when the Application is created, not which submissions are accepted.
  billingModel: never,
  applicationMinting: never,
  decisionMode: awayFrom<DecisionMode>(DecisionMode.STAFF),
  // Failed submissions are no longer returned automatically.
  preUnderwritingFailure: awayFrom<PreUnderwritingFailure>(PreUnderwritingFailure.RETURN),
};

/** When each setting other than the terms loosens. */
const SETTINGS: Rules<Omit<AccountSettings, 'terms'>> = {
  state: awayFrom<AccountState>('suspended'),
  permittedScopes: (before, after) => withOneLess(after, before),
  // Limits how fast a credential can send requests, not which submissions are accepted.
  writesPerMinute: never,
  readsPerMinute: never,
};

/** Returns the names of thresholds and caps that let more through than `before`, such as `caps.accepted_per_day`. */
export function loosenedTerms(
  before: Pick<Terms, 'thresholds' | 'caps'>,
  after: Pick<Terms, 'thresholds' | 'caps'>,
): string[] {
  return [
    ...loosened('thresholds.', THRESHOLDS, before.thresholds, after.thresholds, NO_THRESHOLDS),
    ...loosened('caps.', CAPS, before.caps, after.caps, {}),
  ];
}

/** Thresholds and caps with the time they take effect. */
export interface TermsFrom {
  readonly effectiveFrom: Date;
  readonly terms: Pick<Terms, 'thresholds' | 'caps'>;
}

/** A time at which terms start to let more through. */
export interface Loosening {
  readonly from: Date;
  /** For example `caps.accepted_per_day`. */
  readonly names: readonly string[];
}

/** The current terms, followed by the scheduled ones in time order. */
export type Timeline = readonly [TermsFrom, ...TermsFrom[]];

/**
 * Lists everything that an act loosens from now on: each name once, with the first time. A name counts when the terms
 * at that time let more through than the terms they replace, or when they raise a value that the act lowers until then.
 * Without the second rule, scheduling today's cap and then a tighter one before it would hide the raise.
 */
export function loosenedBy(before: Timeline, after: Timeline): Loosening[] {
  const raisedBefore = new Set(
    loosenedLater(before).flatMap(({ from, names }) => names.map((name) => `${from.getTime()} ${name}`)),
  );
  const reported = new Set<string>();
  const firstOf = (from: Date, names: readonly string[]): Loosening[] => {
    const fresh = [...new Set(names)].filter((name) => !reported.has(name));
    for (const name of fresh) reported.add(name);
    return fresh.length > 0 ? [{ from, names: fresh }] : [];
  };
  const raised = loosenedLater(after);
  const times = [...new Set([...before, ...after].map(({ effectiveFrom }) => effectiveFrom.getTime()))];
  return times
    .sort((one, other) => one - other)
    .flatMap((time) => {
      const steps = raised.find(({ from }) => from.getTime() === time)?.names ?? [];
      return firstOf(new Date(time), [
        ...loosenedTerms(termsAt(before, time), termsAt(after, time)),
        ...steps.filter((name) => !raisedBefore.has(`${time} ${name}`)),
      ]);
    });
}

/** Returns the scheduled terms that let more through than the terms before them. */
export function loosenedLater(timeline: Timeline): Loosening[] {
  return timeline.slice(1).flatMap(({ effectiveFrom, terms }, index) => {
    const names = loosenedTerms(timeline[index]?.terms ?? terms, terms);
    return names.length > 0 ? [{ from: effectiveFrom, names }] : [];
  });
}

function termsAt(timeline: Timeline, time: number): TermsFrom['terms'] {
  return (timeline.findLast(({ effectiveFrom }) => effectiveFrom.getTime() <= time) ?? timeline[0]).terms;
}

const NO_THRESHOLDS = { excludedSectors: [], minimumTradingDuration: 0 };

/** Returns the names of settings that let more through than `before`; empty when none does. */
export function loosenedSettings(before: AccountSettings, after: AccountSettings): string[] {
  return [
    ...loosened('', SETTINGS, before, after, {}),
    ...loosened('terms.', TERMS, before.terms, after.terms, {}),
    ...loosened('terms.enrolments.', ENROLMENTS, before.terms.enrolments, after.terms.enrolments, {}),
    ...loosenedTerms(before.terms, after.terms).map((name) => `terms.${name}`),
  ];
}

/** Compares two messages; an absent one counts as `none`. */
function loosened<Message>(
  prefix: string,
  rules: Rules<Message>,
  before: Message | undefined,
  after: Message | undefined,
  none: object,
): string[] {
  const [was, is] = [before ?? none, after ?? none] as [Message, Message];
  const names = Object.keys(rules) as (keyof typeof rules)[];
  return names
    .filter((name) => rules[name](was[name as keyof Message] as never, is[name as keyof Message] as never))
    .map((name) => prefix + String(name).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}
