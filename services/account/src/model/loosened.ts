import type { Caps, Enrolments, Terms, Thresholds } from '@supplier/proto/common/v1/principal';
import { DecisionMode, PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import type { AccountSettings, AccountState } from './account.ts';

/** Whether a change of one value lets more through. */
type Rule<Value> = (before: Value, after: Value) => boolean;
/** A rule for each field of a message: a field without one does not compile. */
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
/** To anything but the value that lets least through. */
const awayFrom =
  <Value>(tightest: Value): Rule<Value> =>
  (before, after) =>
    before !== after && after !== tightest;

/** Each threshold loosens when … */
const THRESHOLDS: Rules<Thresholds> = {
  minimumFundingAmount: loweredOrRemoved,
  maximumFundingAmount: raisedOrRemoved,
  excludedSectors: withOneLess,
  minimumAnnualTurnoverGbp: loweredOrRemoved,
  // Its values are in the order of time; none is the first.
  minimumTradingDuration: lowered,
};

/** Each cap loosens when … */
const CAPS: Rules<Caps> = {
  acceptedPerDay: raisedOrRemoved,
  acceptedPerMonth: raisedOrRemoved,
};

/** They decide what a customer is shown, not what is accepted. */
const ENROLMENTS: Rules<Enrolments> = { arrivalScreen: never, documentFirst: never };

/** Each of the other terms loosens when … */
const TERMS: Rules<Omit<Terms, 'thresholds' | 'caps' | 'enrolments'>> = {
  // What is owed for a lead, and when its Application is made: the same leads are accepted.
  billingModel: never,
  applicationMinting: never,
  decisionMode: awayFrom<DecisionMode>(DecisionMode.STAFF),
  // A lead that fails is no more returned by itself.
  preUnderwritingFailure: awayFrom<PreUnderwritingFailure>(PreUnderwritingFailure.RETURN),
};

/** Each setting beside the terms loosens when … */
const SETTINGS: Rules<Omit<AccountSettings, 'terms'>> = {
  state: awayFrom<AccountState>('suspended'),
  permittedScopes: (before, after) => withOneLess(after, before),
  // How fast a credential may ask, not what is accepted.
  writesPerMinute: never,
  readsPerMinute: never,
};

/** Names of the thresholds and caps that let more through than `before`, such as `caps.accepted_per_day`. */
export function loosenedTerms(
  before: Pick<Terms, 'thresholds' | 'caps'>,
  after: Pick<Terms, 'thresholds' | 'caps'>,
): string[] {
  return [
    ...loosened('thresholds.', THRESHOLDS, before.thresholds, after.thresholds, NO_THRESHOLDS),
    ...loosened('caps.', CAPS, before.caps, after.caps, {}),
  ];
}

/** Thresholds and caps from a time on. */
export interface TermsFrom {
  readonly effectiveFrom: Date;
  readonly terms: Pick<Terms, 'thresholds' | 'caps'>;
}

/** A time from which terms let more through. */
export interface Loosening {
  readonly from: Date;
  /** Such as `caps.accepted_per_day`. */
  readonly names: readonly string[];
}

/** The present terms, followed by the scheduled ones in order of their times. */
export type Timeline = readonly [TermsFrom, ...TermsFrom[]];

/**
 * Lists what an act loosens at any time from now on: each name once, with the first time. Either the terms of that time
 * let more through than those that the act replaces, or they raise what the act has lowered until then: scheduling
 * today's cap and then a tighter one before it would otherwise hide the raise.
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

/** Returns the scheduled terms that let more through than those that hold until then. */
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

/** Names of the settings by which an account lets more through than by `before`; empty where none does. */
export function loosenedSettings(before: AccountSettings, after: AccountSettings): string[] {
  return [
    ...loosened('', SETTINGS, before, after, {}),
    ...loosened('terms.', TERMS, before.terms, after.terms, {}),
    ...loosened('terms.enrolments.', ENROLMENTS, before.terms.enrolments, after.terms.enrolments, {}),
    ...loosenedTerms(before.terms, after.terms).map((name) => `terms.${name}`),
  ];
}

/** What is absent has the values of `none`. */
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
