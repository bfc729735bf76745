import { formatShare } from './format.ts';

/** Submissions by outcome, of a day or of a supplier. */
export interface Outcomes {
  readonly accepted: bigint;
  readonly duplicates: bigint;
  readonly rejected: bigint;
  readonly returned: bigint;
  readonly undecided: bigint;
}

const decidedOf = ({ accepted, duplicates, rejected, returned }: Outcomes): bigint =>
  accepted + duplicates + rejected + returned;
export const receivedOf = (of: Outcomes): bigint => decidedOf(of) + of.undecided;

/** Formats the share of submissions that are accepted, of those decided. Returned ones are no longer accepted. */
export const acceptedShareOf = (rows: readonly Outcomes[]): string =>
  shareOf(
    sumOf(rows, ({ accepted }) => accepted),
    sumOf(rows, decidedOf),
  );

/** The caps of a supplier, undefined where it has none. */
interface Caps {
  readonly acceptedPerDay?: number | undefined;
  readonly acceptedPerMonth?: number | undefined;
}

/** Returns each cap that a supplier has, with how much of it is used. */
export const capsUsed = (
  caps: Caps | undefined,
  used: { readonly acceptedToday: bigint; readonly acceptedThisMonth: bigint } | undefined,
) =>
  (
    [
      ['perDay', caps?.acceptedPerDay, used?.acceptedToday],
      ['perMonth', caps?.acceptedPerMonth, used?.acceptedThisMonth],
    ] as const
  ).flatMap(([period, cap, accepted]) => (cap === undefined ? [] : [{ period, cap, used: accepted ?? 0n }]));

const NEARLY_USED = 0.8;

/** Returns whether a cap is reached, is used by more than 80 %, or neither. A cap of zero is always reached. */
export function stateOfCap(used: bigint, cap: number): 'reached' | 'nearly reached' | 'open' {
  if (used >= BigInt(cap)) return 'reached';
  return Number(used) / cap > NEARLY_USED ? 'nearly reached' : 'open';
}

/** Charged and credited submissions, of a day or of a supplier. */
export interface Value {
  readonly billableSubmissions: bigint;
  readonly credits: bigint;
  readonly chargedPence: bigint;
  readonly creditedPence: bigint;
  /** Lines without a price, which aren't part of the pence. */
  readonly unpriced: bigint;
}

export const netOf = ({
  chargedPence,
  creditedPence,
}: Pick<Value, 'chargedPence' | 'creditedPence'>): bigint => chargedPence - creditedPence;

/** Webhook events of a day. Those superseded or dropped aren't sent. */
interface Deliveries {
  readonly delivered: bigint;
  readonly exhausted: bigint;
  readonly expired: bigint;
  readonly pending: bigint;
}

export const undeliveredOf = ({ exhausted, expired }: Deliveries): bigint => exhausted + expired;

/** Formats the share of webhook events that are delivered, of those to be sent: pending ones may be failing. */
export function deliveredShareOf(days: readonly Deliveries[]): string {
  const delivered = sumOf(days, (day) => day.delivered);
  return shareOf(delivered, delivered + sumOf(days, (day) => undeliveredOf(day) + day.pending));
}

export const sumOf = <Row>(rows: readonly Row[], pick: (row: Row) => bigint): bigint =>
  rows.reduce((sum, row) => sum + pick(row), 0n);

/** Formats the share of a count in another: "99.4%", or a dash if there is nothing to share. */
export const shareOf = (part: bigint, all: bigint): string =>
  all === 0n ? '—' : formatShare(Number(part) / Number(all));

const percent = new Intl.NumberFormat('en-GB', {
  style: 'percent',
  signDisplay: 'exceptZero',
  maximumFractionDigits: 0,
});

/** Formats how much a count differs from an earlier one: "+25%", "−25%", or returns undefined if that was zero. */
export const changeOf = (now: bigint, before: bigint): string | undefined =>
  before === 0n ? undefined : percent.format(Number(now) / Number(before) - 1).replace('-', '−');

/** Returns one number for each row, in the form that plots need. */
export const numbersOf = <Row>(rows: readonly Row[], pick: (row: Row) => bigint | undefined) =>
  rows.map((row) => {
    const value = pick(row);
    return value === undefined ? null : Number(value);
  });
